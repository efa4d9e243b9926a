"""Uploads of any form: text, or a workbook, quantifications or single cells written as CSV.

Nothing is unpacked to disk, and what comes out is bounded before it is read.

Files of a quantifier, one a sample, in a zip: counts by gene. Salmon (quant.genes.sf, quant.sf),
kallisto (abundance.tsv) and RSEM (*.genes.results, *.isoforms.results), each named by its folder or
by itself. Transcripts are added up to genes by a table tx2gene.tsv or tx2gene.csv in the archive,
or by names as GENCODE writes them.
"""

import csv
import hashlib
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO, StringIO, TextIOWrapper
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import NamedTuple

from core.errors import UnreadableTable
from core.settings import MEGABYTE
from core.tables.bounds import DAMAGED_ZIP, HDF5, ZIP, ZipBounds, check_zip, expand_upload
from core.tables.delimited import DelimitedText, Upload, decode_upload, split_header
from core.tables.single_cells import Bulk, CellChoice, find_matrices, read_matrices
from core.tables.text import find_encoding, find_separator, show
from core.tables.workbooks import (
    ANY_SHEET,
    BROKEN,
    SheetChoice,
    check_workbook,
    choose_sheet,
    open_sheets,
)


class _Kind(NamedTuple):
    """A quantifier's file: how its name ends, its columns of name and counts, whether of genes."""

    ending: str
    name: str
    counts: str
    is_gene: bool


_KINDS = (
    _Kind("quant.genes.sf", "Name", "NumReads", True),
    _Kind(".genes.results", "gene_id", "expected_count", True),
    _Kind("quant.sf", "Name", "NumReads", False),
    _Kind("abundance.tsv", "target_id", "est_counts", False),
    _Kind(".isoforms.results", "transcript_id", "expected_count", False),
)


def read_quantifications(archive: zipfile.ZipFile, field: str) -> Iterator[list[str]]:
    """Yield the counts of every sample of the archive by gene, the header first."""
    names = [name for name in archive.namelist() if not name.endswith("/")]
    for kind in _KINDS:
        members = sorted(name for name in names if _is_of(name, kind))
        if members:
            break
    else:
        raise UnreadableTable(
            "The archive holds neither a workbook nor files of a quantifier (quant.sf, "
            "quant.genes.sf, abundance.tsv, *.genes.results, *.isoforms.results) nor folders of "
            "10x Genomics (matrix.mtx).",
            field=field,
        )
    samples = {_sample_of(name, kind): name for name in members}
    if len(samples) < len(members):
        raise UnreadableTable(
            f"Two files of the archive belong to one sample ({len(members)} files, "
            f"{len(samples)} names); put each {kind.ending} into a folder named by its sample.",
            field=field,
        )
    genes = {} if kind.is_gene else _read_genes(archive, names, field)
    first: set[str] | None = None
    first_member = next(iter(samples.values()))
    counts: dict[str, dict[str, float]] = defaultdict(dict)
    for sample, member in samples.items():
        listed: set[str] = set()
        for name, reads in _read_counts(archive, member, kind, field):
            if name in listed:
                raise UnreadableTable(
                    f"{member[:200]!r} lists {name[:80]!r} more than once; write it again.",
                    field=field,
                )
            listed.add(name)
            gene = name if kind.is_gene else _gene_of(name, genes, field)
            counts[gene][sample] = counts[gene].get(sample, 0.0) + reads
        first = listed if first is None else first
        _check_equal_names(listed, first, member, first_member, field)
    yield ["gene_id", *samples]
    for gene, reads_of in counts.items():
        yield [gene, *(f"{reads_of[sample]:.10g}" for sample in samples)]


def _check_equal_names(
    listed: set[str], first: set[str], member: str, first_member: str, field: str
) -> None:
    """Refuse files that list different genes: a quantifier writes every one, also without reads.

    `listed`: names in a member. `first`: those in the first one.
    """
    if listed != first:
        example = min(listed ^ first)
        raise UnreadableTable(
            f"{member[:200]!r} and {first_member[:200]!r} list different genes or transcripts "
            f"({len(listed):,} and {len(first):,}; {example[:80]!r} is in one of them only): a "
            "file is cut, or another annotation was used. Use one annotation for all samples.",
            field=field,
        )


def _is_of(name: str, kind: _Kind) -> bool:
    """Return whether a member is a file of this kind."""
    file = PurePosixPath(name).name
    return file.endswith(kind.ending) if kind.ending.startswith(".") else file == kind.ending


