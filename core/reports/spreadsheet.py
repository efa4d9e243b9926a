"""Documents as spreadsheets and tables as CSV, safe to open in a spreadsheet program.

Text never becomes a formula, a link or a number: in XLSX every text is written as a constant
string; in CSV, where no such thing exists, text that would begin a formula gets a single quote.
"""

import io
import re
from typing import Any

import pandas as pd
import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from core.reports.document import Document, TableReader
from core.reports.printed import NOTICE
from core.reports.text import clean, unmarked

LONGEST_CELL = 32_767
MOST_ROWS = 1_048_576
_FORMULA_START = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are the wide forms of the first, which some programs read alike."""
_OPTIONS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "constant_memory": True,
}
_SMALL = "0.00E+00"


def render_xlsx(document: Document, tables: TableReader) -> bytes:
    """Return a workbook: first the report's facts, then every table of the run, whole.

    Args:
        document: Its answer, figures, warnings, facts and request fill the first sheet.
        tables: One sheet each, with frozen header and filter.

    Returns:
        An XLSX file.
    """
    target = io.BytesIO()
    with xlsxwriter.Workbook(target, _OPTIONS) as book:
        looks = _Looks(book)
        _write_facts(book, looks, document)
        taken = {"report"}
        for name in tables.names():
            sheet = book.add_worksheet(sheet_name(name, taken))
            _write_table(sheet, looks, tables.read(name))
    return target.getvalue()


class _Looks:
    """The few cell formats of the workbook."""

    def __init__(self, book: Workbook) -> None:
        self.head: Format = book.add_format(
            {"bold": True, "bg_color": "#0B6E6E", "font_color": "#FFFFFF", "border": 1}
        )
        self.title: Format = book.add_format({"bold": True, "font_size": 14})
        self.section: Format = book.add_format({"bold": True, "font_color": "#0B6E6E"})
        self.text: Format = book.add_format({"text_wrap": True, "valign": "top"})
        self.whole: Format = book.add_format({"num_format": "#,##0"})
        self.fraction: Format = book.add_format({"num_format": "#,##0.000"})
        self.small: Format = book.add_format({"num_format": _SMALL})

    def number(self, column: str, values: "pd.Series[Any]") -> Format:
        """Return the number format of a column: whole, fraction or, for p values, exponent."""
        if pd.api.types.is_integer_dtype(values):
            return self.whole
        return self.small if re.search(r"p.?(val|adj)|fdr", column.lower()) else self.fraction


def sheet_name(name: str, taken: set[str]) -> str:
    """Return a sheet name that spreadsheets accept and that is not taken, and take it.

    Args:
        name: Table name.
        taken: Names in use, in lower case; extended.
    """
    plain = re.sub(r"[\[\]:*?/\\']", "_", name).strip()[:28] or "table"
    unique, number = plain, 1
    while unique.lower() in taken:
        number += 1
        unique = f"{plain[:26]} {number}"
    taken.add(unique.lower())
    return unique


def _write_facts(book: Workbook, looks: _Looks, document: Document) -> None:
    sheet = book.add_worksheet("Report")
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, 1, 90)
    sheet.write_string(0, 0, _cell(document.title), looks.title)
    sheet.write_string(1, 0, _cell(document.subtitle))
    row = 3
    for title, pairs in _sections(document):
        sheet.write_string(row, 0, title, looks.section)
        for row, (label, value) in enumerate(pairs, start=row + 1):  # noqa: B020, PLW2901
            sheet.write_string(row, 0, _cell(label), looks.text)
            sheet.write_string(row, 1, _cell(value), looks.text)
        row += 2
    sheet.write_string(row, 0, NOTICE)


def _sections(document: Document) -> list[tuple[str, list[tuple[str, str]]]]:
    about, front = document.about, document.front
    answer = [(str(number), unmarked(text)) for number, text in enumerate(front.sentences, 1)]
    figures = [
        (tile.label, f"{tile.value} ({tile.note})" if tile.note else tile.value)
        for tile in front.tiles
    ]
    doubts = [("", front.confidence)] if front.confidence else []
    warnings = [(str(number), text) for number, text in enumerate(document.warnings, start=1)]
    parts = [
        ("Answer", answer),
        ("Key figures", figures),
        ("How sure it is", doubts),
        ("Warnings", warnings),
        ("Run", list(about.facts)),
        ("Request", list(about.request.items())),
    ]
    return [(title, pairs) for title, pairs in parts if pairs]


def _write_table(sheet: Worksheet, looks: _Looks, frame: pd.DataFrame) -> None:
    """Write a table with its header frozen and filtered, as many rows as a sheet can hold."""
    sheet.freeze_panes(1, 1)
    shown = frame.iloc[: MOST_ROWS - 1]
    for index, column in enumerate(shown.columns):
        sheet.set_column(index, index, max(12, min(30, len(str(column)) + 6)))
        sheet.write_string(0, index, _cell(str(column)), looks.head)
    formats = [looks.number(str(column), shown[column]) for column in shown.columns]
    rows = zip(*(_plain(shown[column]) for column in shown.columns), strict=True)
    for number, row in enumerate(rows, start=1):
        for index, value in enumerate(row):
            _write_cell(sheet, number, index, value, formats[index])
    if len(shown.columns):
        sheet.autofilter(0, 0, max(1, len(shown)), len(shown.columns) - 1)


def _plain(values: "pd.Series[Any]") -> list[object]:
    """Return a column as plain values, None where missing."""
    return values.astype(object).where(values.notna(), None).tolist()


def _write_cell(sheet: Worksheet, row: int, column: int, value: object, number: Format) -> None:
    match value:
        case None:
            return
        case bool():
            sheet.write_boolean(row, column, value)
        case int() | float() if abs(value) < float("inf"):
            sheet.write_number(row, column, value, number)
        case _:
            sheet.write_string(row, column, _cell(str(value)))


def _cell(text: str) -> str:
    return clean(text)[:LONGEST_CELL]


def safe_csv(frame: pd.DataFrame) -> bytes:
    """Return a table as UTF-8 CSV in which no text begins a formula.

    Args:
        frame: Any table; numbers are written in full precision, missing values empty.

    Returns:
        Header line and one line a row, ended by line feeds. Text that starts with `= + - @` (wide
        ones too), a tab or a line break (and every such column name) has a single quote before it.
    """
    safe = frame.rename(columns=lambda name: _quote(str(name)))
    texts = [name for name in safe.columns if not pd.api.types.is_numeric_dtype(safe[name])]
    safe = safe.assign(**{name: safe[name].map(_quote) for name in texts})
    return safe.to_csv(index=False, lineterminator="\n").encode("utf-8", errors="replace")


def _quote(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA_START):
        return f"'{value}"
    return value
