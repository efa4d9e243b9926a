"""The body of a table as columns, read by Arrow: text for names, numbers for counts."""

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from core.agents.differential_expression.tables import MAX_CELL, MAX_ROWS, DelimitedText
from core.errors import InvalidInput, UnreadableTable


def read_cells(table: DelimitedText, numeric: Sequence[int]) -> pa.Table:
    """Read the body; the columns at `numeric` as numbers, all others as text.

    Args:
        table: The table with its header.
        numeric: Positions of the columns to read as numbers.

    Returns:
        Arrow table with columns "c0", "c1", … in the order of the header.

    Raises:
        pyarrow.ArrowInvalid: A cell of a numeric column is no number.
        UnreadableTable: A row is longer or shorter than the header.
    """
    ragged: list[csv.InvalidRow] = []
    names = [f"c{index}" for index in range(len(table.columns))]
    types = dict.fromkeys(names, pa.string())
    types.update({f"c{index}": pa.float64() for index in numeric})
    try:
        cells = csv.read_csv(
            pa.BufferReader(table.body),
            read_options=csv.ReadOptions(
                use_threads=False, column_names=names, block_size=_block_size(table)
            ),
            parse_options=csv.ParseOptions(
                delimiter=table.separator, invalid_row_handler=_note_into(ragged)
            ),
            convert_options=csv.ConvertOptions(
                column_types=types, null_values=[], strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid as error:
        if "CSV parse error" in str(error) or "straddling" in str(error):
            raise UnreadableTable(
                "A row cannot be read: a quote is not closed or a line is too long.",
                field=table.field,
            ) from error
        raise
    if ragged:
        _raise_ragged(table, ragged[0])
    _check_size(table, cells)
    return cells


def _note_into(ragged: list[csv.InvalidRow]) -> Callable[[csv.InvalidRow], str]:
    """Return a callback that keeps the first row of a wrong length."""

    def note(row: csv.InvalidRow) -> str:
        ragged.append(row)
        return "skip"

    return note


def _block_size(table: DelimitedText) -> int:
    """Return a block that holds the longest allowed row."""
    return min(max(len(table.body) + 1, 1024), 64 * 1024 * 1024)


def _raise_ragged(table: DelimitedText, row: csv.InvalidRow) -> None:
    """Say which line has the wrong number of fields."""
    line = "a line" if row.number is None else f"line {row.number + table.first_line - 1}"
    raise UnreadableTable(
        f"In {table.name}, {line} has {row.actual_columns} fields where the header has "
        f"{row.expected_columns}: {row.text[:80]!r}.",
        field=table.field,
        code="ragged_row",
    )


def _check_size(table: DelimitedText, cells: pa.Table) -> None:
    """Check the number of rows and the length of text cells."""
    if cells.num_rows > MAX_ROWS:
        raise InvalidInput(
            f"The table has {cells.num_rows} rows; at most {MAX_ROWS} are read.",
            field=table.field,
            code="too_many_rows",
        )
    if cells.num_rows == 0:
        raise UnreadableTable(
            "The table has a header but no rows.", field=table.field, code="empty_table"
        )
    for index, column in enumerate(cells.columns):
        is_long = pa.types.is_string(column.type) and (
            (pc.max(pc.binary_length(column)).as_py() or 0) > MAX_CELL
        )
        if is_long:
            raise UnreadableTable(
                f"A cell of column {table.columns[index]!r} is longer than 32 kB.",
                field=table.field,
                code="cell_too_long",
            )
