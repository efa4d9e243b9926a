"""Coefficients of a negative binomial model with log link, gene by gene, as DESeq2 fits them.

Iteratively reweighted least squares with a ridge that is too small to matter where counts say
anything, from the least-squares fit of log counts, until the deviance settles to 1e-8. Genes that
do not settle get a quasi-Newton search between -30 and 30 (log2).

References:
    Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8; Park 2006 (ridge), in its methods.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
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
