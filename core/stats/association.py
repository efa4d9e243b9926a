"""How much of one number a sample a column of the metadata explains."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import f

from core.stats.fit import FloatArray


@dataclass(frozen=True)
class Association:
    """Share of variance explained (0 to 1) and the p of its F-test, NaN where there is none."""

    share: float
    pvalue: float


def explain(values: FloatArray, columns: FloatArray, given: FloatArray) -> Association:
    """Test whether columns explain values beyond what is given.

    Args:
        values: One a sample.
        columns: Samples x k, of the metadata column.
        given: Samples x p, a design whose first column is 1.
    """
    without, rank = _residual(values, given)
    residual, full_rank = _residual(values, np.column_stack([given, columns]))
    n_extra, freedom = full_rank - rank, len(values) - full_rank
    if n_extra <= 0 or without <= 0:
        return Association(0.0, float("nan"))
    share = float(np.clip((without - residual) / without, 0.0, 1.0))
    if freedom <= 0:
        return Association(share, float("nan"))
    if residual <= 0:
        return Association(share, 0.0)
    ratio = (without - residual) / n_extra / (residual / freedom)
    return Association(share, float(f.sf(ratio, n_extra, freedom)))


def _residual(values: FloatArray, design: FloatArray) -> tuple[float, int]:
    """Return the residual sum of squares and the rank of a design."""
    solved, _, rank, _ = np.linalg.lstsq(design, values)
    return float(np.sum((values - design @ solved) ** 2)), int(rank)
