"""The tables of a request, inline or uploaded, and the sample sheet among them."""

import hashlib
from dataclasses import dataclass

from core.agents.differential_expression.schema import (
    DifferentialExpressionRequest,
    InputTable,
)
from core.errors import InvalidInput, MissingColumn, UnreadableTable
from core.settings import MEGABYTE
from core.tables.archives import read_upload
from core.tables.bounds import GZIP, expand_upload
from core.tables.delimited import DelimitedText, Upload, decode_upload, read_cells, split_header
from core.tables.numbers import NumberFormat
from core.tables.single_cells import CellChoice
from core.tables.text import missing_column, show
from core.workbench import RunContext


@dataclass(frozen=True)
class Layout:
    """How a file is laid out.

    Attributes:
        separator: Between columns.
        n_skipped: Comment lines above the header.
        formats: Columns whose numbers are not plain, each with its format.
    """

    separator: str
    n_skipped: int
    formats: tuple[tuple[str, NumberFormat], ...] = ()


@dataclass(frozen=True)
class SampleSheet:
    """Metadata as read.

    Attributes:
        sample_ids: One text a row.
        columns: Values by column name, one text a row.
        layout: Separator and comment lines of the file.
        described: Name and content of the table.
    """

    sample_ids: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]
    layout: Layout
    described: InputTable

    def column(self, name: str, field: str) -> tuple[str, ...]:
        """Return a column by name. Raises MissingColumn."""
        if name in self.columns:
            return self.columns[name]
        present = [column for column in self.columns if column]
        raise MissingColumn(missing_column(name, present, self.described.name), field=field)


def read_metadata(request: DifferentialExpressionRequest, context: RunContext) -> SampleSheet:
    """Read the metadata table.

    Raises:
        UnreadableTable: The bytes are no table.
        MissingColumn: A named column is not there.
        InvalidInput: A sample ID is blank or occurs twice.
    """
    table = read_table("metadata_csv", request.metadata_csv, request.metadata_file_id, context)
    id_column = table.find_column(request.sample_id_column, "sample_id_column")
    cells = read_cells(table, numeric=())
    values = [tuple(str(cell).strip() for cell in column.to_pylist()) for column in cells.columns]
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
    layout = Layout(table.header.separator, table.header.n_skipped)
    return SampleSheet(sample_ids, columns, layout, describe_table(table, len(sample_ids)))


def read_table(
    field: str,
    inline: str | None,
    file_id: str | None,
    context: RunContext,
    cells: CellChoice | None = None,
) -> DelimitedText:
    """Read a table that came as text or as an upload.

    Args:
        field: Request field, `counts_csv` or `metadata_csv`.
        inline: Its text, or None.
        file_id: Id of the upload that stands for it, or None.
        context: Gives the uploads and the limits.
        cells: How counts of single cells are added up; None takes none.

    Raises:
        UnreadableTable: The bytes are no such table; the message names the line or the limit.
    """
    limit_mb = context.settings.expanded_limit_mb
    if inline is not None:
        raw = inline.encode("utf-8", errors="surrogatepass")
        upload = Upload(field, field, hashlib.sha256(raw).hexdigest(), len(raw))
        return split_header(decode_upload(raw, field).encode("utf-8"), upload)
    is_counts = field == "counts_csv"
    field = "count_file_id" if is_counts else "metadata_file_id"
    name, raw = _read_file(str(file_id), field, context)
    table, written = read_upload(raw, name, field, limit_mb, cells)
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
