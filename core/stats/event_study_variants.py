"""The slope on the benchmark by other estimators, for the same windows.

References:
    Huber 1964, doi 10.1214/aoms/1177703732, with the median absolute deviation as scale.
    Dimson 1979, Journal of Financial Economics 7:197 (sum of lead, same-day and lag slopes).
"""

from collections.abc import Sequence

import numpy as np

from core.stats.event_study import AbnormalReturns
from core.stats.event_study_windows import window_rows
from core.stats.fit import BoolArray, FloatArray

_TUNING = 1.345
_MAD_TO_SIGMA = 0.6744897501960817
_MOST_STEPS = 50
_TOLERANCE = 1e-8


def huber_betas(found: AbnormalReturns, rows: Sequence[int]) -> FloatArray:
    """Return Huber's slope for the windows of these rows; NaN where the benchmark is constant.

    Iteratively reweighted least squares from the ordinary fit, tuning 1.345, for all windows at
    once.
    """
    length = found.plan.length
    x, y = np.zeros((2, len(rows), length))
    inside = np.zeros((len(rows), length), dtype=np.bool_)
    for place, row in enumerate(rows):
        used = window_rows(found, row)
        inside[place, : len(used)] = True
        x[place, : len(used)] = found.series.market[used]
        y[place, : len(used)] = found.series.stock[used]
    slope, level = _solve(x, y, inside.astype(float))
    for _ in range(_MOST_STEPS):
        residual = np.abs(y - level[:, None] - slope[:, None] * x)
        scale = _median(residual, inside) / _MAD_TO_SIGMA
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = np.minimum(1.0, _TUNING * scale[:, None] / residual)
        weight = np.where(inside, np.nan_to_num(weight, nan=1.0), 0.0)
        before = slope
        slope, level = _solve(x, y, weight)
        if np.nanmax(np.abs(slope - before), initial=0.0) < _TOLERANCE:
            break
    return slope


def _solve(x: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return weighted slope and level, one a line."""
    total = weight.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x = (weight * x).sum(axis=1, keepdims=True) / total
        mean_y = (weight * y).sum(axis=1, keepdims=True) / total
        dx = x - mean_x
        spread = (weight * dx * dx).sum(axis=1)
        slope = np.where(spread > 0, (weight * dx * (y - mean_y)).sum(axis=1) / spread, np.nan)
    return slope, mean_y[:, 0] - slope * mean_x[:, 0]


def _median(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Return the median of each line's values inside the window."""
    ordered = np.sort(np.where(inside, values, np.inf), axis=1)
    n = inside.sum(axis=1)
    lines = np.arange(len(values))
    upper = ordered[lines, np.minimum(n // 2, values.shape[1] - 1)]
    return np.asarray((ordered[lines, np.maximum((n - 1) // 2, 0)] + upper) / 2)


def dimson_beta(found: AbnormalReturns, row: int) -> float | None:
    """Return the sum of slopes on yesterday's, today's and tomorrow's benchmark return.

    Args:
        found: Abnormal returns of the series.
        row: Row whose window is fitted; days without a neighbor on either side are left out.

    Returns:
        The sum, or None where the three slopes cannot be told apart.
    """
    market = found.series.market
    used = window_rows(found, row)
    used = used[(used > 0) & (used < len(market) - 1)]
    design = np.column_stack([np.ones(len(used)), market[used - 1], market[used], market[used + 1]])
    known = np.isfinite(design).all(axis=1)
    if known.sum() <= design.shape[1]:
        return None
    solved, _, rank, _ = np.linalg.lstsq(design[known], found.series.stock[used[known]])
    return float(solved[1:].sum()) if rank == design.shape[1] else None
