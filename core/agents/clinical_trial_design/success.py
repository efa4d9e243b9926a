"""Probability that the next study reaches the next step: base rate, own data, adjustments."""

import math
from collections.abc import Sequence

from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.effect import gain_of
from core.agents.clinical_trial_design.question import Question
from core.agents.clinical_trial_design.records import Adjustment, SuccessProbability
from core.agents.clinical_trial_design.tables import SuccessRow, success_row, success_steps
from core.records.precedents import SettingTrial
from core.stats.trial_design.history import Z95

SHRINK = 30
"""Trials that the base rate weighs as."""
CAP = 1.1
"""Most that the adjustments change on the log-odds scale, together."""
_SHOWN = {"carried an approval", "difference shown"}
_FAILED = {"no difference shown", "stopped"}
_EARLIER_FAILURES = 2


def estimate(case: DesignCase, further: Sequence[str] = ()) -> SuccessProbability:
    """Return the probability with base, adjustments and interval."""
    base, _ = _published(case.question)
    reached, n = _outcomes(case)
    mixed = (reached + base * SHRINK) / (n + SHRINK)
    steps = success_steps()
    names = [*_adjustments(case), *further]
    adjustments = [Adjustment(name=name, delta_logit=steps[name].delta_logit) for name in names]
    change = max(-CAP, min(CAP, sum(adjustment.delta_logit for adjustment in adjustments)))
    value = 1 / (1 + math.exp(-(math.log(mixed / (1 - mixed)) + change)))
    low, high = wilson(value, n + SHRINK)
    return SuccessProbability(
        value=round(value, 3),
        low=round(low, 3),
        high=round(high, 3),
        base=round(mixed, 3),
        adjustments=adjustments,
    )


def _published(question: Question) -> tuple[float, SuccessRow]:
    """Return the share of programs that take the next step, and its row."""
    row = success_row(question.traits.area)
    shares = {"first in human": row.phase1, "phase 2": row.phase2, "pivotal": row.phase3}
    return shares.get(question.study, row.filing), row


def _outcomes(case: DesignCase) -> tuple[int, int]:
    """Return the near precedents that reached what they were for, and all whose end is told.

    A difference counts where the drug did better; where its direction is not reported it counts for
    nothing.
    """
    ends = [end for precedent in case.near if (end := _end(precedent.row)) is not None]
    return sum(ends), len(ends)


def _end(row: SettingTrial) -> bool | None:
    if row.outcome != "difference shown":
        return row.outcome in _SHOWN if row.outcome in _SHOWN | _FAILED else None
    primary = [effect for effect in row.effects if effect.is_primary and effect.excludes_none]
    gain = gain_of(row, primary[0]) if primary else None
    return None if gain is None else gain > 0


def explain_base(case: DesignCase) -> str:
    """Return what the base of the probability mixes, with its numbers."""
    base, row = _published(case.question)
    reached, n = _outcomes(case)
    area = "all areas" if row.area == "all" else row.area.lower()
    shown = sum(precedent.row.outcome == "difference shown" for precedent in case.near)
    clear = sum(
        precedent.row.outcome == "difference shown" and _end(precedent.row) is not None
        for precedent in case.near
    )
    left = f"; {shown - clear} excluded, the better arm is not reported" if shown > clear else ""
    basis_text = "published" if row.basis == "published" else "curator-entered, not yet verified"
    return (
        f"Base probability of success: the historical share of programs that advance ({base:.1%}, "
        f"{area}, 2011-2020, {basis_text}), weighted as {SHRINK} trials, with the close precedents "
        f"that showed a benefit or led to approval ({reached} of {n} that report one{left})."
    )


def _adjustments(case: DesignCase) -> list[str]:
    question = case.question
    names = []
    if question.study == "phase 2" and question.setting.biomarkers:
        names.append("selection biomarker")
    same = case.same_mechanism
    if question.setting.targets and case.near and not same:
        names.append("first in class")
    failed = [row for row in same if row.outcome in _FAILED]
    if len(failed) >= _EARLIER_FAILURES:
        names.append("earlier failure in the class")
    if question.study == "pivotal" and "breakthrough" in question.designations:
        names.append("breakthrough designation")
    if question.efficacy and (question.efficacy.control is not None or question.efficacy.is_ratio):
        names.append("effect seen in own controlled data")
    return names


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval.

    >>> tuple(round(one, 3) for one in wilson(0.5, 30))
    (0.332, 0.668)
    """
    square = Z95**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z95 / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n**2))
    return middle - half, middle + half
