"""A market model for every trading day at once: what the stock did beyond its benchmark.

R_t = alpha + beta M_t + e_t is fitted by least squares to the rows that end `gap` rows before
each day. Sums over windows come from running sums of centered data, so that there is no fit a
day; the few windows in which running sums would lose digits are fitted again from their rows.
With a second factor, gamma S_t stands beside beta M_t.

A second factor, the sector beside the market, from three fits to one factor. R_t = alpha + beta M_t
+ gamma S_t + e_t. What of the sector the market does not explain, S - c - k M, is uncorrelated with
the market in the window, so that gamma is the slope on it alone, and every variance gains one term
(Frisch, Waugh 1933; Lovell 1963). Nothing is inverted.

Several days together, and the smallest move that could have been seen.

References:
    MacKinlay 1997, Journal of Economic Literature 35:13 (market model). Patell 1976, Journal of
    Accounting Research 14:246 (variance of a single day); Frisch, Waugh 1933, Econometrica 1:387;
    Lovell 1963, JASA 58:993; Mikkelson, Partch 1988, Journal of Financial Economics 20:31 (exact
    variance of a window).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from core.stats.fit import BoolArray, FloatArray, IntArray

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


_SAFE_SHARE = 1e-5
"""Below this share of the whole sum, a window's sum from running sums loses too many digits."""
_CELLS_AT_ONCE = 500_000
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class EstimationPlan:
    """Which rows before a day its market model is fitted to.

    Attributes:
        length: Rows of the window.
        gap: The last row of the window lies this many rows before the day (1 or more).
        min_obs: Usable rows that the window needs (3 or more).
    """

    length: int = 250
    gap: int = 11
    min_obs: int = 60

    def bounds(self, n_rows: int) -> tuple[IntArray, IntArray]:
        """Return the first row of every day's window and the row after its last."""
        day = np.arange(n_rows)
        stop = np.clip(day - self.gap + 1, 0, n_rows)
        return np.clip(day - self.gap - self.length + 1, 0, n_rows), stop


class Series(NamedTuple):
    """Daily simple returns as fractions, one row a trading day, NaN where there is none."""

    stock: FloatArray
    market: FloatArray
    sector: FloatArray | None = None

    @property
    def usable(self) -> BoolArray:
        """Return which rows have all returns."""
        is_usable: BoolArray = np.isfinite(self.stock) & np.isfinite(self.market)
        return is_usable if self.sector is None else is_usable & np.isfinite(self.sector)

    def usable_at(self, row: int) -> bool:
        """Return whether a row has all returns."""
        sector = 0.0 if self.sector is None else self.sector[row]
        return all(map(math.isfinite, (self.stock[row], self.market[row], sector)))


@dataclass(frozen=True)
class MarketFits:
    """One market model a row, from the rows before it.

    Attributes:
        alpha: Return a day where the benchmark stands still.
        beta: Slope on the benchmark; 0 where the benchmark is constant in the window.
        sigma: Residual standard deviation, n - 2 degrees of freedom (n - 3 with two factors).
        n_obs: Rows used.
        market_mean: Mean benchmark return of the rows used.
        market_ss: Their sum of squares about the mean; 0 where the benchmark is constant.
        sector: The second factor, where there is one.
    """

    alpha: FloatArray
    beta: FloatArray
    sigma: FloatArray
    n_obs: IntArray
    market_mean: FloatArray
    market_ss: FloatArray
    sector: SectorFits | None = None

    @property
    def n_coefficients(self) -> IntArray:
        """Return how many coefficients were estimated; sigma has n_obs less so many degrees."""
        more = np.zeros_like(self.n_obs) if self.sector is None else self.sector.ss > 0
        return np.asarray(2 + more, dtype=np.int64)

    def expected(self, series: Series) -> FloatArray:
        """Return every row's return by its own model."""
        expected = self.alpha + self.beta * series.market
        if self.sector is not None and series.sector is not None:
            expected = expected + self.sector.beta * series.sector
        return expected

    def residuals(self, series: Series, fit_row: int, rows: IntArray) -> FloatArray:
        """Return what rows were beyond the model of one row."""
        expected = self.alpha[fit_row] + self.beta[fit_row] * series.market[rows]
        if self.sector is not None and series.sector is not None:
            expected = expected + self.sector.beta[fit_row] * series.sector[rows]
        return np.asarray(series.stock[rows] - expected, dtype=np.float64)

    def lever(
        self, market: FloatArray, sector: FloatArray | None, n: FloatArray | int = 1
    ) -> FloatArray:
        """Return what distance from the means adds to a variance, in units of sigma squared.

        `market`: sum of the market's returns over the days. `sector`: sum of the sector's; None
        without a second factor.
        """
        distance = market - n * self.market_mean
        with np.errstate(divide="ignore", invalid="ignore"):
            leverage = np.where(self.market_ss > 0, distance**2 / self.market_ss, 0.0)
        if self.sector is None or sector is None:
            return leverage
        return leverage + self.sector.lever(distance, sector - n * self.sector.mean)


