"""Counts of single cells added up by sample: what a comparison between samples can use.

Cells of one sample are no replicates of each other; the sample is (Squair et al. 2021,
doi 10.1038/s41467-021-25960-2).

h5ad of AnnData and HDF5 of 10x Genomics: raw counts of cells, added up by sample. Read with h5py
alone and by part. Nothing outside of the file is followed: links to other files, external and
virtual data are refused, and sizes are checked before anything is read.

Folders of 10x Genomics (matrix.mtx, barcodes, features) in a zip, added up by sample. A folder is a
sample, named by itself, or by the folder above it where its own name is one that Cell Ranger gives
to all. One folder with a table cells.csv or cells.tsv beside it (barcode first) has its samples
there; without one, in the endings of the barcodes (-1, -2) that aggregation gives.
"""

import csv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow

from core.errors import InvalidInput, MissingColumn, UnreadableTable
from core.settings import MEGABYTE
from core.tables.bounds import expand_upload
from core.tables.numbers import BoolArray, FloatArray, IntArray
from core.tables.text import missing_column, show

SAMPLE_COLUMNS = ("sample", "sample_id", "orig.ident", "donor", "donor_id")
FEW_CELLS = 20
NOTE = "pseudobulk"
"""Code of the warning that says how cells were added up."""


@dataclass(frozen=True)
class CellChoice:
    """Which cells are added up, and into which samples.

    Attributes:
        sample: Column of the cells that names the sample; None takes a usual name.
        column: Column by which cells are chosen, such as their type; None takes all.
        value: Its value.
    """

    sample: str | None = None
    column: str | None = None
    value: str | None = None

    @property
    def is_given(self) -> bool:
        """Return whether anything is chosen."""
        return any((self.sample, self.column, self.value))


@dataclass(frozen=True)
class Labels:
    """The sample of each cell.

    Attributes:
        codes: Position in `samples`, -1 for a cell that is left out.
        samples: Names in the order of first sight.
        column: Where the names come from.
    """

    codes: IntArray
    samples: tuple[str, ...]
    column: str


@dataclass(frozen=True)
class Bulk:
    """Counts by sample.

    Attributes:
        gene_ids: One a row.
        counts: Genes x samples.
        labels: How cells were added up.
    """

    gene_ids: Sequence[str]
    counts: FloatArray
    labels: Labels

    def rows(self) -> list[list[str]]:
        """Return the table with its header."""
        cells = [[f"{value:.10g}" for value in row] for row in self.counts]
        named = zip(self.gene_ids, cells, strict=True)
        return [["gene_id", *self.labels.samples], *([gene, *row] for gene, row in named)]

    def notes(self) -> tuple[str, ...]:
        """Return the warnings: how many cells made which samples, and which are few."""
        codes, samples = self.labels.codes, self.labels.samples
        sizes = np.bincount(codes[codes >= 0], minlength=len(samples))
        left = int((codes < 0).sum())
        without = f", {left:,} others were skipped" if left else ""
        notes = [
            f"{NOTE}: {sizes.sum():,} cells were added up to {len(samples)} samples by "
            f"{self.labels.column} ({sizes.min():,} to {sizes.max():,} cells each){without}."
        ]
        few = [name for name, size in zip(samples, sizes, strict=True) if size < FEW_CELLS]
        if few:
            notes.append(
                f"few_cells: fewer than {FEW_CELLS} cells were added up for {show(few)}; leave "
                "such samples out of the metadata where they stand apart."
            )
        return tuple(notes)


def label_cells(columns: Mapping[str, Sequence[str]], choice: CellChoice, field: str) -> Labels:
    """Return the sample of each cell by the columns that describe cells.

    Raises:
        MissingColumn: A named column, or any usual one for samples, is not there.
        InvalidInput: No cell is left.
    """
    sample = choice.sample or next(filter(columns.__contains__, SAMPLE_COLUMNS), SAMPLE_COLUMNS[0])
    if sample not in columns:
        message = missing_column(sample, list(columns), "what describes the cells")
        raise MissingColumn(
            f"{message} Set cell_sample_column to the one that names the sample of each cell.",
            field="cell_sample_column",
        )
    names = [str(value) for value in columns[sample]]
    is_kept = np.array([name not in ("", "nan", "NA") for name in names], dtype=np.bool_)
    if choice.column is not None or choice.value is not None:
        is_kept &= _choose_cells(columns, choice, is_kept)
    if not is_kept.any():
        raise InvalidInput(f"No cell names its sample in {sample!r}.", field=field, code="no_cells")
    samples = tuple(dict.fromkeys(np.array(names, dtype=object)[is_kept]))
    positions = {name: number for number, name in enumerate(samples)}
    codes = [positions[name] if keep else -1 for name, keep in zip(names, is_kept, strict=True)]
    return Labels(np.array(codes, dtype=np.int64), samples, f"column {sample!r}")


