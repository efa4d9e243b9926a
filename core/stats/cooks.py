"""Counts that alone decide a gene: Cook's distances, and what DESeq2 puts in their place.

Genes that a single count drives, for methods that do not look for them themselves.

References:
    Cook 1977, doi 10.1080/00401706.1977.10489493; Love, Huber, Anders 2014, doi
    10.1186/s13059-014-0550-8, "Automatic detection of count outliers".
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import f

from core.stats.coefficients import fit_coefficients, measure_leverage
from core.stats.dispersion import LOWEST
from core.stats.fit import BoolArray, FloatArray, IntArray, quiet

_CHECKED_FROM = 3
REPLACED_FROM = 7
_LEVEL = 0.99
_LEAST_DISPERSION = 0.04
_HIGHER_COUNTS = 3
_TRIM_REPLACED = 0.2
_CELLS_AT_ONCE = 1_000_000
_SMALL, _MEDIUM = 3.5, 23.5
_TRIMS = ((1 / 3, 2.04), (1 / 4, 1.86), (1 / 8, 1.51))
"""Share trimmed at each end and the factor that makes the variance consistent, by cell size."""


@dataclass(frozen=True)
class GeneModel:
    """A fitted design: what distances are measured from.

    Attributes:
        design: Samples x p.
    """

    size_factors: FloatArray
    design: FloatArray

    @property
    def limit(self) -> float:
        """Return the distance above which a count decides alone, F(0.99; p, n - p)."""
        n_samples, n_columns = self.design.shape
        return float(f.ppf(_LEVEL, n_columns, n_samples - n_columns))

    def replicated(self, fewest: int) -> BoolArray:
        """Mark the samples whose row of the design occurs at least so often."""
        _, cell, sizes = np.unique(self.design, axis=0, return_inverse=True, return_counts=True)
        return np.asarray(sizes[cell.ravel()] >= fewest, dtype=np.bool_)

    def cells(self) -> list[IntArray]:
        """Return the positions of the samples of each row of the design that occurs thrice."""
        _, cell, sizes = np.unique(self.design, axis=0, return_inverse=True, return_counts=True)
        return [
            np.flatnonzero(cell.ravel() == index)
            for index, size in enumerate(sizes)
            if size >= _CHECKED_FROM
        ]


@dataclass(frozen=True)
class Distances:
    """Cook's distances of all genes, reduced to what decides.

    Attributes:
        largest: Largest distance in the samples that are checked, one a gene; NaN where none is.
        position: Sample of the largest distance, one a gene.
        is_over: Genes with a distance over the limit in any sample.
    """

    largest: FloatArray
    position: IntArray
    is_over: BoolArray


def blocks(n_genes: int, n_samples: int) -> Iterator[slice]:
    """Yield slices of genes that keep an array of genes x samples near eight megabytes."""
    size = max(1, _CELLS_AT_ONCE // max(n_samples, 1))
    for start in range(0, n_genes, size):
        yield slice(start, min(start + size, n_genes))


def measure_distances(
    counts: IntArray, model: GeneModel, dispersion: FloatArray, beta: FloatArray
) -> Distances:
    """Return how far single counts move the fit of each gene.

    `counts`: genes x samples. `dispersion`: one a gene. `beta`: natural-log coefficients, genes x
    p.
    """
    checked = model.replicated(_CHECKED_FROM)
    largest = np.full(len(counts), np.nan)
    position = np.zeros(len(counts), dtype=np.int64)
    is_over = np.zeros(len(counts), dtype=np.bool_)
    for block in blocks(*counts.shape):
        distances = cooks_distances(counts[block], model, dispersion[block], beta[block])
        position[block] = distances.argmax(axis=1)
        is_over[block] = (distances > model.limit).any(axis=1)
        if checked.any():
            largest[block] = distances[:, checked].max(axis=1)
    return Distances(largest, position, is_over)


def cooks_distances(
    counts: IntArray, model: GeneModel, dispersion: FloatArray, beta: FloatArray
) -> FloatArray:
    """Return Cook's distance of every count, genes x samples."""
    leverage = measure_leverage(model.size_factors, model.design, dispersion, beta)
    mu = model.size_factors * np.exp(beta @ model.design.T)
    normalized = counts / model.size_factors
    cells = model.cells()
    if cells:
        variance = np.max([_trimmed_variance(normalized[:, cell]) for cell in cells], axis=0)
    else:
        variance = _trimmed_variance(normalized, size=np.inf)
    mean = normalized.mean(axis=1)
    dispersions = np.maximum((variance - mean) / mean**2, _LEAST_DISPERSION)
    robust = np.asarray(dispersions, dtype=np.float64)[:, None]
    residual = (counts - mu) ** 2 / (mu + robust * mu**2)
    n_columns = model.design.shape[1]
    distances = residual / n_columns * leverage / (1 - leverage) ** 2
    return np.asarray(np.nan_to_num(distances, nan=0.0), dtype=np.float64)


