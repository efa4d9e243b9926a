"""Moves, the decision table, and what did not become a move.

A move is a run of significant and material days of one sign. Order of states: confirmed by the
company's own confirmed event, then read_through, then partial, then unexplained. An event after a
move explains nothing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from core.agents.attribution_engine.odd_rows import OddRow
from core.agents.attribution_engine.places import PlacedEvent, PlacedEvents
from core.agents.attribution_engine.records import Doubt, State
from core.agents.attribution_engine.settings import ConfigUsed
from core.stats.event_study import AbnormalReturns, Car, sum_abnormal
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


Basis = Literal[
    "own_confirmed",
    "own_excessive",
    "other_confirmed",
    "other_excessive",
    "own_weak",
    "own_against",
    "own_split",
    "own_unconfirmed",
    "other_unconfirmed",
    "late",
]
_STATES: dict[Basis, State] = {
    "own_confirmed": "confirmed",
    "own_excessive": "partial",
    "other_confirmed": "read_through",
    "other_excessive": "partial",
    "own_weak": "partial",
    "own_against": "partial",
    "own_split": "partial",
    "own_unconfirmed": "partial",
    "other_unconfirmed": "partial",
    "late": "partial",
}

_DOUBTS: dict[Basis, Doubt] = {
    "own_against": "against_direction",
    "own_split": "possible_split",
    "own_excessive": "far_above_expected",
    "other_excessive": "far_above_expected",
}


@dataclass(frozen=True)
class Match:
    """An event in a move's window.

    Attributes:
        basis: What kind of explanation it gives.
        lag: Rows from the event row to the first row of the move.
    """

    placed: PlacedEvent
    basis: Basis
    lag: int


@dataclass(frozen=True)
class Decision:
    """A move with its state.

    Attributes:
        matches: Events in the window, the one that the state rests on first.
        following: For an unexplained move, the own event that comes next within the leakage
            window, or without one the next event of others.
        residual: CAR less the expected move, where the table says so.
        ratio: abs(CAR) over the expected move, where there is one.
    """

    move: Move
    state: State
    matches: tuple[Match, ...]
    following: PlacedEvent | None
    residual: float
    ratio: float | None

    @property
    def match(self) -> Match | None:
        """Return the event that the state rests on."""
        return self.matches[0] if self.matches else None

    @property
    def doubt(self) -> Doubt | None:
        """Return why the event hardly explains the move, where something speaks against it."""
        return None if self.match is None else _DOUBTS.get(self.match.basis)


def decide(
    move: Move, events: PlacedEvents, config: ConfigUsed, *, uses_directions: bool
) -> Decision:
    """Classify a move.

    `uses_directions`: whether an own event is doubted that the move goes against.
    """
    inside = events.inside
    rows = [event.row for event in inside if event.row is not None]
    earliest = move.first - max(config.unexplained_window, config.max_lag)
    window = inside[bisect_left(rows, earliest) : bisect_right(rows, move.last)]
    candidates = [
        match
        for event in window
        if (match := _match(event, move, config, uses_directions)) is not None
    ]
    matches = tuple(sorted(candidates, key=lambda match: _rank(match, move)))
    if not matches:
        start = bisect_right(rows, move.last)
        later = inside[start : bisect_right(rows, move.last + config.leakage_window)]
        following = min(later, key=lambda event: not event.is_own, default=None)
        return Decision(move, "unexplained", (), following, move.size.car, None)
    best = matches[0]
    expected = best.placed.expected
    ratio = abs(move.size.car) / expected if expected else None
    return Decision(
        move=move,
        state=_STATES[best.basis],
        matches=matches,
        following=None,
        residual=_residual(move, best),
        ratio=ratio,
    )


def question(decision: Decision, odd: Sequence[OddRow]) -> Decision:
    """Return a decision on a move that may be a split or a wrong price, with that doubt.

    Only partly explained is what nothing but the direction of its event makes a move. Without an
    event it is set beside none that comes later.
    """
    doubtful = [row for row in odd if decision.move.first <= row.row <= decision.move.last]
    if not doubtful:
        return decision
    match = decision.match
    if match is None:
        return replace(decision, following=None)
    if match.basis != "own_confirmed" or not any(odd_row.is_open for odd_row in doubtful):
        return decision
    matches = (replace(match, basis="own_split"), *decision.matches[1:])
    return replace(decision, state="partial", matches=matches)


def _match(
    event: PlacedEvent, move: Move, config: ConfigUsed, uses_directions: bool
) -> Match | None:
    """Return how an event that is not after the move explains it, if it does."""
    if event.row is None:
        return None
    lag = move.first - event.row
    if lag <= config.max_lag:
        if uses_directions and event.direction * move.sign < 0:
            return Match(event, "own_against", lag)
        return Match(event, _core_basis(event, move, config), lag)
    return Match(event, "late", lag) if lag <= config.unexplained_window else None


def _core_basis(event: PlacedEvent, move: Move, config: ConfigUsed) -> Basis:
    given = event.event.expected_abs_move
    is_excessive = bool(given) and abs(move.size.car) > config.overshoot_ratio * (given or 0)
    if not event.is_own:
        if not event.event.confirmed:
            return "other_unconfirmed"
        return "other_excessive" if is_excessive else "other_confirmed"
    if not event.event.confirmed:
        return "own_unconfirmed"
    if is_excessive:
        return "own_excessive"
    expected = event.expected
    is_weak = expected is not None and abs(move.size.car) / expected < config.partial_ratio
    return "own_weak" if is_weak else "own_confirmed"


_ORDER: tuple[Basis, ...] = (
    "own_confirmed",
    "own_weak",
    "own_excessive",
    "own_against",
    "own_split",
    "other_confirmed",
    "other_excessive",
    "own_unconfirmed",
    "other_unconfirmed",
    "late",
)
"""The first kind present decides: a confirmed own event rules out a read-through, be it weak."""


def _rank(match: Match, move: Move) -> tuple[int, int, int]:
    """Order matches: kind, then nearness of the event row, then request order."""
    distance = abs(move.peak - (move.first - match.lag))
    return _ORDER.index(match.basis), distance, match.placed.index


def _residual(move: Move, best: Match) -> float:
    """Take the expected move off for a matched own or read-through event."""
    expected = best.placed.expected
    if expected is None or not (best.placed.is_own or best.placed.event.confirmed):
        return move.size.car
    return move.size.car - move.sign * expected


def core_rows(placed: PlacedEvent, n_rows: int, config: ConfigUsed) -> range:
    """Return the rows in which a move meets the event directly."""
    row = placed.row or 0
    return range(row, min(row + config.max_lag + 1, n_rows))


def nearest_event(row: int, events: PlacedEvents, config: ConfigUsed) -> PlacedEvent | None:
    """Return the event whose core holds this row, the latest one first."""
    rows = [placed.row or 0 for placed in events.inside]
    first, stop = np.searchsorted(rows, [row - config.max_lag, row + 1])
    inside = events.inside[int(first) : int(stop)]
    return min(inside, key=lambda placed: (row - (placed.row or 0), placed.index), default=None)
