"""Returns of stock and benchmark from vendors' files of prices or returns.

Columns are recognized by name in files of the shape that Yahoo, Stooq, Nasdaq, Bloomberg and
FactSet export. Prices become simple returns; every choice is said in a note.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, NamedTuple

from core.agents.attribution_engine.schema import median_size
from core.errors import InvalidInput, MissingColumn, UnreadableTable
from core.tables.text import DATE_NAMES, TextTable, plain_name, read_text_table
from core.tables.values import read_dates, read_number

TICKER_NAMES = ("ticker", "symbol", "tic", "securityticker", "instrument", "tickersymbol")
BENCHMARKS = ("XBI", "IBB", "BBH", "FBT", "XLV", "NBI", "SPY")
"""Tickers of benchmarks that a file of several may hold, the nearest to a biotech stock first."""
_TICKER = re.compile(r"\^?[A-Za-z][A-Za-z0-9./^=-]{0,9}(?: [A-Z]{2}(?: [Ee]quity)?)?")
_FEWEST = 2


def split_tickers(table: TextTable, tickers: Sequence[str]) -> dict[str, TextTable]:
    """Return one table a ticker; none for a file of one stock.

    `tickers`: plain names of columns that a file of one stock may have: prices, returns, volume.
    """
    layered = sorted(set(filter(None, table.tickers)))
    if len(layered) >= _FEWEST:
        date = table.find(DATE_NAMES) or 0
        places = {
            ticker: [date, *(n for n, name in enumerate(table.tickers) if name == ticker)]
            for ticker in layered
        }
        return {
            ticker: _narrow(table, columns, [table.names[column] for column in columns])
            for ticker, columns in places.items()
        }
    column = table.find(TICKER_NAMES)
    if column is not None:
        names = sorted({_plain(row[column]) for row in table.rows} - {""})
        if len(names) >= _FEWEST:
            rows_by_name = {
                name: tuple(row for row in table.rows if _plain(row[column]) == name)
                for name in names
            }
            return {name: replace(table, rows=rows) for name, rows in rows_by_name.items()}
        return {}
    return _split_wide(table, tickers)


def pick_benchmark(tickers: Sequence[str]) -> str | None:
    """Return the ticker of a sector's benchmark among these, if one is there."""
    return next((name for name in BENCHMARKS if name in tickers), None)


def _plain(name: str) -> str:
    """Return a ticker without exchange words.

    >>> _plain("srpt US Equity")
    'SRPT'
    """
    return name.strip().split(" ")[0].upper()


def _split_wide(table: TextTable, tickers: Sequence[str]) -> dict[str, TextTable]:
    """Return one table a column, where no column has a name that a file of one stock has."""
    date = table.find(DATE_NAMES)
    if date is None or any(name in table.columns for name in tickers):
        return {}
    places = {
        _plain(name): index
        for index, name in enumerate(table.names)
        if index != date
        and _TICKER.fullmatch(name.strip())
        and any(re.search(r"\d", row[index]) for row in table.rows[:200])
    }
    if len(places) < _FEWEST:
        return {}
    return {
        name: _narrow(table, [date, column], [table.names[date], "stock"])
        for name, column in places.items()
    }


def _narrow(table: TextTable, places: Sequence[int], names: Sequence[str]) -> TextTable:
    rows = tuple(tuple(row[column] for column in places) for row in table.rows)
    return table.with_columns(names, rows)


STOCK_NAMES = ("stock", "stockreturn", "stockreturns", "stockprice", "stockclose", "asset")
CRSP_MARKETS = ("vwretd", "ewretd", "sprtrn", "vwretx", "ewretx")
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
    *CRSP_MARKETS,
)
SECTOR_NAMES = (
    "sector",
    "sectorreturn",
    "sectorreturns",
    "sectorprice",
    "sectorclose",
    "sectorindex",
    "secondfactor",
)
"""Columns of a second factor, in a file that has a benchmark besides."""
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
    "prc",
)
VOLUME_NAMES = ("volume", "vol", "pxvolume", "cvol", "sharevolume", "tradingvolume")
_PER_STOCK = (*STOCK_NAMES, *RETURN_NAMES, *ADJUSTED_NAMES, *CLOSE_NAMES)
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
_FEWEST_PRICES = 20
"""So many different returns are never all gains, so prices under 1 are recognized, too."""


@dataclass(frozen=True)
class DatedValues:
    """One series of a file.

    Attributes:
        values: By day, oldest first.
        kind: Prices or simple returns.
        volume: Shares traded by day, where the file has them.
    """

    values: Mapping[date, float]
    kind: Kind
    volume: Mapping[date, float]


class MarketInput(NamedTuple):
    """Rows for a request, and how they were made.

    Attributes:
        rows: `date`, `stock`, `market`; oldest first.
        notes: One sentence each.
    """

    rows: list[dict[str, object]]
    notes: list[str]


