"""The count matrix: gene IDs as text, samples by name, whole counts.

The tables of a request, inline or uploaded, and the sample sheet among them.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, NoReturn

import numpy as np
import pandas as pd

from core.agents.differential_expression.gene_names import (
    NO_NAME,
    SYMBOL_COLUMNS,
    read_symbols,
    separate_damaged,
)
from core.agents.differential_expression.schema import (
    DifferentialExpressionRequest,
    InputTable,
)
from core.errors import InvalidInput, MissingColumn, UnreadableTable
from core.settings import MEGABYTE
from core.stats.fit import BoolArray, FloatArray, IntArray
from core.tables.archives import read_upload
from core.tables.bounds import GZIP, expand_upload
from core.tables.delimited import DelimitedText, Upload, decode_upload, read_cells, split_header
from core.tables.numbers import NumberBlock, NumberFormat, read_numbers, warn_of_formats
from core.tables.single_cells import NOTE, CellChoice
from core.tables.text import plain_name, show
from core.tables.workbooks import SheetChoice
from core.vocabulary.tables import TableRow, load_rows
from core.workbench import RunContext


@dataclass(frozen=True)
class Layout:
    """How a file is laid out.

    Attributes:
        separator: Between columns.
        n_skipped: Lines above the header.
        ends_uneven: Whether the header or the rows alone end in a separator.
        is_utf16: Whether it is text in UTF-16 instead of UTF-8.
        formats: Columns whose numbers are not plain, each with its format.
        id_column: Name of the column of IDs; None where it is the first.
        dropped: IDs of rows that are no genes.
    """

    separator: str
    n_skipped: int
    ends_uneven: bool
    is_utf16: bool
    formats: tuple[tuple[str, NumberFormat], ...] = ()
    id_column: str | None = None
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True)
class SampleSheet:
    """Metadata as read.

    Attributes:
        sample_ids: One text a row.
        columns: Values by column name, one text a row.
        layout: How the file is laid out.
        upload: Where it comes from.
        described: Name and content of the table.
    """

    sample_ids: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]
    layout: Layout
    upload: Upload
    described: InputTable
    warnings: tuple[str, ...]

    def column(self, name: str, field: str) -> tuple[str, ...]:
        """Return a column by name. Raises MissingColumn."""
        if name in self.columns:
            return self.columns[name]
        present = [column for column in self.columns if column]
        raise MissingColumn(self.upload.explain_missing(name, present), field=field)


def read_metadata(request: DifferentialExpressionRequest, context: RunContext) -> SampleSheet:
    """Read the metadata table.

    Raises:
        UnreadableTable: The bytes are no table.
        MissingColumn: A named column is not there.
        InvalidInput: A sample ID is blank or occurs twice.
    """
    named = [request.sample_id_column, request.condition_column, *request.covariates]
    choice = SheetChoice(tuple(filter(None, named)), of_numbers=False)
    source = "metadata_csv", request.metadata_csv, request.metadata_file_id
    table = read_table(source, context, choice)
    id_column = table.find_column(request.sample_id_column, "sample_id_column")
    cells = read_cells(table, numeric=())
    values = [tuple(str(cell).strip() for cell in column.to_pylist()) for column in cells.columns]
    rows = [row for row in zip(*values, strict=True) if any(row)]
    values = list(zip(*rows, strict=True)) or values
    sample_ids = values[id_column]
    if "" in sample_ids:
        row = sample_ids.index("") + 1
        raise InvalidInput(
            f"Row {row} of the metadata has no sample ID.", field=table.field, code="blank_sample"
        )
    twice = sorted({name for name in sample_ids if sample_ids.count(name) > 1})
    if twice:
        raise InvalidInput(
            f"Sample IDs occur more than once in the metadata: {show(twice)}; keep one row each.",
            field=table.field,
            code="duplicate_samples",
        )
    columns = dict(zip(table.columns, values, strict=True))
    described = describe_table(table, len(sample_ids))
    layout = _describe_layout(table, request.sample_id_column)
    return SampleSheet(sample_ids, columns, layout, table.upload, described, table.notes)


def _describe_layout(table: DelimitedText, id_column: str | None) -> Layout:
    """Return how a file is laid out."""
    header, is_utf16 = table.header, table.upload.is_utf16
    return Layout(
        header.separator, header.n_skipped, header.ends_uneven, is_utf16, id_column=id_column
    )


def read_table(
    source: tuple[str, str | None, str | None],
    context: RunContext,
    sheet: SheetChoice,
    cells: CellChoice | None = None,
) -> DelimitedText:
    """Read a table that came as text or as an upload.

    `source`: request field (`counts_csv` or `metadata_csv`), its text, and the id of the upload
    that stands for it. `sheet`: which sheet of a workbook is read. `cells`: how counts of single
    cells are added up; None takes none.

    Raises:
        UnreadableTable: The bytes are no such table; the message names the line or the limit.
    """
    field, inline, file_id = source
    limit_mb = context.settings.expanded_limit_mb
    if inline is not None:
        raw = inline.encode("utf-8", errors="surrogatepass")
        upload = Upload(field, field, hashlib.sha256(raw).hexdigest(), len(raw))
        return split_header(decode_upload(raw, field).encode("utf-8"), upload)
    is_counts = field == "counts_csv"
    field = "count_file_id" if is_counts else "metadata_file_id"
    name, raw = _read_file(str(file_id), field, context)
    table, written = read_upload(raw, name, field, limit_mb, cells, sheet)
    if written is not None:
        context.save_file("counts.csv" if is_counts else "metadata.csv", written, "text/csv")
    return table


def describe_table(table: DelimitedText, n_rows: int) -> InputTable:
    """Return a table's description for the echo of the request."""
    upload = table.upload
    return InputTable(
        name=upload.name,
        sha256=upload.sha256,
        size=upload.size,
        n_rows=n_rows,
        n_columns=len(table.columns),
    )


