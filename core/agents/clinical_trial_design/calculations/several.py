"""Several doses or hypotheses: Dunnett's bound, and the graph by which levels pass."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import norm

from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.endpoints import THEN, make_multiplicity
from core.agents.clinical_trial_design.objects import Efficacy
from core.agents.clinical_trial_design.planning import Planned
from core.agents.clinical_trial_design.records import Calculation, Cell
from core.stats.trial_design.multiplicity import dunnett_bound, level_at_last
from core.stats.trial_design.sizing import month_of, size_of
from core.stats.trial_design.survival import expected_events
from core.vocabulary.endpoints import EndpointType

DUNNETT, GATES = "several doses (Dunnett)", "gatekeeping"
DUNNETT_FORMULA = (
    "c solves P(max of k normal z, each pair correlated by 1/2, <= c) = 1 - level; each dose is "
    "tested at 1 - Phi(c); N = (k + 1) / 2 x N of two arms at that level"
)
GATES_FORMULA = (
    "graph of Bretz, Maurer, Brannath and Posch 2009: a rejected hypothesis passes its level on; "
    "the last column is the level at which a hypothesis stands once all others are rejected"
)
FURTHER = "power of further endpoints"
FURTHER_FORMULA = (
    "events e by the month from N, accrual, loss and exponential survival of both arms; power = "
    "Phi(|ln ratio| sqrt(e / inflation by looks) / 2 - z(1 - level))"
)
OVERPOWERED = 0.95
MOST_DOSES = 4
_LAST = 1e-9
"""Share that waits for those who come after all others: the graph's epsilon."""


def spend_on_arms(case: DesignCase) -> Calculation:
    """Return what further doses beside the first cost."""
    question, plan = case.question, case.plan
    doses = len(question.doses)
    if not case.is_randomized or question.study == "first in human":
        return not_called_for(DUNNETT, "no doses are compared with a control")
    ranges_doses = case.comparator == "dose_control" or question.study == "phase 2"
    if doses < 2 and not ranges_doses:  # noqa: PLR2004 - one dose is no family
        return not_called_for(
            DUNNETT,
            "one dose against its control; name several in dosing_schedule, such as "
            "“5 mg or 10 mg once daily”, to plan for them",
        )
    why = (
        f"{doses} doses named in dosing_schedule: the headline N is that of {doses} doses"
        if doses > 1
        else "the study has to choose a dose: what several of them cost"
    )
    return Calculation(
        method=DUNNETT,
        applies=True,
        why=why,
        formula=DUNNETT_FORMULA,
        inputs={
            "one-sided level over all doses": plan.alpha,
            "power": plan.power,
            "N of two arms at the level in all": _pair(case, plan.alpha),
        },
        results=list(_dose_rows(case)),
    )


def _pair(case: DesignCase, level: float) -> float | None:
    plan = case.plan
    if plan.planned.value is None or case.size.n is None:
        return None
    n = size_of(plan.at_level(level), plan.planned.value, plan.power).n
    return None if n is None else round(n * plan.inflation, 2)


def _dose_rows(case: DesignCase) -> Iterator[dict[str, Cell]]:
    for doses in range(1, MOST_DOSES + 1):
        bound = dunnett_bound(doses, case.plan.alpha)
        level = float(norm.sf(bound))
        pair = _pair(case, level)
        arms = doses + 1
        arm = None if pair is None else math.ceil(pair / 2 - 1e-9)
        yield {
            "doses": doses,
            "c": round(bound, 4),
            "one-sided level of a dose": round(level, 6),
            "N an arm": arm,
            "N": None if arm is None else arm * arms,
        }