def read_market(first: str, second: str | None = None) -> MarketInput:
    """Read one stock and its benchmark from one file, or from two.

    Args:
        first: Text of the file with the stock, and with the benchmark if it has both.
        second: Text of the benchmark's own file.

    Raises:
        MissingColumn: A column that is needed is not there; the message names what is.
        InvalidInput: Two values for a day, or no day in common.
        UnreadableTable: A cell holds no number, or the file is no table.
    """
    table = read_text_table(first)
    market_place = table.find(MARKET_NAMES)
    notes: list[str] = []
    if market_place is None and second is None:
        crsp = "; CRSP gives one as vwretd" if "permno" in table.columns else ""
        raise MissingColumn(
            f"the file has no column for the benchmark (market or benchmark{crsp}); add one, or "
            "upload the benchmark's own file"
        )
    stock = _read_series(table, "stock file", STOCK_NAMES, notes)
    if second is not None:
        market = _read_benchmark(second, notes)
    else:
        market = _take(table, market_place or 0, "stock file", notes)
        if plain_name(table.names[market_place or 0]) in CRSP_MARKETS:
            notes.append(
                "The benchmark is CRSP's market, not the sector: sector news will look like moves."
            )
    sector = _take_sector(table, market_place, notes)
    rows = _join(stock, market, notes, sector)
    return MarketInput(rows, list(dict.fromkeys(notes)))


def _take_sector(
    table: TextTable, market_place: int | None, notes: list[str]
) -> DatedValues | None:
    """Return the second factor, where the file has a column for it beside the benchmark's."""
    column = table.find(SECTOR_NAMES)
    if column is None or market_place is None or column == market_place:
        return None
    notes.append(
        f"Column {_shown(table, column)} was read as a second factor in addition to the benchmark "
        f"{_shown(table, market_place)}."
    )
    return _take(table, column, "second factor", notes)


def _read_benchmark(text: str, notes: list[str]) -> DatedValues:
    return _read_series(read_text_table(text), "benchmark file", MARKET_NAMES, notes)


def list_tickers(text: str) -> list[str]:
    """Return the tickers of a file of several stocks; none for a file of one.

    Raises:
        MissingColumn: The file names no date column.
        UnreadableTable: The file is no table.
    """
    return list(split_tickers(read_text_table(text), _PER_STOCK))


def read_stocks(
    first: str, second: str | None, *, stocks: Sequence[str], benchmark: str | None
) -> MarketInput:
    """Read several stocks of one file against one benchmark.

    Args:
        first: Text of the file with the stocks.
        second: Text of the benchmark's own file, if it has one.
        stocks: Tickers to read.
        benchmark: Ticker of the benchmark in the first file; not looked at with a second one.

    Returns:
        Rows with `ticker`, by stock and date.

    Raises:
        MissingColumn: No stock is named, or no benchmark.
        InvalidInput: Two values for a day, or no day in common.
        UnreadableTable: A cell holds no number, or the file is no table.
    """
    tables = split_tickers(read_text_table(first), _PER_STOCK)
    tickers = [ticker for ticker in stocks if ticker in tables and ticker != benchmark]
    if not tickers or (second is None and benchmark not in tables):
        raise MissingColumn(
            f"the file holds {', '.join(sorted(tables)[:20])}; pick at least one stock, and one of "
            "them as the benchmark or a file of its own for it"
        )
    notes: list[str] = []
    if second is not None:
        market = _read_benchmark(second, notes)
    else:
        where = f"benchmark {benchmark}"
        market = _read_series(tables[str(benchmark)], where, STOCK_NAMES, notes)
    rows: list[dict[str, object]] = []
    for ticker in tickers:
        stock = _read_series(tables[ticker], f"stock {ticker}", STOCK_NAMES, notes)
        rows += [{"ticker": ticker, **row} for row in _join(stock, market, notes)]
    # Notes that several stocks share are given once, without their names.
    folded: dict[str, list[str]] = {}
    for note in notes:
        named = re.search(r"stock (\S+?)(?=[ ,:])", note)
        plain = note.replace(named[0], "stocks", 1) if named else note
        folded.setdefault(plain, []).append(note)
    return MarketInput(
        rows, [same[0] if len(set(same)) == 1 else plain for plain, same in folded.items()]
    )


def _read_series(
    table: TextTable, where: str, own_names: Sequence[str], notes: list[str]
) -> DatedValues:
    """Return the series of a file: its own column, a return, an adjusted or a plain close."""
    shape = next((name for name, needed in _SHAPES if needed <= set(table.columns)), None)
    if shape is not None:
        notes.append(f"The {where} was read as one of {shape}'s shape.")
    column = table.find((*own_names, *RETURN_NAMES))
    if column is None:
        column = table.find(ADJUSTED_NAMES)
        if column is not None:
            notes.append(f"Adjusted prices were used (column {_shown(table, column)}).")
    if column is None:
        column = table.find(CLOSE_NAMES)
        if column is not None:
            notes.append(
                f"Column {_shown(table, column)} of the {where} is not marked as adjusted: a split "
                "or dividend would look like a move. Prefer adjusted closes."
            )
    if column is None:
        raise MissingColumn(
            f"the {where} has no column that can be recognized as a return or a price; it has "
            f"{', '.join(table.names)[:300]}; name one of them stock or market, Adj Close or Close"
        )
    return _take(table, column, where, notes)