def _sample_of(name: str, kind: _Kind) -> str:
    """Return the sample of a member: its own name before the ending, or its folder."""
    path = PurePosixPath(name)
    if kind.ending.startswith("."):
        return path.name.removesuffix(kind.ending)
    return path.parent.name or path.name


def _read_counts(
    archive: zipfile.ZipFile, member: str, kind: _Kind, field: str
) -> Iterator[tuple[str, float]]:
    """Yield names and counts of one file."""
    with archive.open(member) as stream, TextIOWrapper(stream, "utf-8", errors="replace") as text:
        rows = csv.reader(text, delimiter="\t")
        head = next(rows, [])
        if not {kind.name, kind.counts} <= set(head):
            raise UnreadableTable(
                f"{member[:200]!r} lacks the columns {kind.name} and {kind.counts}.", field=field
            )
        name, counts = head.index(kind.name), head.index(kind.counts)
        for row in rows:
            cells = row + [""] * (len(head) - len(row))
            try:
                yield cells[name], float(cells[counts])
            except ValueError as error:
                raise UnreadableTable(
                    f"{member[:200]!r}, line {rows.line_num}: {cells[counts][:40]!r} is no number.",
                    field=field,
                ) from error


def _read_genes(archive: zipfile.ZipFile, names: Sequence[str], field: str) -> Mapping[str, str]:
    """Return the gene of each transcript by the archive's own table, if it has one."""
    matches = [name for name in names if PurePosixPath(name).stem.lower() == "tx2gene"]
    if not matches:
        return {}
    with archive.open(matches[0]) as stream:
        lines = stream.read().decode("utf-8-sig", errors="replace").splitlines()
    separator = find_separator(lines[0] if lines else "")
    rows = [row for row in csv.reader(lines, delimiter=separator) if len(row) > 1]
    if not rows:
        raise UnreadableTable(
            "tx2gene of the archive needs two columns, transcript and gene.", field=field
        )
    genes = {row[0].strip(): row[1].strip() for row in rows}
    return genes | {name.split(".")[0]: gene for name, gene in genes.items()}


def _gene_of(name: str, genes: Mapping[str, str], field: str) -> str:
    """Return the gene of a transcript. Raises UnreadableTable where it is not known."""
    gene = (
        genes.get(name)
        or genes.get(name.split("|", maxsplit=1)[0])
        or genes.get(name.split(".", maxsplit=1)[0])
    )
    parts = name.split("|")
    if gene is None and len(parts) > 1 and parts[1].startswith("ENS"):
        gene = parts[1]
    if gene is None:
        raise UnreadableTable(
            f"The gene of transcript {name[:80]!r} is not known; add tx2gene.tsv (transcript, "
            "gene) to the archive, or send quant.genes.sf.",
            field=field,
            code="unknown_transcript",
        )
    return gene


_MOST_FILES = 5000
_MOST_ROWS = 1_000_000
_MOST_COLUMNS = 5000
_RATIO = 200
_HEAD_ROWS = 40
"""Rows of a sheet that show which columns its table has."""


def is_packed(content: bytes) -> bool:
    """Return whether a file holds a table in another form than text."""
    return content[:4] in (ZIP, HDF5)


class Unpacked(NamedTuple):
    """A table that came in another form than text.

    Attributes:
        text: The table as CSV.
        notes: Warnings about how it came about.
        sheets: Names of a workbook's sheets, the one that was read first.
    """

    text: bytes
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()

    def describe(self, name: str) -> tuple[str, ...]:
        """Return the warnings, and which of several sheets of the file was read."""
        if not self.sheets[1:]:
            return self.notes
        read = f"sheet {self.sheets[0]!r} of {name} was read"
        return (f"sheet_read: {read}; other sheets: {show(self.sheets[1:])}.", *self.notes)


def read_upload(
    raw: bytes,
    name: str,
    field: str,
    limit_mb: int,
    cells: CellChoice | None = None,
    sheet: SheetChoice = ANY_SHEET,
) -> tuple[DelimitedText, bytes | None]:
    """Read an uploaded table of any form.

    `limit_mb`: most megabytes that it may expand to. `cells`: how counts of single cells are added
    up; None takes none. `sheet`: which sheet of a workbook is read.

    Returns:
        The table, and its CSV where the file holds it in another form than text.

    Raises:
        UnreadableTable: The bytes are no such table; the message names the line or the limit.
        InvalidInput: Two columns have one name.
        MissingColumn: No column names the sample of each cell.
    """
    content = expand_upload(raw, limit_mb * MEGABYTE, field)
    is_archive = is_packed(content)
    if is_archive:
        table = read_archive(content, field, limit_mb, cells, sheet)
    else:
        table = Unpacked(decode_upload(content, field).encode("utf-8"))
    digest = hashlib.sha256(raw).hexdigest()
    notes, is_utf16 = table.describe(name), find_encoding(content) == "utf-16"
    upload = Upload(field, name, digest, len(raw), notes, table.sheets, is_utf16)
    return split_header(table.text, upload), table.text if is_archive else None