def _choose_cells(
    columns: Mapping[str, Sequence[str]], choice: CellChoice, is_kept: BoolArray
) -> BoolArray:
    """Return which cells have the chosen value."""
    if choice.column is None or choice.value is None:
        raise InvalidInput(
            "cell_group_column and cell_group belong together: give both or none.",
            field="cell_group_column" if choice.column is None else "cell_group",
            code="missing_field",
        )
    if choice.column not in columns:
        message = missing_column(choice.column, list(columns), "what describes the cells")
        raise MissingColumn(message, field="cell_group_column")
    values = np.array([str(value) for value in columns[choice.column]], dtype=object)
    if choice.value not in set(values[is_kept]):
        raise InvalidInput(
            f"No cell has {choice.value!r} in {choice.column!r}; its values are "
            f"{show(sorted(set(values[is_kept])))}.",
            field="cell_group",
            code="unknown_cell_group",
        )
    return np.asarray(values == choice.value, dtype=np.bool_)


def label_by_ending(barcodes: Sequence[str]) -> Labels | None:
    """Return the sample of each cell by the ending of its barcode, "AAAC-2"; None: one sample."""
    endings = [barcode.rpartition("-")[2] for barcode in barcodes]
    positions = {name: number for number, name in enumerate(dict.fromkeys(endings))}
    if len(positions) < 2 or len(positions) == len(barcodes):
        return None
    codes = np.array([positions[name] for name in endings], dtype=np.int64)
    return Labels(codes, tuple(positions), "ending of the barcode")


def add_up(genes: IntArray, samples: IntArray, values: FloatArray, into: FloatArray) -> None:
    """Add counts of cells to genes x samples, in place; those of no sample (-1) are left out."""
    keep = samples >= 0
    n_genes, n_samples = into.shape
    cells = genes[keep] * n_samples + samples[keep]
    sums = np.bincount(cells, weights=values[keep], minlength=n_genes * n_samples)
    into += sums.reshape(n_genes, n_samples)


_PLACES = ("layers/counts", "raw/X", "X")
"""Where raw counts of an h5ad lie, the likeliest first."""
_PART = 4_000_000
_FIRST = 100_000
"""Values by which raw counts are known."""


def read_hdf5(raw: bytes, choice: CellChoice, field: str, limit_mb: int) -> Bulk:
    """Return counts by sample.

    Raises:
        UnreadableTable: It is damaged, too large, or holds no raw counts.
        MissingColumn: As `label_cells`.
    """
    try:
        with h5py.File(BytesIO(raw), "r") as file:
            reader = _HierarchyReader(file, field, limit_mb * MEGABYTE)
            return reader.read_tenx() if "matrix" in file else reader.read_h5ad(choice)
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, IndexError) as error:
        raise UnreadableTable(
            "The HDF5 file is damaged or no h5ad of AnnData; send a zip of 10x folders, or genes x "
            "samples as CSV.",
            field=field,
        ) from error


