"""The estimation windows of some days once more: other slopes, and how rare a day is in them.

References:
    Huber 1964, doi 10.1214/aoms/1177703732, with the median absolute deviation as scale.
    Dimson 1979, Journal of Financial Economics 7:197 (sum of lead, same-day and lag slopes).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.stats.event_study import AbnormalReturns
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
    """

    huber: FloatArray
    dimson: FloatArray


class _Windows(NamedTuple):
    """Windows x rows: places, whether a place counts, and the returns there."""

    places: IntArray
    inside: BoolArray
    x: FloatArray
    y: FloatArray


def fit_other_slopes(found: AbnormalReturns, rows: Sequence[int]) -> OtherSlopes:
    """Return other slopes for the windows to which the models of these rows were fitted."""
    blocks = [_gather(found, block) for block in _split(found, rows)]
    huber = [_fit_huber(windows) for windows in blocks]
    dimson = [_fit_dimson(found, windows) for windows in blocks]
    return OtherSlopes(np.concatenate([[], *huber]), np.concatenate([[], *dimson]))


def empirical_p(found: AbnormalReturns, rows: Sequence[int]) -> FloatArray:
    """Return the share of each window's rows that stand out at least as much as its day.

    (1 + rows whose studentized residual is at least as large as abs(SAR)) / (1 + n): returns have
    heavier tails than the normal curve, and this share does not lean on a curve. Rows that fits
    leave out as outliers are compared, too: without them every large day would seem rare.

    Args:
        found: Abnormal returns of the series.
        rows: Tested rows.
    """
    compared = found.keep | found.outlier
    tails = [
        _count_tail(found, _gather(found, block, compared), block) for block in _split(found, rows)
    ]
    return np.concatenate([[], *tails])


def _split(found: AbnormalReturns, rows: Sequence[int]) -> list[IntArray]:
    """Return the rows in blocks whose windows fit into memory together."""
    step = max(1, _CELLS_AT_ONCE // found.plan.length)
    every = np.asarray(rows, dtype=np.int64)
    return [every[start : start + step] for start in range(0, len(every), step)]


def _gather(found: AbnormalReturns, rows: IntArray, compared: BoolArray | None = None) -> _Windows:
    """Return the rows of every window: those of the fits, or the ones that are compared."""
    plan, series = found.plan, found.series
    places = rows[:, None] - plan.gap - plan.length + 1 + np.arange(plan.length)
    inside = places >= 0
    places = np.where(inside, places, 0)
    inside &= (found.keep if compared is None else compared)[places]
    x = np.where(inside, series.market[places], 0.0)
    return _Windows(places, inside, x, np.where(inside, series.stock[places], 0.0))


def _fit_huber(windows: _Windows) -> FloatArray:
    """Return Huber's slopes, all windows at once, from the ordinary fit."""
    x, y, inside = windows.x, windows.y, windows.inside
    slope, level = _solve(x, y, inside.astype(float))
    found = slope.copy()
    active = np.flatnonzero(np.isfinite(slope))
    x, y, inside, slope, level = x[active], y[active], inside[active], slope[active], level[active]
    for _ in range(_MOST_STEPS):
        residual = np.abs(y - level[:, None] - slope[:, None] * x)
        scale = _median(residual, inside) / _MAD_TO_SIGMA
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = np.minimum(1.0, _TUNING * scale[:, None] / residual)
        weight = np.where(inside, np.nan_to_num(weight, nan=1.0), 0.0)
        before = slope
        slope, level = _solve(x, y, weight)
        found[active] = slope
        moving = np.abs(slope - before) >= _TOLERANCE
        if not moving.any():
            break
        active, x, y, inside = active[moving], x[moving], y[moving], inside[moving]
        slope, level = slope[moving], level[moving]
    return found


def _solve(x: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return weighted slope and level, one a line."""
    total = weight.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x = (weight * x).sum(axis=1, keepdims=True) / total
        mean_y = (weight * y).sum(axis=1, keepdims=True) / total
        weighted = weight * (x - mean_x)
        spread = (weighted * (x - mean_x)).sum(axis=1)
        slope = np.where(spread > 0, (weighted * (y - mean_y)).sum(axis=1) / spread, np.nan)
    return slope, mean_y[:, 0] - slope * mean_x[:, 0]


def _median(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Return the median of each line's values inside the window."""
    ordered = np.sort(np.where(inside, values, np.inf), axis=1)
    n, lines = inside.sum(axis=1), np.arange(len(values))
    upper = ordered[lines, np.minimum(n // 2, values.shape[1] - 1)]
    return np.asarray((ordered[lines, np.maximum((n - 1) // 2, 0)] + upper) / 2)


def _fit_dimson(found: AbnormalReturns, windows: _Windows) -> FloatArray:
    """Return Dimson's slopes; days without a neighbor on either side are left out."""
    market = np.concatenate([[np.nan], found.series.market, [np.nan]])
    places = windows.places + 1
    design = np.stack([market[places - 1], market[places], market[places + 1]], axis=2)
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
        slopes[solvable] = solved[:, :, 0].sum(axis=1)
    return slopes


def _count_tail(found: AbnormalReturns, windows: _Windows, rows: IntArray) -> FloatArray:
    """Return the empirical tail probability of each row's SAR among its window's rows."""
    fits = found.fits
    alpha, beta, sigma, mean, ss = (
        values[rows][:, None]
        for values in (fits.alpha, fits.beta, fits.sigma, fits.market_mean, fits.market_ss)
    )
    n = windows.inside.sum(axis=1)
    fitted = windows.inside & found.keep[windows.places]
    n_fitted = fitted.sum(axis=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = 1 / n_fitted + np.where(ss > 0, (windows.x - mean) ** 2 / ss, 0.0)
    # A row of the fit drew the line to itself; one outside is predicted by it.
    lever = np.maximum(np.where(fitted, 1 - distance, 1 + distance), 1e-12)
    residual = np.abs(windows.y - alpha - beta * windows.x) / (sigma * np.sqrt(lever))
    larger = windows.inside & (residual >= np.abs(found.sar[rows])[:, None])
    return np.asarray((1 + larger.sum(axis=1)) / (1 + n))
