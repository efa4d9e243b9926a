"""A first look at an uploaded table: separator, size, columns, missing values.

This reads text only, never more than a bounded part of it as a table, and repairs nothing: what
a table means is decided by the agent in its own process. The look itself is taken in a child
that may use little memory and few seconds.
"""

import csv
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.errors import AgentTimeout, OutOfMemory, UnreadableTable
from core.settings import MEGABYTE
from core.tables.text import SEPARATORS, find_encoding, find_separator
from core.workbench import Executor

ROWS_READ = 2_000
"""Rows that are read as a table; metadata of this many samples are read whole."""
MOST_COLUMNS = 5_000
MOST_CELLS = 500_000
LONGEST_CELL = 32_768
LONGEST_LINE = 32 * MEGABYTE
KEPT_TEXT = 4 * MEGABYTE
"""Text that is read as a table, in characters; rows beyond it are counted alone."""
MOST_RATIO = 100
"""A compressed file may expand to this many times its size, or to a megabyte."""
MEMORY_MB = 1024
LOOK_S = 20.0
PACKED = (b"PK\x03\x04", b"\x89HDF")
"""How files begin that hold a table in another form than text."""
Unpack = Callable[[bytes, int], bytes]
"""Turns such a file into text, of at most so many bytes; must be known by name to a child."""
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
        index = self.columns.index(name)
        return [row[index] for row in self.rows if index < len(row)]

    def groups(self, name: str) -> list[str]:
        """Return the distinct values of a column, sorted, without missing ones."""
        return sorted({value for value in self.column(name) if value.lower() not in _MISSING})


def look_at(
    source: Path | bytes, *, limit: int, executor: Executor, unpack: Unpack | None = None
) -> Preview:
    """Look at a table, in a child.

    Args:
        source: A CSV or TSV file, plain or gzip, or its bytes.
        limit: Largest number of bytes to expand.
        executor: Gives the child.
        unpack: What turns archives and workbooks into text, where they may be sent.

    Raises:
        UnreadableTable: As `read_preview`, or it takes too much time or memory to be looked at.
    """
    try:
        look: Preview = executor.call(
            _look_in_child, source, limit, unpack, timeout_s=LOOK_S, memory_mb=MEMORY_MB
        )
    except (AgentTimeout, OutOfMemory) as failure:
        raise UnreadableTable(
            f"the table cannot be looked at within {LOOK_S:g} s and {MEMORY_MB:,} MB; send a "
            "smaller table",
            code="file_too_large",
        ) from failure
    return look


def _look_in_child(source: Path | bytes, limit: int, unpack: Unpack | None) -> Preview:
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as content:
        is_packed = content.read(4) in PACKED
        content.seek(0)
        if unpack is None or not is_packed:
            return read_preview(content, limit=limit)
        return read_preview(io.BytesIO(unpack(content.read(), limit)), limit=limit)


def read_preview(source: BinaryIO, *, limit: int) -> Preview:
    """Look at a table.

    Args:
        source: Bytes of a CSV or TSV file, plain or gzip.
        limit: Largest number of bytes to expand.

    Returns:
        Its outer form and its first rows.

    Raises:
        UnreadableTable: Not UTF-8 or UTF-16 text, no header, a broken or too large gzip file,
            too many columns, or a cell that is too long.
    """
    try:
        with _open_text(source) as text:
            return _read(_lines(text, _bound(source, limit)))
    except (UnicodeDecodeError, UnicodeError) as error:
        raise UnreadableTable(
            "the file is not UTF-8 text; save it as CSV (UTF-8) and upload it again",
            code="not_utf8",
        ) from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise UnreadableTable("the file is damaged and cannot be read to its end") from error


def _bound(source: BinaryIO, limit: int) -> int:
    """Return how much text the file may hold; leaves the file where it is."""
    position = source.tell()
    size = source.seek(0, os.SEEK_END)
    source.seek(0)
    is_packed = source.read(2) == b"\x1f\x8b"
    source.seek(position)
    return min(limit, max(MOST_RATIO * size, MEGABYTE)) if is_packed else limit


def _open_text(source: BinaryIO) -> io.TextIOWrapper:
    start = source.read(2)
    source.seek(0)
    if start == b"\x1f\x8b":
        source = gzip.open(source)  # type: ignore[assignment]  # noqa: SIM115 - closed by wrapper
        start = source.read(2)
        source.seek(0)
    return io.TextIOWrapper(source, encoding=find_encoding(start), newline=None)


def _lines(text: io.TextIOWrapper, limit: int) -> Iterator[str]:
    taken = 0
    while line := text.readline(min(LONGEST_LINE, limit + 1)):
        taken += len(line)
        if taken > limit:
            raise UnreadableTable(
                f"the file expands to more than {limit // MEGABYTE} MB; send a smaller table",
                code="file_too_large",
            )
        if len(line) >= LONGEST_LINE:
            raise UnreadableTable(
                f"the file has a line of more than {LONGEST_LINE // MEGABYTE} MB; save it with one "
                "row a line",
                code="file_too_large",
            )
        if line.strip():
            yield line


def _read(lines: Iterator[str]) -> Preview:
    header = next(lines, None)
    if header is None:
        raise UnreadableTable("the file is empty; it needs a header line and rows below it")
    mark = find_separator(header)
    _check_width(header, mark, 1)
    names = next(csv.reader([header], delimiter=mark))
    first_lines: list[str] = []
    n_rows, n_signs = 0, 0
    most_rows = min(ROWS_READ, MOST_CELLS // max(1, len(names)))
    for line in lines:
        n_rows += 1
        n_signs += len(line)
        if n_rows <= most_rows and n_signs <= KEPT_TEXT:
            _check_width(line, mark, n_rows + 1)
            first_lines.append(line)
    rows = tuple(tuple(row) for row in csv.reader(first_lines, delimiter=mark))
    if rows and len(rows[0]) == len(names) + 1:
        names = ["(row names)", *names]
    _check_cells([names, *rows], names)
    n_missing = sum(cell.strip().lower() in _MISSING for row in rows for cell in row)
    return Preview(
        columns=tuple(name.strip() for name in names),
        rows=rows,
        n_rows=n_rows,
        separator=SEPARATORS[mark],
        n_missing=n_missing,
        whole=n_rows == len(first_lines),
    )


def _check_width(line: str, mark: str, number: int) -> None:
    """Refuse a line with too many cells before it is cut into them."""
    count = line.count(mark) + 1
    if count > MOST_COLUMNS:
        raise UnreadableTable(
            f"line {number} has {count:,} columns; the limit is {MOST_COLUMNS:,}: send a table "
            "with genes or samples in rows and fewer columns",
            code="too_many_columns",
        )


def _check_cells(rows: list[list[str] | tuple[str, ...]], names: list[str]) -> None:
    for number, row in enumerate(rows, start=1):
        for index, cell in enumerate(row):
            if len(cell) > LONGEST_CELL:
                name = names[index].strip()[:40] if index < len(names) else ""
                raise UnreadableTable(
                    f"line {number} has a cell of {len(cell):,} characters in column {index + 1} "
                    f"({name or 'without a name'}); the limit is {LONGEST_CELL:,}: shorten it or "
                    "leave the column out",
                    code="cell_too_long",
                )