def read_text(field: str, inline: str | None, file_id: str | None, context: RunContext) -> str:
    """Return a text that came inline or as an upload, gzip accepted.

    Raises:
        UnreadableTable: It is damaged, too large or no UTF-8.
    """
    if inline is not None:
        return decode_upload(inline.encode("utf-8", errors="surrogatepass"), field)
    _, raw = _read_file(str(file_id), field, context)
    content = expand_upload(raw, context.settings.expanded_limit_mb * MEGABYTE, field)
    return decode_upload(content, field)


def _read_file(file_id: str, field: str, context: RunContext) -> tuple[str, bytes]:
    """Return the name and the bytes of an upload. Raises UnreadableTable."""
    upload, settings = context.files.get(file_id), context.settings
    with context.files.open(upload.file_id) as stream:
        raw = stream.read(settings.upload_limit_mb * MEGABYTE + 1)
    if raw[:2] == GZIP and len(raw) > settings.compressed_limit_mb * MEGABYTE:
        raise UnreadableTable(
            f"The compressed file exceeds {settings.compressed_limit_mb} MB.",
            field=field,
            code="file_too_large",
        )
    return upload.name, raw


class SummaryRow(TableRow):
    """A row that is no gene.

    Attributes:
        name: What stands in the column of gene IDs.
        tool: The quantifier that writes it.
    """

    name: str
    tool: str


@cache
def list_summary_rows() -> frozenset[str]:
    """Return the names of all summary rows as `fold_summary` writes them."""
    return frozenset(fold_summary(row.name) for row in load_rows("summary_rows", SummaryRow))


def fold_summary(name: str) -> str:
    """Return a row's name as summary rows are compared.

    >>> fold_summary("Total_reads:"), fold_summary("__no_feature")
    ('total reads', '__no feature')
    """
    lead = name[: len(name) - len(name.lstrip("_"))]
    words = name.casefold().replace("_", " ").replace("-", " ").rstrip(" :.=").split()
    return lead + " ".join(words)


_FEWEST_ADDED = 3
"""Rows that a row of totals adds up at least."""
_MOST_COLUMNS = 0.5
"""Share of the columns in which a row is a total; others may be lengths or totals themselves."""
_ROUNDING = 0.5


