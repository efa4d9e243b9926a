"""Rates of events, such as exacerbations or relapses: participants by negative binomial counts."""

import math
from collections.abc import Iterator

from core.agents.clinical_trial_design.calculations.assumed import assumed
from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.planning import Planned
from core.agents.clinical_trial_design.records import Calculation, Cell
from core.stats.trial_design.means import inflate, two_rates
from core.stats.trial_design.sizing import Plan
from core.vocabulary.endpoints import EndpointType

METHOD = "negative binomial rates"
FORMULA = (
    "N = 2 / (1 - loss) x ((z(1 - level) sqrt(2 / (t m) + 2 k) + z(power) sqrt((1 / r0 + 1 / r1) / "
    "t + 2 k)) / ln(r1 / r0))^2 with m = (r0 + r1) / 2 (Zhu and Lakkis 2014)"
)


def count_rates(case: DesignCase) -> Calculation:
    """Return what rates of events need, by the dispersion of their counts."""
    plan = case.plan
    if plan.type != EndpointType.RATE:
        return not_called_for(METHOD, "the endpoint is no rate of repeated events")
    if not case.is_randomized or case.question.study == "first in human":
        return not_called_for(METHOD, "no two arms are compared")
    rates = yearly_rates(plan)
    if rates is None:
        return not_called_for(
            METHOD,
            "called for by the endpoint, but no rate of the control arm was found; give value "
            "and control_value in preliminary_efficacy_data",
        )
    table = plan.planned.table
    years = (table.years if table else None) or assumed("rate_years")[0]
    return Calculation(
        method=METHOD,
        applies=True,
        why="a rate of events that a patient may have again; counts vary more than Poisson's",
        formula=FORMULA,
        inputs={
            "r0, events a year in the control arm": round(rates[0], 4),
            "r1, events a year with the drug": round(rates[1], 4),
            "t, years, assumed": years,
            "one-sided level": round(plan.level, 6),
            "power": plan.power,
            "loss in all": round(plan.dropout, 4),
        },
        results=list(_rows(plan, (round(rates[0], 4), round(rates[1], 4)), years)),
        source_ids=case.ids((*plan.planned.ids, *plan.planned.control_ids)),
    )


def yearly_rates(plan: Plan[Planned]) -> tuple[float, float] | None:
    """Return the rates of control and experimental arm; None where they are not told."""
    planned = plan.planned
    if planned.value is None or not planned.control or planned.control <= 0:
        return None
    drug = (
        planned.control * planned.value
        if planned.kind == "rate ratio"
        else planned.control + planned.value
    )
    return (planned.control, drug) if drug > 0 and drug != planned.control else None


def _rows(
    plan: Plan[Planned], rates: tuple[float, float], years: float
) -> Iterator[dict[str, Cell]]:
    loss, table = round(plan.dropout, 4), plan.planned.table
    table_values = () if table is None or table.dispersion is None else (table.dispersion,)
    for dispersion in sorted({*assumed("rate_dispersion"), *table_values}):
        n = two_rates(rates, years, dispersion, round(plan.level, 6), plan.power)
        yield {
            "dispersion k, assumed": dispersion,
            "N": 2 * math.ceil(inflate(n, loss) - 1e-9),
        }
