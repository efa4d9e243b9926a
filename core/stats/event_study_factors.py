"""A second factor, the sector beside the market, from three fits to one factor.

R_t = alpha + beta M_t + gamma S_t + e_t. What of the sector the market does not explain,
S - c - k M, is uncorrelated with the market in the window, so that gamma is the slope on it alone,
and every variance gains one term (Frisch, Waugh 1933; Lovell 1963). Nothing is inverted.

References:
    Frisch, Waugh 1933, Econometrica 1:387; Lovell 1963, JASA 58:993.
"""

from typing import NamedTuple, Protocol

import numpy as np

from core.stats.fit import FloatArray, IntArray

ALIKE = 1e-8
"""A sector with a smaller share of its variance to itself says nothing in addition to the
market.
"""


class SectorFits(NamedTuple):
    """The second factor of every row's model.

    Attributes:
        beta: Slope on the sector; 0 where it says nothing in addition to the market.
        mean: Mean return of the sector over the rows used.
        tilt: Slope of the sector on the market over those rows.
        ss: Sum of squares of what of the sector the market does not explain; 0 where nothing.
    """

    beta: FloatArray
    mean: FloatArray
    tilt: FloatArray
    ss: FloatArray

    def lever(self, market: FloatArray, sector: FloatArray) -> FloatArray:
        """Return the sector's term of the variance, for distances from both factors' means."""
        beyond = sector - self.tilt * market
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.ss > 0, beyond**2 / self.ss, 0.0)

    def lever_at(self, row: int, market: float, sector: float) -> float:
        """Return the same by the model of one row."""
        ss = float(self.ss[row])
        return (sector - float(self.tilt[row]) * market) ** 2 / ss if ss > 0 else 0.0


class Line(Protocol):
    """Fits of one series on another, one a row."""

    @property
    def alpha(self) -> FloatArray:
        """Return the levels."""
        ...

    @property
    def beta(self) -> FloatArray:
        """Return the slopes."""
        ...

    @property
    def sigma(self) -> FloatArray:
        """Return the residual standard deviations, n - 2 degrees of freedom."""
        ...

    @property
    def n_obs(self) -> IntArray:
        """Return the rows used."""
        ...

    @property
    def market_mean(self) -> FloatArray:
        """Return the means of the other series."""
        ...

    @property
    def market_ss(self) -> FloatArray:
        """Return its sums of squares about them."""
        ...


class TwoFactors(NamedTuple):
    """Levels, slopes on the market, residual deviations, and the second factor."""

    alpha: FloatArray
    beta: FloatArray
    sigma: FloatArray
    sector: SectorFits


def add_sector(on_market: Line, on_sector: Line, sector_on_market: Line) -> TwoFactors:
    """Return the fits to both factors.

    Args:
        on_market: The stock on the market.
        on_sector: The stock on the sector, over the same rows.
        sector_on_market: The sector on the market, over the same rows.

    Returns:
        As least squares on both gives it; where the sector says nothing in addition to the
        market, the model of the market alone.
    """
    n = on_market.n_obs
    tilt, mean = sector_on_market.beta, on_sector.market_mean
    left = sector_on_market.sigma**2 * (n - 2)
    is_own = left > ALIKE * on_sector.market_ss
    ss = np.where(is_own, left, 0.0)
    both = on_sector.beta * on_sector.market_ss - tilt * on_market.beta * on_market.market_ss
    with np.errstate(divide="ignore", invalid="ignore"):
        gamma = np.where(is_own, both / left, 0.0)
        sse = np.maximum(on_market.sigma**2 * (n - 2) - gamma * both, 0.0)
        sigma = np.where(is_own, np.sqrt(sse / (n - 3)), on_market.sigma)
    alpha = on_market.alpha + gamma * (tilt * on_market.market_mean - mean)
    beta = on_market.beta - gamma * tilt
    fitted = np.isfinite(on_market.beta)
    gamma = np.where(fitted, gamma, np.nan)
    return TwoFactors(alpha, beta, sigma, SectorFits(gamma, mean, tilt, ss))
