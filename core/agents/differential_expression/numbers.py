"""Which numbers of a table are counts: whole, not negative, not normalized."""

import numpy as np

from core.errors import InvalidInput
from core.stats.fit import BoolArray, FloatArray, IntArray
from core.tables.delimited import DelimitedText
from core.tables.numbers import NumberBlock

_LARGEST = 2_147_483_647
_LOG_MAXIMUM = 25.0
_EQUAL_SUMS = 1e-4
_BELOW_ONE_SHARE = 0.3
_MOST_UNREADABLE = 0.01
"""Share of rows that may be lost to unreadable cells, and of such cells in a column."""
_HIGHLY_EXPRESSED = 0.9


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
