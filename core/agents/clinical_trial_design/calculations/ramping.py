"""Recruitment by quarter: sites open over months, and supply may set the pace."""

import math
from collections.abc import Iterator

from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase, Enrollment
from core.agents.clinical_trial_design.records import Calculation, Cell

METHOD = "recruitment by quarter"
FORMULA = (
    "a month adds sites x rate x min(1, month / ramp) participants, up to N; where supply sets the "
    "pace, N over the months that it takes"
)
QUARTER = 3
MOST_ROWS = 24


def ramp_up(case: DesignCase) -> Calculation:
    """Return how many participants have entered by the end of each quarter."""
    plan, n = case.enrollment, case.n
    if plan is None or n is None:
        return not_called_for(METHOD, "no participants are planned for")
    return Calculation(
        method=METHOD,
        applies=True,
        why="sites open one after another, so that recruitment starts slowly",
        formula=FORMULA,
        inputs={
            "N": n,
            "sites": plan.sites,
            "patients a site and month": round(plan.rate, 4),
            "ramp, months": plan.ramp,
            "limit": plan.limit or None,
        },
        results=list(_rows(plan, n)),
    )


def _rows(plan: Enrollment, n: int) -> Iterator[dict[str, Cell]]:
    entered, last = 0.0, 0
    for month in range(1, plan.months + 1):
        open_share = min(1.0, month / plan.ramp) if plan.ramp else 1.0
        entered += n / plan.months if plan.limit else plan.sites * plan.rate * open_share
        is_end = month == plan.months
        if (month % QUARTER == 0 or is_end) and last < MOST_ROWS:
            last += 1
            yield {
                "month": month,
                "sites open": math.floor(plan.sites * open_share),
                "entered": n if is_end else min(n, math.floor(entered)),
            }