def find_genes(
    block: NumberBlock, samples: Sequence[int], id_name: str
) -> tuple[BoolArray, BoolArray]:
    """Mark the rows that are no summary, no total and no second header, and those with an ID.

    `samples`: positions of the samples, where they are known. `id_name`: header of the ID column.
    """
    folded = [name.casefold() for name in block.ids]
    times = Counter(folded)
    named = np.array([name != "" and (name not in NO_NAME or times[name] == 1) for name in folded])
    is_summary = np.array([fold_summary(name) in list_summary_rows() for name in block.ids])
    is_header = np.array([name == id_name.casefold() for name in folded])
    readable = ~np.isnan(block.values)
    is_gene = ~is_summary & (readable.any(axis=1) | (named & ~is_header))
    is_sample = np.isin(block.positions, samples)
    columns = np.flatnonzero(is_sample) if is_sample.any() else np.arange(len(is_sample))
    for is_added in (is_gene, np.ones(len(folded), dtype=np.bool_)):
        is_gene = is_gene & ~_find_total(block.values, columns, is_added)
    return is_gene, named


def _find_total(values: FloatArray, columns: IntArray, is_added: BoolArray) -> BoolArray:
    """Mark the row that is the sum of all others in most columns, whatever its name."""
    is_total = np.zeros(len(values), dtype=np.bool_)
    found = []
    for column in columns:
        counts = np.where(is_added, np.nan_to_num(values[:, column]), 0.0)
        largest, total = int(counts.argmax()), counts.sum()
        is_sum = (counts > 0).sum() > _FEWEST_ADDED and abs(2 * counts[largest] - total) <= max(
            _ROUNDING, 1e-9 * total
        )
        found.append(largest if is_sum else -1)
    row, n_columns = Counter(found).most_common(1)[0] if found else (-1, 0)
    is_total[row] = row >= 0 and n_columns > _MOST_COLUMNS * len(columns)
    return is_total


_LARGEST = 2_147_483_647
_LOG_MAXIMUM = 25.0
_EQUAL_SUMS = 1e-4
_BELOW_ONE_SHARE = 0.3
_MOST_UNREADABLE = 0.01
"""Share of rows that may be lost to unreadable cells, and of such cells in a column."""
_HIGHLY_EXPRESSED = 0.9
_ROW_NUMBERS = frozenset({"", "x", "unnamed0", "index", "row", "rownames", "no", "nr"})
"""Names under which programs write row numbers."""
_MOSTLY_NAMES = 0.9
"""Share of rows with a text of their own in a column of gene IDs."""


class _Loss(NamedTuple):
    """Why rows are lost: code of the warning and of the error, their problem and its fix."""

    warning: str
    error: str
    problem: str
    reason: str
    fix: str


_UNNAMED = _Loss(
    "blank_gene_ids",
    "blank_gene_ids",
    "cannot be assigned to a gene",
    "the gene ID is blank or NA",
    "fill in the IDs, choose another gene_id_column, or remove the rows",
)
_UNREADABLE = _Loss(
    "non_numeric_rows",
    "not_numeric",
    "cannot be read as numbers",
    "a cell is not a number",
    "correct these cells (0 for genes without reads), or remove the rows",
)


def keep_numeric_rows(
    block: NumberBlock, table: DelimitedText, is_gene: BoolArray, named: BoolArray
) -> tuple[BoolArray, tuple[str, ...]]:
    """Mark the rows of genes that have an ID and whose cells are all numbers.

    `is_gene`: rows that count; others may hold what they like. `named`: rows with an ID.

    Returns:
        One flag a row, and warnings when some are skipped.

    Raises:
        InvalidInput: More than 1 % of the genes would be lost, or one of the 10 % most expressed.
    """
    readable = ~np.isnan(block.values)
    is_kept: BoolArray = np.asarray(is_gene & named & readable.all(axis=1), dtype=np.bool_)
    if is_kept.sum() == is_gene.sum() or not block.positions:
        return is_kept, ()
    n_cells = readable.sum(axis=1)
    level = block.values.sum(axis=1, where=readable) / np.maximum(n_cells, 1)
    is_high = (n_cells > 0) & (level >= max(np.quantile(level[is_gene], _HIGHLY_EXPRESSED), 1.0))
    warnings = []
    for loss, is_lost in (
        (_UNNAMED, is_gene & ~named),
        (_UNREADABLE, is_gene & named & ~is_kept),
    ):
        lost = np.flatnonzero(is_lost)
        if len(lost) == 0:
            continue
        high = lost[is_high[lost]]
        first = int((high if len(high) else lost)[0])
        location = f"row {first + 1} below the header"
        if loss is _UNREADABLE:
            location = block.locate(first, int(np.argmin(readable[first])), table)
        rows = "1 gene row" if len(lost) == 1 else f"{len(lost)} gene rows"
        n_serious = len(lost) if loss is _UNREADABLE else int((level[lost] > 0).sum())
        if n_serious > _MOST_UNREADABLE * is_gene.sum() or len(high):
            why = "among them highly expressed genes, " if len(high) else ""
            raise InvalidInput(
                f"{rows} of {is_gene.sum()} {loss.problem} because {loss.reason}, {why}the first "
                f"at {location}; {loss.fix}.",
                field=table.field,
                code=loss.error,
            )
        verb = "was" if len(lost) == 1 else "were"
        warnings.append(
            f"{loss.warning}: {rows} {verb} skipped because {loss.reason}, the first at {location}."
        )
    return is_kept, tuple(warnings)


