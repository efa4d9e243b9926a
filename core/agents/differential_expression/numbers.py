"""From cells to counts: whole, not negative, not normalized."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa

from core.agents.differential_expression.cells import read_cells
from core.agents.differential_expression.columns import show
from core.agents.differential_expression.number_formats import (
    PLAIN,
    FormatGuess,
    NumberFormat,
    choose_format,
    may_be_thousands,
    normalize_cells,
    read_column,
    summarize_cells,
)
from core.agents.differential_expression.tables import DelimitedText
from core.errors import InvalidInput
from core.stats.fit import BoolArray, FloatArray, IntArray

_LARGEST = 2_147_483_647
_LOG_MAXIMUM = 25.0
_EQUAL_SUMS = 1e-4
_BELOW_ONE_SHARE = 0.3
_MOST_UNREADABLE = 0.01
"""Share of rows that may be lost to unreadable cells, and of such cells in a column."""
_HIGHLY_EXPRESSED = 0.9


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

    def locate(self, row: int, column: int, table: DelimitedText) -> str:
        """Return where a cell stands and what it holds, in words."""
        position = self.positions[column]
        text = str(self.cells.column(position)[row].as_py())
        name = table.columns[position][:100]
        return f"row {self.ids[row][:100]!r}, column {name!r}: {text[:40]!r}"


def read_numbers(
    table: DelimitedText, id_column: int, positions: list[int], samples: Sequence[int]
) -> NumberBlock:
    """Read columns as numbers, first all at once, then as text where that is not safe.

    Args:
        table: The table.
        id_column: Position of the gene IDs.
        positions: Columns to read.
        samples: Those among them that are samples for certain.

    Raises:
        InvalidInput: Numbers of a sample can be read in two ways.
    """
    try:
        cells = read_cells(table, positions)
    except pa.ArrowInvalid:
        return _read_texts(table, id_column, positions, samples)
    ids = tuple(str(cell).strip() for cell in cells.column(id_column).to_pylist())
    values = np.column_stack([cells.column(index).to_numpy() for index in positions])
    if may_be_thousands(values[:, [positions.index(position) for position in samples]]):
        return _read_texts(table, id_column, positions, samples)
    values = np.where(np.isfinite(values), values, np.nan)
    return NumberBlock(ids, tuple(positions), values, (), cells, {})


def _read_texts(
    table: DelimitedText, id_column: int, positions: list[int], samples: Sequence[int]
) -> NumberBlock:
    """Read every column as text and turn each into numbers where it can be."""
    cells = read_cells(table, ())
    ids = tuple(str(cell).strip() for cell in cells.column(id_column).to_pylist())
    distinct = {position: _encode(cells.column(position)) for position in positions}
    summaries = {
        position: summarize_cells(texts.drop_duplicates())
        for position, (texts, _) in distinct.items()
    }
    guess = choose_format(summaries, samples, table.separator)
    form = guess.format or guess.decimal or PLAIN
    columns = {
        position: read_column(texts, form)[codes] for position, (texts, codes) in distinct.items()
    }
    if guess.format is None:
        _refuse_format(guess, {sample: columns[sample] for sample in samples}, cells, ids, table)
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
    return normalize_cells(texts), encoded.indices.to_numpy()


def _refuse_format(
    guess: FormatGuess,
    columns: Mapping[int, FloatArray],
    cells: pa.Table,
    ids: tuple[str, ...],
    table: DelimitedText,
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
            check_raw(values[complete], genes, names, table.field)
    named = []
    for position, text in guess.evidence:
        texts = normalize_cells(pd.Series(cells.column(position).to_pylist(), dtype=object))
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


def keep_numeric_rows(
    block: NumberBlock, table: DelimitedText, is_gene: BoolArray
) -> tuple[BoolArray, tuple[str, ...]]:
    """Mark the rows whose cells are all numbers.

    Args:
        block: The numbers.
        table: Where they stand.
        is_gene: Rows that count; others may hold what they like.

    Returns:
        One flag a row, and a warning when some are left out.

    Raises:
        InvalidInput: More than 1 % of the genes would be lost, or one of the 10 % most expressed.
    """
    readable = ~np.isnan(block.values)
    numeric: BoolArray = np.asarray(readable.all(axis=1), dtype=np.bool_)
    lost = np.flatnonzero(is_gene & ~numeric)
    if len(lost) == 0 or not block.positions:
        return numeric, ()
    n_cells = readable.sum(axis=1)
    level = np.where(readable, block.values, 0.0).sum(axis=1) / np.maximum(n_cells, 1)
    high = np.quantile(level[is_gene], _HIGHLY_EXPRESSED)
    lost_high = lost[(n_cells[lost] > 0) & (level[lost] >= max(high, 1.0))]
    n_genes = int(is_gene.sum())
    first = int((lost_high if len(lost_high) else lost)[0])
    location = block.locate(first, int(np.argmin(readable[first])), table)
    rows = "1 gene row" if len(lost) == 1 else f"{len(lost)} gene rows"
    if len(lost) > _MOST_UNREADABLE * n_genes or len(lost_high):
        why = "among them highly expressed genes, " if len(lost_high) else ""
        raise InvalidInput(
            f"{rows} of {n_genes} cannot be read as numbers, {why}the first at {location}; correct "
            "these cells (0 for genes without reads), or remove the rows.",
            field=table.field,
            code="not_numeric",
        )
    verb = "was" if len(lost) == 1 else "were"
    return numeric, (
        f"non_numeric_rows: {rows} {verb} skipped because a cell is not a number, the first at "
        f"{location}.",
    )


def warn_of_formats(block: NumberBlock, table: DelimitedText) -> tuple[str, ...]:
    """Say which samples were read with a thousands separator or a decimal comma."""
    columns: dict[NumberFormat, list[str]] = {}
    for position, form in block.formats.items():
        columns.setdefault(form, []).append(table.columns[position])
    sentences = []
    for form, names in columns.items():
        parts = []
        if form.thousands:
            parts.append(f"{_name_mark(form.thousands)} separating thousands")
        if form.decimal != PLAIN.decimal:
            parts.append("a comma before decimals")
        sentences.append(
            f"number_format: counts were read with {' and '.join(parts)} in {show(names)}."
        )
    return tuple(sentences)


def _name_mark(mark: str) -> str:
    """Return a mark in words."""
    return {",": "a comma", ".": "a point", " ": "a space", "'": "an apostrophe"}[mark]


def sparse_columns(block: NumberBlock, is_gene: BoolArray) -> BoolArray:
    """Mark the columns in which more than 1 % of the genes have no number."""
    return np.asarray(
        np.isnan(block.values[is_gene]).mean(axis=0) > _MOST_UNREADABLE, dtype=np.bool_
    )


def check_raw(values: FloatArray, ids: tuple[str, ...], names: tuple[str, ...], field: str) -> None:
    """Refuse negative, logarithmic and normalized values, naming the sign that was seen.

    Args:
        values: Genes x samples.
        ids: Gene IDs.
        names: Sample columns.
        field: Request field to name.
    """
    remedy = "send raw counts as the aligner or quantifier reports them"
    if (values < 0).any():
        row, column = (int(index[0]) for index in np.nonzero(values < 0))
        where = f"gene {ids[row]!r}, sample {names[column]!r}: {values[row, column]:g}"
        raise _not_raw(f"Counts cannot be negative ({where}); {remedy}.", field)
    if (values > _LARGEST).any():
        row, column = (int(index[0]) for index in np.nonzero(values > _LARGEST))
        raise InvalidInput(
            f"The count of gene {ids[row]!r} in sample {names[column]!r} exceeds {_LARGEST}.",
            field=field,
            code="value_out_of_range",
        )
    fractional = values != np.rint(values)
    if not fractional.any():
        return
    if values.max() < _LOG_MAXIMUM:
        raise _not_raw(
            f"All values are below {_LOG_MAXIMUM:g} with fractions, as log values are; {remedy}.",
            field,
        )
    sums = values.sum(axis=0)
    if len(sums) > 1 and np.ptp(sums) <= _EQUAL_SUMS * sums.mean():
        raise _not_raw(
            f"Every sample adds up to {sums[0]:.4g} with fractions, as TPM or CPM do; {remedy}.",
            field,
        )
    positive = values[values > 0]
    if (positive < 1).mean() > _BELOW_ONE_SHARE:
        raise _not_raw(
            "Most values have fractions and many lie between 0 and 1, as TPM or FPKM do; "
            f"{remedy}.",
            field,
        )


def _not_raw(message: str, field: str) -> InvalidInput:
    """Return the error for values that are not raw counts."""
    return InvalidInput(message, field=field, code="not_raw_counts")


def round_counts(
    values: FloatArray, ids: tuple[str, ...], names: tuple[str, ...]
) -> tuple[IntArray, tuple[str, ...]]:
    """Round estimated counts to whole ones, saying how many cells changed and which first."""
    rounded = np.rint(values)
    changed = rounded != values
    counts = rounded.astype(np.int64)
    n_changed = int(changed.sum())
    if n_changed == 0:
        return counts, ()
    row, column = (int(index[0]) for index in np.nonzero(changed))
    first = f"gene {ids[row]!r}, sample {names[column]!r}: {values[row, column]:g}"
    return counts, (
        f"rounded_counts: {n_changed} fractional counts were rounded to the nearest whole number, "
        f"the first at {first}.",
    )
