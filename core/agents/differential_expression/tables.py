"""From bytes to the header and body of a delimited table, whoever wrote it.

Accepted: UTF-8, or UTF-16 with a byte order mark; gzip for uploads; comma, tab or semicolon;
any line ends; quotes; leading comment lines; R's header that is one field short.
"""

import csv
import gzip
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from core.agents.differential_expression.archives import MARKS, read_archive
from core.agents.differential_expression.columns import missing_column, show
from core.agents.differential_expression.number_formats import NumberFormat
from core.agents.differential_expression.pseudobulk import CellChoice
from core.agents.differential_expression.schema import InputTable
from core.errors import InvalidInput, MissingColumn, UnreadableTable
from core.settings import MEGABYTE, Settings
from core.tables.text import find_encoding, find_separator
from core.workbench import RunContext

MAX_COLUMNS = 5000
MAX_ROWS = 200_000
MAX_CELL = 32_768
_RATIO = 100
_ARCHIVE = b"PK\x03\x04"
_CHUNK = 4 * MEGABYTE


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
class DelimitedText:
    """A table whose header is read and whose body is not yet.

    Attributes:
        field: Request field it came by.
        name: That field, or the uploaded file's name.
        sha256: Of the bytes as received.
        size: Bytes as received.
        separator: One of comma, tab, semicolon.
        columns: Header names, with an empty name put first where R left it out.
        body: UTF-8 text below the header.
        first_line: Line number at which the body begins.
        notes: Warnings about how the table came about.
    """

    field: str
    name: str
    sha256: str
    size: int
    separator: str
    columns: tuple[str, ...]
    body: bytes
    first_line: int
    notes: tuple[str, ...] = ()

    @property
    def layout(self) -> Layout:
        """Return how the file is laid out."""
        return Layout(self.separator, self.first_line - 2)

    def describe(self, n_rows: int) -> InputTable:
        """Return the table's description for the echo of the request."""
        return InputTable(
            name=self.name,
            sha256=self.sha256,
            size=self.size,
            n_rows=n_rows,
            n_columns=len(self.columns),
        )

    def find_column(self, name: str | None, field: str) -> int:
        """Return the position of a column; the first when none is asked for."""
        if name is None:
            return 0
        if name in self.columns:
            return self.columns.index(name)
        raise MissingColumn(missing_column(name, self.columns, self.name), field=field)


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
    if inline is not None:
        raw, name = inline.encode("utf-8", errors="surrogatepass"), field
        expanded = raw
    else:
        upload = context.files.get(str(file_id))
        field = "count_file_id" if field == "counts_csv" else "metadata_file_id"
        with context.files.open(upload.file_id) as stream:
            raw = stream.read(context.settings.upload_limit_mb * MEGABYTE + 1)
        name, expanded = upload.name, _expand(raw, field, context.settings)
        if expanded[:4] in MARKS:
            limit_mb = context.settings.expanded_limit_mb
            expanded, notes = read_archive(expanded, field, limit_mb, cells)
            file = "counts.csv" if field == "count_file_id" else "metadata.csv"
            context.save_file(file, expanded, "text/csv")
    text = _normalize(expanded, field)
    sha256 = hashlib.sha256(raw).hexdigest()
    empty = DelimitedText(field, name, sha256, len(raw), ",", (), b"", 1, notes)
    return _split_header(text, empty)


def read_text(field: str, inline: str | None, file_id: str | None, context: RunContext) -> str:
    """Return a text that came inline or as an upload, gzip accepted.

    Raises:
        UnreadableTable: It is damaged, too large or no UTF-8.
    """
    if inline is not None:
        return _normalize(inline.encode("utf-8", errors="surrogatepass"), field).decode("utf-8")
    with context.files.open(context.files.get(str(file_id)).file_id) as stream:
        raw = stream.read(context.settings.upload_limit_mb * MEGABYTE + 1)
    return _normalize(_expand(raw, field, context.settings), field).decode("utf-8")


