"""How alike the samples are: principal components and distances."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform
from scipy.stats import f

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


@dataclass(frozen=True)
class Association:
    """Share of variance explained (0 to 1) and the p of its F-test, NaN where there is none."""

    share: float
    pvalue: float


def explain(values: FloatArray, columns: FloatArray, given: FloatArray) -> Association:
    """Test whether columns explain values beyond what is given.

    Args:
        values: One a sample.
        columns: Samples x k, of the metadata column.
        given: Samples x p, a design whose first column is 1.
    """
    without, rank = _residual(values, given)
    residual, full_rank = _residual(values, np.column_stack([given, columns]))
    n_extra, freedom = full_rank - rank, len(values) - full_rank
    if n_extra <= 0 or without <= 0:
        return Association(0.0, float("nan"))
    share = float(np.clip((without - residual) / without, 0.0, 1.0))
    if freedom <= 0:
        return Association(share, float("nan"))
    if residual <= 0:
        return Association(share, 0.0)
    ratio = (without - residual) / n_extra / (residual / freedom)
    return Association(share, float(f.sf(ratio, n_extra, freedom)))


def _residual(values: FloatArray, design: FloatArray) -> tuple[float, int]:
    """Return the residual sum of squares and the rank of a design."""
    solved, _, rank, _ = np.linalg.lstsq(design, values)
    return float(np.sum((values - design @ solved) ** 2)), int(rank)


MOST_OPTIMAL = 300
"""Rows up to which neighbors are ordered optimally: the search grows with their cube."""


def leaf_order(values: np.ndarray) -> np.ndarray:
    """Return the rows in the order of the leaves of a hierarchical clustering.

    Distance is 1 - Pearson's correlation, clusters are joined by average linkage, and up to
    `MOST_OPTIMAL` rows the leaves are turned so that neighbors are as alike as can be. A row
    without spread correlates with nothing (distance 1).

    Args:
        values: Rows x columns, finite, such as genes x samples on a log scale.

    Returns:
        Positions of the rows, each once.

    References:
        Eisen 1998, doi:10.1073/pnas.95.25.14863; Bar-Joseph 2001,
        doi:10.1093/bioinformatics/17.suppl_1.S22.

    >>> leaf_order(np.array([[1.0, 2, 3], [3, 2, 1], [2, 4, 6], [6, 4, 2]])).tolist()
    [0, 2, 3, 1]
    """
    if len(values) < 3:
        return np.arange(len(values))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    centered = values - values.mean(axis=1, keepdims=True)
    spread = np.linalg.norm(centered, axis=1, keepdims=True)
    unit = np.divide(centered, spread, out=np.zeros_like(centered), where=spread > 0)
    distance = np.clip(1 - unit @ unit.T, 0, 2)
    np.fill_diagonal(distance, 0)
    close = squareform((distance + distance.T) / 2, checks=False)
    tree = linkage(close, method="average", optimal_ordering=len(values) <= MOST_OPTIMAL)
    return np.asarray(leaves_list(tree))
