"""Calculations beside the headline: each where endpoint, design and request call for it."""

from collections.abc import Callable

from core.agents.clinical_trial_design.calculations.counts import count_rates
from core.agents.clinical_trial_design.calculations.delayed import delay_effect
from core.agents.clinical_trial_design.calculations.looks import look_again
from core.agents.clinical_trial_design.calculations.margins import keep_margin
from core.agents.clinical_trial_design.calculations.several import pass_gates, spend_on_arms
from core.agents.clinical_trial_design.calculations.single import try_one_arm
from core.agents.clinical_trial_design.calculations.visits import repeat_visits
from core.agents.clinical_trial_design.drafting import Draft
from core.agents.clinical_trial_design.statistical_records import Calculation

_ALL: tuple[Callable[[Draft], Calculation], ...] = (
    delay_effect,
    repeat_visits,
    count_rates,
    keep_margin,
    try_one_arm,
    spend_on_arms,
    pass_gates,
    look_again,
)


def list_calculations(draft: Draft) -> list[Calculation]:
    """Return every calculation; of one that is not called for, why not."""
    return [make(draft) for make in _ALL]
