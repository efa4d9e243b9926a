"""From cells to counts: whole, not negative, not normalized."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from core.agents.differential_expression.cells import read_cells
from core.agents.differential_expression.tables import DelimitedText
from core.errors import InvalidInput
from core.stats.fit import BoolArray, FloatArray, IntArray

_LARGEST = 2_147_483_647
_LOG_MAXIMUM = 25.0
_EQUAL_SUMS = 1e-4
_BELOW_ONE_SHARE = 0.3
_MOST = 0.5
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class NumberBlock:
    """The sample columns as numbers.

    Attributes:
        ids: Text of the ID column, one a row.
        positions: Header positions of the columns that are numbers.
        values: Rows x columns; NaN where a cell is no number.
        text_positions: Header positions of columns without a single number.
        first_bad: Row (0-based), header position and text of the first cell that is no number.
    """

    ids: tuple[str, ...]
    positions: tuple[int, ...]
    values: FloatArray
    text_positions: tuple[int, ...]
    first_bad: tuple[int, int, str] | None


def read_numbers(table: DelimitedText, id_column: int, positions: list[int]) -> NumberBlock:
    """Read columns as numbers, first all at once, then cell by cell where that fails."""
    try:
        cells = read_cells(table, positions)
    except pa.ArrowInvalid:
        return _read_texts(table, id_column, positions)
    ids = tuple(str(cell).strip() for cell in cells.column(id_column).to_pylist())
    values = np.column_stack([cells.column(index).to_numpy() for index in positions])
    values = np.where(np.isfinite(values), values, np.nan)
    bad = None if not np.isnan(values).any() else _locate(values, positions, cells)
    return NumberBlock(ids, tuple(positions), values, (), bad)


def _locate(values: FloatArray, positions: list[int], cells: pa.Table) -> tuple[int, int, str]:
    """Return row, position and text of the first cell that is not a finite number."""
    row, column = (int(index[0]) for index in np.nonzero(np.isnan(values)))
    return row, positions[column], str(cells.column(positions[column])[row].as_py())


def _read_texts(table: DelimitedText, id_column: int, positions: list[int]) -> NumberBlock:
    """Read every column as text and turn each into numbers where it can be."""
    cells = read_cells(table, ())
    ids = tuple(str(cell).strip() for cell in cells.column(id_column).to_pylist())
    columns: dict[int, FloatArray] = {}
    for position in positions:
        columns[position] = _parse_column(cells.column(position).to_pandas())
    numeric = [position for position in positions if not np.isnan(columns[position]).all()]
    texts = tuple(position for position in positions if position not in numeric)
    empty = np.empty((len(ids), 0))
    values = np.column_stack([columns[position] for position in numeric]) if numeric else empty
    bad = _locate(values, numeric, cells) if np.isnan(values).any() else None
    return NumberBlock(ids, tuple(numeric), values, texts, bad)


def _parse_column(texts: "pd.Series[str]") -> FloatArray:
    """Return a column's numbers, NaN where a cell is no finite decimal number."""
    stripped = texts.str.strip()
    plain = stripped.where(stripped.str.fullmatch(_NUMBER), None)
    numbers = pd.to_numeric(plain, errors="coerce").to_numpy(dtype=np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def keep_numeric_rows(
    block: NumberBlock, table: DelimitedText
) -> tuple[BoolArray, tuple[str, ...]]:
    """Mark the rows whose cells are all numbers.

    Returns:
        One flag a row, and a warning when some are left out.

    Raises:
        InvalidInput: Most rows are not numeric (`not_numeric`).
    """
    numeric: BoolArray = np.asarray(~np.isnan(block.values).any(axis=1), dtype=np.bool_)
    if block.first_bad is None:
        return numeric, ()
    row, position, text = block.first_bad
    where = f"gene {block.ids[row][:100]!r}, column {table.columns[position]!r}: {text[:40]!r}"
    n_out = int((~numeric).sum())
    if n_out > _MOST * len(numeric):
        raise InvalidInput(
            f"{n_out} of {len(numeric)} rows hold a cell that is no number, the first at {where}; "
            "send plain counts with a decimal point and no thousands separator.",
            field=table.field,
            code="not_numeric",
        )
    return numeric, (
        f"non_numeric_rows: {n_out} gene rows were left out because a cell is no number, "
        f"the first at {where}.",
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
