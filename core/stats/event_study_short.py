"""Days with too little history for a regression: measured against the benchmark itself.

Where a stock has few rows (a new listing), alpha 0 and beta 1 against its sector's benchmark stand
in for the fit, and sigma comes from the rows there are. The market-adjusted model is that of
Brown, Warner 1985, Journal of Financial Economics 14:3.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.stats.event_study import AbnormalReturns
from core.stats.event_study_factors import SectorFits
from core.stats.fit import BoolArray, FloatArray, IntArray

FEWEST = 20
_MAD_TO_SIGMA = 0.6744897501960817
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

    Args:
        returns: Abnormal returns by the market model.
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
