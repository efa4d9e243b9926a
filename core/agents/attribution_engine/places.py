"""Events on the rows: the first trading day on which the news could move the stock."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, cached_property, lru_cache
from typing import Literal

import numpy as np

from core.agents.attribution_engine.schema import (
    OWN,
    PERCENT_LIKELY,
    EventRow,
    ReturnRow,
    Session,
    name_some,
)
from core.stats.event_study import Series
from core.stats.fit import BoolArray, FloatArray
from core.vocabulary.exchanges import ExchangeCode, TradingCalendar, find_exchange, read_calendar
from core.vocabulary.tables import TableRow, load_rows

_HUGE = 10.0
_GAP_DAYS = 10
_THIN_SHARE = 0.2
_OR_SECTOR = " or second factor"


_SATURDAY, _FEWEST_WEEKEND = 5, 3
"""Weekday of Saturdays; returns on weekends from which dates look shifted."""


@dataclass(frozen=True)
class TradingRows:
    """The trading days, oldest first.

    Attributes:
        dates: One a row, strictly increasing.
        series: Returns of stock and benchmark.
        volume: Shares traded, NaN where not given.
        calendar: When the stock's exchange trades.
    """

    dates: tuple[date, ...]
    series: Series
    volume: FloatArray
    calendar: TradingCalendar
    warnings: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of trading days."""
        return len(self.dates)


def read_rows(
    returns: Sequence[ReturnRow], ticker: str | None = None, exchange: ExchangeCode = "XNYS"
) -> TradingRows:
    """Sort the rows by date, drop exact repeats and closed days, and note what is odd.

    `ticker`: the stock, which may name its exchange. `exchange`: the one of any other stock.
    """
    by_date = {row.date: row for row in returns}
    first = min(by_date, default=date.max)
    calendar = read_calendar(find_exchange(ticker, exchange), first)
    closed = [
        day
        for day, row in by_date.items()
        if not (row.stock or row.market) and calendar.trades_on(day) is False
    ]
    dates = tuple(sorted(by_date.keys() - closed))
    ordered = [by_date[day] for day in dates]
    stock, market = _column([row.stock for row in ordered]), _column([r.market for r in ordered])
    sector = _column([row.sector for row in ordered])
    series = Series(stock, market, sector if np.isfinite(sector).any() else None)
    volume = _column([row.volume for row in ordered])
    times = Counter(row.date for row in returns)
    warnings = _warn_of_rows(dates, series, times)
    weekend = [day for day in dates if day.weekday() >= _SATURDAY and by_date[day].stock]
    if len(weekend) >= _FEWEST_WEEKEND:
        warnings.append(
            f"weekend_rows: {len(weekend)} returns fall on Saturdays or Sundays, the first on "
            f"{weekend[0]}: dates that are shifted by a day (a time zone) put every event on the "
            "wrong row. Send the exchange's own dates."
        )
    if closed:
        warnings.append(
            f"closed_days: {len(closed)} rows without a return on days on which the "
            f"{calendar.exchange.name} is closed were dropped ({name_some(sorted(closed))})."
        )
    return TradingRows(dates, series, volume, calendar, tuple(warnings))


def _column(values: Sequence[float | None]) -> FloatArray:
    """Return a column with NaN for null; minus zero becomes zero."""
    return np.array(values, dtype=float) + 0.0


