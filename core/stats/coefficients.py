"""Coefficients of a negative binomial model with log link, gene by gene, as DESeq2 fits them.

Iteratively reweighted least squares with a ridge that is too small to matter where counts say
anything, from the least-squares fit of log counts, until the deviance settles to 1e-8. Genes that
do not settle get a quasi-Newton search between -30 and 30 (log2).

Shrunken log2 fold changes: the mode of the posterior under a heavy-tailed prior. Changes that the
counts hardly support are drawn to 0, strong ones stay. Tests and cut-offs use the unshrunken
values; these serve for ranking and drawing.

References:
    Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8; Park 2006 (ridge), in its methods; Zhu,
    Ibrahim, Love 2019, doi 10.1093/bioinformatics/bty895; Efron, Morris 1975, doi
    10.1080/01621459.1975.10479864 (scale of the prior).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import gammaln

from core.stats.compiled import compiled, factorize, invert, log_gamma, solve, weigh
from core.stats.dispersion import LEAST_MEAN
from core.stats.fit import BoolArray, FloatArray, IntArray

LN2 = float(np.log(2.0))
PRECISION = 1e-6
"""Of the normal prior on log2 coefficients: the ridge."""
RIDGE = PRECISION / LN2**2
_TOLERANCE = 1e-8
_MOST_STEPS = 100
_LARGEST = 30.0
_PSEUDO_COUNT = 0.1


@dataclass(frozen=True)
class Coefficients:
    """Natural-log coefficients, genes x p, and their standard errors."""

    values: FloatArray
    errors: FloatArray


def fit_coefficients(
    counts: IntArray, size_factors: FloatArray, design: FloatArray, dispersion: FloatArray
) -> Coefficients:
    """Fit every gene.

    Args:
        counts: Genes x samples.
        size_factors: One a sample.
        design: Samples x p.
        dispersion: One a gene.
    """
    orthogonal, triangular = np.linalg.qr(design)
    start = np.empty((len(counts), design.shape[1]))
    step = max(1, 1_000_000 // counts.shape[1])
    for first in range(0, len(counts), step):
        logs = np.log(counts[first : first + step] / size_factors + _PSEUDO_COUNT)
        start[first : first + step] = np.linalg.solve(triangular, (logs @ orthogonal).T).T
    values = start.copy()
    settled = _iterate(counts, size_factors, design, dispersion, values)
    errors = _measure_errors(counts, size_factors, design, dispersion, values, LEAST_MEAN)
    usable = np.isfinite(values).all(axis=1) & (errors > 0).all(axis=1)
    for gene in np.flatnonzero(~settled | ~usable):
        row = slice(gene, gene + 1)
        is_settled = (
            np.isfinite(values[gene]).all() and (np.abs(values[gene]) < _LARGEST * LN2).all()
        )
        begin = values[gene] if is_settled else start[gene]
        values[gene] = _minimize(counts[gene], size_factors, design, dispersion[gene], begin)
        errors[row] = _measure_errors(
            counts[row], size_factors, design, dispersion[row], values[row], 0.0
        )
    return Coefficients(values, errors)


@compiled
def _iterate(
    counts: IntArray,
    size_factors: FloatArray,
    design: FloatArray,
    dispersion: FloatArray,
    beta: FloatArray,
) -> BoolArray:
    """Improve `beta` in place and return whether each gene settled."""
    n_genes, n_samples = counts.shape
    n_columns = design.shape[1]
    settled = np.zeros(n_genes, dtype=np.bool_)
    mu, weights = np.empty(n_samples), np.empty(n_samples)
    information, target = np.empty((n_columns, n_columns)), np.empty(n_columns)
    for gene in range(n_genes):
        alpha, before = dispersion[gene], 0.0
        constant = _constant(counts[gene], alpha)
        _predict(size_factors, design, beta[gene], LEAST_MEAN, mu)
        for step in range(_MOST_STEPS):
            target[:] = 0.0
            for sample in range(n_samples):
                mean = mu[sample]
                weights[sample] = mean / (1.0 + alpha * mean)
                working = math.log(mean / size_factors[sample]) + counts[gene, sample] / mean - 1.0
                for column in range(n_columns):
                    target[column] += design[sample, column] * weights[sample] * working
            weigh(design, weights, information)
            for column in range(n_columns):
                information[column, column] += RIDGE
            if math.isnan(factorize(information)):
                break
            solve(information, target)
            beta[gene] = target
            if np.abs(target).max() > _LARGEST:
                break
            _predict(size_factors, design, target, LEAST_MEAN, mu)
            deviance = constant + _deviance(counts[gene], mu, alpha)
            change = abs(deviance - before) / (abs(deviance) + 0.1)
            if math.isnan(change):
                break
            if step > 0 and change < _TOLERANCE:
                settled[gene] = True
                break
            before = deviance
    return settled


@compiled
def _predict(
    size_factors: FloatArray, design: FloatArray, beta: FloatArray, least: float, mu: FloatArray
) -> None:
    """Write the means of one gene into `mu`, none below `least`."""
    for sample in range(len(mu)):
        fitted = 0.0
        for column in range(len(beta)):
            fitted += design[sample, column] * beta[column]
        mu[sample] = max(size_factors[sample] * math.exp(fitted), least)


@compiled
def _constant(counts: IntArray, alpha: float) -> float:
    """Return the part of the deviance that depends on counts and dispersion alone."""
    size = 1.0 / alpha
    of_size = log_gamma(size)
    total = 0.0
    for sample in range(len(counts)):
        if counts[sample] > 0:
            total += log_gamma(counts[sample] + size) - of_size - log_gamma(counts[sample] + 1.0)
    return -2.0 * total


@compiled
def _deviance(counts: IntArray, mu: FloatArray, alpha: float) -> float:
    """Return the part of the deviance that depends on the means."""
    size = 1.0 / alpha
    total = 0.0
    for sample in range(len(mu)):
        total -= size * math.log1p(mu[sample] * alpha)
        if counts[sample] > 0:
            total += counts[sample] * math.log(mu[sample] / (mu[sample] + size))
    return -2.0 * total


@compiled
def _measure_errors(  # noqa: PLR0913, PLR0917 (compiled code takes plain arrays)
    counts: IntArray,
    size_factors: FloatArray,
    design: FloatArray,
    dispersion: FloatArray,
    beta: FloatArray,
    least: float,
) -> FloatArray:
    """Return standard errors by the sandwich of ridge and information, genes x p."""
    n_genes, n_samples = counts.shape
    n_columns = design.shape[1]
    errors = np.full((n_genes, n_columns), np.nan)
    mu, weights = np.empty(n_samples), np.empty(n_samples)
    information, ridged = np.empty((n_columns, n_columns)), np.empty((n_columns, n_columns))
    inverse = np.empty((n_columns, n_columns))
    for gene in range(n_genes):
        _predict(size_factors, design, beta[gene], least, mu)
        for sample in range(n_samples):
            weights[sample] = mu[sample] / (1.0 + dispersion[gene] * mu[sample])
        weigh(design, weights, information)
        ridged[:, :] = information
        for column in range(n_columns):
            ridged[column, column] += RIDGE
        if math.isnan(factorize(ridged)):
            continue
        invert(ridged, inverse)
        for column in range(n_columns):
            variance = 0.0
            for row in range(n_columns):
                for other in range(n_columns):
                    term = inverse[column, row] * information[row, other]
                    variance += term * inverse[column, other]
            errors[gene, column] = math.sqrt(variance)
    return errors


@compiled
def measure_leverage(
    size_factors: FloatArray, design: FloatArray, dispersion: FloatArray, beta: FloatArray
) -> FloatArray:
    """Return the diagonal of the hat matrix, genes x samples."""
    n_genes, n_columns = beta.shape
    n_samples = len(size_factors)
    leverage = np.full((n_genes, n_samples), np.nan)
    mu, weights = np.empty(n_samples), np.empty(n_samples)
    information, inverse = np.empty((n_columns, n_columns)), np.empty((n_columns, n_columns))
    for gene in range(n_genes):
        _predict(size_factors, design, beta[gene], LEAST_MEAN, mu)
        for sample in range(n_samples):
            weights[sample] = mu[sample] / (1.0 + dispersion[gene] * mu[sample])
        weigh(design, weights, information)
        for column in range(n_columns):
            information[column, column] += RIDGE
        if math.isnan(factorize(information)):
            continue
        invert(information, inverse)
        for sample in range(n_samples):
            total = 0.0
            for row in range(n_columns):
                for column in range(n_columns):
                    term = design[sample, row] * inverse[row, column]
                    total += term * design[sample, column]
            leverage[gene, sample] = total * weights[sample]
    return leverage


def _minimize(
    counts: IntArray, size_factors: FloatArray, design: FloatArray, alpha: float, start: FloatArray
) -> FloatArray:
    """Return one gene's natural-log coefficients by a bounded quasi-Newton search on log2."""
    size = 1.0 / alpha
    constant = float(np.sum(gammaln(counts + size) - gammaln(size) - gammaln(counts + 1.0)))

    def loss(log2_beta: FloatArray) -> float:
        mu = size_factors * np.exp2(design @ log2_beta)
        terms = counts * np.log(mu / (mu + size)) - size * np.log1p(mu * alpha)
        value = -(constant + terms.sum()) + PRECISION / 2 * np.sum(log2_beta**2)
        return float(value) if np.isfinite(value) else 1e300

    bounds = [(-_LARGEST, _LARGEST)] * len(start)
    begin = np.clip(start / LN2, -_LARGEST, _LARGEST)
    fit = minimize(loss, begin, method="L-BFGS-B", bounds=bounds)
    return np.asarray(fit.x, dtype=np.float64) * LN2


_NARROWEST, _WIDEST = 1e-6, 400.0
_LARGEST_SCALE = 1.0
_OTHERS_VARIANCE = 225.0
"""Of the normal prior on the other coefficients (standard deviation 15, natural log)."""
_MOST_MODE_STEPS = 100
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
            for _ in range(_MOST_MODE_STEPS):
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
