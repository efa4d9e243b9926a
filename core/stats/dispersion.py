"""DESeq2's dispersion trend a1 / mean + a0, and the transformation that it implies.

Each gene's dispersion: where its Cox-Reid adjusted likelihood is largest, as DESeq2 finds it. The
likelihood is flat for many genes of small studies, so what a search returns depends on where it
begins and when it stops. Start, steps and stops are therefore DESeq2's: steps along the slope
accepted by Armijo's rule, ended by a gain below 1e-6; a search that ends at its first step, or does
not end, is replaced by the best point of a grid and of a finer grid around it.

Near the top such decisions hang on the eleventh digit of the likelihood. It is therefore computed
as its distance to a Poisson model's saturated one, where no large terms cancel.

The dispersion trend by local regression, for data that no parametric curve fits. Local quadratics
of log dispersion over log mean, seven tenths of the genes near each point, weighted by the mean;
fitted at a few points that halve the range until they lie closer than four fifths of their
bandwidth, with cubics between them, as locfit evaluates it.

The prior variance of log dispersions around their trend.

References:
    Anders, Huber 2010, doi 10.1186/gb-2010-11-10-r106; Love, Huber, Anders 2014, doi
    10.1186/s13059-014-0550-8; Cox, Reid 1987, doi 10.1111/j.2517-6161.1987.tb01422.x; Armijo 1966,
    doi 10.2140/pjm.1966.16.1; Loader 1999, doi 10.1007/b98858, chapters 2 and 12; Love, Huber,
    Anders 2014, doi 10.1186/s13059-014-0550-8, "Empirical Bayes shrinkage of dispersion estimates";
    Cleveland, Devlin 1988, doi 10.1080/01621459.1988.10478639 (loess).
"""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy.special import polygamma

from core.errors import DidNotConverge
from core.stats.compiled import compiled, factorize, gamma_rest, invert, weigh
from core.stats.fit import BoolArray, FloatArray, IntArray

START = (0.1, 1.0)
"""a0 and a1 with which the fit begins."""
SMALLEST_USED = 1e-6
"""Gene-wise dispersions below this say nothing about the trend."""
_RATIO_LOW, _RATIO_HIGH = 1e-4, 15.0
_CHANGE = 1e-6
_SETTLED = 1e-8
_ROUNDS, _STEPS = 10, 50


class TrendCurve(Protocol):
    """Dispersion over the mean, whatever its form."""

    def at(self, mean: FloatArray) -> FloatArray:
        """Return the dispersion expected at a mean normalized count."""


@dataclass(frozen=True)
class DispersionTrend:
    """The curve a1 / mean + a0."""

    a0: float
    a1: float

    def at(self, mean: FloatArray) -> FloatArray:
        """Return the dispersion expected at a mean normalized count."""
        return self.a0 + self.a1 / mean


def fit_trend(mean: FloatArray, dispersion: FloatArray) -> DispersionTrend:
    """Fit a1 / mean + a0 to gene-wise dispersions, leaving out genes far from the curve.

    Args:
        mean: Mean normalized count of each gene, above 0.
        dispersion: Gene-wise dispersion of each gene.

    Returns:
        The curve.

    Raises:
        DidNotConverge: No curve with positive coefficients fits.
    """
    used = dispersion > SMALLEST_USED
    if not used.any():
        raise DidNotConverge("No gene varies more than Poisson counts do.")
    order = np.lexsort((dispersion[used], mean[used]))
    mean, dispersion = mean[used][order], dispersion[used][order]
    coefficients = np.array(START)
    for _ in range(_ROUNDS):
        ratio = dispersion / (coefficients[0] + coefficients[1] / mean)
        is_near = (ratio > _RATIO_LOW) & (ratio < _RATIO_HIGH)
        previous = coefficients
        coefficients = _fit_gamma(mean, dispersion, is_near, previous)
        if np.sum(np.log(coefficients / previous) ** 2) < _CHANGE:
            return DispersionTrend(float(coefficients[0]), float(coefficients[1]))
    raise DidNotConverge("The dispersion trend did not settle.")


def _fit_gamma(
    mean: FloatArray, dispersion: FloatArray, is_near: BoolArray, start: FloatArray
) -> FloatArray:
    """Fit a gamma GLM with identity link by iteratively reweighted least squares."""
    columns = np.column_stack([np.ones(int(is_near.sum())), 1.0 / mean[is_near]])
    target = dispersion[is_near]
    coefficients = start
    fitted = columns @ coefficients
    deviance = _measure_deviance(target, fitted)
    for _ in range(_STEPS):
        solved = np.linalg.lstsq(columns / fitted[:, None], target / fitted)[0]
        coefficients = solved.astype(np.float64)
        if not (coefficients > 0).all():
            raise DidNotConverge("The dispersion trend has no positive coefficients.")
        fitted = columns @ coefficients
        before, deviance = deviance, _measure_deviance(target, fitted)
        if abs(before - deviance) / (abs(deviance) + 0.1) < _SETTLED:
            break
    return coefficients


