"""How alike the samples are: principal components and distances.

Surrogate variables: what moves many genes and is in no column of the metadata. Each gene gets a
weight: how likely it follows the surrogates found so far, and not the comparison. The main
directions of the weighted genes are the next surrogates; five rounds.

How much of one number a sample a column of the metadata explains. Which rows of a table lie beside
each other: the order of a clustered heat map.

References:
    Leek, Storey 2007, doi 10.1371/journal.pgen.0030161; Leek 2014, doi 10.1093/nar/gku864 (counts);
    Buja, Eyuboglu 1992, doi 10.1207/s15327906mbr2704_2 (number by permutation).
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.spatial.distance import pdist, squareform
from scipy.stats import f, norm, rankdata
from scipy.stats import f as fisher

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


_ROUNDS = 5
_NULL_FROM = 0.8
_LEAST_P = 1e-8
_SPREAD = 1.5
_GRID = 512
_PERMUTATIONS = 20
_LEVEL = 0.1


def find_surrogates(
    normalized: FloatArray, design: FloatArray, kept_values: FloatArray, n_variables: int
) -> FloatArray:
    """Return surrogate variables, samples x variables, each of length 1.

    Args:
        normalized: Counts over size factors, genes x samples.
        design: Samples x coefficients.
        kept_values: The design without what is tested.
        n_variables: How many; with the design fewer than samples.
    """
    values = np.log(normalized + 1.0)
    directions = _directions(_residuals(values, design), n_variables)
    weighted = values
    for _ in range(_ROUNDS):
        alone = _test(values, np.column_stack([kept_values, directions]), kept_values)
        tested = _test(
            values,
            np.column_stack([design, directions]),
            np.column_stack([kept_values, directions]),
        )
        weight = (1.0 - local_rate(alone)) * local_rate(tested)
        weighted = values * weight[:, None]
        weighted -= weighted.mean(axis=1, keepdims=True)
        directions = _directions(weighted, n_variables)
    return directions


def count_surrogates(values: FloatArray, design: FloatArray, seed: int) -> tuple[int, float]:
    """Return how many directions beyond the design vary more than in shuffled residuals.

    `values`: log counts, genes x samples. `design`: samples x coefficients.

    Returns:
        The number, and the share of what the design leaves that they hold.
    """
    draw = np.random.default_rng(seed)
    freedom = design.shape[0] - design.shape[1]
    residual = _residuals(values, design)
    shares = _shares(residual, freedom)
    above = np.zeros(freedom)
    for _ in range(_PERMUTATIONS):
        shuffled = draw.permuted(residual, axis=1)
        above += _shares(_residuals(shuffled, design), freedom) >= shares
    pvalue = np.maximum.accumulate(above / _PERMUTATIONS)
    number = int((pvalue <= _LEVEL).sum())
    return number, float(shares[:number].sum())


def local_rate(pvalue: FloatArray) -> FloatArray:
    """Return the local false discovery rate of each p-value, rising with it.

    The density of the normal scores of the p-values is compared with that of a share pi0 of true
    null hypotheses (p of 0.8 and more).
    """
    share = min(float((pvalue >= _NULL_FROM).mean()) / (1.0 - _NULL_FROM), 1.0)
    scores = norm.ppf(np.clip(pvalue, _LEAST_P, 1.0 - _LEAST_P))
    low, high = np.percentile(scores, [25, 75])
    spread = min(float(scores.std(ddof=1)), float(high - low) / 1.34) or float(scores.std(ddof=1))
    width = _SPREAD * 0.9 * max(spread, 1e-12) * len(scores) ** -0.2
    grid = np.linspace(scores.min() - 3 * width, scores.max() + 3 * width, _GRID)
    position = (scores - grid[0]) / (grid[1] - grid[0])
    below = np.clip(position.astype(np.int64), 0, _GRID - 2)
    mass = np.bincount(below, 1.0 - (position - below), _GRID)
    mass += np.bincount(below + 1, position - below, _GRID)
    kernel = norm.pdf(grid[:, None], grid, width)
    smooth = make_interp_spline(grid, kernel @ mass / len(scores))
    rate = share * norm.pdf(scores) / np.maximum(smooth(scores), np.finfo(np.float64).tiny)
    order = np.argsort(pvalue, kind="stable")
    rising = np.maximum.accumulate(np.clip(rate[order], 0.0, 1.0))
    ranks = np.floor(rankdata(pvalue)).astype(np.int64) - 1
    return np.asarray(rising[ranks], dtype=np.float64)


def _residuals(values: FloatArray, design: FloatArray) -> FloatArray:
    """Return what a design leaves of every gene, genes x samples."""
    basis = np.linalg.qr(design)[0]
    return np.asarray(values - (values @ basis) @ basis.T, dtype=np.float64)


def _directions(values: FloatArray, n_variables: int) -> FloatArray:
    """Return the main directions of the samples, samples x variables, their signs fixed."""
    vectors = np.linalg.eigh(values.T @ values)[1][:, ::-1][:, :n_variables]
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None, :], axis=0)
    return np.asarray(vectors * np.where(largest < 0, -1.0, 1.0), dtype=np.float64)


def _shares(residual: FloatArray, freedom: int) -> FloatArray:
    """Return the share of each direction, the largest first."""
    sizes = np.linalg.eigvalsh(residual.T @ residual)[::-1][:freedom]
    return np.asarray(sizes / sizes.sum(), dtype=np.float64)


def _test(values: FloatArray, full: FloatArray, reduced: FloatArray) -> FloatArray:
    """Return the p of each gene's F-test of a design against a smaller one."""
    left = (_residuals(values, full) ** 2).sum(axis=1)
    without = (_residuals(values, reduced) ** 2).sum(axis=1)
    n_extra, freedom = full.shape[1] - reduced.shape[1], full.shape[0] - full.shape[1]
    stat = np.maximum(without - left, 0.0) / n_extra / np.maximum(left / freedom, 1e-300)
    return np.asarray(fisher.sf(stat, n_extra, freedom), dtype=np.float64)
