"""Counts of single cells: the sums of each sample, or a clear refusal."""

import gzip
import io

import h5py
import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite

from core.errors import InvalidInput, MissingColumn, UnreadableTable
from core.tables.archives import read_archive
from core.tables.single_cells import CellChoice
from tests.core.agents.differential_expression.test_archives import zipped

N_CELLS = 5


@pytest.fixture
def tables(make_tables):
    return make_tables(n_genes=60)


@pytest.fixture
def cells(tables):
    """Return genes x cells whose sums by sample are the counts, and the sample of each cell."""
    draw = np.random.default_rng(2)
    parts = [
        draw.multinomial(int(count), [1 / N_CELLS] * N_CELLS) for count in tables.counts.ravel()
    ]
    matrix = np.array(parts).reshape(len(tables.genes), -1)
    return matrix, np.repeat(tables.samples, N_CELLS)


@pytest.fixture
def upload(bench, tables):
    def run(content: bytes, **fields: object):
        bench.uploads.contents = {"c": content, "m": tables.metadata_text().encode()}
        request = tables.request(count_file_id="c", metadata_file_id="m", **fields)
        del request["counts_csv"], request["metadata_csv"]
        return bench.run(**request)

    return run


def assert_like_plain(bench, tables, data) -> None:
    ours = data.method_results[0].table.frame
    plain = bench.run(**tables.request()).method_results[0].table.frame
    assert ours["gene_id"].tolist() == plain["gene_id"].tolist()
    assert np.allclose(ours["pvalue"], plain["pvalue"])
    assert any(text.startswith("pseudobulk: 30 cells") for text in data.warnings)
    assert any(text.startswith("few_cells") for text in data.warnings)


def mtx(matrix) -> bytes:
    out = io.BytesIO()
    mmwrite(out, sparse.coo_matrix(matrix), field="integer")
    return out.getvalue()


def tenx(matrix, barcodes, genes, prefix: str) -> dict[str, bytes]:
    features = "".join(f"{gene}\t{gene}\tGene Expression\n" for gene in genes)
    features += "CD3\tCD3\tAntibody Capture\n"
    whole = np.vstack([matrix, np.ones(matrix.shape[1], dtype=int)])
    return {
        prefix + "matrix.mtx.gz": gzip.compress(mtx(whole)),
        prefix + "barcodes.tsv.gz": gzip.compress("\n".join(barcodes).encode()),
        prefix + "features.tsv": features.encode(),
    }


def test_each_folder_of_10x_is_a_sample(bench, tables, cells, upload):
    matrix, samples = cells
    files: dict[str, bytes] = {}
    for sample in tables.samples:
        own = matrix[:, samples == sample]
        prefix = f"run/{sample}/outs/filtered_feature_bc_matrix/"
        files |= tenx(own, [f"AAC{n}-1" for n in range(N_CELLS)], tables.genes, prefix)
    assert_like_plain(bench, tables, upload(zipped(files)))


def test_a_table_names_the_samples_of_one_folder(bench, tables, cells, upload):
    matrix, samples = cells
    barcodes = [f"AC{n}" for n in range(len(samples))]
    table = "barcode,kind,donor\n" + "".join(
        f"{code},{'T' if place % 2 else 'B'},{sample}\n"
        for place, (code, sample) in enumerate(zip(barcodes, samples, strict=True))
    )
    files = {**tenx(matrix, barcodes, tables.genes, "x/"), "cells.csv": table.encode()}
    assert_like_plain(bench, tables, upload(zipped(files), cell_sample_column="donor"))
    data = upload(zipped(files), cell_group_column="kind", cell_group="T")
    assert any("15 cells were added up to 6 samples" in text for text in data.warnings)
    assert any("15 others were skipped" in text for text in data.warnings)


def test_endings_of_barcodes_name_the_samples_of_one_folder(tables, cells, upload):
    matrix, samples = cells
    barcodes = [f"AC{n}-{tables.samples.index(one) + 1}" for n, one in enumerate(samples)]
    files = tenx(matrix, barcodes, tables.genes, "")
    tables.samples = ["1", "2", "3", "4", "5", "6"]
    data = upload(zipped(files))
    assert data.sample_qc.n_samples_used == 6
    assert any("by ending of the barcode" in text for text in data.warnings)


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "dense"])
def test_cells_of_an_h5ad_are_added_up(bench, tables, cells, upload, kind):
    assert_like_plain(bench, tables, upload(h5ad(tables, *cells, kind=kind)))


def h5ad(tables, matrix, samples, kind: str = "csr_matrix", place: str = "layers/counts") -> bytes:
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        names = [str(one) for one in sorted(set(samples))]
        obs = file.create_group("obs")
        obs.attrs["_index"] = "_index"
        obs["_index"] = [f"c{n}" for n in range(len(samples))]
        group = obs.create_group("sample_id")
        group["categories"] = names
        group["codes"] = np.array([names.index(one) for one in samples], dtype=np.int8)
        var = file.create_group("var")
        var.attrs["_index"] = "gene"
        var["gene"] = tables.genes
        file["X"] = np.log1p(matrix.T)
        if kind == "dense":
            file[place] = matrix.T
        else:
            form = sparse.csr_matrix if kind == "csr_matrix" else sparse.csc_matrix
            whole = form(matrix.T)
            layer = file.create_group(place)
            layer.attrs["encoding-type"] = kind
            for name in ("data", "indices", "indptr"):
                layer[name] = getattr(whole, name)
    return out.getvalue()


