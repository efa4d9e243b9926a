"""One arm against a fixed share: exact binomial design."""

from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.drafting import Draft
from core.agents.clinical_trial_design.statistical_records import Calculation
from core.stats.trial_design.sizing import ONE_ARM_LEVEL, ONE_ARM_POWER, one_stage

METHOD = "exact single arm"
FORMULA = (
    "least n, r with P(X >= r; n, p0) <= level and P(X >= r; n, p1) >= power, X binomial; it holds "
    "for every larger n that keeps both"
)


def try_one_arm(draft: Draft) -> Calculation:
    """Return the exact design of one arm where own data and a control's share are given."""
    data, asked = draft.asked.efficacy, draft.asked
    is_called = asked.is_oncology and (asked.is_later_line or not draft.made.is_randomized)
    if not is_called or asked.study == "first in human":
        return not_called_for(METHOD, "a single arm is considered in later lines of cancer alone")
    if data is None or data.is_ratio or data.reading.type != "proportion":
        return not_called_for(METHOD, "the request gives no response rate of its own")
    if data.control is None or not 0 < data.control < data.value < 1:
        return not_called_for(METHOD, "no control_value below the own response rate is given")
    null, wanted = round(data.control, 3), round(data.value, 3)
    found = one_stage(null, wanted)
    if found is None:
        return not_called_for(METHOD, "no design is small enough for the two shares given")
    return Calculation(
        method=METHOD,
        applies=True,
        why="later line of cancer with an own response rate: the accelerated way may rest on it",
        formula=FORMULA,
        inputs={
            "p0": null,
            "p1": wanted,
            "one-sided level": ONE_ARM_LEVEL,
            "power": ONE_ARM_POWER,
        },
        results=[
            {
                "n": found.n,
                "r, responses for success": found.responses,
                "level reached": round(found.alpha, 4),
                "power reached": round(found.power, 4),
            }
        ],
    )
