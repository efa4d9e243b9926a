"""The trended dispersion of edgeR 3, on which its quasi-likelihood fit rests.

edgeR 3 computes the deviance at dispersions below 1e-4 by a series whose factor 2/3 is an integer
division, that is 0. Its Levenberg fit accepts a step by that deviance, so that at the least
dispersion of the grid it ends elsewhere in the sixth digit, and each further point starts from
there. edgepython has the right series; to give edgeR 3's numbers, that one point is fitted here.

References:
    McCarthy, Chen, Smyth 2012, doi 10.1093/nar/gks042 (grid of adjusted profile likelihoods);
    Chen, Lun, Smyth 2014, doi 10.1007/978-3-319-07212-8_3 (trend).
"""

import math
from typing import Any

import numpy as np
from edgepython import WLEB, ave_log_cpm, glm_fit
from edgepython.dispersion_lowlevel import adjusted_profile_lik, maximize_interpolant
from edgepython.glm_kernels import adj_profile_ll_mat, leven_start

from core.stats.compiled import compiled
from core.stats.fit import FloatArray

SMALLEST_SUM = 5
"""Genes of fewer reads have no part in the trend."""
GRID = np.linspace(-10.0, 10.0, 21)
"""log2 of dispersion / 0.1."""
SERIES_BELOW = 1e-4
TOLERANCE = 1e-6
MOST_STEPS = 200
_NO_FIT = 1e-4


def estimate_trend(
    counts: FloatArray, design: FloatArray, sizes: FloatArray
) -> tuple[float, FloatArray]:
    """Return the dispersion common to all genes, and the one that the trend gives to each.

    Args:
        counts: Genes x samples.
        design: Samples x coefficients.
        sizes: Effective library size of each sample: reads times TMM factor.
    """
    chosen = counts.sum(axis=1) >= SMALLEST_SUM
    chosen_counts = np.ascontiguousarray(counts[chosen])
    offset = np.ascontiguousarray(np.broadcast_to(np.log(sizes), chosen_counts.shape))
    likelihood = _profile_likelihoods(chosen_counts, design, offset)
    top = maximize_interpolant(GRID, likelihood.sum(axis=0).reshape(1, -1))[0]
    common = float(_dispersion(top))
    level = ave_log_cpm(counts, lib_size=sizes, dispersion=common)
    smooth = WLEB(
        theta=GRID,
        loglik=likelihood,
        covariate=level[chosen],
        trend_method="locfit",
        legacy_span=True,
        overall=False,
        individual=False,
    )
    trend = _dispersion(np.asarray(smooth["trend"], dtype=np.float64))
    dispersions = np.full(len(counts), trend[np.argmin(level[chosen])])
    dispersions[chosen] = trend
    return common, dispersions


def _dispersion(transform: Any) -> Any:
    return 0.1 * 2.0**transform


