"""A delimited table as header and body, and its body as columns, read by Arrow.

Accepted: UTF-8, or UTF-16 with a byte order mark; comma, tab or semicolon; any line ends; quotes;
comments, a title or Excel's `sep=;` above the header; R's header that is one field short; lines
that end in a separator.
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow

from core.errors import InvalidInput, MissingColumn, UnreadableTable
from core.settings import MEGABYTE
from core.tables.bounds import HDF5, ZIP
from core.tables.text import (
    SEPARATORS,
    find_encoding,
    find_separator,
    missing_column,
    plain_name,
    show,
)

MAX_COLUMNS = 5000
MAX_ROWS = 200_000
MAX_CELL = 32_768
_FIRST_LINES = 50
_EXCEL_SEPARATOR = re.compile(r"\"?sep=.\"?[,;\t]*", re.IGNORECASE)
"""The line that tells Excel which sign separates columns."""
_FEWEST_BELOW_TITLE = 3
"""Columns of a table whose title line has one; beside two, one is a header of R."""
_NUMBER = re.compile(r"[+-]?\d[\d., \u00a0\u202f\u2009\u2019']*([eE][+-]?\d+)?")
_ID_NAMES = frozenset(
    {"", "id", "ids", "no", "nr", "index", "name", "names", "x", "row", "rowname", "rownames"}
    | {"unnamed0", "identifier"}
    | {"gene", "genes", "geneid", "geneids", "genename", "genesymbol", "symbol", "ensembl", "locus"}
    | {"ensemblid", "ensemblgeneid", "ensemblgene", "entrez", "entrezid", "entrezgene", "locustag"}
    | {"feature", "featureid", "target", "targetid", "transcript", "transcriptid", "accession"}
    | {"probe", "probeid", "trackingid", "sample", "samples", "sampleid", "samplename", "run"}
    | {"library", "file", "filename", "patient", "patientid", "subject", "subjectid", "otuid"}
)
"""Names of a first column: a header that begins with one has not left it out as R does."""


class Upload(NamedTuple):
    """Where a table comes from.

    Attributes:
        field: Request field it came by.
        name: That field, or the uploaded file's name.
        sha256: Of the bytes as received.
        size: Bytes as received.
        notes: Warnings about how the table came about.
        sheets: Names of a workbook's sheets, the one that was read first.
        is_utf16: Whether it is text in UTF-16 instead of UTF-8.
    """

    field: str
    name: str
    sha256: str
    size: int
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    is_utf16: bool = False

    def explain_missing(self, column: str, columns: Sequence[str]) -> str:
        """Return a sentence that names a missing column, those present and the other sheets."""
        if not self.sheets[1:]:
            return missing_column(column, columns, self.name)
        table = f"sheet {self.sheets[0]!r} of {self.name}"
        return f"{missing_column(column, columns, table)} Other sheets: {show(self.sheets[1:])}."


class Header(NamedTuple):
    """The header of a table.

    Attributes:
        columns: Names, with an empty name put first where R left it out.
        separator: One of comma, tab, semicolon.
        n_skipped: Lines above it: comments, titles, Excel's `sep=;`.
        has_rows: Whether anything follows.
        titles: Those lines above it that are neither blank nor comments.
        ends_uneven: Whether the header or the rows alone end in a separator.
    """

    columns: tuple[str, ...]
    separator: str
    n_skipped: int
    has_rows: bool
    titles: tuple[str, ...] = ()
    ends_uneven: bool = False

    def describe_titles(self) -> tuple[str, ...]:
        """Say which lines above the header were skipped."""
        if not self.titles:
            return ()
        return (f"title_lines: lines above the header were skipped: {show(self.titles)}.",)


@dataclass(frozen=True)
class DelimitedText:
    """A table whose header is read and whose body is not yet.

    Attributes:
        body: UTF-8 text below the header.
    """

    upload: Upload
    header: Header
    body: bytes

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of its columns."""
        return self.header.columns

    @property
    def field(self) -> str:
        """Return the request field it came by."""
        return self.upload.field

    @property
    def notes(self) -> tuple[str, ...]:
        """Return warnings about how the table came about and what was skipped."""
        return (*self.upload.notes, *self.header.describe_titles())

    def find_column(self, name: str | None, field: str) -> int:
        """Return the position of a column; the first when none is named."""
        if name is None:
            return 0
        if name in self.columns:
            return self.columns.index(name)
        raise MissingColumn(self.upload.explain_missing(name, self.columns), field=field)


