"""Tables inside archives: a spreadsheet, or a folder of quantifications, as one CSV.

Salmon (quant.genes.sf, quant.sf), kallisto (abundance.tsv) and RSEM (*.genes.results,
*.isoforms.results), one file a sample, named by its folder or by itself. Transcripts are added up
to genes by a table tx2gene.tsv or tx2gene.csv in the archive, or by names as GENCODE writes them.
Folders of 10x Genomics, h5ad and HDF5 of 10x hold cells, which are added up by sample.
Nothing is unpacked to disk, and what comes out is bounded before it is read.
"""

import csv
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import PurePosixPath
from typing import NamedTuple

from core.agents.differential_expression.pseudobulk import Bulk, CellChoice
from core.agents.differential_expression.tenx import find_matrices, read_matrices
from core.errors import UnreadableTable
from core.settings import MEGABYTE

MARKS = (b"PK\x03\x04", b"\x89HDF")
"""How files begin that are read here."""
_MOST_FILES = 5000
_MOST_ROWS = 1_000_000
_MOST_COLUMNS = 5000
_RATIO = 200


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
        UnreadableTable: It is damaged, too large, or holds no table that is known.
        MissingColumn: No column names the sample of each cell.
    """
    if raw[:4] == MARKS[1]:
        from core.agents.differential_expression.hdf5 import read_hdf5  # the form needs no h5py

        return _write_bulk(None if cells is None else read_hdf5(raw, cells, field, limit_mb), field)
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            _check_size(archive, len(raw), field, limit_mb)
            if "xl/workbook.xml" in archive.namelist():
                return _read_sheet(raw, field), ()
            members = find_matrices(archive.namelist())
            if members and cells is not None:
                bulk = read_matrices(archive, members, cells, field, limit_mb)
                return _write_bulk(bulk, field)
            return _read_quantifications(archive, field), ()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
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
    return _write(iter(bulk.rows()), field), bulk.notes()


def unpack_upload(raw: bytes, limit: int, cells: CellChoice | None = None) -> bytes:
    """Return the table of an archive as CSV, for a look at it before a run.

    Args:
        raw: The archive.
        limit: Most bytes that it may expand to.
        cells: How counts of single cells are added up; None takes none.

    Raises:
        UnreadableTable: As `read_archive`.
    """
    return read_archive(raw, "", limit // MEGABYTE, cells)[0]


def _check_size(archive: zipfile.ZipFile, size: int, field: str, limit_mb: int) -> None:
    """Refuse archives that expand too far, by what they say of themselves; reading checks it."""
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    limit = min(limit_mb * MEGABYTE, max(_RATIO * size, MEGABYTE))
    if total > limit or len(members) > _MOST_FILES:
        raise UnreadableTable(
            f"The archive expands to {total // MEGABYTE} MB in {len(members)} files; at most "
            f"{limit // MEGABYTE} MB and {_MOST_FILES} files are read.",
            field=field,
            code="file_too_large",
        )


def _read_sheet(raw: bytes, field: str) -> bytes:
    """Return the first sheet of a workbook as CSV; formulas by their last value."""
    from openpyxl import load_workbook

    try:
        book = load_workbook(BytesIO(raw), read_only=True, data_only=True)
        rows = book.worksheets[0].iter_rows(values_only=True)
        return _write(([_cell(value) for value in row] for row in rows), field)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        raise UnreadableTable(
            "The workbook cannot be read; save the sheet as CSV or TSV.", field=field
        ) from error


def _cell(value: object) -> str:
    """Return a cell of a sheet as text; whole numbers without a point."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _write(rows: Iterator[list[str]], field: str) -> bytes:
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


def _read_quantifications(archive: zipfile.ZipFile, field: str) -> bytes:
    """Return counts of every sample of the archive by gene."""
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
    counts: dict[str, dict[str, float]] = defaultdict(dict)
    for sample, member in samples.items():
        for name, reads in _read_counts(archive, member, kind, field):
            gene = name if kind.is_gene else _gene_of(name, genes, field)
            counts[gene][sample] = counts[gene].get(sample, 0.0) + reads
    head = ["gene_id", *samples]
    rows = [
        [gene, *(f"{counts_by_sample.get(sample, 0.0):.10g}" for sample in samples)]
        for gene, counts_by_sample in counts.items()
    ]
    return _write(iter([head, *rows]), field)


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
    mark = "\t" if lines and "\t" in lines[0] else ","
    rows = [row for row in csv.reader(lines, delimiter=mark) if len(row) > 1]
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
