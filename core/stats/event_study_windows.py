"""Several days together, and the smallest move that could have been seen.

References:
    Mikkelson, Partch 1988, Journal of Financial Economics 20:31 (exact variance of a window).
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from core.stats.event_study import AbnormalReturns
from core.stats.fit import IntArray

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

    Args:
        returns: Abnormal returns of the whole series.
        fit_row: Row whose market model counts; it must be fitted with sigma above 0.
        rows: Rows to sum; rows without both returns are left out.
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

    Args:
        returns: Abnormal returns.
        row: A tested row.
        sig_z: Limit of abs(SAR).
        min_abs_move: Limit of abs(AR), a fraction.

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