class _Moments(NamedTuple):
    n: FloatArray
    x_mean: FloatArray
    y_mean: FloatArray
    sxx: FloatArray
    sxy: FloatArray
    syy: FloatArray


def fit_rolling(series: Series, keep: BoolArray, plan: EstimationPlan) -> MarketFits:
    """Fit the market model of every row to the kept rows of its window.

    `series`: returns, one row a trading day. `keep`: rows that may be used in a fit (usable, not
    excluded).

    Returns:
        One fit a row; NaN where fewer than `min_obs` rows are left.
    """
    first, stop = plan.bounds(len(keep))
    center_x = float(series.market[keep].mean()) if keep.any() else 0.0
    center_y = float(series.stock[keep].mean()) if keep.any() else 0.0
    x = np.where(keep, series.market - center_x, 0.0)
    y = np.where(keep, series.stock - center_y, 0.0)
    sums = np.cumsum([keep.astype(float), x, y, x * x, x * y, y * y], axis=1)
    sums = np.concatenate([np.zeros((6, 1)), sums], axis=1)
    n, sx, sy, sxx, sxy, syy = sums[:, stop] - sums[:, first]
    enough = n >= plan.min_obs
    n = np.where(enough, n, np.nan)
    centered = _Moments(n, sx / n, sy / n, sxx - sx * sx / n, sxy - sx * sy / n, syy - sy * sy / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        sse = centered.syy - centered.sxy**2 / centered.sxx
        weak = ~(centered.sxx > _SAFE_SHARE * sums[3, -1]) | ~(sse > _SAFE_SHARE * sums[5, -1])
    weak &= enough
    beta, sse, moments = _solve(centered)
    if weak.any():
        rows = np.flatnonzero(weak)
        exact, beta[rows], sse[rows] = _fit_again((x, y), keep, (first[rows], stop[rows]), plan)
        for column, values in zip(moments, exact, strict=True):
            column[rows] = values
    alpha = moments.y_mean + center_y - beta * (moments.x_mean + center_x)
    with np.errstate(invalid="ignore"):
        sigma = np.sqrt(sse / (n - 2))
    n_obs = np.nan_to_num(n).astype(np.int64)
    return MarketFits(alpha, beta, sigma, n_obs, moments.x_mean + center_x, moments.sxx)


def _solve(moments: _Moments) -> tuple[FloatArray, FloatArray, _Moments]:
    """Return slope, residual sum of squares and the moments, not yet safe from lost digits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        beta = np.where(moments.sxx > 0, moments.sxy / moments.sxx, 0.0)
        sse = np.maximum(moments.syy - beta * moments.sxy, 0.0)
    return beta, sse, moments


def _fit_again(
    centered: tuple[FloatArray, FloatArray],
    keep: BoolArray,
    bounds: tuple[IntArray, IntArray],
    plan: EstimationPlan,
) -> tuple[_Moments, FloatArray, FloatArray]:
    """Fit these windows from their rows: two passes, nothing canceled.

    Returns:
        Moments, slopes and residual sums of squares, one a window; a benchmark or a residual
        that is constant to the last digits gives exactly 0.
    """
    step = max(1, _CELLS_AT_ONCE // plan.length)
    parts = [
        _fit_block(centered, keep, bounds[0][start : start + step], bounds[1][start : start + step])
        for start in range(0, len(bounds[0]), step)
    ]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return _Moments(*columns[:6]), columns[6], columns[7]


def _fit_block(
    centered: tuple[FloatArray, FloatArray], keep: BoolArray, first: IntArray, stop: IntArray
) -> tuple[FloatArray, ...]:
    """Return the six moments, slope and residual sum of squares of some windows."""
    rows = first[:, None] + np.arange(int((stop - first).max()))
    inside = rows < stop[:, None]
    rows = np.where(inside, rows, 0)
    inside &= keep[rows]
    x, y = (np.where(inside, values[rows], 0.0) for values in centered)
    n = inside.sum(axis=1).astype(float)
    x_mean, y_mean = x.sum(axis=1) / n, y.sum(axis=1) / n
    dx = np.where(inside, x - x_mean[:, None], 0.0)
    dy = np.where(inside, y - y_mean[:, None], 0.0)
    sxx, sxy, syy = (dx * dx).sum(axis=1), (dx * dy).sum(axis=1), (dy * dy).sum(axis=1)
    sxx[sxx <= n * (8 * _EPSILON * np.abs(x).max(axis=1)) ** 2] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        beta = np.where(sxx > 0, sxy / sxx, 0.0)
    sse = ((dy - beta[:, None] * dx) ** 2).sum(axis=1)
    scale = np.abs(y).max(axis=1) + np.abs(beta) * np.abs(x).max(axis=1)
    sse[sse <= n * (64 * _EPSILON * scale) ** 2] = 0.0
    return n, x_mean, y_mean, sxx, sxy, syy, beta, sse


@dataclass(frozen=True)
class AbnormalReturns:
    """What each day's return was beyond the market model of the rows before it.

    Attributes:
        keep: Rows that fits may use.
        outlier: Rows left out of fits because their own SAR was too large.
        sigma_with_outliers: Residual standard deviation of each fit when they are left in.
        ar: Abnormal return of each row, NaN where it is not tested.
        sar: AR over its standard deviation (Patell 1976), NaN where it is not tested.
    """

    series: Series
    keep: BoolArray
    outlier: BoolArray
    sigma_with_outliers: FloatArray
    plan: EstimationPlan
    fits: MarketFits
    ar: FloatArray
    sar: FloatArray

    @property
    def tested(self) -> BoolArray:
        """Return which rows have an abnormal return and its standard deviation."""
        return np.asarray(np.isfinite(self.sar), dtype=np.bool_)


def fit_factors(series: Series, keep: BoolArray, plan: EstimationPlan) -> MarketFits:
    """Fit the model of every row to one factor, or to two where the series have a sector.

    Args:
        series: Returns, one row a trading day.
        keep: Rows that may be used in a fit (usable, not excluded).
        plan: The window; with two factors it needs 4 usable rows at least.
    """
    fits = fit_rolling(series, keep, plan)
    if series.sector is None:
        return fits
    on_sector = fit_rolling(Series(series.stock, series.sector), keep, plan)
    # The same as least squares on both factors; where the sector says nothing in addition to
    # the market, the model of the market alone.
    between = fit_rolling(Series(series.sector, series.market), keep, plan)
    n = fits.n_obs
    tilt, mean = between.beta, on_sector.market_mean
    left = between.sigma**2 * (n - 2)
    is_own = left > ALIKE * on_sector.market_ss
    ss = np.where(is_own, left, 0.0)
    both = on_sector.beta * on_sector.market_ss - tilt * fits.beta * fits.market_ss
    with np.errstate(divide="ignore", invalid="ignore"):
        gamma = np.where(is_own, both / left, 0.0)
        sse = np.maximum(fits.sigma**2 * (n - 2) - gamma * both, 0.0)
        sigma = np.where(is_own, np.sqrt(sse / (n - 3)), fits.sigma)
    alpha = fits.alpha + gamma * (tilt * fits.market_mean - mean)
    beta = fits.beta - gamma * tilt
    fitted = np.isfinite(fits.beta)
    gamma = np.where(fitted, gamma, np.nan)
    sector = SectorFits(gamma, mean, tilt, ss)
    return replace(fits, alpha=alpha, beta=beta, sigma=sigma, sector=sector)


def standardize(series: Series, keep: BoolArray, plan: EstimationPlan) -> AbnormalReturns:
    """Return abnormal returns and their standardized values, without looking for outliers."""
    fits = fit_factors(series, keep, plan)
    ar = series.stock - fits.expected(series)
    lever = fits.lever(series.market, series.sector)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = fits.sigma * np.sqrt(1 + 1 / fits.n_obs + lever)
        sar = np.where(deviation > 0, ar / deviation, np.nan)
    ar = np.where(np.isfinite(sar), ar, np.nan)
    none = np.zeros(len(keep), np.bool_)
    return AbnormalReturns(series, keep, none, fits.sigma, plan, fits, ar, sar)


def find_abnormal(
    series: Series,
    near_event: BoolArray,
    plan: EstimationPlan,
    *,
    outlier_z: float | None = 4.0,
    passes: int = 3,
) -> AbnormalReturns:
    """Return abnormal returns with events and outliers kept out of every estimation window.

    Own jumps inflate sigma and hide later moves, so rows at events, and rows whose own
    standardized abnormal return is too large, are not used to estimate.

    `series`: returns, one row a trading day. `near_event`: rows at events. `outlier_z`: abs(SAR)
    above which a row is left out of later windows; None keeps all. `passes`: fits at most, the
    first one included; fewer when no further outlier is found.
    """
    keep = series.usable & ~near_event
    returns = standardize(series, keep, plan)
    with_outliers = returns.fits.sigma
    outlier = returns.outlier
    for _ in range(passes - 1 if outlier_z is not None else 0):
        fresh = keep & ~outlier & (np.abs(np.nan_to_num(returns.sar)) > outlier_z)
        if not fresh.any():
            break
        outlier = outlier | fresh
        returns = standardize(series, keep & ~outlier, plan)
    return replace(returns, outlier=outlier, sigma_with_outliers=with_outliers)


def tail_p(
    statistic: FloatArray, n_obs: IntArray, n_coefficients: IntArray | int = 2
) -> FloatArray:
    """Return the two-sided tail probability from Student t, n_obs - n_coefficients df."""
    degrees = np.maximum(n_obs - n_coefficients, 1)
    return np.asarray(2 * stdtr(degrees, -np.abs(statistic)), dtype=np.float64)


def adjust_p(p: FloatArray) -> FloatArray:
    """Return Benjamini-Hochberg adjusted p over all rows that have one; NaN stays NaN.

    References:
        Benjamini, Hochberg 1995, doi 10.1111/j.2517-6161.1995.tb02031.x.
    """
    adjusted = np.full(len(p), np.nan)
    finite = np.flatnonzero(np.isfinite(p))
    if len(finite) == 0:
        return adjusted
    order = finite[np.argsort(p[finite], kind="stable")[::-1]]
    share = len(finite) / np.arange(len(finite), 0, -1)
    adjusted[order] = np.minimum(np.minimum.accumulate(p[order] * share), 1.0)
    return adjusted


POWER = 0.8


class Car(NamedTuple):
    """A cumulative abnormal return.

    Attributes:
        car: Sum of abnormal returns, a fraction.
        scar: CAR over its exact standard deviation.
        n_days: Rows summed.
    """

    car: float
    scar: float
    n_days: int


def sum_abnormal(returns: AbnormalReturns, fit_row: int, rows: Iterable[int] | IntArray) -> Car:
    """Sum abnormal returns over rows by the market model of one row.

    The variance is exact: V = s^2 [L + L^2/n + (sum(M - Mbar))^2 / Sxx]; the days share one
    estimate of alpha and beta, so that s sqrt(L) would be too small. A second factor adds its term.

    `fit_row`: row whose market model counts; it must be fitted with sigma above 0. `rows`: rows to
    sum; rows without both returns are left out.
    """
    fits, series = returns.fits, returns.series
    alpha, beta = float(fits.alpha[fit_row]), float(fits.beta[fit_row])
    mean, ss = float(fits.market_mean[fit_row]), float(fits.market_ss[fit_row])
    chosen = [row for row in map(int, rows) if series.usable_at(row)]
    car = distance = 0.0
    for row in chosen:
        market = float(series.market[row])
        car += float(series.stock[row]) - alpha - beta * market
        distance += market - mean
    length = len(chosen)
    lever = distance**2 / ss if ss > 0 else 0.0
    if fits.sector is not None and series.sector is not None:
        sector = sum(float(series.sector[row]) for row in chosen)
        car -= float(fits.sector.beta[fit_row]) * sector
        beyond = sector - length * float(fits.sector.mean[fit_row])
        lever += fits.sector.lever_at(fit_row, distance, beyond)
    spread = length + length**2 / int(fits.n_obs[fit_row]) + lever
    deviation = float(fits.sigma[fit_row]) * math.sqrt(spread)
    return Car(car, car / deviation if deviation > 0 else 0.0, length)


def window_rows(returns: AbnormalReturns, row: int) -> IntArray:
    """Return the rows to which the market model of a row was fitted."""
    stop = max(0, row - returns.plan.gap + 1)
    first = max(0, stop - returns.plan.length)
    return first + np.flatnonzero(returns.keep[first:stop])


def detectable_move(
    returns: AbnormalReturns, row: int, *, sig_z: float, min_abs_move: float
) -> float:
    """Return the smallest one-day abnormal move seen with 80 % power on this row.

    A move d gives AR = d + noise with t noise of the day's standard deviation; it is seen when
    abs(AR) reaches both limits, that is the larger of floor and sig_z standard deviations. The
    chance of crossing the opposite limit is left out (below 1e-4 for sig_z of 1.5 or more).

    `row`: A tested row. `sig_z`: limit of abs(SAR). `min_abs_move`: limit of abs(AR), a fraction.

    Returns:
        The move as a positive fraction.
    """
    deviation = (
        float(returns.ar[row] / returns.sar[row]) if returns.sar[row] else _deviation(returns, row)
    )
    limit = max(sig_z * deviation, min_abs_move)
    degrees = int(returns.fits.n_obs[row] - returns.fits.n_coefficients[row])
    return limit + float(stdtrit(degrees, POWER)) * deviation


def _deviation(returns: AbnormalReturns, row: int) -> float:
    """Return the standard deviation of a row whose abnormal return is exactly 0."""
    fits = returns.fits
    lever = float(fits.lever(returns.series.market, returns.series.sector)[row])
    return float(fits.sigma[row]) * float(np.sqrt(1 + 1 / int(fits.n_obs[row]) + lever))
