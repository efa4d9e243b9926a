"""Calculations beside the headline: each where endpoint, design and request call for it."""

from collections.abc import Callable

from core.agents.clinical_trial_design.calculations.counts import count_rates
from core.agents.clinical_trial_design.calculations.delayed import delay_effect
from core.agents.clinical_trial_design.calculations.history import derive_margin
from core.agents.clinical_trial_design.calculations.looks import look_again
from core.agents.clinical_trial_design.calculations.margins import keep_margin
from core.agents.clinical_trial_design.calculations.populations import (
    enrich_patients,
    nest_populations,
)
from core.agents.clinical_trial_design.calculations.ramping import ramp_up
from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.calculations.several import (
    pass_gates,
    spend_on_arms,
    weigh_endpoints,
)
from core.agents.clinical_trial_design.calculations.visits import repeat_visits
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.records import Calculation
from core.stats.trial_design.sizing import ONE_ARM_LEVEL, ONE_ARM_POWER, one_stage

METHOD = "exact single arm"
FORMULA = (
    "least n, r with P(X >= r; n, p0) <= level and P(X >= r; n, p1) >= power, X binomial; it holds "
    "for every larger n that keeps both"
)


def try_one_arm(case: DesignCase) -> Calculation:
    """Return the exact design of one arm where own data and a control's share are given."""
    data, question = case.question.efficacy, case.question
    is_called = question.is_oncology and (question.is_later_line or not case.is_randomized)
    if not is_called or question.study == "first in human":
        return not_called_for(METHOD, "a single arm is considered in later lines of cancer alone")
    if data is None or data.is_ratio or data.reading.type != "proportion":
        return not_called_for(METHOD, "the request gives no response rate of its own")
    if data.control is None or not 0 < data.control < data.value < 1:
        return not_called_for(METHOD, "no control_value below the own response rate is given")
    null, target_rate = round(data.control, 3), round(data.value, 3)
    single_arm = one_stage(null, target_rate)
    if single_arm is None:
        return not_called_for(METHOD, "no design is small enough for the two shares given")
    return Calculation(
        method=METHOD,
        applies=True,
        why="later line of cancer with an own response rate: it may support accelerated approval",
        formula=FORMULA,
        inputs={
            "p0": null,
            "p1": target_rate,
            "one-sided level": ONE_ARM_LEVEL,
            "power": ONE_ARM_POWER,
        },
        results=[
            {
                "n": single_arm.n,
                "r, responses for success": single_arm.responses,
                "level reached": round(single_arm.alpha, 4),
                "power reached": round(single_arm.power, 4),
            }
        ],
    )


_ALL: tuple[Callable[[DesignCase], Calculation], ...] = (
    delay_effect,
    repeat_visits,
    count_rates,
    keep_margin,
    derive_margin,
    try_one_arm,
    spend_on_arms,
    pass_gates,
    weigh_endpoints,
    look_again,
    ramp_up,
    nest_populations,
    enrich_patients,
)


def list_calculations(case: DesignCase) -> list[Calculation]:
    """Return every calculation; of one that is not called for, why not."""
    return [make(case) for make in _ALL]
