"""Dose-response curves of four and five parameters, and whether two curves are parallel.

y = a + (d - a) / (1 + exp(-b (ln x - c)))^g, with the lower asymptote a, the upper d, the slope b
at c, the logarithm of the midpoint, and the asymmetry g (1 with four parameters). Least squares, as
R's `nls` with `SSfpl`.
"""

from dataclasses import dataclass
from math import exp, log, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares
from scipy.stats import f as f_distribution

FEWEST_LEVELS = 5
"""Concentrations from which on four parameters can be distinguished."""
_PRECISE = 1e-14


@dataclass(frozen=True)
class Curve:
    """A fitted curve.

    Attributes:
        lower: Asymptote towards no drug.
        upper: Asymptote towards much drug.
        slope: Of the logistic; a signal that falls has its upper end towards no drug.
        midpoint: Concentration halfway, in the unit of the concentrations.
        asymmetry: 1 with four parameters.
        rss: Sum of squared residuals.
    """

    lower: float
    upper: float
    slope: float
    midpoint: float
    asymmetry: float
    rss: float
    n: int


def fit_curve(x: ArrayLike, y: ArrayLike, *, parameters: int = 4) -> Curve:
    """Return the curve nearest to the points.

    `x`: concentrations above 0. `parameters`: 4 or 5.

    Raises:
        ValueError: Fewer than five concentrations, or one that is not above 0.
    """
    dose, signal = _check(x, y)
    levels = np.unique(dose)
    means = np.array([signal[dose == level].mean() for level in levels])
    low, high = float(means[0]), float(means[-1])
    margin = 0.02 * (high - low) or 0.01
    low, high = low - margin, high + margin
    shares = np.clip((means - low) / (high - low), 0.02, 0.98)
    slope, cut = np.polyfit(np.log(levels), np.log(shares / (1 - shares)), 1)
    steep = slope if abs(slope) > 0.05 else 1.0
    start = [*[low, high, float(steep), float(-cut / steep)], *([1.0] if parameters == 5 else [])]
    scale = max(float(np.ptp(signal)), 1e-12)

    def residuals(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return (_value(np.log(dose), theta) - signal) / scale

    fit = least_squares(
        residuals, start, method="lm", xtol=_PRECISE, ftol=_PRECISE, gtol=_PRECISE, max_nfev=20_000
    )
    return _curve(fit.x, float(2 * fit.cost * scale**2), dose.size)


def _check(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    dose, signal = np.asarray(x, float), np.asarray(y, float)
    if np.unique(dose).size < FEWEST_LEVELS or dose.min() <= 0:
        raise ValueError(f"a curve needs {FEWEST_LEVELS} concentrations above 0")
    return dose, signal


def _value(logs: NDArray[np.float64], theta: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high, slope, middle = theta[:4]
    power = theta[4] if theta.size > 4 else 1.0
    base = np.logaddexp(0, -slope * (logs - middle))
    return np.asarray(low + (high - low) * np.exp(-abs(power) * base))


def _curve(theta: NDArray[np.float64], rss: float, n: int) -> Curve:
    low, high, slope, middle = (float(value) for value in theta[:4])
    if slope < 0 and theta.size == 4:  # the same curve, told from the other end
        low, high, slope = high, low, -slope
    power = abs(float(theta[4])) if theta.size > 4 else 1.0
    shift = -log(2 ** (1 / power) - 1) / slope if slope else 0.0
    return Curve(low, high, slope, exp(middle + shift), power, rss, n)


@dataclass(frozen=True)
class Parallelism:
    """Whether a sample's curve is the reference's, moved along the axis of concentrations.

    Attributes:
        relative_potency: Of the sample, in percent of the reference.
        f: Of the difference in shape.
        p: Its probability under parallel curves.
        slope_ratio: Slope of the sample by that of the reference.
        reference: Curve of the reference alone.
        sample: Curve of the sample alone.
    """

    relative_potency: float
    f: float
    p: float
    slope_ratio: float
    reference: Curve
    sample: Curve


def compare_curves(
    x: ArrayLike, y: ArrayLike, other_x: ArrayLike, other_y: ArrayLike
) -> Parallelism:
    """Return how a sample lies to its reference, by the extra sum of squares.

    Args:
        x: Concentrations of the reference.
        y: Its signals.
        other_x: Concentrations of the sample.
        other_y: Its signals.

    Raises:
        ValueError: As `fit_curve`.
    """
    first, second = fit_curve(x, y), fit_curve(other_x, other_y)
    dose = np.concatenate([np.asarray(x, float), np.asarray(other_x, float)])
    signal = np.concatenate([np.asarray(y, float), np.asarray(other_y, float)])
    is_sample = np.arange(dose.size) >= np.asarray(x).size
    scale = max(float(np.ptp(signal)), 1e-12)

    def residuals(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = np.log(dose) + np.where(is_sample, theta[4], 0.0)
        return np.asarray((_value(moved, theta[:4]) - signal) / scale)

    start = [first.lower, first.upper, first.slope, log(first.midpoint)]
    start.append(log(first.midpoint / second.midpoint))
    fit = least_squares(residuals, start, method="lm", xtol=_PRECISE, ftol=_PRECISE)
    shared, apart = float(2 * fit.cost * scale**2), first.rss + second.rss
    free = dose.size - 8
    f = (shared - apart) / 3 / (apart / free) if free > 0 and apart > 0 else nan
    ratio = second.slope / first.slope if first.slope else nan
    p = float(f_distribution.sf(f, 3, free)) if free > 0 and apart > 0 else nan
    return Parallelism(100 * exp(float(fit.x[4])), f, p, ratio, first, second)
