"""One order of samples and one direction of the comparison for every way of writing a study.

A ridge and rules of stopping make DESeq2's numbers depend, in the sixth digit, on which group is
the reference, and every sum depends on the order of its terms in the last. A study is therefore
brought into an order that follows from its counts alone, fitted there, and the answer turned back:
swapped groups and shuffled samples give the same numbers.
"""

from dataclasses import dataclass

import numpy as np

from core.stats.fit import FloatArray, IntArray


@dataclass(frozen=True)
class Orientation:
    """How a study is turned.

    Attributes:
        order: Positions of the samples in the order of the fit.
        sign: 1 where the comparison is fitted as given, -1 where the groups are exchanged.
    """

    order: IntArray
    sign: float

    def apply(self, design: FloatArray) -> FloatArray:
        """Return the design in this order and direction."""
        turned = design[self.order].copy()
        if self.sign < 0:
            turned[:, -1] = 1.0 - turned[:, -1]
        return np.ascontiguousarray(turned)


def orient(counts: IntArray, design: FloatArray) -> Orientation:
    """Choose the order and direction of a fit.

    Args:
        counts: Genes x samples.
        design: Samples x p; the last column is 1 in the comparison group, else 0.
    """
    is_comparison = design[:, -1] > 0
    sums = (counts.astype(np.float64) ** 2).sum(axis=0)
    totals = counts.sum(axis=0)
    groups = [
        (int(flags.sum()), int(totals[flags].sum()), float(np.sort(sums[flags]).sum()))
        for flags in (~is_comparison, is_comparison)
    ]
    sign = 1.0 if groups[0] >= groups[1] else -1.0
    keys = [sums, totals, *design[:, 1:-1].T, is_comparison * sign]
    return Orientation(np.lexsort(keys).astype(np.int64), sign)
