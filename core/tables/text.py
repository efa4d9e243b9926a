"""How the text of a table is encoded, what separates its columns, and how names are listed.

A delimited text file as header and rows, past the title lines that vendors put above it.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import BinaryIO

from core.errors import MissingColumn, UnreadableTable

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
"""Signs between columns, each with its name; of equally frequent ones the first is taken."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NAMES_SHOWN = 10


def find_encoding(content: bytes) -> str:
    """Return the codec of an uploaded text: UTF-16 by its byte order mark, else UTF-8.

    Args:
        content: The file, or at least its first two bytes.

    >>> find_encoding("gene".encode("utf-16")), find_encoding(b"gene")
    ('utf-16', 'utf-8-sig')
    """
    return next((codec for mark, codec in _MARKS if content.startswith(mark)), "utf-8-sig")


def find_file_encoding(content: BinaryIO) -> str:
    """Return the encoding of an imported text: that of its mark, else UTF-8, UTF-16 or GB18030.

    Without a mark it is UTF-8 where most lines with other letters are: one with a few damaged
    lines stays UTF-8, and those lines are reported. GB18030 includes GBK and GB2312.
    """
    head = content.read(4_000)
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec
    if b"\0" in head:
        return "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
    content.seek(0)
    valid = [_is_utf8(line) for line in content if not line.isascii()]
    return "utf-8" if 2 * sum(valid) >= len(valid) else "gb18030"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def find_separator(header: str, row: str = "") -> str:
    """Return the sign that separates columns: the most frequent in the header.

    Args:
        header: The line with the column names.
        row: A line below it, which decides between signs equally frequent in the header.

    >>> find_separator("gene;a,b;c"), find_separator("gene", "TP53;1")
    (';', ';')
    """
    return max(SEPARATORS, key=lambda sign: (header.count(sign), row.count(sign)))


def missing_column(name: str, columns: Sequence[str], table: str) -> str:
    """Return a sentence that names the missing column, the nearest one and those present."""
    close_matches = get_close_matches(name, columns, n=1, cutoff=0.6)
    hint = f" Did you mean {close_matches[0]!r}?" if close_matches else ""
    return f"There is no column {name!r} in {table}.{hint} Its columns are {show(columns)}."


def show(names: Sequence[str]) -> str:
    """Return at most ten names as text, saying how many more there are."""
    shown = ", ".join(repr(name[:100]) for name in names[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown or "none"


_TITLE_LINES = 40
_MOST_ROWS = 50_000
DATE_NAMES = ("date", "dates", "data", "timestamp", "tradedate", "day", "datetime", "pricingdate")
_FIGURES = frozenset({"open", "high", "low", "close", "adjclose", "volume", "dividends"}) | {
    "stocksplits",
    "capitalgains",
}
_HELPED = {"adjclose": "adjcloseadjusted", "close": "closecloseprice"}
_PLAIN = re.compile(r"[^a-z0-9%]+")


@dataclass(frozen=True)
class TextTable:
    """A table of texts.

    Attributes:
        columns: Column name without case, blanks and signs -> position.
        names: Column names as written.
        rows: Cells, one list a row, as long as the header.
        decimal_comma: Whether decimals follow a comma.
        tickers: For a header in layers, the ticker above each column; else empty.
    """

    columns: Mapping[str, int]
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    decimal_comma: bool
    tickers: tuple[str, ...] = ()

    def with_columns(self, names: Sequence[str], rows: tuple[tuple[str, ...], ...]) -> "TextTable":
        """Return a table of other columns of the same file."""
        return TextTable(_index(names), tuple(names), rows, self.decimal_comma)

    def find(self, names: Sequence[str]) -> int | None:
        """Return the position of the first of these columns that is there."""
        return next((self.columns[name] for name in names if name in self.columns), None)

    def cells(self, column: int) -> list[str]:
        """Return a column's cells."""
        return [row[column] for row in self.rows]


def plain_name(name: str) -> str:
    """Return a column name without case, blanks and signs.

    >>> plain_name("Adj Close**"), plain_name("<DATE>"), plain_name("Close/Last")
    ('adjclose', 'date', 'closelast')
    """
    return _PLAIN.sub("", name.casefold())


def read_rows(text: str) -> Iterator[list[str]]:
    """Yield the rows of a table whose first line is its header.

    Raises:
        UnreadableTable: A row cannot be read.
    """
    separator = find_separator(text.partition("\n")[0])
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    except csv.Error as error:
        raise UnreadableTable("a row of the table cannot be read") from error


def read_text_table(text: str, date_names: Sequence[str] = DATE_NAMES) -> TextTable:
    """Find the header line, which names a date column, and read the rows below it.

    `date_names`: plain names of date columns.

    Raises:
        MissingColumn: No line near the top names a date column.
        UnreadableTable: The file is empty, broken or too long.
    """
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    if len(lines) > _MOST_ROWS + _TITLE_LINES:
        raise UnreadableTable(f"the file has more than {_MOST_ROWS:,} rows")
    for index, line in enumerate(islice(lines, _TITLE_LINES)):
        mark = find_separator(line)
        names = [cell.strip() for cell in _split([line], mark)[0]]
        plain = [plain_name(name) for name in names]
        if len(names) > 1 and any(name in date_names for name in plain):
            layers = _read_layers(lines[max(0, index - 2) : index], names, mark)
            figures, tickers = layers or (names, ())
            return replace(_read(figures, lines[index + 1 :], mark), tickers=tickers)
    raise MissingColumn(
        "the file names no date column near its top; it needs a header line with a column Date "
        "and one row a day below it"
    )


def _read_layers(
    above: Sequence[str], names: Sequence[str], mark: str
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the figures and the tickers of a header in three lines, as yfinance writes it.

    The third line holds the word Date and names nothing else.
    """
    if len(above) != 2 or any(names[1:]):
        return None
    first, second = ([cell.strip() for cell in _split([line], mark)[0]] for line in above)
    if not len(first) == len(second) == len(names):
        return None
    if any(plain_name(cell) in _FIGURES for cell in second[1:]):
        first, second = second, first
    if not all(plain_name(cell) in _FIGURES for cell in first[1:]):
        return None
    return (names[0], *first[1:]), ("", *(cell.upper() for cell in second[1:]))


def _index(names: Sequence[str]) -> dict[str, int]:
    """Return the position of every plain column name, the first of equal ones."""
    plain = [_without_help(plain_name(name)) for name in names]
    return {name: index for index, name in reversed(list(enumerate(plain))) if name}


def _without_help(plain: str) -> str:
    """Take off the help text that a copy of Yahoo's page brings behind a column's name.

    >>> _without_help("closeclosepriceadjustedforsplits")
    'close'
    """
    return next((name for name, start in _HELPED.items() if plain.startswith(start)), plain)


def _read(names: Sequence[str], lines: Sequence[str], mark: str) -> TextTable:
    width = len(names)
    rows = tuple(
        tuple((row + [""] * width)[:width])
        for row in _split(lines, mark)
        if any(cell.strip() for cell in row)
    )
    comma = mark == ";" and _has_decimal_comma(rows)
    return TextTable(_index(names), tuple(names), rows, comma)


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
