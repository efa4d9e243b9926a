"""The estimation windows of some days once more: other slopes, and how rare a day is in them.

Days with too little history for a regression: measured against the benchmark itself. Where a stock
has few rows (a new listing), alpha 0 and beta 1 against its sector's benchmark stand in for the
fit, and sigma comes from the rows there are. The market-adjusted model is that of Brown, Warner
1985, Journal of Financial Economics 14:3.

Residual variance that follows the days just before, in place of one variance a window. In a storm
every day stands out against a calm year. Each day's standard deviation is scaled by what the
standardized abnormal returns before it were: by an exponentially weighted mean (RiskMetrics, decay
.94) or by GARCH(1,1) with its mean variance held at that of the windows.

References:
    Huber 1964, doi 10.1214/aoms/1177703732, with the median absolute deviation as scale. Dimson
    1979, Journal of Financial Economics 7:197 (sum of lead, same-day and lag slopes); J.P. Morgan,
    Reuters 1996, RiskMetrics Technical Document, 4th ed. (decay .94 for daily data). Bollerslev
    1986, doi 10.1016/0304-4076(86)90063-1; variance targeting: Engle, Mezrich 1996.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.signal import lfilter

from core.stats.event_study import ALIKE, AbnormalReturns, SectorFits
from core.stats.fit import BoolArray, FloatArray, IntArray

_TUNING = 1.345
_MAD_TO_SIGMA = 0.6744897501960817
_MOST_STEPS = 50
_TOLERANCE = 1e-8
_CELLS_AT_ONCE = 500_000


class OtherSlopes(NamedTuple):
    """Slopes on the benchmark by other estimators, one a row; NaN where there is none.

    Attributes:
        huber: Huber's M-estimator (reweighted least squares, tuning 1.345).
        dimson: Sum of the slopes on yesterday's, today's and tomorrow's benchmark return.

    With a second factor both are slopes on the market beside the sector (Dimson's beside its three
    days).
    """

    huber: FloatArray
    dimson: FloatArray


class _Windows(NamedTuple):
    """Windows x rows: places, whether a place counts, and the returns of both factors there."""

    places: IntArray
    inside: BoolArray
    x: FloatArray
    y: FloatArray
    sector: FloatArray | None


def fit_other_slopes(returns: AbnormalReturns, rows: Sequence[int]) -> OtherSlopes:
    """Return other slopes for the windows to which the models of these rows were fitted."""
    blocks = [_gather(returns, block) for block in _split(returns, rows)]
    huber = [_fit_huber(windows) for windows in blocks]
    dimson = [_fit_dimson(returns, windows) for windows in blocks]
    return OtherSlopes(np.concatenate([[], *huber]), np.concatenate([[], *dimson]))


def empirical_p(returns: AbnormalReturns, rows: Sequence[int]) -> FloatArray:
    """Return the share of each window's rows that stand out at least as much as its day.

    (1 + rows whose studentized residual is at least as large as abs(SAR)) / (1 + n): returns have
    heavier tails than the normal curve, and this share does not lean on a curve. Rows that fits
    leave out as outliers are compared, too: without them every large day would seem rare.
    """
    compared = returns.keep | returns.outlier
    tails = [
        _count_tail(returns, _gather(returns, block, compared), block)
        for block in _split(returns, rows)
    ]
    return np.concatenate([[], *tails])


def _split(returns: AbnormalReturns, rows: Sequence[int]) -> list[IntArray]:
    """Return the rows in blocks whose windows fit into memory together."""
    step = max(1, _CELLS_AT_ONCE // returns.plan.length)
    every = np.asarray(rows, dtype=np.int64)
    return [every[start : start + step] for start in range(0, len(every), step)]


def _gather(
    returns: AbnormalReturns, rows: IntArray, compared: BoolArray | None = None
) -> _Windows:
    """Return the rows of every window: those of the fits, or the ones that are compared."""
    plan, series = returns.plan, returns.series
    places = rows[:, None] - plan.gap - plan.length + 1 + np.arange(plan.length)
    inside = places >= 0
    places = np.where(inside, places, 0)
    inside &= (returns.keep if compared is None else compared)[places]
    x = np.where(inside, series.market[places], 0.0)
    sector = None if series.sector is None else np.where(inside, series.sector[places], 0.0)
    return _Windows(places, inside, x, np.where(inside, series.stock[places], 0.0), sector)


class _Slopes(NamedTuple):
    """Weighted slopes and levels, one a line; the sector's is 0 without one."""

    market: FloatArray
    sector: FloatArray
    level: FloatArray


