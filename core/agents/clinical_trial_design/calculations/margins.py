"""Non-inferiority of proportions: participants by margin; no margin is proposed."""

import math

from core.agents.clinical_trial_design.calculations.assumed import assumed
from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.records import Calculation
from core.stats.trial_design.means import inflate
from core.stats.trial_design.proportions import non_inferior_proportions
from core.vocabulary.endpoints import EndpointType

METHOD = "non-inferiority of proportions"
FORMULA = (
    "per arm ((z(1 - level) sqrt(v0) + z(power) sqrt(2 p (1 - p))) / margin)^2, v0 the variance at "
    "the most likely shares whose difference is the margin (Farrington and Manning 1990); "
    "N = 2 x per arm / (1 - loss)"
)


def keep_margin(case: DesignCase) -> Calculation:
    """Return what non-inferiority to an active control needs, margin by margin."""
    plan = case.plan
    if case.comparator != "active" or case.question.study == "first in human":
        return not_called_for(METHOD, "the control is not an active one")
    if case.question.traits.area != "Infectious" and plan.margin is None:
        return not_called_for(METHOD, "superiority over the active control is planned")
    share = plan.planned.control
    if plan.type != EndpointType.PROPORTION or share is None or not 0 < share < 1:
        return not_called_for(METHOD, "no share of responders of a control arm was found")
    share = round(share, 4)
    plan_margins = () if plan.margin is None else (plan.margin,)
    margins = sorted({*assumed("margins"), *plan_margins})
    rows = [margin for margin in margins if margin < share and share + margin < 1]
    return Calculation(
        method=METHOD,
        applies=True,
        why="active control; a margin has to be derived from the comparator's effect over none "
        "(ICH E10): give historical_trials to derive it",
        formula=FORMULA,
        inputs={
            "p, share in both arms": share,
            "one-sided level": round(plan.level, 6),
            "power": plan.power,
            "loss in all": round(plan.dropout, 4),
        },
        results=[
            {
                "margin": row,
                "N": 2
                * math.ceil(
                    inflate(
                        non_inferior_proportions(
                            share, share, row, round(plan.level, 6), plan.power
                        ),
                        round(plan.dropout, 4),
                    )
                    - 1e-9
                ),
            }
            for row in rows
        ],
        source_ids=case.ids(plan.planned.control_ids),
    )