def _shown(table: TextTable, column: int) -> str:
    return repr(table.names[column][:60])


def _take(table: TextTable, column: int, where: str, notes: list[str]) -> DatedValues:
    """Return a column by day; rows without a date or a value are left out and counted."""
    dates = read_dates(table.cells(table.find(DATE_NAMES) or 0))
    if dates.is_ambiguous:
        notes.append(f"Dates of the {where} were read as month/day/year.")
    values_by_day: dict[date, float] = {}
    name = plain_name(table.names[column])
    n_missing = 0
    for line, (day, cell) in enumerate(zip(dates.days, table.cells(column), strict=True), start=1):
        named = f"row {line} of the {where}, column {_shown(table, column)}"
        value = _read_cell(table, name, cell, named)
        if day is None or value is None:
            n_missing += 1
            continue
        if values_by_day.setdefault(day, value) != value:
            raise InvalidInput(
                f"the {where} has two values for {day}; keep one row a trading day of one stock",
                code="duplicate_date",
            )
    if not values_by_day:
        raise UnreadableTable(f"the {where} has no row with a date and a number")
    if n_missing:
        notes.append(f"{n_missing} rows of the {where} lack a date or a value and were skipped.")
    kind = _tell(name, values_by_day)
    if kind == "prices":
        values_by_day = _drop_zeros(values_by_day, where, notes)
    volume = _read_volume(table, dates.days)
    return DatedValues(dict(sorted(values_by_day.items())), kind, volume)


def _read_cell(table: TextTable, name: str, cell: str, where: str) -> float | None:
    """Return a cell's number; in CRSP's files a letter is a missing return, a minus a quote."""
    if name in ("ret", "retx") and re.fullmatch(r"\s*[A-Z]\s*", cell):
        return None
    value = read_number(cell, decimal_comma=table.decimal_comma, where=where)
    return abs(value) if value is not None and name == "prc" else value


def _drop_zeros(
    values_by_day: dict[date, float], where: str, notes: list[str]
) -> dict[date, float]:
    """Leave out closes of 0, which are no prices."""
    zeros = sorted(day for day, value in values_by_day.items() if value == 0)
    if zeros:
        notes.append(
            f"{len(zeros)} closes of 0 of the {where} (from {zeros[0]}) were skipped: there was "
            "no trade, or the stock was delisted."
        )
    return {day: value for day, value in values_by_day.items() if value != 0}


def _read_volume(table: TextTable, days: Sequence[date | None]) -> dict[date, float]:
    """Return the shares traded by day, where the file has them and they can be read."""
    column = table.find(VOLUME_NAMES)
    volume: dict[date, float] = {}
    for day, cell in zip(days, [] if column is None else table.cells(column), strict=False):
        try:
            value = read_number(cell, decimal_comma=table.decimal_comma, where="volume")
        except UnreadableTable:  # "1.2M": a volume that cannot be read is none
            return {}
        if day is not None and value is not None and value >= 0:
            volume[day] = value
    return volume


def _tell(name: str, values_by_day: Mapping[date, float]) -> Kind:
    """Tell prices from returns: prices are never negative, while returns are in every file."""
    values = [value for value in values_by_day.values() if value != 0]
    named = any(word in name for word in ("close", "price", "pxlast", "index", "prc"))
    if not values or any(value < 0 for value in values):
        return "returns"
    large = median_size(values) > _PRICE_MEDIAN
    return "prices" if named or large or len(set(values)) >= _FEWEST_PRICES else "returns"


def _join(
    stock: DatedValues,
    market: DatedValues,
    notes: list[str],
    sector: DatedValues | None = None,
) -> list[dict[str, object]]:
    """Return the days that stock and benchmark have, as simple returns."""
    common = [day for day in stock.values if day in market.values]
    if not common:
        raise InvalidInput(
            "stock and benchmark have no day in common; upload files of the same period",
            code="no_common_day",
        )
    n_left = len(set(stock.values) ^ set(market.values))
    if n_left:
        notes.append(f"{n_left} days that only one of stock and benchmark has were skipped.")
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
    second: Mapping[date, float] = {}
    if sector is not None:
        second = _simple_returns(sector, [day for day in common if day in sector.values])
    return [
        {
            "date": day.isoformat(),
            "stock": columns["stock"][day],
            "market": columns["market"][day],
            **({"sector": second.get(day)} if second else {}),
            **({"volume": stock.volume[day]} if day in stock.volume else {}),
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
