"""h5ad of AnnData and HDF5 of 10x Genomics: raw counts of cells, added up by sample.

Read with h5py alone and by part. Nothing outside of the file is followed: links to other files,
external and virtual data are refused, and sizes are checked before anything is read.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

import h5py
import numpy as np

from core.errors import UnreadableTable
from core.settings import MEGABYTE
from core.tables.numbers import FloatArray, IntArray
from core.tables.single_cells import Bulk, CellChoice, Labels, add_up, label_by_ending, label_cells

_PLACES = ("layers/counts", "raw/X", "X")
"""Where raw counts of an h5ad lie, the likeliest first."""
_PART = 4_000_000
_FIRST = 100_000
"""Values by which raw counts are known."""
_EXPRESSION = b"Gene Expression"


def read_hdf5(raw: bytes, choice: CellChoice, field: str, limit_mb: int) -> Bulk:
    """Return counts by sample.

    Raises:
        UnreadableTable: It is damaged, too large, or holds no raw counts.
        MissingColumn: As `label_cells`.
    """
    try:
        with h5py.File(BytesIO(raw), "r") as file:
            reader = _Reader(file, field, limit_mb * MEGABYTE)
            return reader.read_tenx() if "matrix" in file else reader.read_h5ad(choice)
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, IndexError) as error:
        raise UnreadableTable(
            "The HDF5 file is damaged or no h5ad of AnnData; send a zip of 10x folders, or genes x "
            "samples as CSV.",
            field=field,
        ) from error


class _Reader:
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
        is_kept = np.array([kind == _EXPRESSION for kind in kinds], dtype=np.bool_)
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