def _warn_of_rows(dates: Sequence[date], series: Series, times: Counter[date]) -> list[str]:
    """Note repeats, gaps between rows, and missing, huge, large and unchanged returns."""
    warnings = []
    repeated = sorted(day for day, number in times.items() if number > 1)
    if repeated:
        warnings.append(
            f"duplicate_date: {times.total() - len(times)} rows repeat a date with the same values "
            f"and were dropped ({name_some(repeated)})."
        )
    n_missing = int((~series.usable).sum())
    if n_missing:
        warnings.append(
            f"unusable_rows: {n_missing} rows lack a return of stock or benchmark"
            f"{_OR_SECTOR if series.sector is not None else ''}; they are not read as 0 and count "
            "in no estimate."
        )
    for name, values in series._asdict().items():
        if values is None:
            continue
        finite = values[np.isfinite(values)]
        huge = [dates[int(row)] for row in np.flatnonzero(values > _HUGE)]
        if huge:
            warnings.append(
                f"huge_return: {name} gains over 1,000 % on {name_some(huge)}; is a split not "
                "adjusted for?"
            )
        if len(finite) and np.median(np.abs(finite)) > PERCENT_LIKELY:
            warnings.append(
                f"looks_like_percent: the median size of {name} is over {PERCENT_LIKELY:g}; "
                "returns are fractions, 0.012 means 1.2 %."
            )
    stock = series.stock[np.isfinite(series.stock)]
    if len(stock) and (stock == 0).mean() > _THIN_SHARE:
        warnings.append(
            f"thin_trading: {(stock == 0).mean():.0%} of the stock's returns are exactly 0; beta "
            "is drawn toward 0 where trading is thin (see beta_dimson)."
        )
    wide = np.flatnonzero(np.diff([day.toordinal() for day in dates]) > _GAP_DAYS).tolist()
    gaps = [f"{dates[row]} to {dates[row + 1]}" for row in wide]
    if gaps:
        warnings.append(
            f"calendar_gap: no rows for more than {_GAP_DAYS} calendar days: {name_some(gaps)}; "
            "windows count rows, not days."
        )
    return warnings


_SIGNS = {"up": 1, "down": -1, "open": 0}
_APART = re.compile(r"[\W_]+")


class DirectionRow(TableRow):
    """Words of an event type and the direction they tell.

    Attributes:
        phrase: Words in lower case, as they stand in a type.
        direction: up, down, or open where a type with these words can go either way.
    """

    phrase: str
    direction: Literal["up", "down", "open"]


@cache
def _by_phrase() -> tuple[tuple[str, int], ...]:
    """Return the phrases, the longest first."""
    rows = load_rows("event_directions", DirectionRow)
    ordered = sorted(rows, key=lambda row: (-len(row.phrase), row.phrase))
    return tuple((f" {row.phrase} ", _SIGNS[row.direction]) for row in ordered)


@lru_cache(maxsize=4096)
def find_direction(event_type: str) -> int:
    """Return 1 for good news, -1 for bad news, 0 where the type does not tell.

    The longest phrase decides ("clinical hold lifted" before "clinical hold"); two of one length
    that disagree, and words that leave it open ("approval decision"), give 0.

    >>> find_direction("Complete Response Letter"), find_direction("phase 3 readout")
    (-1, 0)
    """
    text = f" {_APART.sub(' ', event_type.casefold()).strip()} "
    matches = [(len(phrase), sign) for phrase, sign in _by_phrase() if phrase in text]
    if not matches or any(sign == 0 for _, sign in matches):
        return 0
    signs = {sign for length, sign in matches if length == matches[0][0]}
    return signs.pop() if len(signs) == 1 else 0


OTHERS = frozenset({"competitor", "class", "sector", "partner"})
_MOST_CLOSED_DAYS = 5
"""Days from news after the close before a long weekend to the next trading day."""
_PAST_EVENT_ROWS = 1
"""Rows [0, +1] of every event are kept out of estimation windows."""