def _fit_huber(windows: _Windows) -> FloatArray:
    """Return Huber's slopes, all windows at once, from the ordinary fit."""
    slopes = _solve(windows, windows.inside.astype(float))
    market_slopes = slopes.market.copy()
    active = np.flatnonzero(np.isfinite(market_slopes))
    windows, slopes = _pick(windows, active), _Slopes(*(slope[active] for slope in slopes))
    for _ in range(_MOST_STEPS):
        left = windows.y - slopes.level[:, None] - slopes.market[:, None] * windows.x
        residual = np.abs(
            left if windows.sector is None else left - slopes.sector[:, None] * windows.sector
        )
        ordered = np.sort(np.where(windows.inside, residual, np.inf), axis=1)
        n, lines = windows.inside.sum(axis=1), np.arange(len(residual))
        upper = ordered[lines, np.minimum(n // 2, residual.shape[1] - 1)]
        scale = (
            np.asarray((ordered[lines, np.maximum((n - 1) // 2, 0)] + upper) / 2) / _MAD_TO_SIGMA
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = np.minimum(1.0, _TUNING * scale[:, None] / residual)
        weight = np.where(windows.inside, np.nan_to_num(weight, nan=1.0), 0.0)
        before, slopes = slopes, _solve(windows, weight)
        market_slopes[active] = slopes.market
        moving = np.abs(slopes.market - before.market) >= _TOLERANCE
        if not moving.any():
            break
        active = active[moving]
        windows, slopes = _pick(windows, moving), _Slopes(*(slope[moving] for slope in slopes))
    return market_slopes


def _pick(windows: _Windows, lines: IntArray | BoolArray) -> _Windows:
    """Return some of the windows."""
    return _Windows(*(None if column is None else column[lines] for column in windows))  # type: ignore[arg-type]


def _solve(windows: _Windows, weight: FloatArray) -> _Slopes:
    """Return weighted slopes and levels, one a line."""
    total = weight.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = (
            (weight * values).sum(axis=1, keepdims=True) / total
            for values in (windows.x, windows.y)
        )
        weighted = weight * (windows.x - mean_x)
        spread = (weighted * (windows.x - mean_x)).sum(axis=1)
        along = (weighted * (windows.y - mean_y)).sum(axis=1)
        if windows.sector is None:
            slope = np.where(spread > 0, along / spread, np.nan)
            return _Slopes(slope, np.zeros_like(slope), mean_y[:, 0] - slope * mean_x[:, 0])
        mean_s = (weight * windows.sector).sum(axis=1, keepdims=True) / total
        tilt = (weighted * windows.sector).sum(axis=1) / spread
        own_values = windows.sector - mean_s - tilt[:, None] * (windows.x - mean_x)
        ss = (weight * own_values * own_values).sum(axis=1)
        sector_ss = (weight * (windows.sector - mean_s) ** 2).sum(axis=1)
        beside = (weight * own_values * (windows.y - mean_y)).sum(axis=1)
        second = np.where(ss > ALIKE * sector_ss, beside / ss, 0.0)
        slope = np.where(spread > 0, along / spread - second * tilt, np.nan)
    level = mean_y[:, 0] - slope * mean_x[:, 0] - second * mean_s[:, 0]
    return _Slopes(slope, second, level)


def _fit_dimson(returns: AbnormalReturns, windows: _Windows) -> FloatArray:
    """Return Dimson's slopes; days without a neighbor on either side are left out."""
    factors = [returns.series.market, returns.series.sector]
    padded = [np.pad(factor, 1, constant_values=np.nan) for factor in factors if factor is not None]
    places = windows.places + 1
    design = np.stack([series[places + lag] for series in padded for lag in (-1, 0, 1)], axis=2)
    inside = windows.inside & np.isfinite(design).all(axis=2)
    n = inside.sum(axis=1)
    enough = n > design.shape[2] + 1
    design = np.where(inside[:, :, None], design, 0.0)
    y = np.where(inside, windows.y, 0.0)
    count = np.maximum(n, 1)[:, None]
    design = np.where(inside[:, :, None], design - (design.sum(axis=1) / count)[:, None, :], 0.0)
    normal = design.transpose(0, 2, 1) @ design
    right = (design.transpose(0, 2, 1) @ y[:, :, None])[:, :, 0]
    spread = np.sqrt(np.einsum("mii->mi", normal))
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = np.nan_to_num(normal / (spread[:, :, None] * spread[:, None, :]))
    solvable = enough & (np.abs(np.linalg.det(alike)) > 1e-10)
    slopes = np.full(len(n), np.nan)
    if solvable.any():
        solved = np.linalg.solve(normal[solvable], right[solvable][:, :, None])
        slopes[solvable] = solved[:, :3, 0].sum(axis=1)
    return slopes


def _count_tail(returns: AbnormalReturns, windows: _Windows, rows: IntArray) -> FloatArray:
    """Return the empirical tail probability of each row's SAR among its window's rows."""
    fits = returns.fits
    alpha, beta, sigma, mean, ss = (
        values[rows][:, None]
        for values in (fits.alpha, fits.beta, fits.sigma, fits.market_mean, fits.market_ss)
    )
    n = windows.inside.sum(axis=1)
    fitted = windows.inside & returns.keep[windows.places]
    n_fitted = fitted.sum(axis=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = 1 / n_fitted + np.where(ss > 0, (windows.x - mean) ** 2 / ss, 0.0)
    sector, more = _weigh_sector(fits.sector, rows, windows, windows.x - mean)
    distance = distance + more
    # A row of the fit drew the line to itself; one outside is predicted by it.
    lever = np.maximum(np.where(fitted, 1 - distance, 1 + distance), 1e-12)
    beyond = windows.y - alpha - beta * windows.x - sector
    residual = np.abs(beyond) / (sigma * np.sqrt(lever))
    larger = windows.inside & (residual >= np.abs(returns.sar[rows])[:, None])
    return np.asarray((1 + larger.sum(axis=1)) / (1 + n))


def _weigh_sector(
    fits: SectorFits | None, rows: IntArray, windows: _Windows, market: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return what the second factor adds to every return of the windows, and to its lever."""
    if fits is None or windows.sector is None:
        return np.zeros((1, 1)), np.zeros((1, 1))
    here = SectorFits(*(values[rows][:, None] for values in fits))
    return here.beta * windows.sector, here.lever(market, windows.sector - here.mean)


FEWEST = 20
_FAR = 4.0


class Filled(NamedTuple):
    """Abnormal returns with the short days measured, and which rows those are."""

    found: AbnormalReturns
    short: BoolArray


def fill_short(returns: AbnormalReturns) -> Filled:
    """Measure the rows that have no fit, but 20 usable rows before them, by the benchmark.

    Differences over 4 robust deviations are left out of sigma, as outliers are of fits. The
    variance of a day is s^2 (1 + 1/n), as if the mean had been estimated: nothing is gained by a
    short history.
    """
    beyond = returns.series.stock - returns.series.market
    sigma, n_obs = _deviations(np.where(returns.keep, beyond, np.nan), returns)
    short = ~returns.tested & (returns.fits.n_obs == 0) & (sigma > 0) & np.isfinite(beyond)
    if not short.any():
        return Filled(returns, short)
    spread = sigma * np.sqrt(1 + 1 / np.maximum(n_obs, 1))
    fits = returns.fits
    filled = replace(
        fits,
        alpha=np.where(short, 0.0, fits.alpha),
        beta=np.where(short, 1.0, fits.beta),
        sigma=np.where(short, sigma, fits.sigma),
        n_obs=np.where(short, n_obs, fits.n_obs),
        market_mean=np.where(short, 0.0, fits.market_mean),
        market_ss=np.where(short, 0.0, fits.market_ss),
        sector=None
        if fits.sector is None
        else SectorFits(*(np.where(short, 0.0, values) for values in fits.sector)),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        sar = np.where(short, beyond / spread, returns.sar)
    ar = np.where(short, beyond, returns.ar)
    return Filled(replace(returns, fits=filled, ar=ar, sar=sar), short)


def _deviations(beyond: FloatArray, returns: AbnormalReturns) -> tuple[FloatArray, IntArray]:
    """Return each row's deviation from the rows before it, and how many there are."""
    sigma = np.full(len(beyond), np.nan)
    n_obs = np.zeros(len(beyond), dtype=np.int64)
    for row in np.flatnonzero(returns.fits.n_obs == 0).tolist():
        before = beyond[max(0, row - returns.plan.length) : row]
        before = before[np.isfinite(before)]
        if len(before) < FEWEST:
            continue
        scale = float(np.median(np.abs(before))) / _MAD_TO_SIGMA
        calm = before[np.abs(before) <= _FAR * scale] if scale > 0 else before
        n_obs[row] = len(calm)
        sigma[row] = float(np.sqrt((calm**2).mean()))
    return sigma, n_obs


Following = Literal["ewma", "garch"]
DECAY = 0.94
_CAP = 4.0
"""A larger standardized return counts as this: one jump is news, not a storm."""
_FEWEST = 250
_START = (0.06, 0.90)
_PERSISTENT = 0.999


def follow_variance(returns: AbnormalReturns, kind: Following) -> AbnormalReturns:
    """Scale every day's standard deviation by the days before it.

    Rows at events, and rows that are not tested, leave the variance as it is. The parameters of
    GARCH come from the whole series: a day's variance uses no later return, its two weights do.

    Returns:
        The same with `sar` and the models' `sigma` scaled; GARCH needs 250 tested rows and is the
        weighted mean where there are fewer.
    """
    counted = returns.tested & (returns.keep | returns.outlier)
    size = np.minimum(np.abs(np.nan_to_num(returns.sar)), _CAP) ** 2
    squares = size[counted]
    if len(squares) == 0:
        return returns
    if kind == "garch" and len(squares) >= _FEWEST:
        alpha, beta = fit_garch(squares)
        constant = (1 - alpha - beta) * float(squares.mean())
    else:
        alpha, beta, constant = 1 - DECAY, DECAY, 0.0
    steps = _follow(squares, constant, alpha, beta)
    # Of a row that does not count, the variance is that of the next one that does.
    step = np.minimum(np.cumsum(counted) - counted, len(steps) - 1)
    scale = np.sqrt(steps[step])
    with np.errstate(invalid="ignore"):
        sar = returns.sar / scale
    fits = replace(returns.fits, sigma=returns.fits.sigma * scale)
    return replace(returns, sar=sar, fits=fits)


def fit_garch(squares: FloatArray) -> tuple[float, float]:
    """Return the weights of the last square and of the last variance, by normal likelihood.

    Args:
        squares: Squared standardized returns, in their order.

    Returns:
        alpha and beta, not negative, with a sum under 1; the mean variance is that of the squares.
    """
    mean = float(squares.mean())

    def loss(weights: FloatArray) -> float:
        alpha, beta = float(weights[0]), float(weights[1])
        if alpha < 0 or beta < 0 or alpha + beta > _PERSISTENT:
            return 1e12
        variance = _follow(squares, (1 - alpha - beta) * mean, alpha, beta, mean)
        return float((np.log(variance) + squares / variance).sum())

    fit = minimize(loss, np.array(_START), method="Nelder-Mead", options={"xatol": 1e-5})
    return float(fit.x[0]), float(fit.x[1])


def _follow(
    squares: FloatArray, constant: float, alpha: float, beta: float, start: float | None = None
) -> FloatArray:
    """Return h(t) = constant + alpha squares(t-1) + beta h(t-1), with h(0) = start, or 1."""
    first = 1.0 if start is None else start
    later, _ = lfilter(
        [1.0], [1.0, -beta], constant + alpha * squares[:-1], zi=np.array([beta * first])
    )
    return np.asarray(np.maximum(np.concatenate([[first], later]), 1e-6), dtype=np.float64)
