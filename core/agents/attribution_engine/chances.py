"""How often chance alone would make such a tie or such a flag, from the stock's own days.

The placebo is exact: it does not draw dates but goes over all of them, so that nothing depends
on a seed. A tie is asked of the event list (would events of this kind on any dates of the stock
have met this move?), a reaction, a drift and a nearness of the stock's days away from events.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.agents.attribution_engine.decision import Basis, Decision, Move
from core.agents.attribution_engine.places import PlacedEvent, PlacedEvents
from core.agents.attribution_engine.settings import ConfigUsed
from core.stats.event_study import AbnormalReturns, Car, adjust_p, sum_abnormal
from core.stats.fit import BoolArray, FloatArray, IntArray

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
            "own_split": n_own,
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
