"""Every form of an upload: the same typed columns, or a refusal that names the fix."""

import gzip
import io
import zipfile

import numpy as np
import pytest

from core.errors import InvalidInput
from core.tables.archives import read_upload
from core.tables.numbers import read_numbers
from core.tables.preview import read_preview
from core.tables.single_cells import CellChoice
from tests.core.tables import shapes
from tests.core.tables.shapes import text, zipped

QUANT = "Name\tLength\tEffectiveLength\tTPM\tNumReads"
MTX = b"%%MatrixMarket matrix coordinate integer general\n"
FOLDER: dict[str, str | bytes] = {
    "a/matrix.mtx": MTX + b"2 3 1\n1 1 5\n",
    "a/barcodes.tsv": "AC-1\nAG-1\nAT-2\n",
    "a/features.tsv": "G1\tG1\tGene Expression\nG2\tG2\tGene Expression\n",
}


def halves(gene: str) -> list[str]:
    return [f"T{gene}a.1", f"T{gene}b.2"]


FORMS = {
    "utf-8": text().encode(),
    "byte order mark": text().encode("utf-8-sig"),
    "utf-16": text().encode("utf-16"),
    "gzip": gzip.compress(text().encode()),
    "gzip utf-16": gzip.compress(text().encode("utf-16")),
    "tab": text("\t").encode(),
    "semicolon": text(";").encode(),
    "crlf": text().replace("\n", "\r\n").encode(),
    "cr": text().replace("\n", "\r").encode(),
    "header of R": text().replace("gene_id,", "", 1).encode(),
    "quotes": ('"' + text().replace(",", '","').replace("\n", '"\n"')[:-1]).encode(),
    "no last line end": text().rstrip("\n").encode(),
    "blank lines": (text() + "\n\n").encode(),
    "comments": ("# made by a pipeline\n\n#\n" + text()).encode(),
    "thousands": text("\t", lambda count: f"{count:,}").encode(),
    "narrow blanks": text(";", lambda count: f"{count:,}".replace(",", "\u202f")).encode(),
    "decimal comma": text(";", lambda count: f"{count},0").encode(),
    "workbook": shapes.workbook(),
    "Salmon": shapes.quantified(QUANT, "{}\t9\t7\t1.5\t{:.3f}", "run/{}/quant.sf", halves),
    "kallisto": shapes.quantified(
        "target_id\tlength\teff_length\test_counts\ttpm", "{}\t9\t7\t{:.3f}\t1.5",
        "{}/abundance.tsv", halves,
    ),
    "RSEM": shapes.quantified(
        "gene_id\ttranscript_id(s)\tlength\texpected_count", "{}\tT\t9\t{:.2f}",
        "{}.genes.results", lambda gene: [gene],
    ),
    "10x folders": shapes.tenx_folders(),
    "10x folder with a table": shapes.tenx_described(),
    "10x folder": zipped(shapes.tenx(shapes.MATRIX, shapes.ENDED, "")),
    "10x HDF5": shapes.tenx_hdf5(),
    "h5ad by cell": shapes.h5ad(),
    "h5ad by gene": shapes.h5ad("csc_matrix"),
    "h5ad dense": shapes.h5ad("dense"),
}  # fmt: skip
REFUSED = [
    (zipped({f"{sample}.genes.results": "gene_id\texpected_count\n" + genes
             for sample, genes in (("s1", "A\t1\nB\t2\n"), ("s2", "A\t3\n"))}),
     "unreadable_table", "'s2.genes.results'"),
    (zipped({"s1.genes.results": "gene_id\texpected_count\n",
             "s2.genes.results": "gene_id\texpected_count\nA\t1\n"}),
     "unreadable_table", "'s1.genes.results'"),
    (zipped({"s1.genes.results": "gene_id\texpected_count\nA\t1\nA\t2\n"}),
     "unreadable_table", "more than once"),
    (b"", "empty_table", "one row"),
    (b"  \n\n", "empty_table", "one row"),
    (b"gene_id,s1,s2\n", "empty_table", "one row"),
    (b"only\none\n", "unreadable_table", "comma, tab or semicolon"),
    (text().replace("s2", "s1").encode(), "duplicate_columns", "'s1'"),
    (b"gene_id,s1,s2\nA,1,2\nB,1\n", "ragged_row", "line 3 has 2 fields"),
    (b"gene_id,s1,s2\nA,1,2\nB,1,2,3\n", "ragged_row", "line 3 has 4 fields"),
    (b'gene_id,s1,s2\n"A,1,2\nB,3,4\n', "ragged_row", "line 2 has 1 field"),
    (b"gene_id,s1\x00,s2\nA,1,2\n", "unreadable_table", "Line 1 holds a zero byte"),
    (b"gene_id,s1\n" + b"A" * 40_000 + b",1\n", "cell_too_long", "'gene_id'"),
    (b"gene_id" + b",c" * 5001 + b"\nA\n", "too_many_columns", "5,000"),
    (b"gene_id,s1\n" + b"g,1\n" * 200_001, "too_many_rows", "200001"),
    ("gene_id,s1\ncaf\xe9,1\n".encode("latin-1"), "not_utf8", "Line 2"),
    (b"\xff\xfea", "not_utf8", "UTF-16"),
    (b"gene_id,s1\nA,1\nB,1,336\n", "ragged_row", "line 3"),
    (text(";", lambda _count: "1,336").encode(), "ambiguous_number", "Row 'G1'"),
    (gzip.compress(text().encode())[:-9], "unreadable_table", "damaged"),
    (gzip.compress(gzip.compress(text().encode())), "unreadable_table", "inside"),
    (gzip.compress(b"0" * 30_000_000), "file_too_large", "expands"),
    (b"\xfd7zXZ\x00\xff" + text().encode(), "not_utf8|unreadable_table", "Line 1"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "unreadable_table", "save the sheet as CSV"),
    (b"PK\x03\x04rest", "unreadable_table", "damaged, encrypted"),
    (shapes.workbook()[:400], "unreadable_table", "damaged"),
    (shapes.edited_workbook("xl/workbook.xml", lambda part: b"<!DOCTYPE x>" + part),
     "unreadable_table", "document type"),
    (shapes.edited_workbook("xl/worksheets/sheet1.xml", lambda part: part.replace(
        b'r="D5"', b'r="D1048576"').replace(b'<row r="5"', b'<row r="1048576"')),
     "too_many_rows", "1,000,000 rows"),
    (zipped({"s1/quant.genes.sf": QUANT}, zipfile.ZIP_LZMA), "file_too_large", "deflate"),
    (zipped({"big/quant.sf": "0" * 50_000_000}), "file_too_large", "expands"),
    (zipped({"a.zip": zipped({"s1/quant.sf": QUANT})}), "unreadable_table", "neither a workbook"),
    (zipped({"../../etc/readme.txt": "x"}), "unreadable_table", "neither a workbook"),
    (zipped({"s1/quant.sf": QUANT + "\nENST9\t9\t9\t1\t4"}), "unknown_transcript", "tx2gene"),
    (zipped({"s1/quant.sf": "Name\tTPM\nA\t1\n"}), "unreadable_table", "NumReads"),
    (zipped({"s1/quant.sf": QUANT + "\nENST9\t9\t9\t1\tmany"}), "unreadable_table", "line 2"),
    (zipped({"a/s1/quant.sf": QUANT, "b/s1/quant.sf": QUANT}), "unreadable_table", "one sample"),
    (zipped(FOLDER | {"a/matrix.mtx": MTX + b"9 9 1\n1 1 5\n"}), "unreadable_table", "9 x 9, but"),
    (zipped(FOLDER | {"a/matrix.mtx": MTX.replace(b"coordinate", b"array")}),
     "unreadable_table", "no MatrixMarket"),
    (zipped(FOLDER | {"a/matrix.mtx": MTX + b"2 3 2\n1 1 5\n"}), "unreadable_table", "cut short"),
    (zipped(FOLDER | {"a/matrix.mtx": MTX + b"2 3 1\n7 1 5\n"}), "unreadable_table", "outside of"),
    (zipped({"a/matrix.mtx": MTX}), "unreadable_table", "no barcodes.tsv next to"),
    (zipped(FOLDER | {"a/barcodes.tsv": gzip.compress(b"A" * 3_000_000)}),
     "file_too_large", "expands to more than"),
    (b"\x89HDF\r\n\x1a\n" + b"\0" * 100, "unreadable_table", "damaged or no h5ad of AnnData"),
    (shapes.h5ad(place="layers/other"), "not_raw_counts", "no raw counts in layers/counts"),
    *((shapes.hostile_hdf5(kind), "unreadable_table|file_too_large|not_raw_counts", "")
      for kind in ("link", "virtual", "huge")),
]  # fmt: skip


