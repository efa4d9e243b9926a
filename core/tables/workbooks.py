"""Workbooks (XLSX) as rows of text: bounded, without document types, values instead of formulas.

Cells are streamed: a workbook of two cells far apart must not cost the memory of all between them.
"""

import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.etree.ElementTree import ParseError

from core.errors import UnreadableTable
from core.tables.bounds import LARGEST_MEMBER, ZipBounds, check_zip
from core.tables.rows import Row, SourceFile

MOST_COLUMNS = 500
"""Columns of an imported sheet that are read."""
LARGEST_STRINGS = 100_000_000
"""Bytes of the parts that are kept in memory as a whole: texts and styles."""
_IN_MEMORY = ("sharedStrings.xml", "styles.xml", "workbook.xml", ".rels")
HEADER_ROWS = 5
"""Rows at the top of a sheet in which its header is looked for."""
_HEAD_ROWS = 40
"""Rows by which a sheet is chosen."""
BROKEN = (
    *(zipfile.BadZipFile, ParseError, KeyError, ValueError, TypeError),
    *(OSError, EOFError, AttributeError, IndexError),
)
IsHeader = Callable[[Sequence[str]], bool]
Sheet = Iterator[list[str]]


class SheetChoice(NamedTuple):
    """Which sheet of a workbook is read.

    Attributes:
        columns: Names that its header should hold; the sheet with most of them is read.
        of_numbers: Among equals, whether the first sheet of numbers is read, or the first of text.
    """

    columns: tuple[str, ...] = ()
    of_numbers: bool = True


ANY_SHEET = SheetChoice()


@contextmanager
def open_sheets(
    content: BinaryIO, most_columns: int | None = None
) -> Iterator[list[tuple[str, Sheet]]]:
    """Give the name and the rows of each visible sheet, the first cell of a row first.

    The workbook is closed afterwards.

    `most_columns`: columns that are read.
    """
    import openpyxl

    book = openpyxl.load_workbook(content, read_only=True, data_only=True)
    try:
        visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        sheets = visible or book.worksheets
        for sheet in sheets:
            sheet.reset_dimensions()  # what a sheet says of its size is not believed
        yield [
            (str(sheet.title), ([cell_text(cell) for cell in row] for row in rows))
            for sheet, rows in (
                (sheet, sheet.iter_rows(max_col=most_columns, values_only=True)) for sheet in sheets
            )
        ]
    finally:
        book.close()


def choose_sheet(raw: bytes, choice: SheetChoice) -> tuple[int, tuple[str, ...]]:
    """Return the position of the sheet to read, and the names of all sheets."""
    with open_sheets(io.BytesIO(raw)) as sheets:
        heads = [(name, list(islice(sheet, _HEAD_ROWS))) for name, sheet in sheets]
    scores = []
    for _, rows in heads:
        cells = [[cell.strip() for cell in row] for row in rows if sum(map(bool, row)) > 1]
        named = len(set(choice.columns).intersection(*cells[:1])) if cells else 0
        body = [cell for row in cells[1:] for cell in row[1:] if cell]
        numbers = sum(cell[:1].isdecimal() for cell in body)
        is_of_numbers = 2 * numbers > len(body)
        scores.append((bool(cells), named, is_of_numbers == choice.of_numbers))
    return scores.index(max(scores)), tuple(name for name, _ in heads)


def cell_text(value: object) -> str:
    """Return a cell as text; whole numbers without a point."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def read_sheet(raw: bytes, most_rows: int) -> list[list[str]]:
    """Return the first rows of the first sheet of an uploaded workbook.

    Raises:
        UnreadableTable: It is damaged, too large or no workbook.
    """
    try:
        check_workbook(io.BytesIO(raw), "the workbook")
        with open_sheets(io.BytesIO(raw)) as sheets:
            return list(islice(sheets[0][1], most_rows))
    except BROKEN as error:
        raise UnreadableTable("the workbook cannot be read; save the sheet as CSV") from error


def read_workbook(source: SourceFile, is_header: IsHeader) -> Iterator[tuple[int, Row]]:
    """Yield the rows of the sheets that have a header, each with its number in its sheet.

    `is_header`: whether cells are the header of a table to read.

    Raises:
        UnreadableTable: It is too large, declares a document type, or has no such header.
    """
    check_workbook(source.path, source.name)
    has_rows = False
    number = 0
    try:
        with source.path.open("rb") as content, open_sheets(content, MOST_COLUMNS) as sheets:
            for _, sheet in sheets:
                header: list[str] = []
                for number, row in enumerate(sheet, start=1):
                    cells = _trim(row)
                    if not header:
                        header = cells if is_header(cells) else []
                        has_rows = has_rows or bool(header)
                        if not header and number >= HEADER_ROWS:
                            break
                    elif any(cells[len(header) :]):
                        source.report(number, f"{len(cells)} columns instead of {len(header)}")
                    elif any(cells):
                        padded = [*cells, *[""] * (len(header) - len(cells))]
                        yield number, dict(zip(header, padded, strict=True))
    except BROKEN as damage:
        source.report(number + 1, f"no workbook from here on ({type(damage).__name__})")
        return
    if not has_rows:
        raise UnreadableTable(f"{source.name} has no sheet with the columns that are expected")


def has_header(path: Path, is_header: IsHeader) -> bool:
    """Return whether a sheet of a workbook begins with such a header."""
    try:
        check_workbook(path, path.name)
        with path.open("rb") as content, open_sheets(content, MOST_COLUMNS) as sheets:
            return any(
                is_header(_trim(row)) for _, sheet in sheets for row in islice(sheet, HEADER_ROWS)
            )
    except (*BROKEN, UnreadableTable):
        return False


def _trim(row: Sequence[str]) -> list[str]:
    """Return cells without blanks around them and without empty ones at the end."""
    cells = [cell.strip() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def check_workbook(
    content: Path | BinaryIO,
    name: str,
    bounds: ZipBounds | None = None,
    field: str | None = None,
) -> None:
    """Refuse a workbook that unpacks to more than is read, or that declares entities.

    Raises:
        UnreadableTable: It does.
    """
    try:
        with zipfile.ZipFile(content) as archive:
            check_zip(archive, name, bounds or ZipBounds(total=LARGEST_MEMBER), field)
            for member in archive.infolist():
                if member.filename.endswith(_IN_MEMORY) and member.file_size > LARGEST_STRINGS:
                    raise UnreadableTable(f"{name} holds more text than is read", field=field)
                with archive.open(member) as part:
                    if b"<!" in part.read(2_000).replace(b"<!--", b""):
                        raise UnreadableTable(
                            f"{name} declares a document type: refused", field=field
                        )
    except BROKEN as damage:
        raise UnreadableTable(f"{name} is no workbook, or is damaged") from damage
