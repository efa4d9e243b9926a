"""Means at several visits with loss between them: by how much loss inflates the participants."""

from collections.abc import Iterator

import numpy as np

from core.agents.clinical_trial_design.calculations.assumed import assumed
from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.records import Calculation, Cell
from core.stats.trial_design.means import repeated_factor
from core.stats.trial_design.sizing import whole
from core.vocabulary.endpoints import EndpointType

METHOD = "repeated measures with loss"
FORMULA = (
    "factor = last diagonal element of the inverse of sum over visits j of (share that leaves "
    "after j) x inverse of R_j, padded with 0; R_j: correlations r^|i - k| of the first j visits; "
    "N = N without loss x factor (Lu, Luo and Chen 2008)"
)


def repeat_visits(case: DesignCase) -> Calculation:
    """Return what a mixed model over all visits needs against the last visit alone."""
    plan = case.plan
    if plan.type != EndpointType.MEAN_CHANGE:
        return not_called_for(METHOD, "the endpoint is not a mean measured at several visits")
    if not case.is_randomized or case.question.study == "first in human":
        return not_called_for(METHOD, "no two arms are compared")
    bare = None if case.size.n is None else case.size.n / plan.inflation * (1 - plan.dropout)
    bare = None if bare is None else round(bare, 2)
    visits = int(assumed("visits")[0])
    stay = retention(visits, plan.dropout)
    return Calculation(
        method=METHOD,
        applies=True,
        why="a mean change read at visits: a mixed model uses those who leave up to their last "
        "visit"
        + (
            ""
            if bare is not None
            else "; no sample size was calculated: the factor applies to any N of the grid"
        ),
        formula=FORMULA,
        inputs={
            "visits, assumed": visits,
            "still there at each visit": ", ".join(f"{share:.4f}" for share in stay),
            "N without loss": bare,
            "loss in all": round(plan.dropout, 4),
            "arms": plan.groups,
            "N by 1 / (1 - loss)": whole(
                None if bare is None else bare / (1 - plan.dropout), plan.groups
            ),
        },
        results=list(_rows(stay, bare, plan.groups)),
        source_ids=case.ids(plan.planned.ids),
    )


def retention(visits: int, loss: float) -> tuple[float, ...]:
    """Return the share still there at each visit, if the loss is even from the first to the last.

    >>> retention(4, 0.15)
    (1.0, 0.95, 0.9, 0.85)
    """
    return tuple(round(1 - loss * visit / (visits - 1), 4) for visit in range(visits))


def _rows(stay: tuple[float, ...], n: float | None, arms: int) -> Iterator[dict[str, Cell]]:
    places = np.arange(len(stay))
    for correlation in assumed("visit_correlations"):
        matrix = np.asarray(correlation ** abs(places[:, None] - places), dtype=np.float64)
        factor = round(repeated_factor(matrix, stay), 4)
        yield {
            "correlation of neighboring visits": correlation,
            "factor": factor,
            "N": whole(None if n is None else n * factor, arms),
        }
