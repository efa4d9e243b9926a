"""Uploads of any form: text, or a workbook, quantifications or single cells written as CSV.

Nothing is unpacked to disk, and what comes out is bounded before it is read.
"""

import csv
import hashlib
import zipfile
from collections.abc import Iterable
from io import BytesIO, StringIO

from core.errors import UnreadableTable
from core.settings import MEGABYTE
from core.tables.bounds import DAMAGED_ZIP, HDF5, ZIP, ZipBounds, check_zip, expand_upload
from core.tables.delimited import DelimitedText, Upload, decode_upload, split_header
from core.tables.quantifications import read_quantifications
from core.tables.single_cells import Bulk, CellChoice
from core.tables.tenx import find_matrices, read_matrices
from core.tables.workbooks import BROKEN, check_workbook, open_sheets

_MOST_FILES = 5000
_MOST_ROWS = 1_000_000
_MOST_COLUMNS = 5000
_RATIO = 200


def is_packed(content: bytes) -> bool:
    """Return whether a file holds a table in another form than text."""
    return content[:4] in (ZIP, HDF5)


def read_upload(
    raw: bytes, name: str, field: str, limit_mb: int, cells: CellChoice | None = None
) -> tuple[DelimitedText, bytes | None]:
    """Read an uploaded table of any form.

    Args:
        raw: The file.
        name: Of the file.
        field: Request field to name.
        limit_mb: Most megabytes that it may expand to.
        cells: How counts of single cells are added up; None takes none.

    Returns:
        The table, and its CSV where the file holds it in another form than text.

    Raises:
        UnreadableTable: The bytes are no such table; the message names the line or the limit.
        InvalidInput: Two columns have one name.
        MissingColumn: No column names the sample of each cell.
    """
    content = expand_upload(raw, limit_mb * MEGABYTE, field)
    notes: tuple[str, ...] = ()
    written: bytes | None = None
    if is_packed(content):
        content, notes = read_archive(content, field, limit_mb, cells)
        written = content
    text = decode_upload(content, field).encode("utf-8")
    upload = Upload(field, name, hashlib.sha256(raw).hexdigest(), len(raw), notes)
    return split_header(text, upload), written


def read_archive(
    raw: bytes, field: str, limit_mb: int, cells: CellChoice | None = None
) -> tuple[bytes, tuple[str, ...]]:
    """Return the table of a workbook, of a zip of quantifications or of cells as CSV.

    Args:
        raw: The archive.
        field: Request field to name.
        limit_mb: Most megabytes that it may expand to.
        cells: How counts of single cells are added up; None takes none.

    Returns:
        The table, and warnings about how it came about.

    Raises:
        UnreadableTable: It is damaged, too large, or holds no table of a known kind.
        MissingColumn: No column names the sample of each cell.
    """
    if raw[:4] == HDF5:
        from core.tables.hdf5 import read_hdf5  # the form needs no h5py

        return _write_bulk(None if cells is None else read_hdf5(raw, cells, field, limit_mb), field)
    limit = limit_mb * MEGABYTE
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            bounds = ZipBounds(_MOST_FILES, limit, limit, MEGABYTE, _RATIO)
            check_zip(archive, "The archive", bounds, field)
            members = find_matrices(archive.namelist())
            if "xl/workbook.xml" in archive.namelist():
                check_workbook(BytesIO(raw), "The workbook", bounds, field)
                return _write_sheet(raw, field), ()
            if members and cells is not None:
                bulk = read_matrices(archive, members, cells, field, limit_mb)
                return _write_bulk(bulk, field)
            return _write(read_quantifications(archive, field), field), ()
    except DAMAGED_ZIP as error:
        raise UnreadableTable(
            "The archive is damaged, encrypted or of an unknown kind; make it again, or send the "
            "table as CSV.",
            field=field,
        ) from error


def _write_bulk(bulk: Bulk | None, field: str) -> tuple[bytes, tuple[str, ...]]:
    """Return counts by sample as CSV with their warnings. Raises UnreadableTable without any."""
    if bulk is None:
        raise UnreadableTable(
            "The file holds counts of cells; send the table as CSV, TSV or a workbook.", field=field
        )
    return _write(bulk.rows(), field), bulk.notes()


def _write_sheet(raw: bytes, field: str) -> bytes:
    """Return the first sheet of a workbook as CSV; formulas by their last value."""
    try:
        with open_sheets(BytesIO(raw)) as sheets:
            return _write(sheets[0], field)
    except BROKEN as error:
        raise UnreadableTable(
            "The workbook cannot be read; save the sheet as CSV or TSV.", field=field
        ) from error


def _write(rows: Iterable[list[str]], field: str) -> bytes:
    """Return rows as CSV, empty ones and empty columns at the end left out."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    width = 0
    for number, row in enumerate(rows):
        if not any(row):
            continue
        width = width or max(index for index, cell in enumerate(row, start=1) if cell)
        if number > _MOST_ROWS or width > _MOST_COLUMNS:
            raise UnreadableTable(
                f"The sheet has more than {_MOST_ROWS:,} rows or {_MOST_COLUMNS:,} columns.",
                field=field,
                code="too_many_rows",
            )
        writer.writerow((row + [""] * width)[:width])
    return out.getvalue().encode("utf-8")
