"""Each gene's dispersion: where its Cox-Reid adjusted likelihood is largest, as DESeq2 finds it.

The likelihood is flat for many genes of small studies, so what a search returns depends on where
it begins and when it stops. Start, steps and stops are therefore DESeq2's: steps along the slope
accepted by Armijo's rule, ended by a gain below 1e-6; a search that ends at its first step, or
does not end, is replaced by the best point of a grid and of a finer grid around it.

Near the top such decisions hang on the eleventh digit of the likelihood. It is therefore computed
as its distance to a Poisson model's saturated one, where no large terms cancel.

References:
    Cox, Reid 1987, doi 10.1111/j.2517-6161.1987.tb01422.x; Armijo 1966,
    doi 10.2140/pjm.1966.16.1; Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8.
"""

import math

import numpy as np

from core.stats.compiled import compiled, factorize, gamma_rest, invert, weigh
from core.stats.fit import FloatArray, IntArray

LOWEST = 1e-8
"""Smallest dispersion."""
LEAST_MEAN = 0.5
"""Fitted means below this count as this."""
_GAIN = 1e-6
_SHARE = 1e-4
_MOST_STEPS = 100
_NO_GAIN = 1e-6
_FLOOR, _CEILING = -30.0, 10.0
_GRID = 20


@compiled
def _near(count: float, mean: float, size: float, alpha: float) -> float:
    """Return one count's log likelihood plus its mean, without Stirling's rests."""
    if count <= 0:
        return mean - size * math.log1p(mean * alpha)
    off = (count - mean) / (mean + size)
    return (mean + size) * ((1.0 + off) * math.log1p(off) - off)


@compiled
def adjusted_likelihood(  # noqa: PLR0913, PLR0917 (one gene's arrays, passed without packing)
    log_alpha: float,
    counts: IntArray,
    mu: FloatArray,
    design: FloatArray,
    prior_mean: float,
    prior_variance: float,
    weights: FloatArray,
    information: FloatArray,
) -> float:
    """Return the adjusted log likelihood plus the sum of the means (no dispersion changes that).

    Args:
        log_alpha: Log dispersion.
        counts: One a sample.
        mu: Fitted mean of each sample.
        design: Samples x p.
        prior_mean: Log of the trend.
        prior_variance: Variance of log dispersion around the trend; 0: there is no prior.
        weights: Room for one number a sample.
        information: Room for p x p.
    """
    alpha = math.exp(log_alpha)
    size = 1.0 / alpha
    of_size = gamma_rest(size)[0]
    value = 0.0
    for sample in range(len(mu)):
        count = float(counts[sample])
        value += _near(count, mu[sample], size, alpha)
        if count > 0:
            remainder, _, log_x = gamma_rest(count + size)
            value += remainder - of_size - 0.5 * (log_x + log_alpha)
        weights[sample] = 1.0 / (1.0 / mu[sample] + alpha)
    weigh(design, weights, information)
    value -= 0.5 * factorize(information)
    if prior_variance > 0:
        value -= (log_alpha - prior_mean) ** 2 / (2.0 * prior_variance)
    return value


@compiled
def evaluate(  # noqa: PLR0913, PLR0917 (one gene's arrays, passed without packing)
    log_alpha: float,
    counts: IntArray,
    mu: FloatArray,
    design: FloatArray,
    prior_mean: float,
    prior_variance: float,
    weights: FloatArray,
    information: FloatArray,
    inverse: FloatArray,
) -> tuple[float, float]:
    """Return `adjusted_likelihood` and its derivative by log dispersion."""
    alpha = math.exp(log_alpha)
    size = 1.0 / alpha
    of_size, base, _ = gamma_rest(size)
    value = by_size = 0.0
    for sample in range(len(mu)):
        count = float(counts[sample])
        by_size -= math.log(1.0 + mu[sample] * alpha) + (count - mu[sample]) / (mu[sample] + size)
        value += _near(count, mu[sample], size, alpha)
        if count > 0:
            remainder, slope, log_x = gamma_rest(count + size)
            value += remainder - of_size - 0.5 * (log_x + log_alpha)
            by_size += slope - base
        weights[sample] = 1.0 / (1.0 / mu[sample] + alpha)
    weigh(design, weights, information)
    value -= 0.5 * factorize(information)
    invert(information, inverse)
    for sample in range(len(mu)):
        weights[sample] *= weights[sample]
    weigh(design, weights, information)
    curvature = 0.0
    for row in range(len(inverse)):
        for column in range(len(inverse)):
            curvature += inverse[row, column] * information[column, row]
    slope = -size * by_size + 0.5 * alpha * curvature
    if prior_variance > 0:
        value -= (log_alpha - prior_mean) ** 2 / (2.0 * prior_variance)
        slope -= (log_alpha - prior_mean) / prior_variance
    return value, slope


