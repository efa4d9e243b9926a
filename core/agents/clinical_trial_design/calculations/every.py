"""Calculations beside the headline: each where endpoint, design and request call for it."""

import math
from collections.abc import Callable, Iterator

from core.agents.clinical_trial_design.calculations.comparisons import (
    count_rates,
    derive_margin,
    keep_margin,
    pass_gates,
    repeat_visits,
    spend_on_arms,
    try_one_arm,
)
from core.agents.clinical_trial_design.calculations.methods import Method
from core.agents.clinical_trial_design.calculations.survival import (
    delay_effect,
    enrich_patients,
    look_again,
    nest_populations,
    weigh_endpoints,
)
from core.agents.clinical_trial_design.case import DesignCase, Enrollment
from core.agents.clinical_trial_design.records import Calculation, Cell

RAMP = Method(
    "recruitment by quarter",
    "a month adds sites x rate x min(1, month / ramp) participants, up to N; where supply sets the "
    "pace, N over the months that it takes",
)
QUARTER = 3
MOST_ROWS = 24


def list_calculations(case: DesignCase) -> list[Calculation]:
    """Return every calculation; of one that is not called for, why not."""
    return [make(case) for make in _ALL]


def ramp_up(case: DesignCase) -> Calculation:
    """Return how many participants have entered by the end of each quarter."""
    plan, n = case.enrollment, case.n
    if plan is None or n is None:
        return RAMP.refuse("no participants are planned for")
    return RAMP.apply(
        "sites open one after another, so that recruitment starts slowly",
        {
            "N": n,
            "sites": plan.sites,
            "patients a site and month": round(plan.rate, 4),
            "ramp, months": plan.ramp,
            "limit": plan.limit or None,
        },
        list(_quarters(plan, n))[:MOST_ROWS],
    )


def _quarters(plan: Enrollment, n: int) -> Iterator[dict[str, Cell]]:
    entered = 0.0
    for month in range(1, plan.months + 1):
        open_share = min(1.0, month / plan.ramp) if plan.ramp else 1.0
        entered += n / plan.months if plan.limit else plan.sites * plan.rate * open_share
        is_end = month == plan.months
        if month % QUARTER == 0 or is_end:
            yield {
                "month": month,
                "sites open": math.floor(plan.sites * open_share),
                "entered": n if is_end else min(n, math.floor(entered)),
            }


_ALL: tuple[Callable[[DesignCase], Calculation], ...] = (
    *(delay_effect, repeat_visits, count_rates, keep_margin, derive_margin, try_one_arm),
    *(spend_on_arms, pass_gates, weigh_endpoints, look_again, ramp_up),
    *(nest_populations, enrich_patients),
)
