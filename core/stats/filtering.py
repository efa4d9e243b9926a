"""DESeq2's independent filtering: genes too weak to be found do not dilute the adjustment.

References:
    Bourgon, Gentleman, Huber 2010, doi 10.1073/pnas.0914005107.
"""

import numpy as np
from statsmodels.nonparametric.smoothers_lowess import lowess

from core.stats.fit import FloatArray, adjust_pvalues

ALPHA = 0.1
"""R's default level for which the cut-off is chosen."""
_QUANTILES = 50
_HIGHEST = 0.95
_FEW_REJECTIONS = 10
_SMOOTHING = 0.2


def filter_independently(
    base_mean: FloatArray, pvalue: FloatArray, alpha: float = ALPHA
) -> FloatArray:
    """Adjust p-values over the genes above the base mean that gives most rejections.

    Args:
        base_mean: Mean normalized count of each gene.
        pvalue: p of each gene, NaN for count outliers.
        alpha: Adjusted p below which a rejection counts.

    Returns:
        Adjusted p, NaN for filtered genes and outliers.
    """
    lowest = float(np.mean(base_mean == 0))
    highest = _HIGHEST if lowest < _HIGHEST else 1.0
    theta = np.linspace(lowest, highest, _QUANTILES)
    cutoffs = np.quantile(base_mean, theta)
    rejections = np.array(
        [np.nansum(_adjust_above(base_mean, pvalue, cutoff) < alpha) for cutoff in cutoffs],
        dtype=np.float64,
    )
    return _adjust_above(base_mean, pvalue, cutoffs[_choose(theta, rejections)])


def _adjust_above(base_mean: FloatArray, pvalue: FloatArray, cutoff: float) -> FloatArray:
    """Adjust over the genes whose base mean reaches the cut-off; NaN for the others."""
    return adjust_pvalues(np.where(base_mean >= cutoff, pvalue, np.nan))


def _choose(theta: FloatArray, rejections: FloatArray) -> int:
    """Return the first quantile whose rejections come near the fitted maximum."""
    if rejections.max() <= _FEW_REJECTIONS:
        return 0
    fitted = lowess(rejections, theta, frac=_SMOOTHING, it=3, return_sorted=False)
    some = rejections > 0
    spread = np.sqrt(np.mean((rejections[some] - fitted[some]) ** 2))
    nearby = np.flatnonzero(rejections > fitted.max() - spread)
    return int(nearby[0]) if len(nearby) else 0
