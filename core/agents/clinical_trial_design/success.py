"""Probability that the next study reaches the next step: base rate, own data, adjustments."""

import math
from collections.abc import Sequence

from core.agents.clinical_trial_design.asked import Asked
from core.agents.clinical_trial_design.gathering import Holding
from core.agents.clinical_trial_design.records import Adjustment, SuccessProbability
from core.agents.clinical_trial_design.tables import success_row, success_steps

SHRINK = 30
"""Trials that the base rate weighs as."""
CAP = 1.1
"""Most that the adjustments change on the log-odds scale, together."""
_SHOWN = {"carried an approval", "difference shown"}
_FAILED = {"no difference shown", "stopped"}
_EARLIER_FAILURES = 2
Z95 = 1.959964


def estimate(asked: Asked, found: Holding, further: Sequence[str] = ()) -> SuccessProbability:
    """Return the probability with base, adjustments and interval.

    Args:
        asked: Study, area, marker, designations.
        found: Precedents whose outcome is told count against 30 of the base.
        further: Names of further adjustments, such as "smaller study".
    """
    row = success_row(asked.traits.area)
    shares = {"first in human": row.phase1, "phase 2": row.phase2, "pivotal": row.phase3}
    base = shares.get(asked.study, row.filing)
    told = [one.row.outcome for one in found.near if one.row.outcome in _SHOWN | _FAILED]
    n = len(told)
    mixed = (sum(one in _SHOWN for one in told) + base * SHRINK) / (n + SHRINK)
    steps = success_steps()
    names = [*_adjustments(asked, found), *further]
    adjustments = [Adjustment(name=one, delta_logit=steps[one].delta_logit) for one in names]
    change = max(-CAP, min(CAP, sum(one.delta_logit for one in adjustments)))
    value = _expit(math.log(mixed / (1 - mixed)) + change)
    low, high = wilson(value, n + SHRINK)
    return SuccessProbability(
        value=round(value, 3),
        low=round(low, 3),
        high=round(high, 3),
        base=round(mixed, 3),
        adjustments=adjustments,
    )


def _adjustments(asked: Asked, found: Holding) -> list[str]:
    names = []
    if asked.study == "phase 2" and asked.setting.biomarkers:
        names.append("selection biomarker")
    same = [one for one in found.near if one.match.parts.get("mechanism") == 1.0]
    if asked.setting.targets and found.near and not same:
        names.append("first in class")
    failed = [one for one in same if one.row.outcome in _FAILED]
    if len(failed) >= _EARLIER_FAILURES:
        names.append("earlier failure in the class")
    if asked.study == "pivotal" and "breakthrough" in asked.designations:
        names.append("breakthrough designation")
    if asked.efficacy and (asked.efficacy.control is not None or asked.efficacy.is_ratio):
        names.append("effect seen in own controlled data")
    return names


def _expit(number: float) -> float:
    return 1 / (1 + math.exp(-number))


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval.

    >>> tuple(round(one, 3) for one in wilson(0.5, 30))
    (0.332, 0.668)
    """
    square = Z95**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z95 / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n**2))
    return middle - half, middle + half
