"""Shrunken log2 fold changes: the mode of the posterior under a heavy-tailed prior.

Changes that the counts hardly support are drawn to 0, strong ones stay. Tests and cut-offs use
the unshrunken values; these serve for ranking and drawing.

References:
    Zhu, Ibrahim, Love 2019, doi 10.1093/bioinformatics/bty895; Efron, Morris 1975,
    doi 10.1080/01621459.1975.10479864 (scale of the prior).
"""

import math

import numpy as np
from scipy.optimize import brentq

from core.stats.coefficients import LN2
from core.stats.compiled import compiled, factorize, solve, weigh
from core.stats.fit import BoolArray, FloatArray, IntArray

_NARROWEST, _WIDEST = 1e-6, 400.0
_LARGEST_SCALE = 1.0
_OTHERS_VARIANCE = 225.0
"""Of the normal prior on the other coefficients (standard deviation 15, natural log)."""
_MOST_STEPS = 100
_SETTLED = 1e-10
_HALVINGS = 40
_FARTHEST = 60.0
"""A coefficient beyond this (natural log) means no count at all or more than any."""


def estimate_scale(log_fc: FloatArray, error: FloatArray) -> float:
    """Return the scale of the Cauchy prior on natural-log fold changes.

    Args:
        log_fc: Maximum-likelihood values.
        error: Their standard errors.
    """
    is_known = np.isfinite(log_fc) & np.isfinite(error)
    excess, noise = log_fc[is_known] ** 2 - error[is_known] ** 2, error[is_known] ** 2

    def gap(variance: float) -> float:
        weight = 1.0 / (variance + noise) ** 2
        return float(np.sum(weight * excess) / np.sum(weight) - variance)

    if not is_known.any() or gap(_NARROWEST) < 0:
        return math.sqrt(_NARROWEST)
    if gap(_WIDEST) > 0:
        return _LARGEST_SCALE
    return min(math.sqrt(brentq(gap, _NARROWEST, _WIDEST, xtol=1e-12)), _LARGEST_SCALE)


def shrink_changes(  # noqa: PLR0913, PLR0917 (the fit's parts, passed without packing)
    counts: IntArray,
    size_factors: FloatArray,
    design: FloatArray,
    dispersion: FloatArray,
    log_beta: FloatArray,
    error: FloatArray,
) -> FloatArray:
    """Return the shrunken log2 fold change of the last coefficient, NaN where there is no fit.

    Args:
        counts: Genes x samples.
        size_factors: One a sample.
        design: Samples x p.
        dispersion: One a gene.
        log_beta: Maximum-likelihood coefficients, natural log, genes x p.
        error: Standard errors of the last one, natural log.
    """
    scale = estimate_scale(log_beta[:, -1], error)
    changes = np.full(len(counts), np.nan)
    finite = np.flatnonzero(np.isfinite(log_beta).all(axis=1))
    given = counts[finite], size_factors, design, dispersion[finite]
    beta = np.ascontiguousarray(log_beta[finite])
    log_fc = beta[:, -1]
    # Two modes: within its scale the prior is log-concave; far from it, strong counts outweigh it.
    penalty = np.log1p((log_fc / scale) ** 2)
    weak = (log_fc / error[finite]) ** 2 / 2 < 2 * penalty + 2
    is_bimodal = np.asarray((np.abs(log_fc) > scale) & weak, dtype=np.bool_)
    changes[finite] = _find_modes(*given, beta, scale, is_bimodal)
    return changes / LN2


@compiled
def _objective(  # noqa: PLR0913, PLR0917 (one gene's arrays, passed without packing)
    counts: IntArray,
    size_factors: FloatArray,
    design: FloatArray,
    alpha: float,
    scale: float,
    beta: FloatArray,
    mu: FloatArray,
) -> float:
    """Return the negative log posterior, up to a constant, and write the means."""
    size, loss = 1.0 / alpha, 0.0
    for sample in range(len(mu)):
        fitted = 0.0
        for column in range(len(beta)):
            fitted += design[sample, column] * beta[column]
        if abs(fitted) > 2.0 * _FARTHEST:
            return np.inf
        mu[sample] = size_factors[sample] * math.exp(fitted)
        if counts[sample] > 0:
            loss -= counts[sample] * (fitted - math.log(mu[sample] + size))
        loss += size * math.log1p(mu[sample] * alpha)
    for column in range(len(beta) - 1):
        loss += beta[column] ** 2 / (2.0 * _OTHERS_VARIANCE)
    return loss + math.log1p((beta[-1] / scale) ** 2)


@compiled
def _direction(  # noqa: PLR0913, PLR0917 (one gene's arrays, passed without packing)
    counts: IntArray,
    design: FloatArray,
    alpha: float,
    scale: float,
    beta: FloatArray,
    mu: FloatArray,
    curvature: FloatArray,
    step: FloatArray,
) -> None:
    """Write Newton's step; where the posterior is not concave, that of a concave stand-in."""
    n_samples, n_columns = design.shape
    last, square = n_columns - 1, scale * scale + beta[-1] * beta[-1]
    weights = np.empty(n_samples)
    for is_exact in (True, False):
        step[:] = 0.0
        for sample in range(n_samples):
            grown = 1.0 + alpha * mu[sample]
            share = 1.0 + alpha * counts[sample] if is_exact else grown
            weights[sample] = mu[sample] * share / (grown * grown)
            for column in range(n_columns):
                residual = (counts[sample] - mu[sample]) / grown
                step[column] += design[sample, column] * residual
        weigh(design, weights, curvature)
        for column in range(last):
            step[column] -= beta[column] / _OTHERS_VARIANCE
            curvature[column, column] += 1.0 / _OTHERS_VARIANCE
        step[last] -= 2.0 * beta[last] / square
        bend = scale * scale - beta[last] * beta[last]
        curvature[last, last] += 2.0 * bend / (square * square) if is_exact else 2.0 / square
        if not math.isnan(factorize(curvature)):
            break
    solve(curvature, step)


@compiled
def _find_modes(  # noqa: PLR0913, PLR0917 (compiled code takes plain arrays)
    counts: IntArray,
    size_factors: FloatArray,
    design: FloatArray,
    dispersion: FloatArray,
    log_beta: FloatArray,
    scale: float,
    is_bimodal: BoolArray,
) -> FloatArray:
    """Return the last coefficient at the posterior's mode, one a gene."""
    n_genes, n_columns = log_beta.shape
    mu, proposed = np.empty(len(size_factors)), np.empty(n_columns)
    curvature, step = np.empty((n_columns, n_columns)), np.empty(n_columns)
    modes = np.empty(n_genes)
    for gene in range(n_genes):
        best, given = np.inf, (counts[gene], size_factors, design, dispersion[gene], scale)
        for begin in range(2 if is_bimodal[gene] else 1):
            beta = log_beta[gene].copy()
            if begin == 1:
                beta[-1] = 0.0
            loss = _objective(*given, beta, mu)
            for _ in range(_MOST_STEPS):
                _direction(counts[gene], design, dispersion[gene], scale, beta, mu, curvature, step)
                length, gain = 1.0, 0.0
                for _halving in range(_HALVINGS):
                    proposed[:] = beta + length * step
                    new = _objective(*given, proposed, mu)
                    gain = loss - new
                    if gain >= 0.0:
                        break
                    length *= 0.5
                if not gain > 0.0:
                    break
                beta[:] = proposed
                loss = new
                if np.abs(length * step).max() < _SETTLED:
                    break
            if loss < best - 1e-9:
                best, modes[gene] = loss, beta[-1]
    return modes
