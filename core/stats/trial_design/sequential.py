"""Trials with looks: spending functions, bounds for success and futility, power on the way.

Sources: Lan and DeMets 1983 (10.1093/biomet/70.3.659); Armitage, McPherson and Rowe 1969
(10.2307/2343787) for the recursion; Anderson and Clark 2010 (10.1002/sim.4078) for futility by
spending.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

Floats = NDArray[np.float64]
Spending = Callable[[float, float], float]
"""Level in all and share of the information, to the level spent by then."""
_GRID = 401
_WIDE = 8.0
"""Deviations beyond which a density is 0 for our purposes."""


def obrien_fleming(level: float, share: float) -> float:
    """Return Lan and DeMets' spending of the O'Brien and Fleming type."""
    return float(2 * norm.sf(norm.isf(level / 2) / sqrt(share)))


@dataclass(frozen=True)
class Bounds:
    """Where a trial stops.

    Attributes:
        information: Share of the information at each look, the last 1.
        success: z from which on each look is a success.
        futility: z below which each look stops for futility; the last equals success. Empty where
            there is none.
        inflation: Information over that of a trial without looks.
        drift: Mean of z at full information under the alternative.
    """

    information: tuple[float, ...]
    success: tuple[float, ...]
    futility: tuple[float, ...]
    inflation: float
    drift: float


def efficacy_bounds(
    information: Sequence[float], alpha: float, spending: Spending = obrien_fleming
) -> tuple[float, ...]:
    """Return the z of success at each look.

    Args:
        information: Shares, rising, the last 1.
        alpha: One-sided level.
        spending: How the level is spent.

    >>> [round(one, 4) for one in efficacy_bounds((0.5, 0.75, 1.0), 0.025)]
    [2.9626, 2.359, 2.0141]
    """
    spent = [spending(alpha, share) for share in information]
    walk, bounds = _Walk(), list[float]()
    for index, share in enumerate(information):
        level = spent[index] - (spent[index - 1] if index else 0.0)
        bound = walk.upper(share, level, 0.0)
        bounds.append(bound)
        walk.go(share, -_WIDE, bound, 0.0)
    return tuple(bounds)


def find_bounds(
    information: Sequence[float],
    alpha: float,
    power: float,
    spending: Spending = obrien_fleming,
    *,
    beta_spending: Spending | None = None,
    binding: bool = False,
) -> Bounds:
    """Return bounds for success, and for futility where its error is spent, with the inflation.

    Args:
        information: Shares, rising, the last 1.
        alpha: One-sided level.
        power: Under the alternative.
        spending: How the level is spent.
        beta_spending: How the error of the second kind is spent; None: no stop for futility.
        binding: Whether success may count on futility being obeyed.

    >>> found = find_bounds((0.5, 0.75, 1.0), 0.025, 0.9, beta_spending=obrien_fleming)
    >>> [round(one, 4) for one in found.futility[:2]], round(found.inflation, 4)
    ([0.3316, 1.2917], 1.0828)
    """
    fixed = float(norm.isf(alpha) + norm.ppf(power))
    upper = efficacy_bounds(information, alpha, spending)

    def miss(drift: float) -> float:
        return (1 - float(crossing(information, upper, (), drift)[0].sum())) - (1 - power)

    if beta_spending is None:
        drift = float(brentq(miss, fixed * 0.8, fixed * 2))
        return Bounds(tuple(information), upper, (), (drift / fixed) ** 2, drift)
    spend = beta_spending

    def gap(drift: float) -> float:
        chosen = upper
        if binding:
            chosen = _upper_binding(information, alpha, spending, spend, 1 - power, drift)[0]
        lower = _futility(information, chosen, spend, 1 - power, drift)
        return lower[-1] - chosen[-1]

    drift = float(brentq(gap, fixed * 0.8, fixed * 2))
    if binding:
        upper = _upper_binding(information, alpha, spending, spend, 1 - power, drift)[0]
    lower = _futility(information, upper, spend, 1 - power, drift)
    lower = (*lower[:-1], upper[-1])
    return Bounds(tuple(information), tuple(upper), lower, (drift / fixed) ** 2, drift)


def crossing(
    information: Sequence[float],
    success: Sequence[float],
    futility: Sequence[float],
    drift: float,
) -> tuple[Floats, Floats]:
    """Return the probability of success and of futility at each look.

    Args:
        information: Shares, rising, the last 1.
        success: z of success at each look.
        futility: z of futility at each look; empty where there is none.
        drift: Mean of z at full information; 0 under the null.
    """
    walk, up, down = _Walk(), [], []
    for index, share in enumerate(information):
        low = futility[index] if futility else -_WIDE - abs(drift)
        up.append(walk.above(share, success[index], drift))
        down.append(walk.below(share, low, drift) if futility else 0.0)
        walk.go(share, low, success[index], drift)
    return np.array(up), np.array(down)


def conditional_power(z: float, share: float, bound: float, drift: float) -> float:
    """Return the probability of success at the end, given a look.

    Args:
        z: Of the look.
        share: Of the information at the look, below 1.
        bound: z of success at the end.
        drift: Mean of z at full information that is assumed for the rest; `z / sqrt(share)` takes
            the trend of the look.
    """
    mean = z * sqrt(share) + drift * (1 - share)
    return float(norm.sf((bound - mean) / sqrt(1 - share)))


def _futility(
    information: Sequence[float],
    upper: Sequence[float],
    spending: Spending,
    beta: float,
    drift: float,
) -> tuple[float, ...]:
    """Return the z of futility at each look, the last where what is left of beta is spent."""
    walk, lower, before = _Walk(), list[float](), 0.0
    for share, high in zip(information, upper, strict=True):
        spent = spending(beta, share)
        low = walk.lower(share, spent - before, drift)
        lower.append(low)
        walk.go(share, min(low, high), high, drift)
        before = spent
    return tuple(lower)


def _upper_binding(
    information: Sequence[float],
    alpha: float,
    spending: Spending,
    beta_spending: Spending,
    beta: float,
    drift: float,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return bounds whose level counts on stops for futility."""
    null, other = _Walk(), _Walk()
    upper, lower = list[float](), list[float]()
    before = (0.0, 0.0)
    for share in information:
        spent = (spending(alpha, share), beta_spending(beta, share))
        high = null.upper(share, spent[0] - before[0], 0.0)
        low = min(other.lower(share, spent[1] - before[1], drift), high)
        null.go(share, low, high, 0.0)
        other.go(share, low, high, drift)
        upper.append(high)
        lower.append(low)
        before = spent
    return tuple(upper), tuple(lower)


