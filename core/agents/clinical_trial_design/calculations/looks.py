"""What a look may still change: conditional power, and more events by the inverse normal."""

import math
from collections.abc import Iterator

from scipy.stats import norm

from core.agents.clinical_trial_design.calculations.assumed import assumed
from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.planning import Planned
from core.agents.clinical_trial_design.records import Calculation, Cell
from core.stats.trial_design.sequential import conditional_power
from core.stats.trial_design.sizing import Plan

METHOD = "conditional power and re-estimation"
FORMULA = (
    "conditional power = Phi((z sqrt(t) + drift (1 - t) - b) / sqrt(1 - t)), drift = z / sqrt(t) "
    "by the trend; re-estimation: sqrt(t) z + sqrt(1 - t) z2 >= b with weights fixed beforehand "
    "(inverse normal), events of the second stage = events of the look x (((b - sqrt(t) z) / "
    "sqrt(1 - t) + z(power)) / z)^2, from the events left as planned up to the limit"
)


def look_again(case: DesignCase) -> Calculation:
    """Return what values of the first look mean, and what they may change."""
    plan = case.plan
    if plan.bounds is None or not case.is_randomized:
        return not_called_for(METHOD, "no look before the end is planned")
    if case.size.events is None:
        return not_called_for(METHOD, "no effect was found, so no events were calculated")
    share, bound = plan.looks[0], round(plan.bounds.success[-1], 4)
    events, drift = math.ceil(case.size.events), round(plan.bounds.drift, 4)
    return Calculation(
        method=METHOD,
        applies=True,
        why="a look is planned: the trial may stop, go on, or go on with more events",
        formula=FORMULA,
        inputs={
            "t, information of the first look": share,
            "b, z of success at the end": bound,
            "drift planned": drift,
            "events at the end as planned": events,
            "events at the first look": math.ceil(events * share),
            "power": plan.power,
            "limit, times the events planned": assumed("reestimation_cap")[0],
            "least conditional power for a raise": assumed("reestimation_floor")[0],
            "z of futility": round(plan.bounds.futility[0], 4),
            "z of success": round(plan.bounds.success[0], 4),
        },
        results=list(_rows(plan, events, bound, drift)),
    )


def _rows(
    plan: Plan[Planned], events: int, bound: float, drift: float
) -> Iterator[dict[str, Cell]]:
    share = plan.looks[0]
    for z in assumed("reestimation_z"):
        trend = conditional_power(z, share, bound, z / math.sqrt(share))
        yield {
            "z at the look": z,
            "hazard ratio seen": round(math.exp(-2 * z / math.sqrt(math.ceil(events * share))), 3),
            "conditional power, trend": round(trend, 3),
            "conditional power, plan": round(conditional_power(z, share, bound, drift), 3),
            "events at the end": _events(plan, events, bound, z, trend),
        }


def _events(plan: Plan[Planned], events: int, bound: float, z: float, trend: float) -> int:
    """Return the events at the end once the trend of a look is known."""
    share, first = plan.looks[0], math.ceil(events * plan.looks[0])
    if not assumed("reestimation_floor")[0] <= trend < plan.power:
        return events
    drift = (bound - math.sqrt(share) * z) / math.sqrt(1 - share) + float(norm.ppf(plan.power))
    second = math.ceil(first * (drift / z) ** 2)
    most = math.floor(assumed("reestimation_cap")[0] * events)
    return min(max(events, first + second), most)