def read(raw: bytes, cells: CellChoice | None = None):
    """Return row names, column names and numbers of an upload."""
    table, _ = read_upload(raw, "upload", "count_file_id", 64, cells or CellChoice())
    positions = list(range(1, len(table.columns)))
    block = read_numbers(table, 0, positions, positions, lambda *_values: None)
    return list(block.ids), list(table.columns[1:]), block.values, table.upload.notes


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_columns(form):
    cells = CellChoice("donor") if form == "10x folder with a table" else None
    ids, columns, values, notes = read(FORMS[form], cells)
    ended = form in ("10x folder", "10x HDF5")
    assert ids == shapes.GENES
    assert columns == (["1", "2", "3"] if ended else shapes.SAMPLES)
    assert np.array_equal(values, shapes.COUNTS)
    of_cells = form.startswith(("10x", "h5ad"))
    assert [note.partition(":")[0] for note in notes] == ["pseudobulk", "few_cells"] * of_cells


@pytest.mark.parametrize(("raw", "codes", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_table_is_refused_with_the_reason(raw, codes, words):
    with pytest.raises(InvalidInput) as caught:
        read(raw)
    assert caught.value.word in codes.split("|")
    assert words in caught.value.message
    assert "passwd" not in caught.value.message
    assert [detail.field for detail in caught.value.details] == ["count_file_id"]


def test_cells_are_chosen_by_a_column():
    *_, values, notes = read(shapes.tenx_described(), CellChoice("donor", "kind", "1"))
    assert values.sum() == shapes.MATRIX[:, 1::2].sum()
    assert "6 cells were added up to 3 samples" in notes[0]
    assert "6 others were skipped" in notes[0]


@pytest.mark.parametrize(
    ("choice", "code", "words"),
    [
        (CellChoice("mouse"), "missing_column", "no column 'mouse'"),
        (CellChoice(None, "kind", "T"), "missing_column", "no column 'kind'"),
        (CellChoice(None, "sample_id", "zz"), "unknown_cell_group", "No cell has 'zz'"),
        (CellChoice(None, None, "T"), "missing_field", "belong together"),
    ],
)
def test_columns_of_cells_that_are_not_there_are_named(choice, code, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        read(shapes.h5ad(), choice)
    assert caught.value.word == code


def test_a_table_that_takes_no_cells_refuses_them():
    with pytest.raises(InvalidInput, match="holds counts of cells"):
        read_upload(shapes.h5ad(), "upload", "metadata_file_id", 64)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (text(), ""),
        (text("\t", lambda count: f"{count:,}"), "a comma separating thousands"),
        (text(";", lambda count: f"{count},0"), "a comma before decimals"),
        (text(";", lambda _count: "1,336"), "'1,336' can be read in more than one way"),
        ("Counts of the study,,,\n" + text(), "skipped: 'Counts of the study'"),
    ],
)
def test_a_preview_says_what_was_changed(text, word):
    look = read_preview(io.BytesIO(text.encode()), limit=10_000)
    assert bool(look.notes) == bool(word)
    assert word in "".join(look.notes)
    assert look.n_rows == len(shapes.GENES)
