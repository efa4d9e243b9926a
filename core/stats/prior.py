"""The prior variance of log dispersions around their trend.

References:
    Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8, "Empirical Bayes shrinkage of
    dispersion estimates"; Cleveland, Devlin 1988, doi 10.1080/01621459.1988.10478639 (loess).
"""

from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import polygamma

from core.stats.fit import FloatArray

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
    observed = _count_bins(inside)
    divergence = np.array([_diverge(observed, drawn) for drawn in _load_draws()[freedom]])
    return max(float(_FINE[int(np.argmin(_smooth(divergence)))]), SMALLEST)


@cache
def _load_draws() -> dict[int, FloatArray]:
    """Return the simulated densities by degrees of freedom, variances x bins."""
    table = np.loadtxt(DRAWS, delimiter=",", skiprows=1)
    counted = {df: table[table[:, 0] == df, 1:] for df in range(1, _MOST_FREEDOM_SIMULATED + 1)}
    return {df: rows / rows.sum(axis=1, keepdims=True) / _WIDTH for df, rows in counted.items()}


def _count_bins(values: FloatArray) -> FloatArray:
    """Return the density in bins that are closed on the right, as R's histograms are."""
    counted = np.histogram(-values, bins=-_BINS[::-1])[0][::-1]
    return np.asarray(counted / counted.sum() / _WIDTH, dtype=np.float64)


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
