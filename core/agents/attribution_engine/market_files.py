"""Returns of stock and benchmark from vendors' files of prices or returns.

Columns are recognized by name in files of the shape that Yahoo, Stooq, Nasdaq, Bloomberg and
FactSet export. Prices become simple returns; every choice is said in a note.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple

from core.agents.attribution_engine.file_cells import read_dates, read_number
from core.agents.attribution_engine.file_tables import DATE_NAMES, FileTable, read_table
from core.agents.attribution_engine.input_checks import median_size
from core.errors import InvalidInput, MissingColumn, UnreadableTable

STOCK_NAMES = ("stock", "stockreturn", "stockreturns", "stockprice", "stockclose", "asset")
MARKET_NAMES = (
    "market",
    "benchmark",
    "marketreturn",
    "benchmarkreturn",
    "marketprice",
    "benchmarkprice",
    "index",
    "sector",
    "xbi",
    "ibb",
)
RETURN_NAMES = ("return", "returns", "ret", "dailyreturn", "simplereturn", "totalreturn1day")
ADJUSTED_NAMES = (
    "adjclose",
    "adjustedclose",
    "closeadjusted",
    "adjustedprice",
    "priceadjusted",
    "totreturnindexgrossdvds",
    "totreturnindexnetdvds",
    "totalreturnindex",
    "totalreturngross",
)
CLOSE_NAMES = (
    "close",
    "closelast",
    "pxlast",
    "lastprice",
    "last",
    "price",
    "closeprice",
    "closingprice",
    "zamkniecie",
    "pxclose",
)
_SHAPES: tuple[tuple[str, frozenset[str]], ...] = (
    ("Yahoo", frozenset({"adjclose", "close", "open"})),
    ("Nasdaq", frozenset({"closelast", "volume"})),
    ("Stooq", frozenset({"zamkniecie"})),
    ("Stooq", frozenset({"per", "close", "vol"})),
    ("Bloomberg", frozenset({"pxlast"})),
    ("Bloomberg", frozenset({"lastprice"})),
    ("FactSet", frozenset({"price", "cvol"})),
    ("FactSet", frozenset({"price", "%change"})),
    ("FactSet", frozenset({"price", "change"})),
    ("Stooq", frozenset({"open", "high", "low", "close", "volume"})),
)
Kind = Literal["prices", "returns"]
_PRICE_MEDIAN = 1.0


@dataclass(frozen=True)
class DatedValues:
    """One series of a file.

    Attributes:
        values: By day, oldest first.
        kind: Prices or simple returns.
    """

    values: Mapping[date, float]
    kind: Kind


class MarketInput(NamedTuple):
    """Rows for a request, and how they were made.

    Attributes:
        rows: `date`, `stock`, `market`; oldest first.
        notes: One sentence each.
    """

    rows: list[dict[str, object]]
    notes: list[str]


def read_market(first: str, second: str | None = None) -> MarketInput:
    """Read stock and benchmark from one file, or from two.

    Args:
        first: Text of the file with the stock, and with the benchmark if it has both.
        second: Text of the benchmark's own file.

    Raises:
        MissingColumn: A column that is needed is not there; the message names what is.
        InvalidInput: Two values for a day, or no day in common.
        UnreadableTable: A cell holds no number, or the file is no table.
    """
    table = read_table(first)
    market_place = table.find(MARKET_NAMES)
    notes: list[str] = []
    if market_place is None and second is None:
        raise MissingColumn(
            "the file has no column for the benchmark (market or benchmark); add one, or upload "
            "the benchmark's own file"
        )
    stock = _read_series(table, "stock file", STOCK_NAMES, notes)
    if second is not None:
        market = _read_series(read_table(second), "benchmark file", MARKET_NAMES, notes)
    else:
        market = _take(table, market_place or 0, "stock file", notes)
    rows = _join(stock, market, notes)
    return MarketInput(rows, list(dict.fromkeys(notes)))


def _read_series(
    table: FileTable, where: str, own_names: Sequence[str], notes: list[str]
) -> DatedValues:
    """Return the series of a file: its own column, a return, an adjusted or a plain close."""
    shape = next((name for name, needed in _SHAPES if needed <= set(table.columns)), None)
    if shape is not None:
        notes.append(f"The {where} was read as one of {shape}'s shape.")
    place = table.find((*own_names, *RETURN_NAMES))
    if place is None:
        place = table.find(ADJUSTED_NAMES)
        if place is not None:
            notes.append(f"Adjusted prices were used (column {_shown(table, place)}).")
    if place is None:
        place = table.find(CLOSE_NAMES)
        if place is not None:
            notes.append(
                f"Column {_shown(table, place)} of the {where} is not marked as adjusted: a split "
                "or dividend would look like a move. Prefer adjusted closes."
            )
    if place is None:
        raise MissingColumn(
            f"the {where} has no column that can be recognized as a return or a price; it has "
            f"{', '.join(table.names)[:300]}; name one of them stock or market, Adj Close or Close"
        )
    return _take(table, place, where, notes)


def _shown(table: FileTable, place: int) -> str:
    return repr(table.names[place][:60])


def _take(table: FileTable, place: int, where: str, notes: list[str]) -> DatedValues:
    """Return a column by day; rows without a date or a value are left out and counted."""
    dates = read_dates(table.cells(table.find(DATE_NAMES) or 0))
    if dates.is_ambiguous:
        notes.append(f"Dates of the {where} were read as month/day/year.")
    found: dict[date, float] = {}
    n_missing = 0
    for line, (day, cell) in enumerate(zip(dates.days, table.cells(place), strict=True), start=1):
        named = f"row {line} of the {where}, column {_shown(table, place)}"
        value = read_number(cell, decimal_comma=table.decimal_comma, where=named)
        if day is None or value is None:
            n_missing += 1
            continue
        if found.setdefault(day, value) != value:
            raise InvalidInput(
                f"the {where} has two values for {day}; keep one row a trading day of one stock",
                code="duplicate_date",
            )
    if not found:
        raise UnreadableTable(f"the {where} has no row with a date and a number")
    if n_missing:
        notes.append(f"{n_missing} rows of the {where} lack a date or a value and were left out.")
    return DatedValues(dict(sorted(found.items())), _tell(table.names[place], found))


def _tell(name: str, found: Mapping[date, float]) -> Kind:
    """Tell prices from returns: prices are positive throughout, with a median over 1."""
    values = found.values()
    named = any(word in name.casefold() for word in ("close", "price", "px_", "index"))
    positive = all(value > 0 for value in values)
    if positive and (named or median_size(values) > _PRICE_MEDIAN):
        return "prices"
    return "returns"


def _join(stock: DatedValues, market: DatedValues, notes: list[str]) -> list[dict[str, object]]:
    """Return the days that both series have, as simple returns."""
    common = [day for day in stock.values if day in market.values]
    if not common:
        raise InvalidInput(
            "stock and benchmark have no day in common; upload files of the same period",
            code="no_common_day",
        )
    n_left = len(set(stock.values) ^ set(market.values))
    if n_left:
        notes.append(f"{n_left} days that only one of stock and benchmark has were left out.")
    columns = {
        name: _simple_returns(series, common)
        for name, series in (("stock", stock), ("market", market))
    }
    for name, series in (("stock", stock), ("benchmark", market)):
        if series.kind == "prices":
            notes.append(
                f"Prices of the {name} were turned into simple returns: price / price of the "
                "row before - 1; the first day has none."
            )
    days = [day for day in common if day in columns["stock"] and day in columns["market"]]
    return [
        {
            "date": day.isoformat(),
            "stock": columns["stock"][day],
            "market": columns["market"][day],
        }
        for day in days
    ]


def _simple_returns(series: DatedValues, days: Sequence[date]) -> dict[date, float]:
    """Return the series' simple returns on these days, prices from one of them to the next."""
    if series.kind == "returns":
        return {day: series.values[day] for day in days}
    prices = [series.values[day] for day in days]
    return {
        day: price / before - 1
        for day, before, price in zip(days[1:], prices, prices[1:], strict=False)
    }
