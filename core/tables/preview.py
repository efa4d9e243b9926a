"""A first look at an uploaded table: separator, size, columns, missing values.

This reads text only, never more than a bounded part of it as a table, and repairs nothing: what
a table means is decided by the agent in its own process. The look itself is taken in a child
that may use little memory and few seconds.
"""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from core.errors import AgentTimeout, OutOfMemory, UnreadableTable
from core.settings import MEGABYTE
from core.tables.archives import is_packed, read_archive
from core.tables.bounds import BROKEN, open_bounded
from core.tables.delimited import MAX_CELL, check_width, find_header
from core.tables.numbers import preview_format
from core.tables.single_cells import CellChoice
from core.tables.text import SEPARATORS, find_encoding
from core.tables.workbooks import ANY_SHEET, SheetChoice

ROWS_READ = 2_000
"""Rows that are read as a table; metadata of this many samples are read whole."""
MOST_CELLS = 500_000
LONGEST_LINE = 32 * MEGABYTE
KEPT_TEXT = 4 * MEGABYTE
"""Text that is read as a table, in characters; rows beyond it are counted alone."""
MEMORY_MB = 1024
_NUMBER_COLUMNS = 60
"""Columns that show how numbers are written."""
LOOK_S = 20.0
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
        notes: What was skipped, chosen or changed to read the table, one sentence each.
        sheets: Names of a workbook's sheets, the one that was read first.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_rows: int
    separator: str
    n_missing: int
    whole: bool
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()

    def column(self, name: str) -> list[str]:
        """Return the values of a column among the rows read."""
        index = self.columns.index(name)
        return [row[index] for row in self.rows if index < len(row)]

    def groups(self, name: str) -> list[str]:
        """Return the distinct values of a column, sorted, without missing ones."""
        return sorted({value for value in self.column(name) if value.lower() not in _MISSING})


def look_at(
    source: Path | bytes,
    *,
    limit: int,
    call: Callable[..., Preview],
    takes_archives: bool = False,
    cells: CellChoice | None = None,
    sheet: SheetChoice = ANY_SHEET,
) -> Preview:
    """Look at a table, in a child.

    Args:
        source: A CSV or TSV file, plain or gzip, or its bytes.
        limit: Largest number of bytes to expand.
        call: Calls a function in a child within bounds of time and memory.
        takes_archives: Whether workbooks and archives may be sent.
        cells: How counts of single cells in them are added up; None takes none.
        sheet: Which sheet of a workbook is looked at.

    Raises:
        UnreadableTable: As `read_preview`, or it takes too much time or memory to be looked at.
    """
    arguments = (source, limit, takes_archives, cells, sheet)
    try:
        return call(_look_in_child, *arguments, timeout_s=LOOK_S, memory_mb=MEMORY_MB)
    except (AgentTimeout, OutOfMemory) as failure:
        raise UnreadableTable(
            f"the table cannot be looked at within {LOOK_S:g} s and {MEMORY_MB:,} MB; send a "
            "smaller table",
            code="file_too_large",
        ) from failure


def _look_in_child(
    source: Path | bytes,
    limit: int,
    takes_archives: bool,
    cells: CellChoice | None,
    sheet: SheetChoice,
) -> Preview:
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as content:
        if takes_archives and is_packed(content.read(4)):
            content.seek(0)
            table = read_archive(content.read(), "", limit // MEGABYTE, cells, sheet)
            look = read_preview(io.BytesIO(table.text), limit=limit)
            notes = (*table.describe("the workbook"), *look.notes)
            return replace(look, notes=notes, sheets=table.sheets)
        return read_preview(content, limit=limit)


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
        with open_bounded(
            source, largest=limit, longest_line=LONGEST_LINE, free=MEGABYTE
        ) as content:
            encoding = find_encoding(content.peek(4))
            with io.TextIOWrapper(content, encoding=encoding, newline=None) as text:
                return _read(line for line in text if line.strip())
    except UnicodeError as error:
        raise UnreadableTable(
            "the file is not UTF-8 text; save it as CSV (UTF-8) and upload it again",
            code="not_utf8",
        ) from error
    except (OSError, *BROKEN, csv.Error) as error:
        raise UnreadableTable("the file is damaged and cannot be read to its end") from error


def _read(lines: Iterator[str]) -> Preview:
    first = list(islice(lines, 50))
    header = find_header(first)
    if not any(header.columns):
        raise UnreadableTable("the file is empty; it needs a header line and rows below it")
    kept: list[str] = []
    n_rows = n_signs = 0
    most_rows = min(ROWS_READ, MOST_CELLS // len(header.columns))
    for line in chain(first[header.n_skipped + 1 :], lines):
        n_rows += 1
        n_signs += len(line)
        if n_rows <= most_rows and n_signs <= KEPT_TEXT:
            check_width(line, header.separator, n_rows + 1)
            kept.append(line)
    rows = tuple(tuple(row) for row in csv.reader(kept, delimiter=header.separator))
    names = [name or "(row names)" if n == 0 else name for n, name in enumerate(header.columns)]
    _check_cells([names, *rows], names)
    wide = [row for row in rows if len(row) == len(names)]
    columns = list(zip(*(row[1 : _NUMBER_COLUMNS + 1] for row in wide), strict=True))
    return Preview(
        columns=tuple(names),
        rows=rows,
        n_rows=n_rows,
        separator=SEPARATORS[header.separator],
        n_missing=sum(cell.strip().lower() in _MISSING for row in rows for cell in row),
        whole=n_rows == len(kept),
        notes=(*header.describe_titles(), *preview_format(columns, header.separator)),
    )


def _check_cells(rows: list[list[str] | tuple[str, ...]], names: list[str]) -> None:
    for number, row in enumerate(rows, start=1):
        for index, cell in enumerate(row):
            if len(cell) > MAX_CELL:
                name = names[index].strip()[:40] if index < len(names) else ""
                raise UnreadableTable(
                    f"line {number} has a cell of {len(cell):,} characters in column {index + 1} "
                    f"({name or 'without a name'}); the limit is {MAX_CELL:,}: shorten it or "
                    "leave the column out",
                    code="cell_too_long",
                )
