"""One small count matrix in every form in which an upload may bring it."""

import gzip
import io
import zipfile
from collections.abc import Callable, Mapping

import h5py
import numpy as np
import openpyxl
from scipy import sparse
from scipy.io import mmwrite

GENES = ["G1", "007", "NA", "1e5"]
SAMPLES = ["s1", "s2", "s3"]
COUNTS = np.array([[5, 0, 12], [1340, 7, 2500], [1, 1, 1], [30, 20, 10]])
CELLS = np.repeat(SAMPLES, 4)
MATRIX = np.array([[int(n) // 4 + (k < n % 4) for n in row for k in range(4)] for row in COUNTS])
"""Genes x cells, whose sums by sample are the counts."""
ENDED = [f"AC{n}-{n // 4 + 1}" for n in range(len(CELLS))]


def text(separator: str = ",", write: Callable[[int], str] = str) -> str:
    rows = [[gene, *map(write, row)] for gene, row in zip(GENES, COUNTS.tolist(), strict=True)]
    return "".join(separator.join(row) + "\n" for row in [["gene_id", *SAMPLES], *rows])


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def workbook() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for line in text().splitlines():
        book.active.append([int(cell) if cell.isdecimal() and cell != "007" else cell
                            for cell in line.split(",")])  # fmt: skip
    book.active.append([None])
    book.save(out)
    return out.getvalue()


def edited_workbook(part: str, edit: Callable[[bytes], bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(workbook())) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    return zipped({name: edit(body) if name == part else body for name, body in parts.items()})


def quantified(head: str, row: str, path: str, names: Callable[[str], list[str]]) -> bytes:
    """Return a file a sample, each gene in equal parts under several names."""
    files = {}
    for column, sample in enumerate(SAMPLES):
        lines = [head]
        for gene, counts in zip(GENES, COUNTS, strict=True):
            share = counts[column] / len(names(gene))
            lines += [row.format(name, share) for name in names(gene)]
        files[path.format(sample)] = "\n".join(lines)
    pairs = [f"{name}\t{gene}" for gene in GENES for name in names(gene)]
    return zipped(files | {"tx2gene.tsv": "\n".join(pairs)})


def tenx(matrix: np.ndarray, barcodes: list[str], prefix: str) -> dict[str, bytes]:
    """Return a folder of 10x Genomics, with an antibody that is no gene."""
    out = io.BytesIO()
    mmwrite(out, sparse.coo_matrix(np.vstack([matrix, matrix[:1] * 0 + 1])), field="integer")
    features = [f"{gene}\t{gene}\tGene Expression" for gene in GENES] + ["CD3\tCD3\tAntibody"]
    return {
        prefix + "matrix.mtx.gz": gzip.compress(out.getvalue()),
        prefix + "barcodes.tsv.gz": gzip.compress("\n".join(barcodes).encode()),
        prefix + "features.tsv": "\n".join(features).encode(),
    }


def tenx_folders() -> bytes:
    folders = [
        tenx(MATRIX[:, sample == CELLS], ENDED[:4], f"run/{sample}/outs/filtered/")
        for sample in SAMPLES
    ]
    return zipped({name: body for files in folders for name, body in files.items()})


def tenx_described() -> bytes:
    rows = [
        f"{code},{n % 2},{cell}" for n, (code, cell) in enumerate(zip(ENDED, CELLS, strict=True))
    ]
    table = "\n".join(["barcode,kind,donor", *rows])
    return zipped({**tenx(MATRIX, ENDED, "x/"), "cells.csv": table})


def write_sparse(group: h5py.Group, matrix: sparse.spmatrix) -> None:
    for name in ("data", "indices", "indptr"):
        group[name] = getattr(matrix, name)


def h5ad(kind: str = "csr_matrix", place: str = "layers/counts") -> bytes:
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        obs, var = file.create_group("obs"), file.create_group("var")
        obs["_index"] = ENDED
        obs["sample_id/categories"] = SAMPLES
        obs["sample_id/codes"] = np.array([SAMPLES.index(cell) for cell in CELLS], dtype=np.int8)
        var.attrs["_index"] = "gene"
        var["gene"] = GENES
        file["X"] = np.log1p(MATRIX.T)
        if kind == "dense":
            file[place] = MATRIX.T
        else:
            layer = file.create_group(place)
            layer.attrs["encoding-type"] = kind
            write_sparse(layer, getattr(sparse, kind)(MATRIX.T))
    return out.getvalue()


def tenx_hdf5() -> bytes:
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        write_sparse(file.create_group("matrix"), sparse.csc_matrix(MATRIX))
        file["matrix/barcodes"] = ENDED
        file["matrix/features/id"] = GENES
        file["matrix/features/feature_type"] = ["Gene Expression"] * len(GENES)
    return out.getvalue()


def hostile_hdf5(kind: str) -> bytes:
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