def _measure_deviance(target: FloatArray, fitted: FloatArray) -> float:
    """Return the gamma deviance; of the start too, so that a good start ends after one step."""
    return float(2 * np.sum(target / fitted - 1 + np.log(fitted / target)))


def stabilize_variance(normalized: FloatArray, trend: DispersionTrend) -> FloatArray:
    """Transform normalized counts so that their variance hardly depends on the mean (vst).

    Args:
        normalized: Counts over size factors, genes x samples.
        trend: Dispersion trend of the data.

    Returns:
        Values near log2 counts, genes x samples.
    """
    a0, a1 = trend.a0, trend.a1
    root = np.sqrt(a0 * normalized * (1 + a1 + a0 * normalized))
    scaled = (1 + a1 + 2 * a0 * normalized + 2 * root) / (4 * a0)
    return np.asarray(np.log2(scaled), dtype=np.float64)


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


_NEAR = 0.7
_CLOSE = 0.8
_USED_FROM = 10 * LOWEST


@dataclass(frozen=True)
class LocalTrend:
    """Log dispersion over log mean at a few points, with slopes; cubics join them."""

    points: FloatArray
    values: FloatArray
    slopes: FloatArray

    def at(self, mean: FloatArray) -> FloatArray:
        """Return the dispersion expected at a mean normalized count."""
        logs = np.log(mean)
        points = self.points
        left = np.clip(np.searchsorted(points, logs, side="right") - 1, 0, len(points) - 2)
        width = points[left + 1] - points[left]
        share = (logs - points[left]) / width
        value = (1 + 2 * share) * (1 - share) ** 2 * self.values[left]
        value += share * (1 - share) ** 2 * width * self.slopes[left]
        value += share**2 * (3 - 2 * share) * self.values[left + 1]
        value += share**2 * (share - 1) * width * self.slopes[left + 1]
        return np.asarray(np.exp(value), dtype=np.float64)


@dataclass(frozen=True)
class _Genes:
    """Log means, log dispersions and weights of the genes that are fitted."""

    x: FloatArray
    y: FloatArray
    weight: FloatArray

    def fit(self, point: float) -> tuple[float, float, float]:
        """Return value, slope and bandwidth of the local quadratic at a point."""
        distance = np.abs(self.x - point)
        n_near = max(1, int(len(distance) * _NEAR))
        reach = float(np.partition(distance, n_near - 1)[n_near - 1]) or 1.0
        kernel = np.clip(1 - (distance / reach) ** 3, 0.0, None) ** 3
        root = np.sqrt(kernel * self.weight)
        columns = np.vander(self.x - point, 3, increasing=True) * root[:, None]
        solved = np.linalg.lstsq(columns, self.y * root)[0]
        return float(solved[0]), float(solved[1]), reach


def fit_local_trend(mean: FloatArray, dispersion: FloatArray) -> LocalTrend:
    """Fit log dispersion over log mean.

    Args:
        mean: Mean normalized count of each gene, above 0.
        dispersion: Gene-wise dispersion of each gene; at least two above 1e-7.
    """
    used = dispersion >= _USED_FROM
    order = np.lexsort((dispersion[used], mean[used]))
    x = np.log(mean[used])[order]
    genes = _Genes(x, np.log(dispersion[used])[order], mean[used][order])
    low, high = float(x[0]), float(x[-1])
    if low == high:
        high = low + 1.0
    fits = {point: genes.fit(point) for point in (low, high)}
    intervals = [(low, high)]
    while intervals:
        left, right = intervals.pop()
        if right - left > _CLOSE * min(fits[left][2], fits[right][2]):
            middle = (left + right) / 2
            fits[middle] = genes.fit(middle)
            intervals += [(left, middle), (middle, right)]
    points = sorted(fits)
    values, slopes, _ = np.array([fits[point] for point in points]).T
    return LocalTrend(np.array(points), values, slopes)


SMALLEST = 0.25
DRAWS = Path(__file__).with_name("prior_draws.csv")
"""Histograms of R's own draws for 1 to 3 degrees of freedom; made by `prior_draws.R` in this
folder.
"""
_MAD_SCALE = 1.4826
_MOST_FREEDOM_SIMULATED = 3
_RANGE = 10.0
_BINS = np.arange(-20, 21) / 2.0
_WIDTH = 0.5
_VARIANCES = np.linspace(0.0, 8.0, 200)
_FINE = np.linspace(0.0, 8.0, 1000)
_SPAN = 0.2
_CELL = 0.2
_MARGIN = 0.005


