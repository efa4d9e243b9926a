"""Workbooks and folders of quantifications: the numbers of a plain table, or a clear refusal."""

import io
import zipfile
from collections.abc import Mapping

import numpy as np
import openpyxl
import pytest

from core.errors import InvalidInput

QUANT = "Name\tLength\tEffectiveLength\tTPM\tNumReads\n"
ABUNDANCE = "target_id\tlength\teff_length\test_counts\ttpm\n"
RSEM = "gene_id\ttranscript_id(s)\tlength\teffective_length\texpected_count\tTPM\tFPKM\n"


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


@pytest.fixture
def tables(make_tables):
    return make_tables()


@pytest.fixture
def upload(bench, tables):
    def run(content: bytes):
        bench.uploads.contents = {"c": content, "m": tables.metadata_text().encode()}
        request = tables.request(count_file_id="c", metadata_file_id="m")
        del request["counts_csv"], request["metadata_csv"]
        return bench.run(**request)

    return run


def quantified(tables, head: str, cells, names, path: str) -> dict[str, str]:
    """Return a file a sample, each gene as two transcripts of half its count."""
    files = {}
    for column, sample in enumerate(tables.samples):
        rows = [head]
        for gene, row in zip(tables.genes, tables.counts, strict=True):
            for name, share in names(gene):
                rows.append(cells(name, row[column] * share) + "\n")
        files[path.format(sample)] = "".join(rows)
    return files


def halves(gene: str):
    return [(f"T{gene}a.1", 0.5), (f"T{gene}b.2", 0.5)]


def assert_like_plain(bench, tables, data) -> None:
    ours = data.method_results[0].table.frame
    plain = bench.run(**tables.request()).method_results[0].table.frame
    assert ours["gene_id"].tolist() == plain["gene_id"].tolist()
    assert np.allclose(ours["pvalue"], plain["pvalue"])


def test_a_workbook_is_read_as_its_first_sheet(bench, tables, upload):
    book = openpyxl.Workbook()
    for line in tables.counts_text().splitlines():
        cells = line.split(",")
        book.active.append([int(cell) if cell.isdigit() else cell for cell in cells])
    out = io.BytesIO()
    book.save(out)
    assert_like_plain(bench, tables, upload(out.getvalue()))
    assert bench.saved["counts.csv"].startswith(b"gene_id,s1,")


def test_a_folder_of_salmon_is_added_up_by_tx2gene(bench, tables, upload):
    files = quantified(
        tables, QUANT, lambda name, n: f"{name}\t900\t700\t1.5\t{n:.3f}", halves, "run/{}/quant.sf"
    )
    rows = [f"{name}\t{gene}" for gene in tables.genes for name, _ in halves(gene)]
    files["run/tx2gene.tsv"] = "\n".join(rows)
    assert_like_plain(bench, tables, upload(zipped(files)))


def test_a_folder_of_kallisto_is_added_up_by_names_of_gencode(bench, tables, upload):
    tables.genes = [f"ENSG{number:011d}.1" for number in range(len(tables.genes))]
    files = quantified(
        tables,
        ABUNDANCE,
        lambda name, n: f"{name}\t900\t700\t{n:.3f}\t1.5",
        lambda gene: [(f"ENST1|{gene}|x|", 0.5), (f"ENST2|{gene}|x|", 0.5)],
        "{}/abundance.tsv",
    )
    assert_like_plain(bench, tables, upload(zipped(files)))


def test_genes_of_rsem_and_of_salmon_need_no_table(bench, tables, upload):
    files = quantified(
        tables,
        RSEM,
        lambda name, n: f"{name}\tT\t900\t700\t{n:.2f}\t1\t1",
        lambda gene: [(gene, 1.0)],
        "{}.genes.results",
    )
    assert_like_plain(bench, tables, upload(zipped(files)))


def test_columns_of_feature_counts_are_matched_without_folder_and_ending(bench, tables, upload):
    lines = tables.counts_text(separator="\t", corner="Geneid").splitlines()
    paths = [f"/data/run/{sample}.sorted.bam" for sample in tables.samples]
    head = "\t".join(["Geneid", "Chr", "Start", "End", "Strand", "Length", *paths])
    body = [line.replace("\t", "\tchr1;chr1\t1;5\t4;9\t+;+\t900\t", 1) for line in lines[1:]]
    text = "\n".join(["# Program:featureCounts v2.0.3", head, *body]) + "\n"
    data = upload(text.encode())
    assert_like_plain(bench, tables, data)
    assert any(text.startswith("names_rewritten") for text in data.warnings)


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"s1/quant.sf": QUANT + "ENST9\t9\t9\t1\t4\n"}, "tx2gene"),
        ({"s1/quant.sf": "Name\tTPM\nA\t1\n"}, "NumReads"),
        ({"s1/quant.sf": QUANT + "ENST9\t9\t9\t1\tmany\n"}, "line 2"),
        ({"a/s1/quant.sf": QUANT, "b/s1/quant.sf": QUANT}, "one sample"),
        ({"../../etc/readme.txt": "x"}, "neither a workbook"),
        ({"big/quant.sf": "0" * 50_000_000}, "expands"),
    ],
    ids=["no-genes", "columns", "number", "twice", "unknown", "bomb"],
)
def test_archives_without_a_table_are_refused(upload, files, word):
    with pytest.raises(InvalidInput, match=word):
        upload(zipped(files))


def test_a_damaged_file_of_single_cells_is_told_as_such(upload):
    with pytest.raises(InvalidInput, match="damaged or no h5ad of AnnData"):
        upload(b"\x89HDF\r\n\x1a\n" + b"\0" * 100)
