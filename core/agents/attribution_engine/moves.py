"""Moves: runs of significant and material days of one sign."""

from dataclasses import dataclass

import numpy as np

from core.agents.attribution_engine.settings import ConfigUsed
from core.stats.event_study import AbnormalReturns
from core.stats.event_study_windows import Car, sum_abnormal
from core.stats.fit import BoolArray, IntArray


@dataclass(frozen=True)
class Move:
    """Consecutive move days of one sign.

    Attributes:
        first: First row; its market model counts for the whole move.
        last: Last row.
        peak: Row of the largest abs(AR).
        size: Cumulative abnormal return over the rows.
    """

    first: int
    last: int
    peak: int
    size: Car

    @property
    def sign(self) -> float:
        """Return 1 for a rise beyond the benchmark, -1 for a fall."""
        return 1.0 if self.size.car >= 0 else -1.0


@dataclass(frozen=True)
class Moves:
    """What the days are.

    Attributes:
        moves: By date.
        below_floor: Rows that are significant but under the floor.
    """

    moves: tuple[Move, ...]
    below_floor: IntArray


def find_moves(returns: AbnormalReturns, config: ConfigUsed) -> Moves:
    """Find days over both limits (limits included) and join neighbors of one sign."""
    significant = returns.tested & (np.abs(np.nan_to_num(returns.sar)) >= config.sig_z)
    material = np.abs(np.nan_to_num(returns.ar)) >= config.min_abs_move
    return Moves(
        tuple(_join(returns, significant & material)), np.flatnonzero(significant & ~material)
    )


def _join(returns: AbnormalReturns, is_move: BoolArray) -> list[Move]:
    rows = np.flatnonzero(is_move)
    if len(rows) == 0:
        return []
    signs = np.sign(returns.ar[rows])
    breaks = np.flatnonzero((np.diff(rows) > 1) | (np.diff(signs) != 0)) + 1
    moves = []
    for run in np.split(rows, breaks):
        peak = int(run[np.argmax(np.abs(returns.ar[run]))])
        first, last = int(run[0]), int(run[-1])
        moves.append(Move(first, last, peak, sum_abnormal(returns, first, run)))
    return moves