def decode_upload(raw: bytes, field: str | None = None) -> str:
    """Return the text of an upload without byte order mark.

    Raises:
        UnreadableTable: It is no text in UTF-8 or UTF-16; the message names the line.
    """
    if raw[:4] == HDF5:
        raise UnreadableTable(
            "The file is HDF5 (h5ad or 10x), which is read as a count matrix alone and as an "
            "upload; send CSV or TSV.",
            field=field,
        )
    if raw[:4] == ZIP or raw[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise UnreadableTable(
            "The file is a spreadsheet or an archive; save the sheet as CSV or TSV.", field=field
        )
    encoding = find_encoding(raw)
    try:
        text = raw.decode(encoding).replace("\ufeff", "")  # joined files have marks inside
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        name = encoding.upper().removesuffix("-SIG")
        raise UnreadableTable(
            f"Line {line} is not valid {name}; if the table is Latin-1, save it as UTF-8 and send "
            "it again.",
            field=field,
            code="not_utf8",
        ) from error
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise UnreadableTable(
            f"Line {line} holds a zero byte; send plain text, in UTF-8.", field=field
        )
    return text


def find_header(lines: Sequence[str], field: str | None = None) -> Header:
    """Find the header of a table, below comments, and count its fields against the first row.

    `lines`: the first lines of the table.

    Raises:
        UnreadableTable: The header has too many columns.
    """
    skipped, titles = _skip_titles(lines)
    header, *rows = lines[skipped:] or [""]
    filled = [row for row in rows if row.strip()]
    separator = find_separator(header, next(iter(filled), ""))
    check_width(header, separator, skipped + 1, field)
    columns = _parse(header, separator)
    below = [_parse(row, separator) for row in filled if row.count(separator) <= MAX_COLUMNS]
    names, ends_uneven = _fit_names(columns, below, field)
    return Header(tuple(names), separator, skipped, bool(rows), titles, ends_uneven)


def _fit_names(
    columns: list[str], below: Sequence[Sequence[str]], field: str | None
) -> tuple[list[str], bool]:
    """Return a name for each field of a row, and whether header or rows alone end in a separator.

    Raises:
        UnreadableTable: A header could be one field short, or lines end in a separator.
    """
    if not below:
        return columns, False
    n_fields = Counter(map(len, below)).most_common(1)[0][0]
    rows = [cells for cells in below if len(cells) == n_fields]
    rows_end = not any(cells[-1] for cells in rows)
    header_ends = len(columns) > 1 and columns[-1] == ""
    names_ids = plain_name(columns[0]) in _ID_NAMES
    names = columns[:-1] if header_ends else columns
    n_missing = n_fields - rows_end - len(names)
    if n_fields == len(columns):
        is_clear = rows_end or not header_ends or not all(_numbers_in(row[-1:]) for row in rows)
        names, ends_uneven = columns, False
    elif header_ends and n_fields == len(names):
        is_clear, ends_uneven = True, True
    elif n_missing == 0:
        is_clear, ends_uneven = not rows_end, True
        names = [*columns, ""] if rows_end else names
    elif n_missing == 1 and not (names_ids and _repeats_ids(rows)):
        is_clear, ends_uneven = True, rows_end != header_ends
        names = ["", *names, *([""] if rows_end else [])]
    else:
        return columns, False
    if is_clear or names_ids:
        return names, ends_uneven
    raise UnreadableTable(
        f"The header begins with {columns[0][:100]!r}, and it is open whether that names the first "
        "column, because a column has no name or lines end in a separator; name the first column "
        "gene_id or sample_id and remove separators at the ends of lines.",
        field=field,
        code="ragged_row",
    )


def _skip_titles(lines: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Return how many lines stand above the header, and those that are titles."""
    counts = {sign: [line.count(sign) for line in lines] for sign in SEPARATORS}
    separator = max(counts, key=lambda sign: (sum(map(bool, counts[sign])), sum(counts[sign])))
    has_columns = max(counts[separator], default=0) >= _FEWEST_BELOW_TITLE - 1
    titles = []
    for number, line in enumerate(lines):
        cells = _parse(line, separator) if line.count(separator) <= MAX_COLUMNS else [line, line]
        n_filled = sum(map(bool, cells))
        if n_filled == 0 or _EXCEL_SEPARATOR.fullmatch(line.strip()):
            continue
        if line.lstrip('"').startswith("#"):
            below = _parse(next(iter(lines[number + 1 :]), ""), separator)
            is_as_long = len(below) > 1 and abs(len(below) - len(cells)) <= 1
            if not is_as_long or _numbers_in(cells[1:]) or not _numbers_in(below[1:]):
                continue
        elif n_filled == 1 and cells[0] and has_columns:
            titles.append("".join(cells)[:100])
            continue
        return number, tuple(titles)
    return len(lines), tuple(titles)


def _numbers_in(cells: Sequence[str]) -> int:
    """Return how many cells are numbers, in any way of writing them."""
    return sum(_NUMBER.fullmatch(cell) is not None for cell in cells)


def _repeats_ids(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows have a field too many, not a row number that R puts before the ID."""
    numbers_rows = all(cells[0] == str(place) for place, cells in enumerate(rows, start=1))
    return not numbers_rows and all(_numbers_in(cells[1:2]) for cells in rows)


def check_width(line: str, separator: str, number: int, field: str | None = None) -> None:
    """Refuse a line with too many cells before it is cut into them."""
    count = line.count(separator) + 1
    if count > MAX_COLUMNS:
        raise UnreadableTable(
            f"line {number} has {count:,} columns; the limit is {MAX_COLUMNS:,}: send a table "
            "with genes or samples in rows and fewer columns",
            field=field,
            code="too_many_columns",
        )


def split_header(text: bytes, upload: Upload) -> DelimitedText:
    """Return a table by its header and its body.

    Raises:
        UnreadableTable: There is no header, or nothing below it.
        InvalidInput: Too many columns, or two of one name.
    """
    lines = text[: 64 * MAX_CELL].splitlines(keepends=True)[:_FIRST_LINES]
    if len(lines) > 2 and len(text) > 64 * MAX_CELL > sum(map(len, lines)) - 1:
        lines = lines[:-1]  # the last one may be cut
    texts = [line.decode("utf-8", errors="replace").rstrip("\r\n") for line in lines]
    header = find_header(texts, upload.field)
    if not header.has_rows:
        raise UnreadableTable(
            "The table is empty: it needs a header line and at least one row.",
            field=upload.field,
            code="empty_table",
        )
    if len(header.columns) <= 1:
        raise UnreadableTable(
            "The header has a single column; separate columns by comma, tab or semicolon.",
            field=upload.field,
        )
    if any(len(name.encode()) > MAX_CELL for name in header.columns):
        raise UnreadableTable("A column name is longer than 32 kB.", field=upload.field)
    twice = sorted({name for name in header.columns if name and header.columns.count(name) > 1})
    if twice:
        raise InvalidInput(
            f"Column names occur more than once: {show(twice)}; give every sample its own name.",
            field=upload.field,
            code="duplicate_columns",
        )
    end = sum(map(len, lines[: header.n_skipped + 1]))
    return DelimitedText(upload, header, text[end:])


def _parse(line: str, separator: str) -> list[str]:
    """Return the fields of one line, without blanks around them."""
    try:
        fields = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        fields = line.split(separator)
    return [field.strip() for field in fields]


def read_cells(table: DelimitedText, numeric: Sequence[int]) -> pa.Table:
    """Read the body; the columns at `numeric` as numbers, all others as text.

    `numeric`: positions of the columns to read as numbers.

    Returns:
        Arrow table with columns "c0", "c1", … in the order of the header.

    Raises:
        pyarrow.ArrowInvalid: A cell of a numeric column is no number.
        UnreadableTable: A row is longer or shorter than the header.
    """
    ragged: list[arrow.InvalidRow] = []

    def skip(row: arrow.InvalidRow) -> str:
        ragged.append(row)
        return "skip"

    names = [f"c{index}" for index in range(len(table.columns))]
    types = dict.fromkeys(names, pa.string())
    types.update({f"c{index}": pa.float64() for index in numeric})
    block = min(max(len(table.body) + 1, 1024), 64 * MEGABYTE)  # holds the longest allowed row
    try:
        cells = arrow.read_csv(
            pa.BufferReader(table.body),
            read_options=arrow.ReadOptions(use_threads=False, column_names=names, block_size=block),
            parse_options=arrow.ParseOptions(
                delimiter=table.header.separator, invalid_row_handler=skip
            ),
            convert_options=arrow.ConvertOptions(
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
        row = ragged[0]
        number = row.number and row.number + table.header.n_skipped + 1
        line = f"line {number}" if number else "a line"
        raise UnreadableTable(
            f"In {table.upload.name}, {line} has {row.actual_columns} fields where the header has "
            f"{row.expected_columns}: {row.text[:80]!r}. Give every row as many fields as the "
            "header; quote cells that hold the separator, such as 1,336 between commas.",
            field=table.field,
            code="ragged_row",
        )
    _check_size(table, cells)
    return cells


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
