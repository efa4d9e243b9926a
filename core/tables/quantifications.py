"""Files of a quantifier, one a sample, in a zip: counts by gene.

Salmon (quant.genes.sf, quant.sf), kallisto (abundance.tsv) and RSEM (*.genes.results,
*.isoforms.results), each named by its folder or by itself. Transcripts are added up to genes by a
table tx2gene.tsv or tx2gene.csv in the archive, or by names as GENCODE writes them.
"""

import csv
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import PurePosixPath
from typing import NamedTuple

from core.errors import UnreadableTable
from core.tables.text import find_separator


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
    counts: dict[str, dict[str, float]] = defaultdict(dict)
    for sample, member in samples.items():
        for name, reads in _read_counts(archive, member, kind, field):
            gene = name if kind.is_gene else _gene_of(name, genes, field)
            counts[gene][sample] = counts[gene].get(sample, 0.0) + reads
    yield ["gene_id", *samples]
    for gene, reads_of in counts.items():
        yield [gene, *(f"{reads_of.get(sample, 0.0):.10g}" for sample in samples)]


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