class _HierarchyReader:
    """Reads parts of one file within one bound for all of them."""

    def __init__(self, file: h5py.File, field: str, limit: int) -> None:
        self._file, self._field, self._left = file, field, limit

    def read_tenx(self) -> Bulk:
        """Return the counts of a 10x file; samples are the endings of the barcodes."""
        barcodes = self._texts("matrix/barcodes")
        genes = self._texts("matrix/features/id")
        labels = label_by_ending(barcodes)
        if labels is None:
            raise self._fault(
                "The file holds cells of one sample only; send a zip with the 10x folder of each "
                "sample."
            )
        counts = self._add_sparse("matrix", len(genes), len(barcodes), labels, by_cell=True)
        kinds = self._array("matrix/features/feature_type")
        is_kept = np.array([kind == _EXPRESSION.encode() for kind in kinds], dtype=np.bool_)
        named = [gene for gene, keep in zip(genes, is_kept, strict=True) if keep]
        return Bulk(named, counts[is_kept], labels)

    def read_h5ad(self, choice: CellChoice) -> Bulk:
        """Return the counts of an h5ad by a column of its cells."""
        path = next((path for path in _PLACES if path in self._file and self._is_raw(path)), None)
        if path is None:
            raise UnreadableTable(
                f"The h5ad holds no raw counts in {', '.join(_PLACES)}: whole numbers, not "
                "normalized. Write them to layers['counts'] and send it again.",
                field=self._field,
                code="not_raw_counts",
            )
        variables = "raw/var" if path == "raw/X" and "raw/var" in self._file else "var"
        genes = self._texts(f"{variables}/{self._find(variables).attrs.get('_index', '_index')}")
        columns = {name: self._column(f"obs/{name}") for name in self._file["obs"]}
        described = {name: values for name, values in columns.items() if values is not None}
        labels = label_cells(described, choice, self._field)
        if isinstance(self._find(path), h5py.Dataset):
            return Bulk(genes, self._add_dense(path, len(genes), labels), labels)
        by_cell = self._find(path).attrs.get("encoding-type", "csr_matrix") == "csr_matrix"
        n_cells = len(labels.codes)
        counts = self._add_sparse(path, len(genes), n_cells, labels, by_cell=by_cell)
        return Bulk(genes, counts, labels)

    def _is_raw(self, path: str) -> bool:
        """Return whether the first values of a matrix are counts."""
        node = self._find(path)
        data = node if isinstance(node, h5py.Dataset) else self._find(f"{path}/data")
        first = np.asarray(data[:1, :_FIRST] if data.ndim > 1 else data[:_FIRST], dtype=np.float64)
        return bool((first >= 0).all() and (first == np.rint(first)).all())

    def _add_dense(self, path: str, n_genes: int, labels: Labels) -> FloatArray:
        """Add up a dense matrix, cells x genes."""
        data = self._find(path)
        self._take(data.size * 8)
        if data.shape != (len(labels.codes), n_genes):
            raise self._fault(f"{path} does not fit obs and var in size.")
        counts = np.zeros((n_genes, len(labels.samples)))
        step = max(1, _PART // max(n_genes, 1))
        for start in range(0, len(data), step):
            codes = labels.codes[start : start + step]
            values = np.asarray(data[start : start + step], dtype=np.float64)
            for sample in np.unique(codes[codes >= 0]):
                counts[:, sample] += values[codes == sample].sum(axis=0)
        return counts

    def _add_sparse(
        self, path: str, n_genes: int, n_cells: int, labels: Labels, *, by_cell: bool
    ) -> FloatArray:
        """Add up a sparse matrix whose rows are cells, or genes."""
        ends = np.asarray(self._array(f"{path}/indptr"), dtype=np.int64)
        data, indices = self._find(f"{path}/data"), self._find(f"{path}/indices")
        n_rows, n_columns = (n_cells, n_genes) if by_cell else (n_genes, n_cells)
        self._take(data.size * 16)
        sizes = np.diff(ends)
        is_whole = len(sizes) == n_rows and ends[0] == 0 and ends[-1] == len(data) == len(indices)
        if not is_whole or (sizes < 0).any():
            raise self._fault(f"{path} does not fit obs and var in size.")
        counts = np.zeros((n_genes, len(labels.samples)))
        for rows, columns, values in _entries(ends, indices, data):
            if len(columns) and (columns.min() < 0 or columns.max() >= n_columns):
                raise self._fault(f"{path} has an entry outside of its own size.")
            genes, cells = (columns, rows) if by_cell else (rows, columns)
            add_up(genes, labels.codes[cells], values, counts)
        return counts

    def _column(self, path: str) -> Sequence[str] | None:
        """Return a column of cells as text; None where it is of a kind that names nothing."""
        node = self._find(path)
        if isinstance(node, h5py.Group):
            if "codes" not in node or "categories" not in node:
                return None
            words = [*self._texts(f"{path}/categories"), ""]
            codes = np.asarray(self._array(f"{path}/codes"), dtype=np.int64)
            return [words[code] if -1 <= code < len(words) else "" for code in codes]
        return self._texts(path)

    def _texts(self, path: str) -> list[str]:
        """Return an array as text."""
        values = self._array(path)
        return [
            value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)
            for value in values.tolist()
        ]

    def _array(self, path: str) -> "np.ndarray[Any, np.dtype[Any]]":
        """Return a whole array of one dimension."""
        data = self._find(path)
        self._take(data.size * max(data.dtype.itemsize, 8))
        return np.asarray(data[:])

    def _find(self, path: str) -> Any:
        """Return what lies at a place, never outside of the file."""
        node: Any = self._file
        for name in path.split("/"):
            if not isinstance(node.get(name, getlink=True), h5py.HardLink):
                raise self._fault(f"{path[:200]!r} is a link or missing.")
            node = node[name]
        if isinstance(node, h5py.Dataset) and (node.is_virtual or node.external):
            raise self._fault(f"{path[:200]!r} is in another file.")
        return node

    def _take(self, size: int) -> None:
        """Refuse what would pass the bound."""
        self._left -= size
        if self._left < 0:
            raise UnreadableTable(
                "The HDF5 file holds more than is read at once; add the cells up by sample and "
                "send genes x samples as CSV.",
                field=self._field,
                code="file_too_large",
            )

    def _fault(self, message: str) -> UnreadableTable:
        return UnreadableTable(message, field=self._field)


