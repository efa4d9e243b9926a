"""DESeq2's dispersion trend a1 / mean + a0, and the transformation that it implies.

References:
    Anders, Huber 2010, doi 10.1186/gb-2010-11-10-r106; Love, Huber, Anders 2014,
    doi 10.1186/s13059-014-0550-8.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core.errors import DidNotConverge
from core.stats.fit import BoolArray, FloatArray

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
