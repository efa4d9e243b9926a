"""The tables of a request, inline or uploaded."""

import hashlib
from dataclasses import dataclass

from core.agents.differential_expression.schema import InputTable
from core.errors import UnreadableTable
from core.settings import MEGABYTE, Settings
from core.tables.archives import is_packed, read_archive
from core.tables.bounds import GZIP, expand_upload
from core.tables.delimited import DelimitedText, Upload, decode_upload, split_header
from core.tables.number_formats import NumberFormat
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
    notes: tuple[str, ...] = ()
    name = field
    if inline is not None:
        raw = content = inline.encode("utf-8", errors="surrogatepass")
    else:
        field = "count_file_id" if field == "counts_csv" else "metadata_file_id"
        name, raw = _read_upload(str(file_id), context)
        content = _expand(raw, field, context.settings)
        if is_packed(content):
            limit_mb = context.settings.expanded_limit_mb
            content, notes = read_archive(content, field, limit_mb, cells)
            file = "counts.csv" if field == "count_file_id" else "metadata.csv"
            context.save_file(file, content, "text/csv")
    text = decode_upload(content, field).encode("utf-8")
    upload = Upload(field, name, hashlib.sha256(raw).hexdigest(), len(raw), notes)
    return split_header(text, upload)


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
    _, raw = _read_upload(str(file_id), context)
    return decode_upload(_expand(raw, field, context.settings), field)


def _read_upload(file_id: str, context: RunContext) -> tuple[str, bytes]:
    upload = context.files.get(file_id)
    with context.files.open(upload.file_id) as stream:
        return upload.name, stream.read(context.settings.upload_limit_mb * MEGABYTE + 1)


def _expand(raw: bytes, field: str, settings: Settings) -> bytes:
    """Return the bytes of an upload, expanded when they are gzip."""
    if raw[:2] == GZIP and len(raw) > settings.compressed_limit_mb * MEGABYTE:
        raise UnreadableTable(
            f"The compressed file exceeds {settings.compressed_limit_mb} MB.",
            field=field,
            code="file_too_large",
        )
    return expand_upload(raw, settings.expanded_limit_mb * MEGABYTE, field)