def read_archive(
    raw: bytes,
    field: str,
    limit_mb: int,
    cells: CellChoice | None = None,
    sheet: SheetChoice = ANY_SHEET,
) -> Unpacked:
    """Return the table of a workbook, of a zip of quantifications or of cells as CSV.

    Arguments are those of `read_upload`.

    Raises:
        UnreadableTable: It is damaged, too large, or holds no table of a known kind.
        MissingColumn: No column names the sample of each cell.
    """
    if raw[:4] == HDF5:
        from core.tables.single_cells import read_hdf5  # the form needs no h5py

        return _write_bulk(None if cells is None else read_hdf5(raw, cells, field, limit_mb), field)
    limit = limit_mb * MEGABYTE
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            bounds = ZipBounds(_MOST_FILES, limit, limit, MEGABYTE, _RATIO)
            check_zip(archive, "The archive", bounds, field)
            members = find_matrices(archive.namelist())
            if "xl/workbook.xml" in archive.namelist():
                check_workbook(BytesIO(raw), "The workbook", bounds, field)
                return _write_sheet(raw, field, sheet)
            if members and cells is not None:
                bulk = read_matrices(archive, members, cells, field, limit_mb)
                return _write_bulk(bulk, field)
            return _write(read_quantifications(archive, field), field)
    except DAMAGED_ZIP as error:
        raise UnreadableTable(
            "The archive is damaged, encrypted or of an unknown kind; make it again, or send the "
            "table as CSV.",
            field=field,
        ) from error


def _write_bulk(bulk: Bulk | None, field: str) -> Unpacked:
    """Return counts by sample as CSV with their warnings. Raises UnreadableTable without any."""
    if bulk is None:
        raise UnreadableTable(
            "The file holds counts of cells; send the table as CSV, TSV or a workbook.", field=field
        )
    return _write(bulk.rows(), field)._replace(notes=bulk.notes())


def _write_sheet(raw: bytes, field: str, choice: SheetChoice) -> Unpacked:
    """Return a sheet of a workbook as CSV; formulas by their last value."""
    try:
        position, names = choose_sheet(raw, choice)
        with open_sheets(BytesIO(raw)) as sheets:
            unpacked = _write(sheets[position][1], field)
    except BROKEN as error:
        raise UnreadableTable(
            "The workbook cannot be read; save the sheet as CSV or TSV.", field=field
        ) from error
    others = (*names[:position], *names[position + 1 :])
    return unpacked._replace(sheets=(names[position], *others))


def _write(rows: Iterable[list[str]], field: str) -> Unpacked:
    """Return rows as CSV, without empty rows and without empty columns around the table."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    numbered = enumerate(rows, start=1)
    head = list(islice(numbered, _HEAD_ROWS))
    filled = [
        [place for place, cell in enumerate(row) if cell.strip()]
        for _, row in head
        if sum(map(bool, row)) > 1
    ]
    left = min((places[0] for places in filled if places), default=0)
    right = max((places[-1] + 1 for places in filled if places), default=1)
    strays = []
    for number, row in chain(head, numbered):
        outside = [cell for cell in (*row[:left], *row[right:]) if cell.strip()]
        inside = (row + [""] * right)[left:right]
        if number > _MOST_ROWS or right - left > _MOST_COLUMNS:
            raise UnreadableTable(
                f"The sheet has more than {_MOST_ROWS:,} rows or {_MOST_COLUMNS:,} columns.",
                field=field,
                code="too_many_rows",
            )
        if any(cell.strip() for cell in inside):
            writer.writerow(inside)
        if outside:
            strays.append(f"row {number}: {outside[0][:80]!r}")
    notes: tuple[str, ...] = ()
    if strays:
        notes = (
            f"cells_outside: cells outside of the table's columns were skipped in "
            f"{len(strays)} rows, the first in {strays[0]}.",
        )
    return Unpacked(out.getvalue().encode("utf-8"), notes)
