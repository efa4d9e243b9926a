"""Surrogate variables: what moves many genes and is in no column of the metadata.

Each gene gets a weight: how likely it follows the surrogates found so far, and not the comparison.
The main directions of the weighted genes are the next surrogates; five rounds.

References:
    Leek, Storey 2007, doi 10.1371/journal.pgen.0030161; Leek 2014, doi 10.1093/nar/gku864 (counts);
    Buja, Eyuboglu 1992, doi 10.1207/s15327906mbr2704_2 (number by permutation).
"""

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.stats import f as fisher
from scipy.stats import norm, rankdata

from core.stats.fit import FloatArray

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
    directions = _directions(_residual(values, design), n_variables)
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
    residual = _residual(values, design)
    shares = _shares(residual, freedom)
    above = np.zeros(freedom)
    for _ in range(_PERMUTATIONS):
        shuffled = draw.permuted(residual, axis=1)
        above += _shares(_residual(shuffled, design), freedom) >= shares
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


def _residual(values: FloatArray, design: FloatArray) -> FloatArray:
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
    left = (_residual(values, full) ** 2).sum(axis=1)
    without = (_residual(values, reduced) ** 2).sum(axis=1)
    n_extra, freedom = full.shape[1] - reduced.shape[1], full.shape[0] - full.shape[1]
    stat = np.maximum(without - left, 0.0) / n_extra / np.maximum(left / freedom, 1e-300)
    return np.asarray(fisher.sf(stat, n_extra, freedom), dtype=np.float64)
