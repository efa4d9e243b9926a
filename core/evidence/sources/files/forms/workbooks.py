"""Workbooks (XLSX) as rows with line numbers: bounded, without document types, values only."""

import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from core.errors import UnreadableTable
from core.evidence.sources.files.forms.expanding import LARGEST_MEMBER, check_zip
from core.evidence.sources.files.forms.reading import Row, SourceFile

MOST_COLUMNS = 500
LARGEST_STRINGS = 100_000_000
"""Bytes of the parts that are kept in memory as a whole: texts and styles."""
_HELD_WHOLE = ("sharedStrings.xml", "styles.xml", "workbook.xml", ".rels")
HEADER_ROWS = 5
"""Rows at the top of a sheet in which its header is looked for."""
_BROKEN = (
    *(zipfile.BadZipFile, ParseError, KeyError, ValueError, TypeError),
    *(OSError, EOFError, AttributeError, IndexError),
)
IsHeader = Callable[[Sequence[str]], bool]


def read_workbook(source: SourceFile, is_header: IsHeader) -> Iterator[tuple[int, Row]]:
    """Yield the rows of the sheets that have a header, each with its number in its sheet.

    Args:
        source: The workbook.
        is_header: Whether cells are the header of a table that is wanted.

    Raises:
        UnreadableTable: It is too large, declares a document type, or has no such header.
    """
    _check(source)
    has_rows = False
    number = 0
    try:
        with _sheets(source.path) as sheets:
            for sheet in sheets:
                header: list[str] = []
                for number, cells in _rows(sheet):
                    if not header:
                        header = cells if is_header(cells) else []
                        has_rows = has_rows or bool(header)
                        if not header and number >= HEADER_ROWS:
                            break
                    elif any(cells[len(header) :]):
                        source.report(number, f"{len(cells)} columns instead of {len(header)}")
                    elif any(cells):
                        yield number, dict(zip(header, _padded(cells, len(header)), strict=True))
    except _BROKEN as damage:
        source.report(number + 1, f"no workbook from here on ({type(damage).__name__})")
        return
    if not has_rows:
        raise UnreadableTable(f"{source.name} has no sheet with the columns that are expected")


def has_header(path: Path, is_header: IsHeader) -> bool:
    """Return whether a sheet of a workbook begins with such a header."""
    try:
        _check(SourceFile(path, "", "", lambda _line, _reason: None))
        with _sheets(path) as sheets:
            for sheet in sheets:
                for number, cells in _rows(sheet):
                    if is_header(cells):
                        return True
                    if number >= HEADER_ROWS:
                        break
    except (*_BROKEN, UnreadableTable):
        return False
    return False


def _check(source: SourceFile) -> None:
    """Refuse a workbook that unpacks to more than is bearable, or that declares entities.

    Raises:
        UnreadableTable: It does.
    """
    try:
        with zipfile.ZipFile(source.path) as archive:
            check_zip(archive, source.name, total=LARGEST_MEMBER)
            for member in archive.infolist():
                if member.filename.endswith(_HELD_WHOLE) and member.file_size > LARGEST_STRINGS:
                    raise UnreadableTable(f"{source.name} holds more text than is read")
                with archive.open(member) as content:
                    if b"<!" in content.read(2_000).replace(b"<!--", b""):
                        raise UnreadableTable(f"{source.name} declares a document type: refused")
    except _BROKEN as damage:
        raise UnreadableTable(f"{source.name} is no workbook, or is damaged") from damage


@contextmanager
def _sheets(path: Path) -> Iterator[Sequence[Any]]:
    """Give the sheets of a workbook, closed afterwards."""
    import openpyxl

    with path.open("rb") as content:
        book = openpyxl.load_workbook(content, read_only=True, data_only=True)
        try:
            yield book.worksheets
        finally:
            book.close()


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a sheet as words; a sheet's own statement of its size is not believed."""
    sheet.reset_dimensions()
    rows = sheet.iter_rows(max_col=MOST_COLUMNS, values_only=True)
    for number, cells in enumerate(rows, start=1):
        words = [_word(cell) for cell in cells]
        while words and not words[-1]:
            words.pop()
        yield number, words


def _word(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime | date):
        return cell.isoformat()[:10]
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _padded(cells: Sequence[str], size: int) -> list[str]:
    return [*cells, *[""] * (size - len(cells))]
