"""Genes that a single count drives, for methods that do not look for them themselves."""

from dataclasses import dataclass

import numpy as np

from core.stats.coefficients import fit_coefficients
from core.stats.cooks import GeneModel, measure_distances
from core.stats.dispersion_search import LOWEST
from core.stats.fit import BoolArray, FloatArray, IntArray, quiet

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
