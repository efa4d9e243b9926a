"""Folders of 10x Genomics (matrix.mtx, barcodes, features) in a zip, added up by sample.

A folder is a sample, named by itself, or by the folder above it where its own name is one that
Cell Ranger gives to all. One folder with a table cells.csv or cells.tsv beside it (barcode first)
has its samples there; without one, in the endings of the barcodes (-1, -2) that aggregation gives.
"""

import csv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow

from core.errors import UnreadableTable
from core.settings import MEGABYTE
from core.tables.bounds import expand_upload
from core.tables.single_cells import Bulk, CellChoice, Labels, add_up, label_by_ending, label_cells

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
    reader = _Reader(archive, field, limit_mb * MEGABYTE)
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


class _Reader:
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
            return Labels(codes, (self._name(prefix),), "folder")
        labels = label_by_ending(barcodes)
        if labels is None:
            raise self._fault(
                "The archive holds cells of one sample only: put a folder for each sample into "
                "it, or a table cells.csv with barcode and sample."
            )
        return labels

    def _name(self, prefix: str) -> str:
        """Return the sample of a folder, or of the beginning of its files' names."""
        path = PurePosixPath(prefix + "x")
        start = path.name[:-1].rstrip("_.-")
        folders = [folder for folder in path.parent.parts if folder not in _COMMON]
        return start or (folders[-1] if folders else "sample")

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
