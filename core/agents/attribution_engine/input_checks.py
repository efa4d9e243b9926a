"""What makes returns unusable as they stand: prices, percents, impossible values, tickers.

Pure Python: requests are checked before any statistics library is loaded.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from statistics import median
from typing import NamedTuple, Protocol

PERCENT_SURE = 0.5
PERCENT_LIKELY = 0.1
_LARGEST = 1e6
_FEWEST_PRICES = 20
"""So many different returns are never all gains, so prices under 1 are recognized, too."""
CalendarDay = date


class Row(Protocol):
    """A day's returns."""

    @property
    def date(self) -> CalendarDay:
        """Return the trading day."""
        ...

    @property
    def ticker(self) -> str | None:
        """Return whose return it is, where several stocks are in one request."""
        ...

    @property
    def stock(self) -> float | None:
        """Return the stock's simple return."""
        ...

    @property
    def market(self) -> float | None:
        """Return the benchmark's simple return."""
        ...

    @property
    def sector(self) -> float | None:
        """Return the second factor's simple return."""
        ...


class Fault(NamedTuple):
    """What is wrong, where, and how to mend it."""

    code: str
    field: str
    reason: str


def find_fault(rows: Sequence[Row]) -> Fault | None:
    """Return the first thing that makes the returns unusable, if there is one."""
    columns = {
        "stock": [row.stock for row in rows],
        "market": [row.market for row in rows],
        "sector": [row.sector for row in rows],
    }
    tickers = [row.ticker for row in rows]
    for name, values in columns.items():
        by_ticker: dict[str | None, list[float]] = {ticker: [] for ticker in tickers}
        for ticker, value in zip(tickers, values, strict=True):
            if value is not None:
                by_ticker[ticker].append(value)
        for stated in by_ticker.values():
            fault = _find_scale(name, stated) if stated else None
            if fault is not None:
                return fault
    for name, values in columns.items():
        fault = _find_impossible(name, values)
        if fault is not None:
            return fault
    seen: dict[tuple[str | None, date], tuple[int, float | None, float | None, float | None]] = {}
    for index, row in enumerate(rows):
        key = (row.ticker.strip().upper() if row.ticker else None, row.date)
        first, *stated_before = seen.setdefault(key, (index, row.stock, row.market, row.sector))
        if stated_before != [row.stock, row.market, row.sector]:
            return Fault(
                "duplicate_date",
                f"returns[{index}].date",
                f"{row.date} occurs with different values in rows {first} and {index}; send one "
                "row a trading day of one stock",
            )
    return None


def _find_scale(name: str, values: Sequence[float]) -> Fault | None:
    """Say that a column holds prices or percents."""
    positive = all(value > 0 for value in values)
    if positive and (median(values) > 1 or len(set(values)) >= _FEWEST_PRICES):
        return Fault(
            "looks_like_prices",
            "returns",
            f"the {name} column looks like prices (all positive); send daily "
            "simple returns as fractions: price today / price yesterday - 1",
        )
    if median_size(values) > PERCENT_SURE:
        return Fault(
            "looks_like_percent",
            "returns",
            f"the {name} column looks like percent (median size over {PERCENT_SURE:g}); divide "
            "by 100: 0.012 means 1.2 %",
        )
    return None


def name_some(items: Sequence[object], most: int = 5, mark: str = ", ") -> str:
    """Return the first items, and how many more there are."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return mark.join(map(str, items[:most])) + more


def median_size(values: Iterable[float]) -> float:
    """Return the median of the absolute values."""
    return median(abs(value) for value in values)


def _find_impossible(name: str, values: Sequence[float | None]) -> Fault | None:
    """Name the first return that no price can make."""
    for index, value in enumerate(values):
        if value is not None and not -1 <= value <= _LARGEST:
            return Fault(
                "value_out_of_range",
                f"returns[{index}].{name}",
                "must be a simple return as a fraction, not below -1 (a loss of everything) and "
                f"not above {_LARGEST:g}",
            )
    return None


class Named(Protocol):
    """A row that may name its stock."""

    @property
    def ticker(self) -> str | None:
        """Return the stock's name as given."""
        ...


class Owned(Named, Protocol):
    """An event that may name its stock."""

    @property
    def relationship(self) -> str:
        """Return whose event it is."""
        ...


def plain_ticker(ticker: str | None) -> str | None:
    """Return a ticker as it is compared: without outer blanks, in capitals.

    >>> plain_ticker(" srpt "), plain_ticker(None)
    ('SRPT', None)
    """
    return None if ticker is None else " ".join(ticker.split()).upper()


def find_ticker_fault(
    rows: Sequence[Named], events: Sequence[Owned], own_words: frozenset[str]
) -> Fault | None:
    """Return what keeps rows and events from being told apart by stock.

    `own_words`: words for events of the company itself.
    """
    tickers = {plain_ticker(ticker) for ticker in {row.ticker for row in rows}}
    if None in tickers and len(tickers) > 1:
        position = next(index for index, row in enumerate(rows) if row.ticker is None)
        reason = "is needed in every row when other rows name one"
        return Fault("missing_field", f"returns[{position}].ticker", reason)
    if len(tickers) < 2:
        return None
    for position, event in enumerate(events):
        if event.ticker is None and event.relationship.strip().casefold() in own_words:
            reason = "is needed: the request holds several stocks, and this event is one's own"
            return Fault("missing_field", f"events[{position}].ticker", reason)
    return None
