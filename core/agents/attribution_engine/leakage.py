"""Drift in the rows before an event: a pattern to check, never an accusation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.agents.attribution_engine.decision import Decision
from core.agents.attribution_engine.settings import ConfigUsed
from core.stats.event_study import AbnormalReturns
from core.stats.event_study_windows import Car, sum_abnormal
from core.stats.fit import BoolArray

LAST_ROW = 2
"""The check ends this many rows before the event row."""
FEWEST_ROWS = 5


@dataclass(frozen=True)
class Drift:
    """Abnormal return before an event.

    Attributes:
        size: Sum over the rows that count.
        first: First row looked at.
        last: Last row looked at.
        is_flagged: Whether it is significant, material and in the move's direction.
    """

    size: Car
    first: int
    last: int
    is_flagged: bool


def check_drift(
    decision: Decision, found: AbnormalReturns, near_event: BoolArray, config: ConfigUsed
) -> Drift | None:
    """Sum abnormal returns before the matched event.

    Args:
        decision: A move with its event.
        found: Abnormal returns of the series.
        near_event: Rows at events; those of other events are left out.
        config: Limits and window.

    Returns:
        The drift, or None without an event, without a model on the event row, or with fewer
        than 5 rows.
    """
    match = decision.match
    row = match.placed.row if match else None
    if row is None or not found.tested[row]:
        return None
    first, last = max(0, row - config.leakage_window), row - LAST_ROW
    rows = np.arange(first, last + 1)
    rows = rows[found.series.usable[rows] & ~near_event[rows]]
    if len(rows) < FEWEST_ROWS:
        return None
    size = sum_abnormal(found, row, rows)
    is_flagged = (
        abs(size.scar) >= config.sig_z
        and abs(size.car) >= config.min_abs_move
        and size.car * decision.move.size.car > 0
    )
    return Drift(size, first, last, is_flagged)


def is_flagged(
    decision: Decision, drift: Drift | None, found: AbnormalReturns, config: ConfigUsed
) -> bool:
    """Return the leakage flag: drift before the event, or a move shortly before an own one.

    A later event of somebody else, or one that clearly moved the stock the other way, is no sign
    that anybody knew.

    Args:
        decision: A move with its event.
        drift: Before the matched event.
        found: Abnormal returns of the series.
        config: From when on a reaction is clear.
    """
    following = decision.following
    if following is None or following.row is None:
        return drift is not None and drift.is_flagged
    against = -decision.move.sign
    return following.is_own and _sign(found, following.row, config) != against


def chance_of_preceding(
    found: AbnormalReturns, own_rows: Sequence[int], config: ConfigUsed
) -> float:
    """Return the share of all days that precede an own event as a flag asks.

    Args:
        found: Abnormal returns of the series.
        own_rows: Rows of the company's own events, ascending.
        config: The window.
    """
    days = np.flatnonzero(found.tested)
    places = np.searchsorted(own_rows, days, side="right")
    hits = 0
    for day, place in zip(days.tolist(), places.tolist(), strict=True):
        row = own_rows[place] if place < len(own_rows) else None
        if row is not None and row - day <= config.leakage_window:
            hits += _sign(found, row, config) != -int(np.sign(found.ar[day]))
    return hits / len(days) if len(days) else 0.0


def _sign(found: AbnormalReturns, row: int, config: ConfigUsed) -> int:
    """Return the direction in which an event's row clearly moved; 0 where it did not."""
    sar = found.sar[row]
    return int(np.sign(sar)) if abs(sar) >= config.sig_z else 0
