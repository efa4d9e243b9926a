"""Counts of single cells added up by sample: what a comparison between samples can use.

Cells of one sample are no replicates of each other; the sample is (Squair et al. 2021,
doi 10.1038/s41467-021-25960-2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import InvalidInput, MissingColumn
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
