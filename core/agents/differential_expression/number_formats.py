"""Counts written with thousands separators or a decimal comma: 1,336; 1.336; 1 336; 12,5.

The format is read by column; where a column fits several, all samples together decide. A format is
taken only where no other reads the cells as different numbers; everything else is refused, since
a count of 1,336 read as 1.336 is wrong in silence.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.stats.fit import FloatArray

_BLANKS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"})
_MARKS = re.compile(r"[.,' ]")
_LARGE = re.compile(r"0*[1-9]\d{3,}", re.ASCII)
_THOUSAND = 1000
_MOST_CELLS = 1_000
"""Cells of a column from which its format is read."""


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
        marked: Distinct cells with a point, a comma, a blank or an apostrophe.
        is_large: Whether a cell without any is 1,000 or more.
    """

    marked: tuple[str, ...]
    is_large: bool


@dataclass(frozen=True)
class FormatGuess:
    """The format of some cells.

    Attributes:
        format: The only one that fits; None where several do, or none.
        example: The first cell that is not plain, or that formats read differently.
    """

    format: NumberFormat | None
    example: str


def normalize_cells(cells: "pd.Series[str]") -> "pd.Series[str]":
    """Return cells without blanks around them, with one kind of blank and apostrophe inside."""
    return cells.str.translate(_BLANKS).str.strip()


def may_be_thousands(values: FloatArray) -> bool:
    """Return whether a column's plain numbers could have thousands marked by points: 1.336.

    So it is where every fraction has at most three digits and no number reaches 1,000.
    """
    known = values[np.isfinite(values)]
    if len(known) == 0 or known.max() >= _THOUSAND:
        return False
    fractions = known[known != np.rint(known)]
    if len(fractions) == 0 or fractions.min() < 1:
        return False
    return bool(np.allclose(fractions * _THOUSAND, np.rint(fractions * _THOUSAND), atol=1e-6))


def summarize_cells(cells: "pd.Series[str]") -> ColumnCells:
    """Return what the format is read from, of distinct cells as `normalize_cells` has them."""
    marked = cells[cells.str.contains(_MARKS)].tolist()
    step = -(-len(marked) // _MOST_CELLS) or 1
    return ColumnCells(tuple(marked[::step]), bool(cells.str.fullmatch(_LARGE).any()))


def guess_format(cells: ColumnCells, separator: str) -> FormatGuess:
    """Return the format of cells.

    Args:
        cells: Of one column or of several.
        separator: Of the table; a comma inside a cell of a table that is not separated by
            semicolons marks thousands where nothing speaks against it.
    """
    readings = {form: [_read(cell, form) for cell in cells.marked] for form in _FORMATS}
    readable = [any(values) for values in zip(*readings.values(), strict=True)]
    marked = [cell for cell, is_number in zip(cells.marked, readable, strict=True) if is_number]
    fits: dict[tuple[str | None, ...], NumberFormat] = {}
    for form, values in readings.items():
        chosen = tuple(v for v, is_number in zip(values, readable, strict=True) if is_number)
        if None not in chosen:
            fits.setdefault(chosen, form)
    if not marked or len(fits) == 1:
        return FormatGuess(next(iter(fits.values()), PLAIN), next(iter(marked), ""))
    if not fits:
        return FormatGuess(None, next((c for c in marked if _read(c, PLAIN) is None), marked[0]))
    decided = _decide(list(fits.values()), marked, separator, cells.is_large)
    return FormatGuess(decided, marked[0])


def _decide(
    fits: Sequence[NumberFormat], marked: Sequence[str], separator: str, is_large: bool
) -> NumberFormat | None:
    """Choose between a mark of thousands and of decimals where every cell looks like 1,336.

    Numbers of 1,000 or more without a mark say that a point is a decimal point. A last digit of 0
    says thousands: programs write 1.34, not 1.340.
    """
    marks = {mark for cell in marked for mark in _MARKS.findall(cell)}
    if len(marks) != 1:
        return None
    (mark,) = marks
    decimal = next((form for form in fits if form.decimal == mark and not form.thousands), None)
    thousands = next((form for form in fits if form.thousands == mark), None)
    if is_large:
        return decimal if mark == "." else None
    if any(cell.endswith("0") for cell in marked) or (mark == "," and separator != ";"):
        return thousands
    return None


def read_column(cells: "pd.Series[str]", form: NumberFormat) -> FloatArray:
    """Return numbers, NaN where a cell is none in this format."""
    fits = cells.where(cells.str.fullmatch(_pattern(form)), None)
    if form.thousands:
        fits = fits.str.replace(form.thousands, "", regex=False)
    if form.decimal != ".":
        fits = fits.str.replace(form.decimal, ".", regex=False)
    numbers = pd.to_numeric(fits, errors="coerce").to_numpy(dtype=np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def choose_formats(
    columns: Mapping[int, ColumnCells], samples: Sequence[int], separator: str
) -> dict[int, FormatGuess]:
    """Return the format of each column: its own, else that of all samples together.

    Args:
        columns: By position.
        samples: Positions of the samples, which decide for all.
        separator: Of the table.
    """
    together = [columns[position] for position in samples]
    marked = dict.fromkeys(cell for column in together for cell in column.marked)
    step = -(-len(marked) // (4 * _MOST_CELLS)) or 1
    is_large = any(column.is_large for column in together)
    shared = guess_format(ColumnCells(tuple(marked)[::step], is_large), separator)
    own = {position: guess_format(cells, separator) for position, cells in columns.items()}
    return {
        position: guess if guess.format is not None else FormatGuess(shared.format, guess.example)
        for position, guess in own.items()
    }


@cache
def _pattern(form: NumberFormat) -> re.Pattern[str]:
    """Return what a number looks like in a format."""
    point = re.escape(form.decimal)
    whole = r"\d+"
    if form.thousands:
        whole = rf"(?:\d+|[1-9]\d{{0,2}}(?:{re.escape(form.thousands)}\d{{3}})+)"
    return re.compile(rf"[+-]?(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def _read(cell: str, form: NumberFormat) -> str | None:
    """Return a cell as a plain number in text, None where it is none in this format."""
    if _pattern(form).fullmatch(cell) is None:
        return None
    return cell.replace(form.thousands, "").replace(form.decimal, ".")
