"""Sample columns of a table as numbers: 1,336; 1.336; 1 336; 12,5.

A file has one format, read from all its sample columns together. A point before three digits is a
decimal point unless other cells prove that it separates thousands; what stays open is refused,
since a count of 1,336 read as 1.336, or a log value of 7.248 read as 7,248, is wrong in silence.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from core.errors import InvalidInput
from core.tables.delimited import DelimitedText, read_cells
from core.tables.text import show

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_BLANKS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"})
_MARKS = re.compile(r"[.,' ]")
_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
_LIKE_NUMBER = re.compile(r"[+-]?\d[\d.,' ]*", re.ASCII)
_SAME_SHAPE = str.maketrans("12345678", "99999999")
"""Which digits a cell has decides nothing about its format, but for zeros."""
_THOUSAND = 1000
_CUSTOMARY = {(",", ","), (",", "\t")}
"""Marks of thousands that need no last digit of 0, with the separator of the table."""
_LEAST_UNMARKED = {".": 100, ",": 1}
"""Size of a whole number without a mark which shows that not every cell has the same decimals."""
_MARK_NAMES = {",": "a comma", ".": "a point", " ": "a space", "'": "an apostrophe"}
CheckValues = Callable[[FloatArray, tuple[str, ...], tuple[str, ...], str], None]
"""`check(values, row names, column names, field)` raises where values cannot be used."""


class NumberFormat(NamedTuple):
    """How numbers are written: the mark between thousands and the decimal mark."""

    thousands: str
    decimal: str

    @property
    def is_plain(self) -> bool:
        """Return whether programs read it as it stands."""
        return self == PLAIN

    def describe(self) -> str:
        """Return its marks in words."""
        marks = []
        if self.thousands:
            marks.append(f"{_MARK_NAMES[self.thousands]} separating thousands")
        if self.decimal != PLAIN.decimal:
            marks.append("a comma before decimals")
        return " and ".join(marks)


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


@dataclass(frozen=True)
class NumberBlock:
    """The sample columns as numbers.

    Attributes:
        ids: Text of the ID column, one a row.
        positions: Header positions of the columns that are numbers.
        values: Rows x columns; NaN where a cell is no number.
        text_positions: Header positions of columns without a single number.
        cells: The table as read.
        formats: How numbers are written, by header position; plain where it is not named.
    """

    ids: tuple[str, ...]
    positions: tuple[int, ...]
    values: FloatArray
    text_positions: tuple[int, ...]
    cells: pa.Table
    formats: Mapping[int, NumberFormat]

    def without(self, positions: Sequence[int]) -> "NumberBlock":
        """Return the block without some columns."""
        if not positions:
            return self
        is_kept = ~np.isin(self.positions, positions)
        kept_positions = tuple(np.array(self.positions)[is_kept].tolist())
        return replace(self, positions=kept_positions, values=self.values[:, is_kept])

    def locate(self, row: int, column: int, table: DelimitedText) -> str:
        """Return where a cell stands and what it holds, in words."""
        position = self.positions[column]
        text = str(self.cells.column(position)[row].as_py())
        name = table.columns[position][:100]
        return f"row {self.ids[row][:100]!r}, column {name!r}: {text[:40]!r}"


def read_numbers(
    table: DelimitedText,
    id_column: int,
    positions: list[int],
    samples: Sequence[int],
    check: CheckValues,
) -> NumberBlock:
    """Read columns as numbers, first all at once, then as text where that is not safe.

    `id_column`: position of the gene IDs. `positions`: columns to read. `samples`: those among them
    that are samples for certain. `check`: explains what is wrong with values whose mark precedes
    decimals, if anything.

    Raises:
        InvalidInput: Numbers of a sample can be read in two ways.
    """
    _refuse_shortened(table, id_column, len(positions))
    try:
        cells = read_cells(table, positions)
    except pa.ArrowInvalid:
        return _read_texts(table, id_column, positions, samples, check)
    ids = tuple(str(cell).strip() for cell in cells.column(id_column).to_pylist())
    values = np.column_stack([cells.column(index).to_numpy() for index in positions])
    if _may_be_thousands(values[:, [positions.index(position) for position in samples]]):
        return _read_texts(table, id_column, positions, samples, check)
    values = np.where(np.isfinite(values), values, np.nan)
    return NumberBlock(ids, tuple(positions), values, (), cells, {})


_SHORTENED = re.compile(rb"(?<=[,;\t\"])\d(?:[.,]\d+)?E\+\d{2}(?=[,;\t\"\r\n]|$)")
"""A number as a spreadsheet shortens it; programs write a small e, or write all numbers so."""


def _refuse_shortened(table: DelimitedText, id_column: int, n_columns: int) -> None:
    """Refuse single counts that a spreadsheet has written as 1.23E+05: their digits are lost."""
    if id_column != 0 or b"E+" not in table.body:  # a table of a hundred megabytes is searched
        return
    found = _SHORTENED.findall(table.body)
    n_cells = max(1, table.body.count(b"\n") * n_columns)
    if not found or 2 * len(found) > n_cells:
        return
    place = table.body.index(found[0])
    line = table.body[table.body.rfind(b"\n", 0, place) + 1 : place + len(found[0])]
    name = line.split(b"\t" if b"\t" in line else b";" if b";" in line else b",")[0]
    raise InvalidInput(
        f"{len(found)} counts are shortened as a spreadsheet does, the first in row "
        f"{name.decode('utf-8', 'replace')[:80]!r}: {found[0].decode()!r}. Their digits are lost; "
        "export the counts again with all digits.",
        field=table.field,
        code="shortened_numbers",
    )


def _read_texts(
    table: DelimitedText,
    id_column: int,
    positions: list[int],
    samples: Sequence[int],
    check: CheckValues,
) -> NumberBlock:
    """Read every column as text and turn each into numbers where it can be."""
    cells = read_cells(table, ())
    ids = tuple(str(cell).strip() for cell in cells.column(id_column).to_pylist())
    distinct = {position: _encode(cells.column(position)) for position in positions}
    summaries = {
        position: _summarize(texts.drop_duplicates()) for position, (texts, _) in distinct.items()
    }
    guess = _choose_format(summaries, samples, table.header.separator)
    form = guess.format or guess.decimal or PLAIN
    columns = {
        position: _read_column(texts, form)[codes] for position, (texts, codes) in distinct.items()
    }
    if guess.format is None:
        _refuse_format(
            guess, {sample: columns[sample] for sample in samples}, cells, ids, table, check
        )
    numeric = [position for position in positions if not np.isnan(columns[position]).all()]
    empty = np.empty((len(ids), 0))
    return NumberBlock(
        ids=ids,
        positions=tuple(numeric),
        values=np.column_stack([columns[position] for position in numeric]) if numeric else empty,
        text_positions=tuple(position for position in positions if position not in numeric),
        cells=cells,
        formats={} if form.is_plain else dict.fromkeys(numeric, form),
    )


def _encode(column: pa.ChunkedArray) -> tuple["pd.Series[str]", IntArray]:
    """Return the distinct cells of a column, and which of them each row holds."""
    encoded = column.combine_chunks().dictionary_encode()
    texts = pd.Series(encoded.dictionary.to_pylist(), dtype=object)
    return _normalize(texts), encoded.indices.to_numpy()


def _refuse_format(
    guess: FormatGuess,
    columns: Mapping[int, FloatArray],
    cells: pa.Table,
    ids: tuple[str, ...],
    table: DelimitedText,
    check: CheckValues,
) -> NoReturn:
    """Refuse samples whose numbers can be read in two ways, naming column and row.

    Raises:
        InvalidInput: As values that are not raw where the mark of decimals makes them so.
    """
    if guess.decimal is not None:
        values = np.column_stack(list(columns.values()))
        complete = ~np.isnan(values).any(axis=1)
        names = tuple(table.columns[position] for position in columns)
        if complete.any():
            genes = tuple(np.array(ids, dtype=object)[complete])
            check(values[complete], genes, names, table.field)
    named = []
    for position, text in guess.evidence:
        texts = _normalize(pd.Series(cells.column(position).to_pylist(), dtype=object))
        row = texts.tolist().index(text)
        named.append(
            f"row {ids[row][:100]!r} of column {table.columns[position][:100]!r} holds "
            f"{text[:40]!r}"
        )
    why = (
        "which do not fit one way of writing numbers"
        if len(named) > 1
        else "where the mark may separate thousands or decimals"
    )
    raise InvalidInput(
        f"{named[0][0].upper()}{' and '.join(named)[1:]}, {why}; send counts without thousands "
        "separators and with a decimal point.",
        field=table.field,
        code="ambiguous_number",
    )


def warn_of_formats(block: NumberBlock, table: DelimitedText) -> tuple[str, ...]:
    """Say which samples were read with a thousands separator or a decimal comma."""
    columns: dict[NumberFormat, list[str]] = {}
    for position, form in block.formats.items():
        columns.setdefault(form, []).append(table.columns[position])
    return tuple(
        f"number_format: counts were read with {form.describe()} in {show(names)}."
        for form, names in columns.items()
    )


def preview_format(columns: Sequence[Sequence[str]], separator: str) -> tuple[str, ...]:
    """Say how the numbers of a table's first rows are written, where not as programs write them.

    `columns`: cells of the columns behind the first; those of text are passed over.
    """
    summaries = {}
    for position, cells in enumerate(columns):
        texts = _normalize(pd.Series(cells, dtype=object))
        if 2 * texts.str.fullmatch(_LIKE_NUMBER).sum() > len(texts):
            summaries[position] = _summarize(texts.drop_duplicates())
    if not summaries:
        return ()
    guess = _choose_format(summaries, list(summaries), separator)
    if guess.format is None:
        cells_shown = " and ".join(repr(cell.text[:40]) for cell in guess.evidence)
        return (
            f"ambiguous_number: {cells_shown} can be read in more than one way; send numbers "
            "without thousands separators and with a decimal point.",
        )
    if guess.format.is_plain:
        return ()
    return (f"number_format: numbers are read with {guess.format.describe()}.",)


def _normalize(cells: "pd.Series[str]") -> "pd.Series[str]":
    """Return cells without blanks around them, with one kind of blank and apostrophe inside."""
    return cells.str.translate(_BLANKS).str.strip()


def _may_be_thousands(values: FloatArray) -> bool:
    """Return whether plain numbers of samples could have thousands marked by points: 1.336.

    So it is where every fraction has at most three digits and no number reaches 1,000: in all
    samples, or in some while the others hold whole numbers.
    """
    with_fractions = np.array([_has_fraction(column) for column in values.T])
    if not with_fractions.any():
        return False
    finite = values[:, with_fractions][np.isfinite(values[:, with_fractions])]
    fractions = finite[finite != np.rint(finite)]
    if finite.max() >= _THOUSAND or fractions.min() < 1:
        return False
    return bool(np.allclose(fractions * _THOUSAND, np.rint(fractions * _THOUSAND), atol=1e-6))


def _has_fraction(column: FloatArray) -> bool:
    """Return whether a column holds a number that is not whole."""
    finite = column[np.isfinite(column)]
    return bool((finite != np.rint(finite)).any())


def _summarize(cells: "pd.Series[str]") -> ColumnCells:
    """Return what the format is read from, of distinct cells as `_normalize` has them."""
    marked = cells[cells.str.contains(_MARKS)]
    shapes = marked[~marked.str.translate(_SAME_SHAPE).duplicated()]
    whole_cells = cells[cells.str.fullmatch(_WHOLE)]
    return ColumnCells(tuple(shapes), max(whole_cells, key=int, default=""))


def _choose_format(
    columns: Mapping[int, ColumnCells], samples: Sequence[int], separator: str
) -> FormatGuess:
    """Return the format in which the samples of a file are written.

    `samples`: positions of the samples, which decide together.
    """
    guess = _fit_format(columns, samples, separator)
    if guess.format is None:
        return guess
    odd = _find_odd_column(columns, samples, guess.format)
    return FormatGuess(None, odd, guess.format) if odd else guess


def _find_odd_column(
    columns: Mapping[int, ColumnCells], samples: Sequence[int], form: NumberFormat
) -> tuple[SampleCell, ...]:
    """Return a cell such as 1.336 of a sample that alone has decimals, and one of another.

    All of its decimals have three digits and none of its numbers reaches 1,000, while others do: so
    the mark may separate thousands in this sample.
    """
    like_thousands = re.compile(rf"[1-9]\d{{0,2}}(?:{re.escape(form.decimal)}\d{{3}})+")
    decimals = {
        sample: [text for text in columns[sample].marked if form.decimal in text]
        for sample in samples
    }
    large = [
        SampleCell(sample, text)
        for sample in samples
        if not decimals[sample]
        for text in (columns[sample].unmarked, *columns[sample].marked)
        if int(columns[sample].unmarked or 0) >= _THOUSAND or text in columns[sample].marked
    ]
    for sample, texts in decimals.items():
        is_small = int(columns[sample].unmarked or 0) < _THOUSAND
        is_alone = len(texts) == len(columns[sample].marked) > 0
        if large and is_small and is_alone and all(map(like_thousands.fullmatch, texts)):
            return SampleCell(sample, texts[0]), large[0]
    return ()


def _fit_format(
    columns: Mapping[int, ColumnCells], samples: Sequence[int], separator: str
) -> FormatGuess:
    """Return the one format in which every cell is a number, or the likelier of two."""
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
        forms = {
            text: {form for form, value in values.items() if value is not None}
            for text, values in readings.items()
        }
        odd = next(cell for cell in marked if PLAIN not in forms[cell.text])
        others = (cell for cell in marked if forms[cell.text].isdisjoint(forms[odd.text]))
        return FormatGuess(None, (odd, *([other] if (other := next(others, None)) else [])))
    sample = max(samples, key=lambda position: int(columns[position].unmarked or 0))
    return _decide(
        list(fits.values()), marked, separator, SampleCell(sample, columns[sample].unmarked)
    )


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


def _read_column(cells: "pd.Series[str]", form: NumberFormat) -> FloatArray:
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
