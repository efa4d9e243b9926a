"""One order of samples and one direction of the comparison for every way of writing a study.

A ridge and rules of stopping make DESeq2's numbers depend, in the sixth digit, on which group is
the reference, and every sum depends on the order of its terms in the last. A study is therefore
brought into an order that follows from its counts alone, fitted there, and the answer turned back:
swapped groups and shuffled samples give the same numbers.
"""

from dataclasses import dataclass

import numpy as np

from core.stats.design import Effect
from core.stats.fit import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Orientation:
    """How a study is turned.

    Attributes:
        order: Positions of the samples in the order of the fit.
        sign: 1 where the comparison is fitted as given, -1 where the groups are exchanged.
        base: Last column of the exchanged design, in the order given; None in one of two groups.
        compared: Samples of the two groups compared, in the order given, where there are more.
    """

    order: IntArray
    sign: float
    base: FloatArray | None = None
    compared: BoolArray | None = None

    def apply(self, design: FloatArray) -> FloatArray:
        """Return the design in this order and direction."""
        turned = design[self.order].copy()
        if self.sign < 0:
            other = 1.0 - turned[:, -1] if self.base is None else self.base[self.order]
            turned[:, -1] = other
        return np.ascontiguousarray(turned)


def orient(counts: IntArray, design: FloatArray, effect: Effect | None = None) -> Orientation:
    """Choose the order and direction of a fit.

    Args:
        counts: Genes x samples.
        design: Samples x p; the last column is 1 in the comparison group, else 0.
        effect: What is tested, where that is more than a comparison of the only two groups.
    """
    is_comparison = design[:, -1] > 0
    base = None if effect is None else effect.base
    is_reference = ~is_comparison if base is None else base > 0
    sums = (counts.astype(np.float64) ** 2).sum(axis=0)
    totals = counts.sum(axis=0)
    groups = [
        (int(flags.sum()), int(totals[flags].sum()), float(np.sort(sums[flags]).sum()))
        for flags in (is_reference, is_comparison)
    ]
    is_fixed = effect is not None and base is None
    sign = 1.0 if is_fixed or groups[0] >= groups[1] else -1.0
    keys = [sums, totals, *design[:, 1:-1].T, is_comparison * sign]
    compared = None if base is None else np.asarray(is_reference | is_comparison, dtype=np.bool_)
    return Orientation(np.lexsort(keys).astype(np.int64), sign, base, compared)
