"""Counts written with thousands separators or a decimal comma: 1,336; 1.336; 1 336; 12,5.

A file has one format, read from all its sample columns together. A point before three digits is a
decimal point unless other cells prove that it separates thousands; what stays open is refused,
since a count of 1,336 read as 1.336, or a log value of 7.248 read as 7,248, is wrong in silence.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_BLANKS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"})
_MARKS = re.compile(r"[.,' ]")
_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
_SAME_SHAPE = str.maketrans("12345678", "99999999")
"""Which digits a cell has decides nothing about its format, but for zeros."""
_THOUSAND = 1000
_CUSTOMARY = {(",", ","), (",", "\t")}
"""Marks of thousands that need no last digit of 0, with the separator of the table."""
_LEAST_UNMARKED = {".": 100, ",": 1}
"""Size of a whole number without a mark which shows that not every cell has the same decimals."""


class NumberFormat(NamedTuple):
    """How numbers are written: the mark between thousands and the decimal mark."""

    thousands: str
    decimal: str

    @property
    def is_plain(self) -> bool:
        """Return whether programs read it as it stands."""
        return self == PLAIN


PLAIN = NumberFormat("", ".")
_FORMATS = (
    PLAIN,
    NumberFormat("", ","),
    NumberFormat(",", "."),
    NumberFormat(".", ","),
    NumberFormat(" ", "."),
    NumberFormat(" ", ","),
    NumberFormat("'", "."),
    NumberFormat("'", ","),
)


class ColumnCells(NamedTuple):
    """What the format of a column is read from.

    Attributes:
        marked: Cells with a point, a comma, a blank or an apostrophe, one of each shape.
        unmarked: The largest whole number without any, as written; empty where there is none.
    """

    marked: tuple[str, ...]
    unmarked: str


class SampleCell(NamedTuple):
    """A cell with the position of its column."""

    position: int
    text: str


@dataclass(frozen=True)
class FormatGuess:
    """The format of a file.

    Attributes:
        format: The one in which all samples are written; None where it stays open.
        evidence: Without a format: two cells that contradict each other, or one that can be read
            in two ways.
        decimal: Without a format: the one in which the mark precedes decimals.
    """

    format: NumberFormat | None
    evidence: tuple[SampleCell, ...] = ()
    decimal: NumberFormat | None = None


def normalize_cells(cells: "pd.Series[str]") -> "pd.Series[str]":
    """Return cells without blanks around them, with one kind of blank and apostrophe inside."""
    return cells.str.translate(_BLANKS).str.strip()


def may_be_thousands(values: FloatArray) -> bool:
    """Return whether plain numbers of all samples could have thousands marked by points: 1.336.

    So it is where every fraction has at most three digits and no number reaches 1,000.
    """
    finite = values[np.isfinite(values)]
    if len(finite) == 0 or finite.max() >= _THOUSAND:
        return False
    fractions = finite[finite != np.rint(finite)]
    if len(fractions) == 0 or fractions.min() < 1:
        return False
    return bool(np.allclose(fractions * _THOUSAND, np.rint(fractions * _THOUSAND), atol=1e-6))


def summarize_cells(cells: "pd.Series[str]") -> ColumnCells:
    """Return what the format is read from, of distinct cells as `normalize_cells` has them."""
    marked = cells[cells.str.contains(_MARKS)]
    shapes = marked[~marked.str.translate(_SAME_SHAPE).duplicated()]
    whole_cells = cells[cells.str.fullmatch(_WHOLE)]
    return ColumnCells(tuple(shapes), max(whole_cells, key=int, default=""))


def choose_format(
    columns: Mapping[int, ColumnCells], samples: Sequence[int], separator: str
) -> FormatGuess:
    """Return the format in which the samples of a file are written.

    Args:
        columns: By position.
        samples: Positions of the samples, which decide together.
        separator: Of the table.
    """
    cells = [SampleCell(sample, text) for sample in samples for text in columns[sample].marked]
    readings = {cell.text: {form: _read(cell.text, form) for form in _FORMATS} for cell in cells}
    marked = [cell for cell in cells if any(readings[cell.text].values())]
    if not marked:
        return FormatGuess(PLAIN)
    fits: dict[tuple[str | None, ...], NumberFormat] = {}
    for form in _FORMATS:
        chosen = tuple(readings[cell.text][form] for cell in marked)
        if None not in chosen:
            fits.setdefault(chosen, form)
    if len(fits) == 1:
        return FormatGuess(next(iter(fits.values())))
    if not fits:
        return FormatGuess(None, _find_contradiction(marked, readings))
    sample = max(samples, key=lambda position: int(columns[position].unmarked or 0))
    return _decide(
        list(fits.values()), marked, separator, SampleCell(sample, columns[sample].unmarked)
    )


def _find_contradiction(
    marked: Sequence[SampleCell], readings: Mapping[str, Mapping[NumberFormat, str | None]]
) -> tuple[SampleCell, ...]:
    """Return two cells that no format reads together, else the first that is not plain."""
    forms = {
        text: {form for form, value in values.items() if value is not None}
        for text, values in readings.items()
    }
    odd = next(cell for cell in marked if PLAIN not in forms[cell.text])
    others = (cell for cell in marked if forms[cell.text].isdisjoint(forms[odd.text]))
    return (odd, *([other] if (other := next(others, None)) else []))


def _decide(
    fits: Sequence[NumberFormat], marked: Sequence[SampleCell], separator: str, unmarked: SampleCell
) -> FormatGuess:
    """Choose between a mark of thousands and of decimals where every cell looks like 1,336.

    Numbers of 1,000 or more without a mark say that a point is a decimal point. Where no cell goes
    without a mark, all are printed with three decimals (7.248). Only beside whole numbers does a
    last digit of 0 say thousands: programs that write 990 write 1.34, not 1.340.
    """
    marks = {mark for cell in marked for mark in _MARKS.findall(cell.text)}
    if len(marks) != 1:
        return FormatGuess(None, (marked[0],))
    (mark,) = marks
    decimal = next((form for form in fits if form.decimal == mark and not form.thousands), None)
    thousands = next((form for form in fits if form.thousands == mark), None)
    largest = int(unmarked.text or 0)
    if mark == "." and (largest >= _THOUSAND or (largest == 0 and separator != ";")):
        return FormatGuess(decimal)
    if largest >= _THOUSAND:
        return FormatGuess(None, (marked[0], unmarked), decimal)
    is_certain = any(cell.text.endswith("0") for cell in marked) or (mark, separator) in _CUSTOMARY
    if is_certain and largest >= _LEAST_UNMARKED.get(mark, 1):
        return FormatGuess(thousands)
    return FormatGuess(None, (marked[0],), decimal)


def read_column(cells: "pd.Series[str]", form: NumberFormat) -> FloatArray:
    """Return numbers, NaN where a cell is none in this format."""
    fits = cells.where(cells.str.fullmatch(_pattern(form)), None)
    if form.thousands:
        fits = fits.str.replace(form.thousands, "", regex=False)
    if form.decimal != ".":
        fits = fits.str.replace(form.decimal, ".", regex=False)
    numbers = pd.to_numeric(fits, errors="coerce").to_numpy(dtype=np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


@cache
def _pattern(form: NumberFormat) -> re.Pattern[str]:
    """Return what a number looks like in a format."""
    point = re.escape(form.decimal)
    digits = r"\d+"
    if form.thousands:
        digits = rf"(?:\d+|[1-9]\d{{0,2}}(?:{re.escape(form.thousands)}\d{{3}})+)"
    return re.compile(rf"[+-]?(?:{digits}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def _read(cell: str, form: NumberFormat) -> str | None:
    """Return a cell as a plain number in text, None where it is none in this format."""
    if _pattern(form).fullmatch(cell) is None:
        return None
    return cell.replace(form.thousands, "").replace(form.decimal, ".")
