"""Moves, the decision table, and what did not become a move.

A move is a run of significant and material days of one sign. Order of states: confirmed by the
company's own confirmed event, then read_through, then partial, then unexplained. An event after a
move explains nothing.

How often chance alone would make such a tie or such a flag, from the stock's own days. The placebo
is exact: it does not draw dates but goes over all of them, so that nothing depends on a seed. A tie
is asked of the event list (would events of this kind on any dates of the stock have met this
move?), a reaction, a drift and a nearness of the stock's days away from events.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from core.agents.attribution_engine.odd_rows import OddRow
from core.agents.attribution_engine.places import PlacedEvent, PlacedEvents
from core.agents.attribution_engine.records import Doubt, State
from core.agents.attribution_engine.settings import ConfigUsed
from core.stats.event_study import AbnormalReturns, Car, adjust_p, sum_abnormal
from core.stats.fit import BoolArray, FloatArray, IntArray


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
    "split",
    "bad_price",
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
    "split": "partial",
    "bad_price": "partial",
    "own_unconfirmed": "partial",
    "other_unconfirmed": "partial",
    "late": "partial",
}

_DOUBTS: dict[Basis, Doubt] = {
    "own_against": "against_direction",
    "split": "possible_split",
    "bad_price": "possible_bad_price",
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
        odd: For an unexplained move, the row of it that may be a split or a wrong price.
    """

    move: Move
    state: State
    matches: tuple[Match, ...]
    following: PlacedEvent | None
    residual: float
    ratio: float | None
    odd: OddRow | None = None

    @property
    def match(self) -> Match | None:
        """Return the event that the state rests on."""
        return self.matches[0] if self.matches else None

    @property
    def doubt(self) -> Doubt | None:
        """Return why the event hardly explains the move, or why the move may be none."""
        if self.match is not None:
            return _DOUBTS.get(self.match.basis)
        if self.odd is None:
            return None
        return "possible_split" if self.odd.reason == "split" else "possible_bad_price"