def _trimmed_variance(values: FloatArray, size: float = 0.0) -> FloatArray:
    """Return a trimmed mean of squares around a trimmed mean, one a gene."""
    n_samples = max(size, values.shape[1])
    trim, factor = _TRIMS[int(n_samples > _SMALL) + int(n_samples > _MEDIUM)]
    squares = (values - trimmed_mean(values, trim)[:, None]) ** 2
    return np.asarray(factor * trimmed_mean(squares, trim), dtype=np.float64)


def trimmed_mean(values: FloatArray, trim: float) -> FloatArray:
    """Return the mean of each row without this share of its values at either end."""
    n_samples = values.shape[1]
    cut = int(n_samples * trim)
    ordered = np.sort(values, axis=1)
    return np.asarray(ordered[:, cut : n_samples - cut].mean(axis=1), dtype=np.float64)


def replace_outliers(
    counts: IntArray, model: GeneModel, dispersion: FloatArray, beta: FloatArray
) -> IntArray:
    """Return the counts with those over the limit replaced, in samples of seven replicates.

    The stand-in is the trimmed mean of the gene over all samples, at the sample's depth.
    """
    distances = cooks_distances(counts, model, dispersion, beta)
    mean = trimmed_mean(counts / model.size_factors, _TRIM_REPLACED)
    replaced = (distances > model.limit) & model.replicated(REPLACED_FROM)
    stand_in = np.trunc(mean[:, None] * model.size_factors).astype(np.int64)
    return np.where(replaced, stand_in, counts)


def distances_after_replacement(
    counts: IntArray, model: GeneModel, dispersion: FloatArray, beta: FloatArray
) -> FloatArray:
    """Return the largest distance in checked samples whose counts cannot be replaced."""
    checked = model.replicated(_CHECKED_FROM)
    distances = cooks_distances(counts, model, dispersion, beta)
    distances[:, model.replicated(REPLACED_FROM)] = 0.0
    return np.asarray(distances[:, checked].max(axis=1), dtype=np.float64)


def is_backed(counts: IntArray, position: IntArray) -> BoolArray:
    """Mark the genes of a two-group design in which three counts exceed the suspect one."""
    suspect = counts[np.arange(len(counts)), position]
    return np.asarray((counts > suspect[:, None]).sum(axis=1) >= _HIGHER_COUNTS, dtype=np.bool_)


_USUAL = 0.1


@dataclass(frozen=True)
class CountOutliers:
    """Genes with a count over the limit of Cook's distance, and the sample of the farthest."""

    is_outlier: BoolArray
    sample: IntArray


def find_count_outliers(
    counts: IntArray, design: FloatArray, size_factors: FloatArray, dispersion: FloatArray | None
) -> CountOutliers:
    """Look for counts that alone decide their gene.

    Args:
        counts: Genes x samples.
        design: Samples x p.
        size_factors: One a sample.
        dispersion: DESeq2's, one a gene; 0.1 for all where DESeq2 did not run.
    """
    model = GeneModel(size_factors, np.ascontiguousarray(design))
    counts = np.ascontiguousarray(counts, dtype=np.int64)
    usual = np.full(len(counts), _USUAL)
    used = usual if dispersion is None else np.where(dispersion > LOWEST, dispersion, usual)
    with quiet():
        beta = fit_coefficients(counts, size_factors, model.design, used).values
        distances = measure_distances(counts, model, used, beta)
        is_outlier = np.asarray(distances.largest > model.limit, dtype=np.bool_)
    return CountOutliers(is_outlier, distances.position)
