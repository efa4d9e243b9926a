"""Residual variance that follows the days just before, in place of one variance a window.

In a storm every day stands out against a calm year. Each day's standard deviation is scaled by
what the standardized abnormal returns before it were: by an exponentially weighted mean
(RiskMetrics, decay .94) or by GARCH(1,1) with its mean variance held at that of the windows.

References:
    J.P. Morgan, Reuters 1996, RiskMetrics Technical Document, 4th ed. (decay .94 for daily data).
    Bollerslev 1986, doi 10.1016/0304-4076(86)90063-1; variance targeting: Engle, Mezrich 1996.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.optimize import minimize
from scipy.signal import lfilter

from core.stats.event_study import AbnormalReturns
from core.stats.fit import FloatArray

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

    Args:
        returns: Abnormal returns with one variance a window.
        kind: How the variance follows.

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
