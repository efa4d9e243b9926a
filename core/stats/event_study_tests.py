"""Tests of many events together.

References:
    Patell 1976, Journal of Accounting Research 14:246.
    Boehmer, Musumeci, Poulsen 1991, Journal of Financial Economics 30:253 (BMP).
    Kolari, Pynnonen 2010, Review of Financial Studies 23:3996 (both, for correlated residuals).
    Corrado 1989, Journal of Financial Economics 23:385 (rank); Cowan 1992, Review of
    Quantitative Finance and Accounting 2:343 (generalized sign; rank over several days).
    Kolari, Pynnonen 2011, Journal of Empirical Finance 18:953 (generalized rank).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr
from scipy.stats import rankdata

from core.stats.fit import FloatArray

SIGNLESS = frozenset({"size_rank"})
"""Tests of how large the abnormal returns are: good and bad news do not cancel in them."""


class EventSample(NamedTuple):
    """Events side by side.

    Attributes:
        car: Cumulative abnormal return of each event's window.
        scar: The same over its exact standard deviation.
        n_obs: Rows in each estimation window.
        residual: Events x relative days of the estimation window, NaN where a row is left out.
        window: Events x days of the event window: abnormal returns, NaN where there is none.
        n_coefficients: Coefficients of each event's model.
    """

    car: FloatArray
    scar: FloatArray
    n_obs: FloatArray
    residual: FloatArray
    window: FloatArray
    n_coefficients: FloatArray | int = 2


class Outcome(NamedTuple):
    """A statistic and its two-sided p."""

    statistic: float
    p_value: float


def mean_correlation(residual: FloatArray) -> float:
    """Return the mean correlation of different events' residuals, day by relative day.

    Missing days count as no correlation.
    """
    n = len(residual)
    centered = residual - np.nanmean(residual, axis=1, keepdims=True)
    unit = centered / np.sqrt(np.nansum(centered**2, axis=1, keepdims=True))
    total = np.nansum(unit, axis=0)
    return float((total @ total - n) / (n * (n - 1)))


def rank_days(sample: EventSample) -> FloatArray:
    """Return ranks over (days + 1) of every event's days, estimation window first; NaN kept."""
    days = np.concatenate([sample.residual, sample.window], axis=1)
    ranks = rankdata(days, axis=1, nan_policy="omit")
    n_finite = np.isfinite(days).sum(axis=1, keepdims=True)
    return np.asarray(ranks / (n_finite + 1), dtype=np.float64)


def compare_events(sample: EventSample) -> dict[str, Outcome]:
    """Return the tests by name; one that cannot be computed is left out."""
    n = len(sample.scar)
    degrees = sample.n_obs - sample.n_coefficients
    patell = float(sample.scar.sum() / np.sqrt((degrees / (degrees - 2)).sum()))
    spread = float(sample.scar.std(ddof=1))
    bmp = float(np.sqrt(n) * sample.scar.mean() / spread) if spread > 0 else None
    r = mean_correlation(sample.residual)
    inflation = 1 + (n - 1) * r
    outcomes: dict[str, Outcome] = {"patell_z": _normal(patell)}
    if bmp is not None:
        outcomes["bmp_t"] = _student(bmp, n - 1)
    if inflation > 0:
        outcomes["kolari_pynnonen_patell"] = _normal(patell / float(np.sqrt(inflation)))
    if inflation > 0 and bmp is not None:
        adjusted = bmp * float(np.sqrt((1 - r) / inflation))
        outcomes["kolari_pynnonen_bmp"] = _student(adjusted, n - 1)
    outcomes["corrado_rank"] = _normal(_rank_statistic(sample))
    sized = sample._replace(residual=np.abs(sample.residual), window=np.abs(sample.window))
    outcomes["size_rank"] = _normal(_rank_statistic(sized))
    if spread > 0:
        # The generalized rank test takes each window as one more day among its estimation days;
        # their common rise of variance is divided out.
        is_known = np.isfinite(sample.residual)
        freedom = np.maximum(is_known.sum(axis=1, keepdims=True) - 2, 1)
        scale = np.sqrt(np.nansum(sample.residual**2, axis=1, keepdims=True) / freedom)
        days = np.concatenate([sample.residual / scale, sample.scar[:, None] / spread], axis=1)
        n_days = np.isfinite(days).sum(axis=1, keepdims=True)
        ranks = rankdata(days, axis=1, nan_policy="omit") / (n_days + 1) - 0.5
        present = np.isfinite(ranks).sum(axis=0)
        is_present = present > 0
        by_day = np.nansum(ranks, axis=0)[is_present] / present[is_present]
        total = len(by_day)
        deviation = float(np.sqrt((present[is_present] / len(days) * by_day**2).sum() / total))
        z = float(by_day[-1]) / deviation
        statistic = z * float(np.sqrt((total - 2) / max(total - 1 - z**2, 1e-12)))
        outcomes["generalized_rank"] = _student(statistic, total - 2)
    positive = float(np.nanmean(_share_positive(sample.residual)))
    if 0 < positive < 1:
        w = float((sample.car > 0).sum())
        sign = (w - n * positive) / float(np.sqrt(n * positive * (1 - positive)))
        outcomes["generalized_sign"] = _normal(sign)
    return outcomes


def _share_positive(residual: FloatArray) -> FloatArray:
    is_known = np.isfinite(residual)
    return np.asarray((is_known & (np.nan_to_num(residual) > 0)).sum(axis=1) / is_known.sum(axis=1))


def _rank_statistic(sample: EventSample) -> float:
    """Return Corrado's rank statistic over the days of the event window."""
    ranks = rank_days(sample) - 0.5
    is_known = np.isfinite(ranks)
    by_day = (
        np.nansum(ranks, axis=0)[is_known.any(axis=0)] / is_known.sum(axis=0)[is_known.any(axis=0)]
    )
    n_days = int(is_known[:, sample.residual.shape[1] :].any(axis=0).sum())
    spread = float(np.sqrt((by_day**2).mean()))
    return float(np.sqrt(n_days) * by_day[len(by_day) - n_days :].mean() / spread)


def _normal(statistic: float) -> Outcome:
    return Outcome(statistic, float(2 * ndtr(-abs(statistic))))


def _student(statistic: float, df: int) -> Outcome:
    return Outcome(statistic, float(2 * stdtr(df, -abs(statistic))))
