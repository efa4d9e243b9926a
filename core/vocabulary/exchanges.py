"""Exchanges, and the days and hours on which they trade, half days included.

Days and hours are those of the package exchange-calendars; the table has the exchanges that a
request may name and how tickers name them. The package is imported where a calendar is read.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from functools import cache, cached_property
from statistics import mode
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from core.vocabulary.tables import TableRow, load_rows

ExchangeCode = Literal[
    "XAMS",
    "XASX",
    "XBRU",
    "XCSE",
    "XETR",
    "XHKG",
    "XKRX",
    "XLON",
    "XNAS",
    "XNYS",
    "XPAR",
    "XSTO",
    "XSWX",
    "XTKS",
    "XTSE",
]
"""Market identifier codes (ISO 10383)."""
_USUAL_SINCE, _EARLY_SINCE = date(1990, 1, 1), date(1962, 1, 1)
_UNTIL = date(2035, 12, 31)
_WITH_EXCHANGE = re.compile(r"\S+?(?:\.(?P<suffix>[A-Z]{1,2})| (?P<country>[A-Z]{2})(?: EQUITY)?)")


class ExchangeRow(TableRow):
    """An exchange.

    Attributes:
        code: Market identifier code.
        name: As people call it.
        city: Whose clock it keeps.
        suffix: Behind the dot of a ticker, as Yahoo writes it; empty where there is none.
        country_code: Behind the blank of a ticker, as Bloomberg writes it.
        since: First day of its calendar where that is after 1962.
    """

    code: ExchangeCode
    name: str
    city: str
    suffix: str
    country_code: str
    since: str


class Hours(NamedTuple):
    """Opening and close of a trading day, by the exchange's clock."""

    opening: time
    close: time


@dataclass(frozen=True)
class TradingCalendar:
    """When an exchange trades.

    Attributes:
        zone: Whose clock the hours are of.
        hours: By trading day, oldest first; a half day closes early.
        first: First day that is covered.
        last: Last day that is covered.
    """

    exchange: ExchangeRow
    zone: tzinfo
    hours: dict[date, Hours]
    first: date
    last: date

    def trades_on(self, day: date) -> bool | None:
        """Return whether the exchange trades on a day; None outside the calendar."""
        return day in self.hours if self.first <= day <= self.last else None

    def next_day(self, day: date) -> date | None:
        """Return the first trading day on or after a day; None outside the calendar."""
        place = bisect_left(self._days, day)
        return self._days[place] if day >= self.first and place < len(self._days) else None

    @cached_property
    def _days(self) -> tuple[date, ...]:
        return tuple(self.hours)

    @cached_property
    def _usual_hours(self) -> Hours:
        return mode(list(self.hours.values())[-250:])

    def place(self, instant: datetime) -> tuple[date, Literal["pre", "regular", "after"]]:
        """Return the day of an instant by the exchange's clock, and when on that day it lies.

        A day that is not in the calendar has the usual hours of its last year.
        """
        local = instant.astimezone(self.zone)
        hours = self.hours.get(local.date(), self._usual_hours)
        if local.time() >= hours.close:
            return local.date(), "after"
        return local.date(), "pre" if local.time() < hours.opening else "regular"


def _rows() -> dict[ExchangeCode, ExchangeRow]:
    return {row.code: row for row in load_rows("exchanges", ExchangeRow)}


def name_exchange(code: str) -> str:
    """Return the name of an exchange, and any other code as it is.

    >>> name_exchange("XSWX"), name_exchange("none")
    ('SIX Swiss Exchange', 'none')
    """
    return next((row.name for row in _rows().values() if row.code == code), code)


def find_exchange(ticker: str | None, default: ExchangeCode) -> ExchangeCode:
    """Return the exchange that a ticker names, else the default.

    >>> find_exchange("ROG.SW", "XNYS"), find_exchange("AZN LN Equity", "XNYS")
    ('XSWX', 'XLON')
    >>> find_exchange("BRK.B", "XNYS"), find_exchange(None, "XTKS")
    ('XNYS', 'XTKS')
    """
    match = _WITH_EXCHANGE.fullmatch((ticker or "").upper())
    if match is None:
        return default
    named = (match["suffix"], match["country"])
    for row in _rows().values():
        if (row.suffix and row.suffix == named[0]) or row.country_code == named[1]:
            return row.code
    return default


def read_calendar(code: ExchangeCode, first: date) -> TradingCalendar:
    """Return the calendar of an exchange.

    Args:
        code: Market identifier code.
        first: Earliest day that has to be covered, where the calendar goes back so far.
    """
    return _read_calendar(code, _USUAL_SINCE if first >= _USUAL_SINCE else _EARLY_SINCE)


@cache
def _read_calendar(code: ExchangeCode, since: date) -> TradingCalendar:
    from exchange_calendars import get_calendar

    row = _rows()[code]
    first = max(since, date.fromisoformat(row.since)) if row.since else since
    calendar = get_calendar(code, start=str(first), end=str(_UNTIL))
    zone = ZoneInfo(str(calendar.tz))
    opens = calendar.opens.dt.tz_convert(zone)
    closes = calendar.closes.dt.tz_convert(zone)
    days = calendar.sessions.date
    pairs = zip(opens.dt.time, closes.dt.time, strict=True)
    hours = dict(zip(days, (Hours(*pair) for pair in pairs), strict=True))
    return TradingCalendar(row, zone, hours, first, _UNTIL)
