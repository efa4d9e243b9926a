"""Drift in the rows before an event: a pattern to check, never an accusation."""

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
    decision: Decision, returns: AbnormalReturns, left_out: BoolArray, config: ConfigUsed
) -> Drift | None:
    """Sum abnormal returns before the matched event.

    Args:
        decision: A move with its event.
        returns: Abnormal returns of the series.
        left_out: Rows at events and rows that may be splits or wrong prices.
        config: Limits and window.

    Returns:
        The drift, or None without an event, without a model on the event row, or with fewer
        than 5 rows.
    """
    match = decision.match
    row = match.placed.row if match else None
    if row is None or not returns.tested[row]:
        return None
    first, last = max(0, row - config.leakage_window), row - LAST_ROW
    rows = np.arange(first, last + 1)
    rows = rows[returns.series.usable[rows] & ~left_out[rows]]
    if len(rows) < FEWEST_ROWS:
        return None
    size = sum_abnormal(returns, row, rows)
    is_flagged = (
        abs(size.scar) >= config.sig_z
        and abs(size.car) >= config.min_abs_move
        and size.car * decision.move.size.car > 0
    )
    return Drift(size, first, last, is_flagged)