def test_a_file_of_10x_is_read_by_the_endings_of_its_barcodes(tables, cells, upload):
    matrix, samples = cells
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        whole = sparse.csc_matrix(matrix)
        for name in ("data", "indices", "indptr"):
            file[f"matrix/{name}"] = getattr(whole, name)
        places = [tables.samples.index(one) + 1 for one in samples]
        file["matrix/barcodes"] = [f"AC{n}-{one}" for n, one in enumerate(places)]
        file["matrix/features/id"] = tables.genes
        file["matrix/features/feature_type"] = ["Gene Expression"] * len(tables.genes)
    tables.samples = ["1", "2", "3", "4", "5", "6"]
    data = upload(out.getvalue())
    assert data.sample_qc.n_genes_input == len(tables.genes)
    assert data.sample_qc.group_counts == {"a": 3, "b": 3}


def test_an_h5ad_without_raw_counts_is_refused_with_a_remedy(tables, cells, upload):
    with pytest.raises(UnreadableTable, match="no raw counts in layers/counts") as caught:
        upload(h5ad(tables, *cells, place="layers/other"))
    assert caught.value.details[0].field == "count_file_id"


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"cell_sample_column": "mouse"}, MissingColumn, "no column 'mouse'"),
        ({"cell_group_column": "kind", "cell_group": "T"}, MissingColumn, "no column 'kind'"),
        ({"cell_group_column": "sample_id", "cell_group": "zz"}, InvalidInput, "No cell has 'zz'"),
        ({"cell_group": "T"}, InvalidInput, "belong together"),
    ],
)
def test_columns_of_cells_that_are_not_there_are_named(tables, cells, upload, fields, error, words):
    with pytest.raises(error, match=words):
        upload(h5ad(tables, *cells), **fields)


def test_columns_of_cells_need_cells(tables, upload):
    with pytest.raises(InvalidInput, match="holds samples, not single cells"):
        upload(tables.counts_text().encode(), cell_sample_column="sample")


def hostile(kind: str) -> bytes:
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file["obs/sample"] = ["a", "b"]
        file["var/_index"] = ["G1"]
        if kind == "link":
            file["X"] = h5py.ExternalLink("/etc/passwd", "/x")
        elif kind == "virtual":
            layout = h5py.VirtualLayout(shape=(2, 1), dtype="f8")
            layout[:] = h5py.VirtualSource("/etc/other.h5", "x", shape=(2, 1))
            file.create_virtual_dataset("X", layout)
        else:
            file.create_dataset("X", shape=(2, 10**10), dtype="f8", chunks=(1, 1000))
    return out.getvalue()


@pytest.mark.parametrize("kind", ["link", "virtual", "huge"])
def test_hostile_files_are_refused_and_lead_nowhere(upload, kind):
    with pytest.raises(UnreadableTable) as caught:
        upload(hostile(kind))
    assert "passwd" not in caught.value.message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"a/matrix.mtx": b"%%MatrixMarket matrix coordinate integer general\n9 9 1\n1 1 5\n"},
         "9 x 9, but"),
        ({"a/matrix.mtx": b"%%MatrixMarket matrix array real general\n1 1\n3\n"},
         "no MatrixMarket"),
        ({"a/matrix.mtx": b"%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 5\n"},
         "cut short"),
        ({"a/matrix.mtx": b"%%MatrixMarket matrix coordinate integer general\n2 3 1\n7 1 5\n"},
         "outside of its own size"),
        ({"a/barcodes.tsv": None}, "no barcodes.tsv next to"),
    ],
    ids=["size", "array", "short", "outside", "missing"],
)  # fmt: skip
def test_broken_folders_are_refused(upload, change, words):
    files = {
        "a/matrix.mtx": b"%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 1 5\n",
        "a/barcodes.tsv": b"AC-1\nAG-1\nAT-2\n",
        "a/features.tsv": b"G1\tG1\tGene Expression\nG2\tG2\tGene Expression\n",
    }
    files = {name: one for name, one in (files | change).items() if one is not None}
    with pytest.raises(UnreadableTable, match=words):
        upload(zipped(files))


def test_a_folder_that_expands_too_far_is_refused():
    bomb = gzip.compress(b"A" * 3_000_000)
    files = {
        "a/matrix.mtx.gz": bomb,
        "a/barcodes.tsv": b"A-1\nC-1\nA-2\n",
        "a/features.tsv": b"G\n",
    }
    with pytest.raises(UnreadableTable, match="expands to more than"):
        read_archive(zipped(files), "count_file_id", 1, CellChoice())
