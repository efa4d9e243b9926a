"""The prior variance of log dispersions around their trend.

References:
    Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8, "Empirical Bayes shrinkage of
    dispersion estimates".
"""

import numpy as np
from scipy.special import polygamma
from scipy.stats import chi2, norm

from core.stats.fit import FloatArray

SMALLEST = 0.25
_MAD_SCALE = 1.4826
_MOST_FREEDOM_SIMULATED = 3
_RANGE = 10.0
_BINS = np.arange(-20, 21) / 2.0
_VARIANCES = np.linspace(0.0, 8.0, 200)
_FINE = np.linspace(0.0, 8.0, 1000)
_SPAN = 0.2
_NODES = 2000
_LEAST_DENSITY = 2e-4


def measure_spread(residuals: FloatArray) -> float:
    """Return the variance of log residuals by their median absolute deviation."""
    if len(residuals) == 0:
        return 0.0
    return float((_MAD_SCALE * np.median(np.abs(residuals - np.median(residuals)))) ** 2)


def estimate_prior_variance(residuals: FloatArray, freedom: int) -> float:
    """Return the variance of true log dispersions around the trend.

    With more than three residual degrees of freedom the sampling variance is subtracted from the
    observed one. With fewer, log dispersions are far from normal: the variance is the one whose
    expected distribution, log chi-square plus normal, comes nearest to the residuals.

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
    observed = np.histogram(inside, bins=_BINS, density=True)[0]
    least = min(float(observed[observed > 0].min()), _LEAST_DENSITY)
    divergence = np.array(
        [
            np.sum(observed * (np.log(observed + least) - np.log(expected + least)))
            for expected in (_expect_density(variance, freedom) for variance in _VARIANCES)
        ]
    )
    return max(float(_FINE[int(np.argmin(_smooth(divergence)))]), SMALLEST)


def _smooth(divergence: FloatArray) -> FloatArray:
    """Return the divergence at `_FINE` by local quadratics over a fifth of the points."""
    n_near = int(_SPAN * len(_VARIANCES))
    smoothed = np.empty(len(_FINE))
    for index, point in enumerate(_FINE):
        distance = np.abs(_VARIANCES - point)
        near = np.argsort(distance, kind="stable")[:n_near]
        weight = np.sqrt((1 - (distance[near] / distance[near].max()) ** 3) ** 3)
        columns = np.vander(_VARIANCES[near] - point, 3) * weight[:, None]
        smoothed[index] = np.linalg.lstsq(columns, divergence[near] * weight)[0][-1]
    return smoothed


def _expect_density(variance: float, freedom: int) -> FloatArray:
    """Return the density in each bin of log(chi-square / df) plus normal noise."""
    shares = (np.arange(_NODES) + 0.5) / _NODES
    nodes = np.log(chi2.ppf(shares, freedom) / freedom)
    if variance == 0:
        return np.asarray(np.histogram(nodes, bins=_BINS, density=True)[0], dtype=np.float64)
    below = norm.cdf((_BINS[:, None] - nodes) / np.sqrt(variance)).mean(axis=1)
    inside = np.diff(below) / (below[-1] - below[0])
    return np.asarray(inside / np.diff(_BINS), dtype=np.float64)
