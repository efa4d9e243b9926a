"""How alike the samples are: principal components and distances."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from core.stats.fit import FloatArray

MOST_VARIABLE = 500


@dataclass(frozen=True)
class Projection:
    """Samples on their first two principal components.

    Attributes:
        scores: Samples x 2.
        variance_share: Share of the variance that each component explains (0 to 1).
    """

    scores: FloatArray
    variance_share: FloatArray


def project_samples(values: FloatArray) -> Projection:
    """Project samples on two components of the 500 most variable genes.

    Args:
        values: Transformed expression, genes x samples.

    Returns:
        Scores whose largest absolute value on each axis is positive, so that the picture does
        not depend on the sign that the decomposition happens to take.
    """
    variance = values.var(axis=1)
    chosen = values[np.argsort(-variance, kind="stable")[:MOST_VARIABLE]]
    centered = (chosen - chosen.mean(axis=1, keepdims=True)).T
    left, singular, _ = np.linalg.svd(centered, full_matrices=False)
    scores = left * singular
    total = float((singular**2).sum()) or 1.0
    padded = np.zeros((values.shape[1], 2))
    width = min(2, scores.shape[1])
    padded[:, :width] = scores[:, :width]
    largest = padded[np.abs(padded).argmax(axis=0), np.arange(2)]
    share = np.zeros(2)
    share[:width] = (singular**2)[:width] / total
    return Projection(padded * np.where(largest < 0, -1.0, 1.0), share)


def measure_distances(values: FloatArray) -> FloatArray:
    """Return Euclidean distances between samples over all genes, samples x samples."""
    return np.asarray(squareform(pdist(values.T)), dtype=np.float64)
