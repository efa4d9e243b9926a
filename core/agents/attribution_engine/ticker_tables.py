"""Files of several stocks: one column a ticker, one row a ticker and day, or headers in layers."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.tables.text_tables import DATE_NAMES, TextTable

TICKER_NAMES = ("ticker", "symbol", "tic", "securityticker", "instrument", "tickersymbol")
SECTOR_NAMES = ("XBI", "IBB", "BBH", "FBT", "XLV", "NBI", "SPY")
"""Tickers of benchmarks that a file of several may hold, the nearest to a biotech stock first."""
_TICKER = re.compile(r"\^?[A-Za-z][A-Za-z0-9./^=-]{0,9}(?: [A-Z]{2}(?: [Ee]quity)?)?")
_FEWEST = 2


def split_tickers(table: TextTable, tickers: Sequence[str]) -> dict[str, TextTable]:
    """Return one table a ticker; none for a file of one stock.

    Args:
        table: A file.
        tickers: Plain names of columns that a file of one stock may have: prices, returns, volume.
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
    return next((name for name in SECTOR_NAMES if name in tickers), None)


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
