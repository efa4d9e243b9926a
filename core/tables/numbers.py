"""Sample columns of a table as numbers, in the one format in which the file writes them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa

from core.errors import InvalidInput
from core.tables.delimited import DelimitedText, read_cells
from core.tables.number_formats import (
    PLAIN,
    FloatArray,
    FormatGuess,
    IntArray,
    NumberFormat,
    choose_format,
    may_be_thousands,
    normalize_cells,
    read_column,
    summarize_cells,
)
from core.tables.text import show

CheckValues = Callable[[FloatArray, tuple[str, ...], tuple[str, ...], str], None]
"""`check(values, row names, column names, field)` raises where values cannot be used."""


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
    table: DelimitedText,
    id_column: int,
    positions: list[int],
    samples: Sequence[int],
    check: CheckValues,
) -> NumberBlock:
    """Read columns as numbers, first all at once, then as text where that is not safe.

    Args:
        table: The table.
        id_column: Position of the gene IDs.
        positions: Columns to read.
        samples: Those among them that are samples for certain.
        check: Explains what is wrong with values whose mark precedes decimals, if anything.

    Raises:
        InvalidInput: Numbers of a sample can be read in two ways.
    """
    try:
        cells = read_cells(table, positions)
    except pa.ArrowInvalid:
        return _read_texts(table, id_column, positions, samples, check)
    ids = tuple(str(cell).strip() for cell in cells.column(id_column).to_pylist())
    values = np.column_stack([cells.column(index).to_numpy() for index in positions])
    if may_be_thousands(values[:, [positions.index(position) for position in samples]]):
        return _read_texts(table, id_column, positions, samples, check)
    values = np.where(np.isfinite(values), values, np.nan)
    return NumberBlock(ids, tuple(positions), values, (), cells, {})


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
        position: summarize_cells(texts.drop_duplicates())
        for position, (texts, _) in distinct.items()
    }
    guess = choose_format(summaries, samples, table.header.separator)
    form = guess.format or guess.decimal or PLAIN
    columns = {
        position: read_column(texts, form)[codes] for position, (texts, codes) in distinct.items()
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
    return normalize_cells(texts), encoded.indices.to_numpy()


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