def measure_spread(residuals: FloatArray) -> float:
    """Return the variance of log residuals by their median absolute deviation."""
    if len(residuals) == 0:
        return 0.0
    return float((_MAD_SCALE * np.median(np.abs(residuals - np.median(residuals)))) ** 2)


def estimate_prior_variance(residuals: FloatArray, freedom: int) -> float:
    """Return the variance of true log dispersions around the trend.

    With more than three residual degrees of freedom the sampling variance is subtracted from the
    observed one. With fewer, log dispersions are far from normal: the variance is the one whose
    simulated distribution, log chi-square plus normal, comes nearest to the residuals.

    Args:
        residuals: Log gene-wise dispersion minus log trend, of genes that say something.
        freedom: Samples minus coefficients.
    """
    if len(residuals) == 0:
        return SMALLEST
    if freedom > _MOST_FREEDOM_SIMULATED:
        sampling = float(polygamma(1, freedom / 2))
        return max(measure_spread(residuals) - sampling, SMALLEST)
    inside = residuals[np.abs(residuals) < _RANGE]
    if len(inside) == 0:
        return SMALLEST
    counted = np.histogram(-inside, bins=-_BINS[::-1])[0][::-1]
    observed = np.asarray(counted / counted.sum() / _WIDTH, dtype=np.float64)
    divergence = np.array([_diverge(observed, drawn) for drawn in _load_draws()[freedom]])
    return max(float(_FINE[int(np.argmin(_smooth(divergence)))]), SMALLEST)


@cache
def _load_draws() -> dict[int, FloatArray]:
    """Return the simulated densities by degrees of freedom, variances x bins."""
    table = np.loadtxt(DRAWS, delimiter=",", skiprows=1)
    counted = {df: table[table[:, 0] == df, 1:] for df in range(1, _MOST_FREEDOM_SIMULATED + 1)}
    return {df: rows / rows.sum(axis=1, keepdims=True) / _WIDTH for df, rows in counted.items()}


def _diverge(observed: FloatArray, drawn: FloatArray) -> float:
    """Return the Kullback-Leibler divergence; the least density stands in for none."""
    both = np.concatenate([observed, drawn])
    least = both[both > 0].min()
    return float(np.sum(observed * (np.log(observed + least) - np.log(drawn + least))))


def _smooth(divergence: FloatArray) -> FloatArray:
    """Return the divergence at `_FINE` by loess, as R computes it.

    Local quadratics are fitted at the corners of cells that halve the points until few are left;
    between corners a cubic joins values and slopes.
    """
    corners = _find_corners()
    fits = np.array([_fit_near(point, divergence) for point in corners])
    left = np.clip(np.searchsorted(corners, _FINE, side="right") - 1, 0, len(corners) - 2)
    width = corners[left + 1] - corners[left]
    at = (_FINE - corners[left]) / width
    value, slope = fits[:, 0], fits[:, 1]
    from_left = (1 + 2 * at) * value[left] + at * width * slope[left]
    from_right = (3 - 2 * at) * value[left + 1] + (at - 1) * width * slope[left + 1]
    return np.asarray((1 - at) ** 2 * from_left + at**2 * from_right, dtype=np.float64)


def _find_corners() -> FloatArray:
    """Return the corners of the cells, in order."""
    few = int(len(_VARIANCES) * _SPAN * _CELL)
    margin = _MARGIN * (_VARIANCES[-1] - _VARIANCES[0])
    corners = [_VARIANCES[0] - margin, _VARIANCES[-1] + margin]
    cells = [(0, len(_VARIANCES))]
    while cells:
        start, end = cells.pop()
        if end - start > few:
            middle = (start + end + 1) // 2
            corners.append(_VARIANCES[middle - 1])
            cells += [(start, middle), (middle, end)]
    return np.sort(np.array(corners))


def _fit_near(point: float, divergence: FloatArray) -> tuple[float, float]:
    """Return value and slope of a local quadratic over a fifth of the points."""
    distance = np.abs(_VARIANCES - point)
    reach = np.sort(distance)[int(len(_VARIANCES) * _SPAN) - 1]
    weight = np.sqrt(np.clip(1 - (distance / reach) ** 3, 0.0, None) ** 3)
    columns = np.vander(_VARIANCES - point, 3, increasing=True) * weight[:, None]
    solved = np.linalg.lstsq(columns, divergence * weight)[0]
    return float(solved[0]), float(solved[1])
