"""A delimited text file as header and rows, past the title lines that vendors put above it."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from core.errors import MissingColumn, UnreadableTable

_SEPARATORS = (",", "\t", ";")
_TITLE_LINES = 40
_MOST_ROWS = 50_000
DATE_NAMES = ("date", "dates", "data", "timestamp", "tradedate", "day", "datetime", "pricingdate")
_PLAIN = re.compile(r"[^a-z0-9%]+")


@dataclass(frozen=True)
class FileTable:
    """A table of texts.

    Attributes:
        columns: Column name without case, blanks and signs -> place.
        names: Column names as written.
        rows: Cells, one list a row, as long as the header.
        decimal_comma: Whether numbers part their decimals by a comma.
    """

    columns: Mapping[str, int]
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    decimal_comma: bool

    def find(self, wanted: Sequence[str]) -> int | None:
        """Return the place of the first wanted column that is there."""
        return next((self.columns[name] for name in wanted if name in self.columns), None)

    def cells(self, place: int) -> list[str]:
        """Return a column's cells."""
        return [row[place] for row in self.rows]


def plain_name(name: str) -> str:
    """Return a column name without case, blanks and signs.

    >>> plain_name("Adj Close**"), plain_name("<DATE>"), plain_name("Close/Last")
    ('adjclose', 'date', 'closelast')
    """
    return _PLAIN.sub("", name.casefold())


def read_table(text: str, date_names: Sequence[str] = DATE_NAMES) -> FileTable:
    """Find the header line, which names a date column, and read the rows below it.

    Args:
        text: The file.
        date_names: Plain names of date columns.

    Raises:
        MissingColumn: No line near the top names a date column.
        UnreadableTable: The file is empty, broken or too long.
    """
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    if len(lines) > _MOST_ROWS + _TITLE_LINES:
        raise UnreadableTable(f"the file has more than {_MOST_ROWS:,} rows")
    for place, line in enumerate(islice(lines, _TITLE_LINES)):
        mark = max(_SEPARATORS, key=line.count)
        names = [cell.strip() for cell in _split([line], mark)[0]]
        plain = [plain_name(name) for name in names]
        if len(names) > 1 and any(name in date_names for name in plain):
            return _read(names, plain, lines[place + 1 :], mark)
    raise MissingColumn(
        "the file names no date column near its top; it needs a header line with a column Date "
        "and one row a day below it"
    )


def _read(names: Sequence[str], plain: Sequence[str], lines: Sequence[str], mark: str) -> FileTable:
    width = len(names)
    rows = tuple(
        tuple((row + [""] * width)[:width])
        for row in _split(lines, mark)
        if any(cell.strip() for cell in row)
    )
    columns = {name: place for place, name in reversed(list(enumerate(plain))) if name}
    return FileTable(columns, tuple(names), rows, mark == ";" and _has_decimal_comma(rows))


def _split(lines: Sequence[str], mark: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=mark))
    except csv.Error as error:
        raise UnreadableTable("the file is no table that can be read") from error


def _has_decimal_comma(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell.strip() for row in rows[:50] for cell in row]
    commas = sum(bool(re.fullmatch(r"[+-]?\d+,\d+%?", cell)) for cell in cells)
    points = sum(bool(re.fullmatch(r"[+-]?\d+\.\d+%?", cell)) for cell in cells)
    return commas > points
