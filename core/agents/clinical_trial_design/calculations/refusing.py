"""A calculation that is not case."""

from core.agents.clinical_trial_design.records import Calculation


def not_called_for(method: str, why: str) -> Calculation:
    """Return a calculation that is not made, with the reason."""
    return Calculation(method=method, applies=False, why=why, formula="", inputs={}, results=[])
