"""Several doses or hypotheses: Dunnett's bound, and the graph by which levels pass."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import norm

from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.drafting import Draft
from core.agents.clinical_trial_design.endpoints import THEN, make_multiplicity
from core.agents.clinical_trial_design.statistical_records import Calculation, Cell
from core.stats.trial_design.multiplicity import dunnett_bound, level_at_last
from core.stats.trial_design.sizing import size_of

DUNNETT, GATES = "several doses (Dunnett)", "gatekeeping"
DUNNETT_FORMULA = (
    "c solves P(max of k normal z, each pair correlated by 1/2, <= c) = 1 - level; each dose is "
    "tested at 1 - Phi(c); N = (k + 1) / 2 x N of two arms at that level"
)
GATES_FORMULA = (
    "graph of Bretz, Maurer, Brannath and Posch 2009: a rejected hypothesis passes its level on; "
    "the last column is the level at which a hypothesis stands once all others are rejected"
)
MOST_DOSES = 4
_LAST = 1e-9
"""Share that waits for those who come after all others: the graph's epsilon."""


def spend_on_arms(draft: Draft) -> Calculation:
    """Return what further doses beside the first cost."""
    question, plan = draft.asked, draft.made.plan
    doses = len(question.doses)
    if not draft.made.is_randomized or question.study == "first in human":
        return not_called_for(DUNNETT, "no doses are compared with a control")
    ranges_doses = draft.made.comparator == "dose_control" or question.study == "phase 2"
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
            "N of two arms at the level in all": _pair(draft, plan.alpha),
        },
        results=list(_dose_rows(draft)),
    )


def _pair(draft: Draft, level: float) -> float | None:
    plan = draft.made.plan
    if plan.planned.value is None or draft.made.size.n is None:
        return None
    n = size_of(plan.at_level(level), plan.planned.value, plan.power).n
    return None if n is None else round(n * plan.inflation, 2)


def _dose_rows(draft: Draft) -> Iterator[dict[str, Cell]]:
    for doses in range(1, MOST_DOSES + 1):
        bound = dunnett_bound(doses, draft.made.plan.alpha)
        level = float(norm.sf(bound))
        pair = _pair(draft, level)
        arms = doses + 1
        arm = None if pair is None else math.ceil(pair / 2 - 1e-9)
        yield {
            "doses": doses,
            "c": round(bound, 4),
            "one-sided level of a dose": round(level, 6),
            "N an arm": arm,
            "N": None if arm is None else arm * arms,
        }


def pass_gates(draft: Draft) -> Calculation:
    """Return how the level passes from hypothesis to hypothesis."""
    multiplicity = make_multiplicity(draft)
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
        inputs={"one-sided level in all": draft.made.plan.alpha},
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


def _graph(
    names: Sequence[str], receivers: Sequence[str]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    graph = np.zeros((len(names), len(names)))
    for index, receiver in enumerate(receivers):
        for share, receiver_name in zip((1 - _LAST, _LAST), receiver.split(THEN), strict=False):
            if receiver_name in names:
                graph[index, names.index(receiver_name)] = share
    return graph
