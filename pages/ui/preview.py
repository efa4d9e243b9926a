"""A first look at an uploaded table: separator, size, columns, missing values.

This reads text only, never more than a bounded part of it as a table, and repairs nothing: what
a table means is decided by the agent in its own process.
"""

import csv
import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from core.errors import UnreadableTable

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
ROWS_READ = 2_000
"""Rows that are read as a table; metadata of this many samples are read whole."""
LONGEST_LINE = 32 * 1024 * 1024
_MISSING = frozenset({"", "na", "nan", "n/a", "null", "none"})


@dataclass(frozen=True)
class Preview:
    """What a table looks like.

    Attributes:
        columns: Names in the header; `(row names)` where the header is one field short.
        rows: The first rows as text.
        n_rows: Rows below the header in the whole file.
        separator: "comma", "tab" or "semicolon".
        n_missing: Empty or NA cells among the rows read.
        whole: Whether `rows` are all rows.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_rows: int
    separator: str
    n_missing: int
    whole: bool

    def column(self, name: str) -> list[str]:
        """Return the values of a column among the rows read."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows if place < len(row)]

    def groups(self, name: str) -> list[str]:
        """Return the distinct values of a column, sorted, without missing ones."""
        return sorted({value for value in self.column(name) if value.lower() not in _MISSING})


def read_preview(source: BinaryIO, *, limit: int) -> Preview:
    """Look at a table.

    Args:
        source: Bytes of a CSV or TSV file, plain or gzip.
        limit: Largest number of bytes to expand.

    Returns:
        Its outer form and its first rows.

    Raises:
        UnreadableTable: Not UTF-8 or UTF-16 text, no header, a broken or too large gzip file.
    """
    try:
        with _open_text(source) as text:
            return _read(_lines(text, limit))
    except (UnicodeDecodeError, UnicodeError) as error:
        raise UnreadableTable(
            "the file is not UTF-8 text; save it as CSV (UTF-8) and upload it again",
            code="not_utf8",
        ) from error
    except (OSError, EOFError, csv.Error) as error:
        raise UnreadableTable("the file is damaged and cannot be read to its end") from error


def _open_text(source: BinaryIO) -> io.TextIOWrapper:
    start = source.read(2)
    source.seek(0)
    if start == b"\x1f\x8b":
        source = gzip.open(source)  # type: ignore[assignment]  # noqa: SIM115 - closed by wrapper
        start = source.read(2)
        source.seek(0)
    encoding = "utf-16" if start in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return io.TextIOWrapper(source, encoding=encoding, newline=None)


def _lines(text: io.TextIOWrapper, limit: int) -> Iterator[str]:
    taken = 0
    while line := text.readline(LONGEST_LINE):
        taken += len(line)
        if taken > limit:
            raise UnreadableTable(
                f"the file expands to more than {limit // 2**20} MB", code="file_too_large"
            )
        if line.strip():
            yield line


def _read(lines: Iterator[str]) -> Preview:
    header = next(lines, None)
    if header is None:
        raise UnreadableTable("the file is empty; it needs a header line and rows below it")
    mark = max(SEPARATORS, key=header.count)
    kept: list[str] = []
    n_rows = 0
    for line in lines:
        n_rows += 1
        if n_rows <= ROWS_READ:
            kept.append(line)
    names = next(csv.reader([header], delimiter=mark))
    rows = tuple(tuple(row) for row in csv.reader(kept, delimiter=mark))
    if rows and len(rows[0]) == len(names) + 1:
        names = ["(row names)", *names]
    n_missing = sum(cell.strip().lower() in _MISSING for row in rows for cell in row)
    return Preview(
        columns=tuple(name.strip() for name in names),
        rows=rows,
        n_rows=n_rows,
        separator=SEPARATORS[mark],
        n_missing=n_missing,
        whole=n_rows <= ROWS_READ,
    )