def decide(
    move: Move, events: PlacedEvents, config: ConfigUsed, telling: Collection[int]
) -> Decision:
    """Classify a move.

    `telling`: directions of event types (1, -1) whose own events are doubted where a move goes
    against them.
    """
    inside, rows = events.inside, events.rows
    earliest = move.first - max(config.unexplained_window, config.max_lag)
    window = inside[bisect_left(rows, earliest) : bisect_right(rows, move.last)]
    candidates = [
        match for event in window if (match := _match(event, move, config, telling)) is not None
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


def question(decision: Decision, odd: Sequence[OddRow], *, is_inverted: bool) -> Decision:
    """Return a decision on a move that may be a split or a wrong price, with that doubt.

    Such a move is only partly explained. Without an event it is matched with none that comes later.
    """
    doubtful = [row for row in odd if decision.move.first <= row.row <= decision.move.last]
    match = decision.match
    if match is None:
        wrong = [row for row in doubtful if row.reason != "benchmark"]
        return replace(decision, following=None, odd=wrong[0]) if wrong else decision
    reasons = [row.reason for row in doubtful if row.is_open]
    if match.basis not in ("own_confirmed", "other_confirmed") or not (reasons or is_inverted):
        return decision
    basis: Basis = "split" if "split" in reasons else "bad_price"
    matches = (replace(match, basis=basis), *decision.matches[1:])
    return replace(decision, state="partial", matches=matches)


def _match(
    event: PlacedEvent, move: Move, config: ConfigUsed, telling: Collection[int]
) -> Match | None:
    """Return how an event that is not after the move explains it, if it does."""
    if event.row is None:
        return None
    lag = move.first - event.row
    if lag <= config.max_lag:
        if event.direction in telling and event.direction * move.sign < 0:
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
    "split",
    "bad_price",
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
    first, stop = bisect_left(events.rows, row - config.max_lag), bisect_right(events.rows, row)
    inside = events.inside[first:stop]
    return min(inside, key=lambda placed: (row - (placed.row or 0), placed.index), default=None)


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


@dataclass(frozen=True)
class Chances:
    """The stock's own days, and how often each looks like what was found.

    Attributes:
        near_event: Rows 0 and +1 of every event.
        volume: Shares traded, NaN where not given.
    """

    found: AbnormalReturns
    near_event: BoolArray
    events: PlacedEvents
    volume: FloatArray
    config: ConfigUsed

    @cached_property
    def reactions(self) -> FloatArray:
        """Return each row's largest abs(SAR) within the core window that begins there."""
        size = np.abs(np.nan_to_num(self.found.sar))
        best = size.copy()
        for lag in range(1, self.config.max_lag + 1):
            best[:-lag] = np.maximum(best[:-lag], size[lag:])
        return best

    @cached_property
    def quiet_days(self) -> BoolArray:
        """Return the tested rows in whose core window no event stands, nor just before it."""
        away = self.found.tested & ~self.near_event
        for lag in range(1, self.config.max_lag + 1):
            away[:-lag] &= ~self.near_event[lag:]
        return away

    @cached_property
    def open_days(self) -> BoolArray:
        """Return the tested rows on which a move would be unexplained."""
        away = self.found.tested.copy()
        late = max(self.config.unexplained_window, self.config.max_lag)
        for event in self.events.inside:
            row = event.row or 0
            away[row : row + late + 1] = False
        return away

    @cached_property
    def _sorted_reactions(self) -> FloatArray:
        return np.sort(self.reactions[self.quiet_days])

    @cached_property
    def _sorted_drifts(self) -> FloatArray:
        z = drift_scores(self.found, self.near_event, self.config)
        return np.sort(z[np.isfinite(z)])

    @cached_property
    def _own_steps(self) -> tuple[IntArray, BoolArray]:
        """Return, for every open day, rows to the next own event and whether it went against."""
        own_rows = [
            event.row for event in self.events.inside if event.is_own and event.row is not None
        ]
        days = np.flatnonzero(self.open_days)
        far = np.iinfo(np.int64).max
        if not own_rows or len(days) == 0:
            return np.full(len(days), far), np.zeros(len(days), np.bool_)
        places = np.searchsorted(own_rows, days, side="right")
        rows = np.append(np.asarray(own_rows, dtype=np.int64), far)[places]
        signs = np.append([clear_sign(self.found, row, self.config) for row in own_rows], 0)[places]
        against = signs * np.sign(self.found.ar[days]) < 0
        return np.where(rows == far, far, rows - days), against

    def of_reaction(self, row: int) -> float | None:
        """Return the share of days away from events that react as much as an event's row."""
        if not self.found.tested[row]:
            return None
        return _upper_share(self._sorted_reactions, float(self.reactions[row]))

    def of_reactions(self) -> dict[tuple[str | None, int], float]:
        """Return every testable event's chance of a reaction, by stock and place in the request."""
        inside = self.events.inside
        chances = {
            (event.ticker, event.index): self.of_reaction(event.row)
            for event in inside
            if event.row
        }
        return {key: chance for key, chance in chances.items() if chance is not None}

    def of_tie(self, decision: Decision) -> float:
        """Return the chance that events on any dates would have tied a move at least so firmly.

        Every event of a kind that would do lies on each tested row with the same chance, apart
        from the others. For an unexplained move: the chance of any tie.
        """
        return self._of_tie(decision.move, decision.match.basis if decision.match else "late")

    def of_any_tie(self, decision: Decision) -> float:
        """Return the chance that events on any dates would have tied a move at all."""
        return self._of_tie(decision.move, "late")

    def _of_tie(self, move: Move, basis: Basis) -> float:
        reach = self.config.max_lag
        if basis == "late":
            reach = max(self.config.unexplained_window, reach)
        n_days, by_kind = self._counts
        n_events = by_kind.get(basis, by_kind["late"])
        share = min(1.0, (move.last - move.first + 1 + reach) / n_days)
        return float(1 - (1 - share) ** n_events)

    @cached_property
    def _counts(self) -> tuple[int, dict[Basis, int]]:
        """Return the tested days, and how many tested events would tie at least so firmly."""
        tested = self.found.tested
        events = [event for event in self.events.inside if tested[event.row or 0]]
        n_own = sum(event.is_own and event.event.confirmed for event in events)
        confirmed = sum(event.event.confirmed for event in events)
        guessed = sum(event.is_own and not event.event.confirmed for event in events)
        return int(tested.sum()), {
            "own_confirmed": n_own,
            "own_weak": n_own,
            "own_excessive": n_own,
            "own_against": n_own,
            "split": confirmed,
            "bad_price": confirmed,
            "other_confirmed": confirmed,
            "other_excessive": confirmed,
            "own_unconfirmed": confirmed + guessed,
            "late": len(events),
        }

    def of_drift(self, drift: Drift) -> float:
        """Return the share of days before which the stock drifts as much, in that direction."""
        z = drift.size.scar
        if z >= 0:
            return _upper_share(self._sorted_drifts, z)
        return _upper_share(-self._sorted_drifts[::-1], -z)

    @cached_property
    def _volume_rises(self) -> FloatArray:
        """Return how far the log of volume before each row is above that of the rows before.

        NaN where fewer than 5 rows of the check or 20 of the 60 before have a volume.
        """
        is_known = np.isfinite(self.volume) & (self.volume > 0)
        logs = np.where(is_known, np.log(np.where(is_known, self.volume, 1.0)), 0.0)
        sums = np.concatenate([np.zeros((2, 1)), np.cumsum([is_known, logs], axis=1)], axis=1)
        row = np.arange(len(self.volume))
        first = np.maximum(0, row - self.config.leakage_window)
        stop = np.maximum(first, row - LAST_ROW + 1)
        n, total = sums[:, stop] - sums[:, first]
        n_before, before = sums[:, first] - sums[:, np.maximum(0, first - _VOLUME_ROWS)]
        enough = (n >= FEWEST_ROWS) & (n_before >= _FEWEST_VOLUMES)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(enough, total / n - before / n_before, np.nan)

    def of_volume(self, row: int) -> tuple[float | None, float | None]:
        """Return how far volume rose before an event's row, and the share of days it did so much.

        Returns:
            The ratio and its share of days; None where there are too few volumes.
        """
        rise = float(self._volume_rises[row])
        if not np.isfinite(rise):
            return None, None
        rises = self._volume_rises[self.quiet_days]
        return float(np.exp(rise)), _upper_share(np.sort(rises[np.isfinite(rises)]), rise)

    def of_preceding(self, move_last: int, event: PlacedEvent) -> float:
        """Return the share of open days that precede an own event as closely, and not against it.

        Args:
            move_last: Last row of the move.
            event: The event that follows it.
        """
        steps, against = self._own_steps
        if len(steps) == 0:
            return 0.0
        return float(((steps <= (event.row or 0) - move_last) & ~against).mean())


def is_flagged(
    decision: Decision, drift: Drift | None, chances: Chances, config: ConfigUsed
) -> bool:
    """Return the leakage flag: drift before the event, or a move shortly before an own one.

    A later event of somebody else, or one that clearly moved the stock the other way, is no sign
    that anybody knew; nor is nearness to an own event that so many of the stock's days share.
    """
    following = decision.following
    if following is None or following.row is None:
        return drift is not None and drift.is_flagged
    if not following.is_own:
        return False
    if clear_sign(chances.found, following.row, config) == -decision.move.sign:
        return False
    return chances.of_preceding(decision.move.last, following) <= config.flag_chance


def check_drift(
    decision: Decision, returns: AbnormalReturns, left_out: BoolArray, config: ConfigUsed
) -> Drift | None:
    """Sum abnormal returns before the matched event.

    `left_out`: rows at events and rows that may be splits or wrong prices.

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


_VOLUME_ROWS, _FEWEST_VOLUMES = 60, 20


def _upper_share(ordered: FloatArray, value: float) -> float:
    """Return (1 + values at least as large) / (1 + values), so that nothing is impossible."""
    n_larger = len(ordered) - int(np.searchsorted(ordered, value, side="left"))
    return (1 + n_larger) / (1 + len(ordered))


def clear_sign(returns: AbnormalReturns, row: int, config: ConfigUsed) -> int:
    """Return the direction in which an event's row clearly moved; 0 where it did not."""
    sar = returns.sar[row]
    return int(np.sign(sar)) if abs(sar) >= config.sig_z else 0


def drift_scores(returns: AbnormalReturns, near_event: BoolArray, config: ConfigUsed) -> FloatArray:
    """Return the drift before every row as the leakage check would sum it, in deviations.

    `near_event`: rows that are left out of sums.

    Returns:
        One a row; NaN where the check would not be made.
    """
    fits, series = returns.fits, returns.series
    counted = series.usable & ~near_event
    every = [counted.astype(float), series.stock, series.market, series.sector]
    columns = [np.where(counted, values, 0.0) for values in every if values is not None]
    sums = np.concatenate([np.zeros((len(columns), 1)), np.cumsum(columns, axis=1)], axis=1)
    row = np.arange(len(counted))
    first = np.maximum(0, row - config.leakage_window)
    stop = np.maximum(first, row - LAST_ROW + 1)
    n, stock, market, *factors = sums[:, stop] - sums[:, first]
    sector = factors[0] if factors else None
    car = stock - n * fits.alpha - fits.beta * market
    if fits.sector is not None and sector is not None:
        car = car - fits.sector.beta * sector
    lever = fits.lever(market, sector, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = car / (fits.sigma * np.sqrt(n + n**2 / fits.n_obs + lever))
    return np.where(returns.tested & (n >= FEWEST_ROWS), z, np.nan)


def chance_of_flag(decision: Decision, drift: Drift | None, chances: Chances) -> float | None:
    """Return how often chance alone makes what a flag rests on; None where nothing was checked."""
    following = decision.following
    if following is not None and following.is_own:
        return chances.of_preceding(decision.move.last, following)
    if drift is None:
        return None
    same = drift.size.car * decision.move.size.car > 0
    return chances.of_drift(drift) if same else 1.0


def adjust_flags(chances: Sequence[float | None]) -> list[float | None]:
    """Return the chances of flags adjusted over the list (Benjamini-Hochberg); None stays."""
    adjusted = adjust_p(
        np.array([np.nan if chance is None else chance for chance in chances], float)
    )
    return [
        None if chance is None else float(q) for chance, q in zip(chances, adjusted, strict=True)
    ]
