"""The tables of a request, inline or uploaded."""

import hashlib
from dataclasses import dataclass

from core.agents.differential_expression.schema import InputTable
from core.errors import UnreadableTable
from core.settings import MEGABYTE
from core.tables.archives import read_upload
from core.tables.bounds import GZIP, expand_upload
from core.tables.delimited import DelimitedText, Upload, decode_upload, split_header
from core.tables.numbers import NumberFormat
from core.tables.single_cells import CellChoice
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