@compiled
def _search(  # noqa: PLR0913, PLR0917 (one gene's arrays, passed without packing)
    start: float,
    counts: IntArray,
    mu: FloatArray,
    design: FloatArray,
    prior_mean: float,
    prior_variance: float,
    weights: FloatArray,
    information: FloatArray,
    inverse: FloatArray,
) -> tuple[float, bool, int]:
    """Return where the search ends, whether it gained anything, and its number of steps."""
    at = start
    gene = (counts, mu, design, prior_mean, prior_variance, weights, information, inverse)
    value, slope = evaluate(at, *gene)
    first, stride, n_accepted, n_steps = value, 1.0, 0, 0
    while n_steps < _MOST_STEPS:
        n_steps += 1
        proposed = at + stride * slope
        if proposed < _FLOOR:
            stride = (_FLOOR - at) / slope
        elif proposed > _CEILING:
            stride = (_CEILING - at) / slope
        proposed = at + stride * slope
        proposed_value, next_slope = evaluate(proposed, *gene)
        if not proposed_value >= value + stride * _SHARE * slope * slope:
            stride *= 0.5
            continue
        n_accepted += 1
        at, gain = proposed, proposed_value - value
        if gain >= _GAIN and at < math.log(LOWEST / 10.0):
            break
        value = proposed_value
        if gain < _GAIN:
            break
        slope = next_slope
        stride = min(stride * 1.1, 1.0)
        if n_accepted % 5 == 0:
            stride *= 0.5
    return at, value >= first + abs(first - mu.sum()) * _NO_GAIN, n_steps


@compiled
def _scan(  # noqa: PLR0913, PLR0917 (one gene's arrays, passed without packing)
    highest: float,
    counts: IntArray,
    mu: FloatArray,
    design: FloatArray,
    prior_mean: float,
    prior_variance: float,
    weights: FloatArray,
    information: FloatArray,
) -> float:
    """Return the best point of a grid, then of one as fine between that point's neighbors."""
    low, high = math.log(LOWEST), math.log(highest)
    best = low
    for _ in range(2):
        step = (high - low) / (_GRID - 1)
        top = -np.inf
        for index in range(_GRID):
            point = low + index * step
            value = adjusted_likelihood(
                point, counts, mu, design, prior_mean, prior_variance, weights, information
            )
            if value > top:
                top, best = value, point
        low, high = best - step, best + step
    return best


@compiled
def find_dispersions(  # noqa: PLR0913, PLR0917 (compiled code takes plain arrays)
    counts: IntArray,
    size_factors: FloatArray,
    design: FloatArray,
    coefficients: FloatArray,
    is_linear: bool,
    start: FloatArray,
    trend: FloatArray,
    prior_variance: float,
) -> FloatArray:
    """Return the dispersion of each gene.

    Args:
        counts: Genes x samples.
        size_factors: One a sample.
        design: Samples x p.
        coefficients: Fitted means as genes x p, over size factors: linear or natural log.
        is_linear: Whether the coefficients give means, not log means.
        start: Dispersion at which the search begins.
        trend: Dispersion expected by the trend; without a prior anything above 0.
        prior_variance: Variance of log dispersion around the trend; 0 without a prior.
    """
    n_genes, n_samples = counts.shape
    n_columns = design.shape[1]
    highest = max(10.0, float(n_samples))
    mu, weights = np.empty(n_samples), np.empty(n_samples)
    information, inverse = np.empty((n_columns, n_columns)), np.empty((n_columns, n_columns))
    dispersions = np.empty(n_genes)
    for index in range(n_genes):
        for sample in range(n_samples):
            fitted = 0.0
            for column in range(n_columns):
                fitted += design[sample, column] * coefficients[index, column]
            fitted = fitted if is_linear else math.exp(fitted)
            mu[sample] = max(size_factors[sample] * fitted, LEAST_MEAN)
        gene = (counts[index], mu, design, math.log(trend[index]), prior_variance, weights)
        at, has_gained, n_steps = _search(math.log(start[index]), *gene, information, inverse)
        alpha, is_done = min(math.exp(at), highest), n_steps < _MOST_STEPS
        if prior_variance <= 0:
            alpha = alpha if has_gained else start[index]
            is_done = (is_done and n_steps > 1) or alpha <= 10.0 * LOWEST
        if not is_done:
            alpha = math.exp(_scan(highest, *gene, information))
        dispersions[index] = min(max(alpha, LOWEST), highest)
    return dispersions