def pass_gates(case: DesignCase) -> Calculation:
    """Return how the level passes from hypothesis to hypothesis."""
    multiplicity = make_multiplicity(case)
    steps = multiplicity.alpha_map
    if len(steps) < 2:  # noqa: PLR2004 - one hypothesis is no family
        return not_called_for(GATES, "no more than one hypothesis is tested")
    names = [step.hypothesis for step in steps]
    levels = [step.alpha for step in steps]
    graph = _graph(names, [step.passes_to for step in steps])
    return Calculation(
        method=GATES,
        applies=True,
        why=f"{len(steps)} hypotheses share the level: {multiplicity.method}",
        formula=GATES_FORMULA,
        inputs={"one-sided level in all": case.plan.alpha},
        results=[
            {
                "hypothesis": name,
                "level at the start": step.alpha,
                "passes all to": step.passes_to,
                "level at the last": round(level_at_last(levels, graph, index), 6),
            }
            for index, (name, step) in enumerate(zip(names, steps, strict=True))
        ],
    )


def weigh_endpoints(case: DesignCase) -> Calculation:
    """Return bounds and power of a further time to an event at the N planned for the first."""
    plan, total = case.plan, case.total
    timed = [
        result
        for result in case.question.given.others
        if result.ratio == "hazard ratio" and result.control and result.value < 1
    ]
    if plan.type != EndpointType.TIME_TO_EVENT or not total or not case.is_randomized:
        return not_called_for(FURTHER, "no time to an event is sized between two arms")
    if not timed:
        return not_called_for(
            FURTHER, "other_measures in preliminary_efficacy_data give no hazard ratio and median"
        )
    levels = {step.hypothesis: step.alpha for step in make_multiplicity(case).alpha_map}
    return Calculation(
        method=FURTHER,
        applies=True,
        why="its hazard ratio and control median are given. Progression-free survival is tested "
        "once, at the first look; overall survival at every look by the spending of the headline",
        formula=FURTHER_FORMULA,
        inputs={"N": total, "power asked": plan.power},
        results=[
            _power_row(case, result, levels.get(result.reading.name) or plan.alpha, total)
            for result in timed
        ],
    )


def _power_row(case: DesignCase, result: Efficacy, level: float, total: int) -> dict[str, Cell]:
    """Return the tests of a further endpoint, with its power and what to do about it."""
    plan = replace(
        case.plan,
        planned=Planned(kind="hazard ratio", value=result.value, control=result.control),
        fixed_level=level,
        doses=1,
    )
    control, drug = plan.hazards(result.value) or (1.0, 1.0)
    pair = total / case.plan.share_of_arms
    is_early = result.reading.name == "progression-free survival"
    bounds = None if is_early else plan.bounds
    end = plan.months + plan.follow_up
    first = month_of(case.plan, plan.looks[0], case.size.n or total, case.size.events or 0)
    month = (first if is_early else None) or end
    events = sum(
        expected_events(hazard, pair / 2, plan.accrual, month) for hazard in (control, drug)
    )
    drift = -math.log(result.value) * math.sqrt(events / (bounds.inflation if bounds else 1)) / 2
    power = float(norm.cdf(drift - norm.isf(level)))
    success = bounds.success if bounds else (float(norm.isf(level)),)
    needed = float(norm.sf(drift - norm.ppf(plan.power)))
    note = "" if power >= plan.power else f"underpowered: below {plan.power:.0%} at this N"
    if power > OVERPOWERED:
        note = (
            f"overpowered: a level of {needed:.2g} gives {plan.power:.0%}; move the rest to "
            f"{case.endpoint}"
        )
    return {
        "endpoint": result.reading.name,
        "hazard ratio": result.value,
        "one-sided level": round(level, 6),
        "month": round(month, 1),
        "events": math.floor(events),
        "z at its tests": ", ".join(f"{z:.4f}" for z in success),
        "power": round(power, 3),
        "note": note,
    }


def _graph(
    names: Sequence[str], receivers: Sequence[str]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    graph = np.zeros((len(names), len(names)))
    for index, receiver in enumerate(receivers):
        for share, receiver_name in zip((1 - _LAST, _LAST), receiver.split(THEN), strict=False):
            if receiver_name in names:
                graph[index, names.index(receiver_name)] = share
    return graph