class _Walk:
    """The density of z among trials that no look has stopped yet."""

    def __init__(self) -> None:
        self.share = 0.0
        self.points: Floats = np.zeros(1)
        self.mass: Floats = np.ones(1)
        """Density times the step of Simpson's rule."""

    def _moments(self, share: float, drift: float) -> tuple[Floats, float]:
        """Return mean of z at a look by earlier z, and its deviation."""
        step = share - self.share
        means = (self.points * sqrt(self.share) + drift * step) / sqrt(share)
        return means, sqrt(step / share)

    def above(self, share: float, bound: float, drift: float) -> float:
        means, deviation = self._moments(share, drift)
        return float(self.mass @ norm.sf((bound - means) / deviation))

    def below(self, share: float, bound: float, drift: float) -> float:
        means, deviation = self._moments(share, drift)
        return float(self.mass @ norm.cdf((bound - means) / deviation))

    def upper(self, share: float, level: float, drift: float) -> float:
        """Return the z that is passed with this probability."""
        if level <= 0:
            return _WIDE
        if level >= self.mass.sum():
            return -_WIDE
        return float(brentq(lambda z: self.above(share, z, drift) - level, -_WIDE, _WIDE + 12))

    def lower(self, share: float, level: float, drift: float) -> float:
        """Return the z that is fallen short of with this probability."""
        if level <= 0:
            return -_WIDE
        if level >= self.mass.sum():  # fewer trials go on than may stop
            return _WIDE
        return float(brentq(lambda z: self.below(share, z, drift) - level, -_WIDE - 12, _WIDE + 12))

    def go(self, share: float, low: float, high: float, drift: float) -> None:
        """Pass a look that goes on between two bounds."""
        means, deviation = self._moments(share, drift)
        centre = drift * sqrt(share)
        first, last = max(low, centre - _WIDE), min(high, centre + _WIDE)
        points = np.linspace(first, last, _GRID)
        step = (last - first) / (_GRID - 1)
        simpson = np.ones(_GRID)
        simpson[1:-1:2], simpson[2:-1:2] = 4, 2
        density = norm.pdf((points[None, :] - means[:, None]) / deviation) / deviation
        self.mass = (self.mass @ density) * simpson * step / 3
        self.points, self.share = points, share