def check_raw(values: FloatArray, ids: tuple[str, ...], names: tuple[str, ...], field: str) -> None:
    """Refuse negative, logarithmic and normalized values, naming the sign that was seen.

    `values`: genes x samples. `field`: request field to name.
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
    thousands = changed & (np.rint(values * 1000) == values * 1000) & (values >= 1)
    thousands &= np.rint(values * 100) != values * 100
    if n_changed <= _FEW_FRACTIONS and bool((thousands == changed).all()):
        raise InvalidInput(
            f"Gene {ids[row][:80]!r}, sample {names[column][:80]!r}: {values[row, column]:.3f} "
            "among whole counts looks like a count with a thousands separator; write it as "
            f"{values[row, column] * 1000:.0f}, or as {rounded[row, column]:.0f}.",
            field="counts_csv",
            code="mixed_number_format",
        )
    first = f"gene {ids[row]!r}, sample {names[column]!r}: {values[row, column]:g}"
    return counts, (
        f"rounded_counts: {n_changed} fractional counts were rounded to the nearest whole number, "
        f"the first at {first}.",
    )


_FEW_FRACTIONS = 3
"""Fractions in a table of whole counts that are looked at one by one."""
_ANNOTATION = SYMBOL_COLUMNS | frozenset(
    {"chr", "chrom", "chromosome", "start", "end", "strand", "length", "width", "geneid"}
    | {"gene_id", "gene_biotype", "biotype", "gene_type", "description", "entrezid"}
    | {"entrez_id", "transcript_id"}
)


@dataclass(frozen=True)
class CountMatrix:
    """Counts as read, before samples are chosen.

    Attributes:
        gene_ids: Unique gene IDs, one a row.
        sample_ids: Column names.
        other_columns: Names of the columns that hold no counts: gene IDs, annotation.
        counts: Genes x samples.
        symbols: Symbol by gene ID, where the file has a column of symbols.
        n_genes_input: Gene rows in the file.
        n_genes_numeric: Gene rows whose cells are all numbers.
        layout: Separator and comment lines of the file.
        described: Name and content of the table.
    """

    gene_ids: tuple[str, ...]
    sample_ids: tuple[str, ...]
    other_columns: tuple[str, ...]
    counts: IntArray
    symbols: Mapping[str, str]
    n_genes_input: int
    n_genes_numeric: int
    layout: Layout
    described: InputTable
    warnings: tuple[str, ...]


def read_counts(
    request: DifferentialExpressionRequest, sheet: SampleSheet, context: RunContext
) -> CountMatrix:
    """Read the count matrix.

    `sheet`: the metadata; a column named there is a sample, whatever its name suggests.

    Raises:
        UnreadableTable: The bytes are no table.
        InvalidInput: The values are not raw counts, or most are no numbers.
    """
    table = _read_table(request, sheet, context)
    id_column, numbered = _find_ids(table, request, sheet)
    block, samples, annotation = _read_block(table, id_column, sheet)
    is_gene, named_rows = find_genes(block, samples, table.columns[id_column])
    is_dropped = np.flatnonzero(~is_gene | ~named_rows)
    dropped_rows = list(dict.fromkeys(filter(None, (block.ids[row] for row in is_dropped))))
    block, sparse = _leave_out_sparse(block, samples, is_gene & named_rows)
    annotation += [table.columns[index] for index in sparse]
    is_kept, left_out = keep_numeric_rows(block, table, is_gene, named_rows)
    if not is_kept.any() or not block.positions:
        _refuse_texts(block, table)
    ids = tuple(np.array(block.ids, dtype=object)[is_kept])
    names = tuple(table.columns[position] for position in block.positions)
    values = block.values[is_kept]
    in_metadata = [index for index, name in enumerate(names) if name in sheet.sample_ids]
    checked = in_metadata or list(range(len(names)))
    check_raw(values[:, checked], ids, tuple(names[index] for index in checked), table.field)
    counts, rounded = round_counts(values, ids, names)
    ids, damaged = separate_damaged(ids)
    symbols, symbol_column = read_symbols(block, table, id_column, np.flatnonzero(is_kept), ids)
    gene_ids, counts, summed = _sum_duplicates(ids, counts)
    layout = replace(
        _describe_layout(table, table.columns[id_column] if numbered else request.gene_id_column),
        formats=tuple((table.columns[index], form) for index, form in block.formats.items()),
        dropped=tuple(dropped_rows),
    )
    return CountMatrix(
        gene_ids=gene_ids,
        sample_ids=names,
        other_columns=(table.columns[id_column], *annotation),
        counts=counts,
        symbols=symbols,
        n_genes_input=int(is_gene.sum()),
        n_genes_numeric=int(is_kept.sum()),
        layout=layout,
        described=describe_table(table, len(block.ids)),
        warnings=(
            *table.notes,
            *numbered,
            *_describe_dropped(annotation, dropped_rows, symbol_column),
            *warn_of_formats(block, table),
            *left_out,
            *rounded,
            *summed,
            *damaged,
        ),
    )


def _find_ids(
    table: DelimitedText, request: DifferentialExpressionRequest, sheet: SampleSheet
) -> tuple[int, tuple[str, ...]]:
    """Return the column of gene IDs, and a warning where the first column numbers the rows."""
    id_column = table.find_column(request.gene_id_column, "gene_id_column")
    if request.gene_id_column is not None or not table.body[:2].strip(b'"')[:1].isdigit():
        return id_column, ()
    block, samples, _ = _read_block(table, id_column, sheet)
    if (named := _find_names(block, table, samples)) is None:
        return id_column, ()
    return named, (
        "row_numbers: the first column numbers the rows, so gene IDs were taken from column "
        f"{table.columns[named]!r}; set gene_id_column to choose another.",
    )


def _refuse_texts(block: NumberBlock, table: DelimitedText) -> NoReturn:
    """Refuse a table without a row of numbers, showing one of its cells. Raises InvalidInput."""
    example = ""
    for position in block.text_positions[:1]:
        cell = str(block.cells.column(position)[0].as_py())
        example = f" Column {table.columns[position][:100]!r} begins with {cell[:40]!r}."
    raise InvalidInput(
        f"The count matrix has no row of numbers; send plain counts.{example}",
        field=table.field,
        code="not_numeric",
    )


def _describe_dropped(
    columns: Sequence[str], rows: Sequence[str], symbol_column: str | None
) -> list[str]:
    """Say which columns and rows hold no counts, and which column names the genes."""
    warnings = []
    if symbol_column is not None:
        warnings.append(f"symbols_taken: gene symbols are those of column {symbol_column!r}.")
    if dropped := [*(name for name in columns if name != symbol_column), *rows]:
        warnings.append(
            "annotation_dropped: columns and rows that hold no counts were dropped: "
            f"{show(dropped)}."
        )
    return warnings


def _read_block(
    table: DelimitedText, id_column: int, sheet: SampleSheet
) -> tuple[NumberBlock, list[int], list[str]]:
    """Read the numbers of a table.

    Returns:
        The block, the positions that are samples for certain, and the annotation columns by name.
    """
    chosen, annotation = _choose_columns(table, id_column, sheet)
    samples = [index for index in chosen if table.columns[index] in set(sheet.sample_ids)]
    block = read_numbers(table, id_column, chosen, samples or chosen, check_raw)
    annotation += _check_text_columns(block, table, sheet)
    nameless = [position for position in block.positions if not table.columns[position]]
    annotation += [f"column {position + 1}, which has no name" for position in nameless]
    return block.without(nameless), samples, annotation


def _find_names(block: NumberBlock, table: DelimitedText, samples: Sequence[int]) -> int | None:
    """Return the column of gene IDs where the first column only numbers the rows, else None."""
    numbers = [int(cell) for cell in block.ids if cell.isdecimal()]
    is_dense = bool(numbers) and max(numbers) <= len(block.ids)
    is_unnamed = plain_name(table.columns[0]) in _ROW_NUMBERS and numbers == sorted(numbers)
    if len(set(numbers)) <= _MOSTLY_NAMES * len(block.ids) or not (is_dense or is_unnamed):
        return None
    for position in range(1, len(table.columns)):
        if position in samples or position in block.positions:
            continue
        cells = block.cells.column(position).to_pylist()
        if len(set(cells)) > _MOSTLY_NAMES * len(cells):
            return position
    return None


def _read_table(
    request: DifferentialExpressionRequest, sheet: SampleSheet, context: RunContext
) -> DelimitedText:
    """Return the table of counts, cells added up. Raises InvalidInput where there are none."""
    cells = CellChoice(request.cell_sample_column, request.cell_group_column, request.cell_group)
    source = "counts_csv", request.counts_csv, request.count_file_id
    table = read_table(source, context, SheetChoice(sheet.sample_ids), cells)
    if cells.is_given and not any(note.startswith(NOTE) for note in table.upload.notes):
        raise InvalidInput(
            "The count matrix holds samples, not single cells with columns of their own; leave "
            "cell_sample_column, cell_group_column and cell_group out.",
            field="cell_sample_column",
            code="no_cells",
        )
    return table


def _choose_columns(
    table: DelimitedText, id_column: int, sheet: SampleSheet
) -> tuple[list[int], list[str]]:
    """Return the positions that may be samples, and the annotation columns by name."""
    samples = set(sheet.sample_ids)
    chosen, annotation = [], []
    for position, name in enumerate(table.columns):
        if position == id_column:
            continue
        if name.lower() in _ANNOTATION and name not in samples:
            annotation.append(name)
        else:
            chosen.append(position)
    if not chosen:
        raise InvalidInput(
            f"The count matrix has no sample column besides {show(table.columns)}.",
            field=table.field,
            code="not_numeric",
        )
    return chosen, annotation


def _check_text_columns(block: NumberBlock, table: DelimitedText, sheet: SampleSheet) -> list[str]:
    """Return the names of text columns. Raises InvalidInput when one is a sample."""
    names = [table.columns[position] for position in block.text_positions]
    samples = [name for name in names if name in sheet.sample_ids]
    if samples:
        raise InvalidInput(
            f"Sample columns hold no numbers: {show(samples)}; send plain counts.",
            field=table.field,
            code="not_numeric",
        )
    return [name for name in names if name]


def _leave_out_sparse(
    block: NumberBlock, samples: Sequence[int], is_gene: BoolArray
) -> tuple[NumberBlock, list[int]]:
    """Leave out columns that are no sample and lack numbers; their gaps cost no gene.

    Returns:
        The block and the positions that were left out.
    """
    if not samples or not block.positions or not is_gene.any():
        return block, []
    is_sample = np.isin(block.positions, samples)
    is_out = (
        np.asarray(np.isnan(block.values[is_gene]).mean(axis=0) > _MOST_UNREADABLE, dtype=np.bool_)
        & ~is_sample
    )
    sparse = np.array(block.positions)[is_out].tolist()
    return block.without(sparse), sparse


def _sum_duplicates(
    ids: tuple[str, ...], counts: IntArray
) -> tuple[tuple[str, ...], IntArray, tuple[str, ...]]:
    """Add up the rows of genes that occur more than once, keeping the order of first sight."""
    codes, unique = pd.factorize(np.array(ids, dtype=object))
    if len(unique) == len(ids):
        return ids, counts, ()
    summed = np.zeros((len(unique), counts.shape[1]), dtype=np.int64)
    np.add.at(summed, codes, counts)
    repeated = [str(unique[code]) for code in np.flatnonzero(np.bincount(codes) > 1)]
    warning = (
        f"duplicate_genes: {len(repeated)} gene IDs occur more than once and their rows were "
        f"added up: {show(repeated)}."
    )
    return tuple(str(name) for name in unique), summed, (warning,)