def _entries(
    ends: IntArray, indices: h5py.Dataset, data: h5py.Dataset
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield rows, columns and values of a sparse matrix by part."""
    for start in range(0, len(data), _PART):
        stop = min(start + _PART, len(data))
        rows = np.searchsorted(ends, np.arange(start, stop), side="right") - 1
        columns = np.asarray(indices[start:stop], dtype=np.int64)
        yield rows, columns, np.asarray(data[start:stop], dtype=np.float64)


_MATRIX = ("matrix.mtx", "matrix.mtx.gz")
_COMMON = ("filtered_feature_bc_matrix", "raw_feature_bc_matrix", "outs", "filtered", "raw", "")
_TABLES = ("cells.csv", "cells.tsv")
_EXPRESSION = "Gene Expression"
_MARK = b"%%MatrixMarket matrix coordinate"


def find_matrices(names: Sequence[str]) -> list[str]:
    """Return the members that are matrices of 10x Genomics."""
    return sorted(name for name in names if PurePosixPath(name).name.endswith(_MATRIX))


def read_matrices(
    archive: zipfile.ZipFile, members: Sequence[str], choice: CellChoice, field: str, limit_mb: int
) -> Bulk:
    """Return counts by sample of the folders that an archive holds.

    Raises:
        UnreadableTable: A folder is not whole, or its numbers are no such matrix.
        MissingColumn: As `label_cells`.
    """
    reader = _ArchiveReader(archive, field, limit_mb * MEGABYTE)
    bulks = [reader.read(member, choice) for member in members]
    samples = [name for bulk in bulks for name in bulk.labels.samples]
    if len(set(samples)) < len(samples):
        raise UnreadableTable(
            "Two folders of the archive have one name; name each by its sample.", field=field
        )
    genes = list(dict.fromkeys(gene for bulk in bulks for gene in bulk.gene_ids))
    positions = {gene: number for number, gene in enumerate(genes)}
    counts = np.zeros((len(genes), len(samples)))
    column, codes = 0, []
    for bulk in bulks:
        rows = np.array([positions[gene] for gene in bulk.gene_ids], dtype=np.int64)
        width = len(bulk.labels.samples)
        np.add.at(counts[:, column : column + width], rows, bulk.counts)
        codes.append(np.where(bulk.labels.codes >= 0, bulk.labels.codes + column, -1))
        column += width
    labels = Labels(np.concatenate(codes), tuple(samples), bulks[0].labels.column)
    return Bulk(genes, counts, labels)


class _ArchiveReader:
    """Reads members of an archive within one bound for all of them."""

    def __init__(self, archive: zipfile.ZipFile, field: str, limit: int) -> None:
        self._archive, self._field, self._left = archive, field, limit
        self._names = archive.namelist()
        self._is_alone = len(find_matrices(self._names)) == 1

    def read(self, member: str, choice: CellChoice) -> Bulk:
        """Return the counts of one folder by sample."""
        prefix = member[: -len(".gz")] if member.endswith(".gz") else member
        prefix = prefix.removesuffix("matrix.mtx")
        barcodes = [row[0] for row in self._rows(prefix, ("barcodes.tsv",))]
        features = self._rows(prefix, ("features.tsv", "genes.tsv"))
        labels = self._label(prefix, barcodes, choice)
        table, shape = self._cells(member)
        if shape != (len(features), len(barcodes)):
            raise self._fault(
                f"{member[:200]!r} is {shape[0]} x {shape[1]}, but {len(features)} features and "
                f"{len(barcodes)} barcodes are next to it."
            )
        counts = np.zeros((len(features), len(labels.samples)))
        rows, cells = table.column(0).to_numpy() - 1, table.column(1).to_numpy() - 1
        outside = (rows < 0) | (rows >= shape[0]) | (cells < 0) | (cells >= shape[1])
        if outside.any():
            raise self._fault(f"{member[:200]!r} has an entry outside of its own size.")
        add_up(rows, labels.codes[cells], table.column(2).to_numpy(), counts)
        is_kept = [len(row) < 3 or row[2] == _EXPRESSION for row in features]
        genes = [row[0] for row, keep in zip(features, is_kept, strict=True) if keep]
        return Bulk(genes, counts[np.array(is_kept, dtype=np.bool_)], labels)

    def _label(self, prefix: str, barcodes: list[str], choice: CellChoice) -> Labels:
        """Return the sample of each cell: by a table, by the folder, or by endings."""
        tables = [name for name in self._names if PurePosixPath(name).name in _TABLES]
        if tables:
            return label_cells(self._describe(tables[0], barcodes), choice, self._field)
        if choice.sample is not None or choice.column is not None:
            raise self._fault(
                "Columns of cells are chosen, but the archive has no cells.csv (barcode first) "
                "that holds them."
            )
        codes = np.zeros(len(barcodes), dtype=np.int64)
        if not self._is_alone:
            path = PurePosixPath(prefix + "x")
            start = path.name[:-1].rstrip("_.-")
            folders = [folder for folder in path.parent.parts if folder not in _COMMON]
            return Labels(codes, ((start or (folders[-1] if folders else "sample")),), "folder")
        labels = label_by_ending(barcodes)
        if labels is None:
            raise self._fault(
                "The archive holds cells of one sample only: put a folder for each sample into "
                "it, or a table cells.csv with barcode and sample."
            )
        return labels

    def _describe(self, name: str, barcodes: list[str]) -> Mapping[str, Sequence[str]]:
        """Return the columns of the table of cells, in the order of the barcodes."""
        text = self._open(name).decode("utf-8-sig", errors="replace").splitlines()
        rows = list(csv.reader(text, delimiter="\t" if name.endswith(".tsv") else ","))
        if len(rows) < 2:
            raise self._fault(f"{name[:200]!r} has no rows.")
        by_code = {row[0]: row for row in rows[1:] if row}
        missing = [barcode for barcode in barcodes if barcode not in by_code]
        if len(missing) == len(barcodes):
            raise self._fault(f"{name[:200]!r} names no barcode of the matrix in its first column.")
        empty = [""] * len(rows[0])
        described = [by_code.get(barcode, empty) for barcode in barcodes]
        return {
            title: [row[index] if index < len(row) else "" for row in described]
            for index, title in enumerate(rows[0])
            if index
        }

    def _cells(self, member: str) -> tuple[pa.Table, tuple[int, int]]:
        """Return rows, columns and values of a matrix, and its size."""
        content = self._open(member)
        lines = content[:65_536].splitlines(keepends=True)
        start = 0
        while lines and lines[0].startswith(b"%"):
            start += len(lines.pop(0))
        sizes = lines[0].split() if lines else []
        is_whole = len(sizes) == 3 and all(siz.isdigit() and len(siz) < 12 for siz in sizes)
        if not content.startswith(_MARK) or not is_whole:
            raise self._fault(f"{member[:200]!r} is no MatrixMarket file of coordinates.")
        start += len(lines[0])
        names, integer = ("row", "column", "value"), pa.int64()
        types = dict(zip(names, (integer, integer, pa.float64()), strict=True))
        try:
            table = arrow.read_csv(
                pa.BufferReader(content[start:]),
                read_options=arrow.ReadOptions(use_threads=False, column_names=list(names)),
                parse_options=arrow.ParseOptions(delimiter=" "),
                convert_options=arrow.ConvertOptions(column_types=types, null_values=[]),
            )
        except pa.ArrowInvalid as error:
            raise self._fault(f"{member[:200]!r} has a line that is no entry.") from error
        if table.num_rows != int(sizes[2]):
            raise self._fault(f"{member[:200]!r} is cut short: {table.num_rows:,} entries.")
        return table, (int(sizes[0]), int(sizes[1]))

    def _rows(self, prefix: str, names: Sequence[str]) -> list[list[str]]:
        """Return the rows of a table next to a matrix."""
        candidates = [prefix + name + ending for name in names for ending in ("", ".gz")]
        name = next((name for name in candidates if name in self._names), None)
        if name is None:
            raise self._fault(f"{prefix[:200]!r} has no {' or '.join(names)} next to its matrix.")
        text = self._open(name).decode("utf-8", errors="replace")
        return [row for row in csv.reader(text.splitlines(), delimiter="\t") if row]

    def _open(self, name: str) -> bytes:
        """Return a member, expanded where it is gzip, within what is left of the bound."""
        content = expand_upload(self._archive.read(name), self._left, self._field)
        self._left -= len(content)
        return content

    def _fault(self, message: str) -> UnreadableTable:
        return UnreadableTable(message, field=self._field)