@dataclass(frozen=True)
class PlacedEvent:
    """An event with its place in the rows.

    Attributes:
        index: Position in the request.
        ticker: The stock; None where the request names none.
        session: As given, or from the instant of announcement.
        row: Event row; None outside the data.
        row_on: Its trading day.
        last_close_on: Last trading day that closed before the news, in the data.
        missed_on: Earlier trading day of the news on which the stock has no return.
        outside: On which side it lies outside.
        usual: Median size of earlier events of its type, where that is asked for.
        usual_kind: The type by which it comes from the reference, not from the list.
    """

    index: int
    ticker: str | None
    event: EventRow
    session: Session | None
    is_own: bool
    row: int | None
    row_on: date | None
    last_close_on: date | None
    missed_on: date | None
    outside: Literal["before_first_row", "after_last_row"] | None
    usual: float | None = None
    usual_kind: str | None = None

    @property
    def direction(self) -> int:
        """Return 1 or -1 where the type of an own event says up or down, else 0."""
        return find_direction(self.event.event_type) if self.is_own else 0

    @property
    def expected(self) -> float | None:
        """Return the expected size of the move, or the usual one; 0 counts as not given."""
        return self.event.expected_abs_move or self.usual


@dataclass(frozen=True)
class PlacedEvents:
    """All events, those in the data by row and then in request order.

    Attributes:
        inside: Events with a row.
        outside: Events without one, in request order.
    """

    inside: tuple[PlacedEvent, ...]
    outside: tuple[PlacedEvent, ...]
    warnings: tuple[str, ...]

    @cached_property
    def rows(self) -> list[int]:
        """Return the rows of the events inside, in their order."""
        return [event.row for event in self.inside if event.row is not None]

    def own_by_row(self, max_lag: int) -> dict[int, list[PlacedEvent]]:
        """Return the company's own events by the rows in which a move meets them directly."""
        by_row: dict[int, list[PlacedEvent]] = defaultdict(list)
        for event in self.inside:
            if event.is_own and event.row is not None:
                for row in range(event.row, event.row + max_lag + 1):
                    by_row[row].append(event)
        return dict(by_row)

    def near(self, n_rows: int) -> BoolArray:
        """Return which rows lie on an event row or the row after it."""
        is_near = np.zeros(n_rows, dtype=np.bool_)
        for event in self.inside:
            if event.row is not None:
                is_near[event.row : event.row + 1 + _PAST_EVENT_ROWS] = True
        return is_near


def place_events(
    events: Sequence[tuple[int, EventRow]], rows: TradingRows, ticker: str | None = None
) -> PlacedEvents:
    """Find every event's row.

    A day on which the stock does not trade (weekend, holiday, halt) counts for the next row on
    which it does; news after the close counts for the next one after its day. A day on which the
    stock trades keeps its event, whether or not the benchmark has a return.

    `events`: each with its position in the request.
    """
    distinct, repeats = _drop_repeats(events)
    traded = [int(row) for row in np.flatnonzero(np.isfinite(rows.series.stock))]
    days = [rows.dates[row] for row in traded]
    placed = []
    for index, event in distinct:
        day, session = find_session(event, rows.calendar)
        found = _find_row(day, session, rows, (traded, days))
        placed.append(PlacedEvent(index, ticker, event, session, is_own(event), *found))
    inside = sorted(
        (event for event in placed if event.row is not None),
        key=lambda event: (event.row, event.index),
    )
    outside = tuple(event for event in placed if event.row is None)
    halted = _warn_of_halts(inside, rows)
    warnings = []
    if repeats:
        warnings.append(
            f"duplicate_event: {len(repeats)} events repeat an earlier one in every field and "
            "were dropped."
        )
    unknown = sorted(
        {
            repr(" ".join(event.event.relationship.split())[:40])
            for event in placed
            if event.event.relationship.strip().casefold() not in OWN | OTHERS
        }
    )
    if unknown:
        warnings.append(
            f"unknown_relationship: {', '.join(unknown[:5])} counts as not the company's own; "
            f"known words are {', '.join(sorted(OWN | OTHERS))}."
        )
    large = [e.event.date for e in placed if e.expected is not None and e.expected > 3]
    if large:
        warnings.append(
            "expected_looks_like_percent: an expected move is over 3 (300 %) at the event of "
            f"{name_some(large)}; expected moves are fractions, 0.2 means 20 %."
        )
    elsewhere = [
        e.event.date for e in placed if find_session(e.event, rows.calendar)[0] != e.event.date
    ]
    if elsewhere:
        warnings.append(
            "announced_on_another_day: announced_at names another day in "
            f"{rows.calendar.exchange.city} than date; "
            f"announced_at was used (event of {name_some(elsewhere)})."
        )
    open_time = [event for event in placed if event.row is not None and event.session is None]
    if open_time:
        silent = f"{len(open_time)} events do not say when on their day they"
        if len(open_time) == 1:
            silent = "1 event does not say when on its day it"
        warnings.append(
            f"no_session: {silent} came; moves on that trading day and right after it are matched, "
            "so that news after the close is included."
        )
    return PlacedEvents(tuple(inside), outside, (*warnings, *halted))