def _expand(raw: bytes, field: str, settings: Settings) -> bytes:
    """Return the bytes of an upload, expanded when they are gzip."""
    if raw[:2] != b"\x1f\x8b":
        return raw
    limit = min(settings.expanded_limit_mb * MEGABYTE, max(_RATIO * len(raw), MEGABYTE))
    if len(raw) > settings.compressed_limit_mb * MEGABYTE:
        raise UnreadableTable(
            f"The compressed file exceeds {settings.compressed_limit_mb} MB.",
            field=field,
            code="file_too_large",
        )
    try:
        expanded = _read_limited(gzip.GzipFile(fileobj=BytesIO(raw)), limit)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableTable(
            "The gzip file is damaged or cut short; compress it again.", field=field
        ) from error
    if len(expanded) > limit:
        raise UnreadableTable(
            f"The file expands to more than {limit // MEGABYTE} MB (or {_RATIO} times its size); "
            "send a smaller table.",
            field=field,
            code="file_too_large",
        )
    if expanded[:2] == b"\x1f\x8b":
        raise UnreadableTable("The file is gzip inside gzip; compress it once.", field=field)
    return expanded


def _read_limited(stream: BinaryIO | gzip.GzipFile, limit: int) -> bytes:
    """Read until the end, or until just over the limit."""
    parts: list[bytes] = []
    length = 0
    while length <= limit and (chunk := stream.read(_CHUNK)):
        parts.append(chunk)
        length += len(chunk)
    return b"".join(parts)


def _normalize(raw: bytes, field: str) -> bytes:
    """Return the text as UTF-8 without byte order mark, having checked it."""
    if raw[:4] == b"\x89HDF":
        raise UnreadableTable(
            "The file is HDF5 (h5ad or 10x), which is read as a count matrix alone and as an "
            "upload; send CSV or TSV.",
            field=field,
        )
    if raw[:4] == _ARCHIVE or raw[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise UnreadableTable(
            "The file is a spreadsheet or an archive; save the sheet as CSV or TSV.", field=field
        )
    encoding = find_encoding(raw)
    try:
        text = raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UnreadableTable(
            f"Line {line} is not valid {encoding[:6].upper()}; if the table is Latin-1, save it "
            "as UTF-8 and send it again.",
            field=field,
            code="not_utf8",
        ) from error
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise UnreadableTable(f"Line {line} holds a zero byte; send plain text.", field=field)
    return text.encode("utf-8")


def _split_header(text: bytes, table: DelimitedText) -> DelimitedText:
    """Find header and separator, and count their fields against the first row below."""
    lines = _first_lines(text, 50)
    skipped = 0
    while lines and (lines[0][1].startswith("#") or not lines[0][1].strip()):
        lines, skipped = lines[1:], skipped + 1
    if len(lines) <= 1:
        raise UnreadableTable(
            "The table is empty: it needs a header line and at least one row.",
            field=table.field,
            code="empty_table",
        )
    (end, header), (_, below) = (
        lines[0],
        next((line for line in lines[1:] if line[1].strip()), lines[1]),
    )
    separator = find_separator(header, below)
    columns = _parse(header, separator)
    if len(_parse(below, separator)) == len(columns) + 1:
        columns = ["", *columns]
    _check_header(columns, table.field)
    return DelimitedText(
        field=table.field,
        name=table.name,
        sha256=table.sha256,
        size=table.size,
        separator=separator,
        columns=tuple(columns),
        body=text[end:],
        first_line=skipped + 2,
        notes=table.notes,
    )


def _first_lines(text: bytes, most: int) -> list[tuple[int, str]]:
    """Return the first lines, each with the position after its end."""
    head = text[: 64 * MAX_CELL]
    lines: list[tuple[int, str]] = []
    position = 0
    for line in head.splitlines(keepends=True)[:most]:
        position += len(line)
        lines.append((position, line.decode("utf-8", errors="replace").rstrip("\r\n")))
    return lines


def _parse(line: str, separator: str) -> list[str]:
    """Return the fields of one line, without blanks around them."""
    try:
        fields = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        fields = line.split(separator)
    return [field.strip() for field in fields]


def _check_header(columns: Sequence[str], field: str) -> None:
    """Check the number, length and uniqueness of the column names."""
    if len(columns) > MAX_COLUMNS:
        raise InvalidInput(
            f"The table has {len(columns)} columns; at most {MAX_COLUMNS} are read.",
            field=field,
            code="too_many_columns",
        )
    if len(columns) <= 1:
        raise UnreadableTable(
            "The header has a single column; separate columns by comma, tab or semicolon.",
            field=field,
        )
    if any(len(name.encode()) > MAX_CELL for name in columns):
        raise UnreadableTable("A column name is longer than 32 kB.", field=field)
    twice = sorted({name for name in columns if name and columns.count(name) > 1})
    if twice:
        raise InvalidInput(
            f"Column names occur more than once: {show(twice)}; give every sample its own name.",
            field=field,
            code="duplicate_columns",
        )