def _profile_likelihoods(counts: FloatArray, design: FloatArray, offset: FloatArray) -> FloatArray:
    """Return the adjusted profile likelihood of genes at each dispersion of the grid.

    Genes are taken together by the samples that a fit holds to be zero; those samples are left
    out, and columns of the design that then depend on others. Nothing is told of genes that are
    left without residual degrees of freedom.
    """
    fitted = glm_fit(counts, design=design, offset=offset, dispersion=0.05, prior_count=0)
    is_zero = (counts < _NO_FIT) & (np.asarray(fitted["fitted.values"]) < _NO_FIT)
    likelihoods = np.zeros((len(counts), len(GRID)))
    patterns, group = np.unique(is_zero, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        samples = np.flatnonzero(~pattern)
        columns = _independent(design[samples]) if pattern.any() else design
        if len(samples) == 0 or columns.shape[0] == columns.shape[1]:
            continue
        genes = np.flatnonzero(group.reshape(-1) == number)
        block = np.ix_(genes, samples)
        likelihoods[genes] = _along_grid(counts[block], columns, offset[block])
    return likelihoods


def _along_grid(counts: FloatArray, design: FloatArray, offset: FloatArray) -> FloatArray:
    """Return likelihoods along the grid; every fit starts where the one before ended."""
    values = np.empty((len(counts), len(GRID)))
    start: FloatArray | None = None
    is_one_way = len(np.unique(design, axis=0)) == design.shape[1]
    for column, dispersion in enumerate(_dispersion(GRID)):
        if dispersion < SERIES_BELOW and not is_one_way:
            values[:, column], start = _at_least(counts, design, offset, dispersion, start)
            continue
        profile = adjusted_profile_lik(
            dispersion, counts, design, offset, start=start, get_coef=True
        )
        values[:, column], start = profile["apl"], profile["beta"]
    return values


def _at_least(
    counts: FloatArray,
    design: FloatArray,
    offset: FloatArray,
    dispersion: float,
    start: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Return likelihoods and coefficients at a dispersion of the series, as edgeR 3 has them."""
    counts, offset = np.ascontiguousarray(counts), np.ascontiguousarray(offset)
    design = np.ascontiguousarray(design)
    spread, weights = np.full(counts.shape, dispersion), np.ones(counts.shape)
    first = leven_start(counts, offset, spread, weights, design) if start is None else start
    beta = np.array(first, dtype=np.float64, order="C")
    means = np.empty(counts.shape)
    for gene in range(len(counts)):
        _fit(counts[gene], offset[gene], dispersion, design, beta[gene], means[gene])
    return adj_profile_ll_mat(counts, means, spread, weights, design, True), beta


def _independent(design: FloatArray) -> FloatArray:
    """Return the columns of a design that do not depend on those before them."""
    columns: list[int] = []
    for column in range(design.shape[1]):
        if np.linalg.matrix_rank(design[:, [*columns, column]]) > len(columns):
            columns.append(column)
    return design[:, columns]


@compiled
def _means(beta: FloatArray, offset: FloatArray, design: FloatArray, means: FloatArray) -> None:
    """Write the means that coefficients give to a gene's samples."""
    for sample in range(len(offset)):
        total = offset[sample]
        for column in range(len(beta)):
            total += design[sample, column] * beta[column]
        means[sample] = math.exp(total)


@compiled
def _deviance(counts: FloatArray, means: FloatArray, dispersion: float) -> float:
    """Return a gene's deviance by edgeR 3's series for small dispersions."""
    total = 0.0
    for sample in range(len(counts)):
        count, mean = counts[sample] + 1e-8, means[sample] + 1e-8
        residual = count - mean
        second = 0.5 * residual * residual * dispersion * (1.0 - dispersion * count)
        total += max(2.0 * (count * math.log(count / mean) - residual - second), 0.0)
    return total


@compiled
def _slope(
    counts: FloatArray, means: FloatArray, dispersion: float, design: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the score of a gene's coefficients and their expected information."""
    size = design.shape[1]
    score, information = np.zeros(size), np.zeros((size, size))
    for sample in range(len(counts)):
        scale = 1.0 + means[sample] * dispersion
        for row in range(size):
            score[row] += (counts[sample] - means[sample]) / scale * design[sample, row]
            for column in range(size):
                product = design[sample, row] * design[sample, column]
                information[row, column] += means[sample] / scale * product
    return score, information


@compiled
def _fit(
    counts: FloatArray,
    offset: FloatArray,
    dispersion: float,
    design: FloatArray,
    beta: FloatArray,
    means: FloatArray,
) -> None:
    """Fit one gene by damped Newton steps; coefficients and means are written in place.

    A step is taken if the deviance does not rise, else the damping doubles; after a step taken at
    once it falls to a tenth. The fit ends when score times step is below the tolerance.
    """
    _means(beta, offset, design, means)
    deviance = _deviance(counts, means, dispersion)
    tried_means, damping, largest = np.empty(len(counts)), 0.0, -1.0
    for step in range(MOST_STEPS):
        score, information = _slope(counts, means, dispersion, design)
        largest = max(largest, np.diag(information).max())
        if step == 0:
            damping = max(largest * 1e-6, 1e-13)
        tries = 0
        while True:
            tries += 1
            change = np.linalg.solve(information + damping * np.eye(len(beta)), score)
            _means(beta + change, offset, design, tried_means)
            tried = _deviance(counts, tried_means, dispersion)
            is_exact = tried / counts.max() < 1e-13
            if tried <= deviance or is_exact:
                beta += change
                means[:], deviance = tried_means, tried
                break
            damping *= 2.0
            if damping / largest > 1e13:
                return
        if is_exact or (score * change).sum() < TOLERANCE:
            return
        if tries == 1:
            damping /= 10.0