def _warn_of_halts(placed: Sequence[PlacedEvent], rows: TradingRows) -> tuple[str, ...]:
    """Name events that count for a later row because the stock has no return on their day."""
    moved = [f"{event.event.date} to {event.row_on}" for event in placed if event.missed_on]
    if not moved:
        return ()
    return (
        "event_on_halted_day: the stock has no return on the day of an event, although the "
        f"{rows.calendar.exchange.name} trades on it; it counts for the next row that has one: "
        f"{name_some(moved)}.",
    )


def _drop_repeats(
    events: Sequence[tuple[int, EventRow]],
) -> tuple[list[tuple[int, EventRow]], list[int]]:
    """Return each different event with its position, and the positions of repeats."""
    seen: set[str] = set()
    distinct, repeats = [], []
    for index, event in events:
        text = event.model_dump_json()
        if text in seen:
            repeats.append(index)
        else:
            distinct.append((index, event))
        seen.add(text)
    return distinct, repeats


def is_own(event: EventRow) -> bool:
    """Return whether an event is the company's own."""
    return event.relationship.strip().casefold() in OWN


_Outside = Literal["before_first_row", "after_last_row"]


def _find_row(
    day: date,
    session: Session | None,
    rows: TradingRows,
    traded: tuple[list[int], list[date]],
) -> tuple[int | None, date | None, date | None, date | None, _Outside | None]:
    """Return an event's row, its day, the last close before, the day missed, or its side.

    `traded`: rows on which the stock has a return, and their days.
    """
    places, days = traded
    index = bisect_right(days, day) if session == "after" else bisect_left(days, day)
    if not days or day < days[0]:
        return None, None, None, None, "before_first_row"
    if index == len(days):
        return None, None, days[-1], None, "after_last_row"
    missed_on = _find_missing(rows, day + timedelta(days=session == "after"), days[index])
    return places[index], days[index], days[index - 1] if index else None, missed_on, None


def _find_missing(rows: TradingRows, first: date, stop: date) -> date | None:
    """Return the first trading day from a day on, and before another, or None.

    Trading days are those of the exchange; outside its calendar, those that have a row, and no
    exchange is closed for more than five days.
    """
    day = rows.calendar.next_day(first)
    if day is None:
        is_long = (stop - first).days > _MOST_CLOSED_DAYS
        day = first if is_long else rows.dates[bisect_left(rows.dates, first)]
    return day if day is not None and day < stop else None


def find_gap(rows: TradingRows, first: int, last: int) -> date | None:
    """Return the first trading day between two rows that has no row, or None."""
    days = rows.dates[first : last + 1]
    gaps = (
        _find_missing(rows, before + timedelta(days=1), after)
        for before, after in zip(days, days[1:], strict=False)
    )
    return next(filter(None, gaps), None)


def find_session(event: EventRow, calendar: TradingCalendar) -> tuple[date, Session | None]:
    """Return the day of the news and when on that day it came, by the exchange's clock.

    A session that is given rules; without one it is read from the instant of announcement.
    """
    if event.session is not None or event.announced_at is None:
        return event.date, event.session
    return calendar.place(event.announced_at)
