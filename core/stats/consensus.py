"""Which genes several methods call together."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from core.stats.fit import BoolArray, FloatArray


def call_significant(
    log2_fc: FloatArray, padj: FloatArray, *, fdr_cutoff: float, log2fc_cutoff: float
) -> BoolArray:
    """Mark the genes with padj under and absolute log2 fold change at or over its cut-off.

    A missing `padj` is never significant.
    """
    with np.errstate(invalid="ignore"):
        return np.asarray((padj < fdr_cutoff) & (np.abs(log2_fc) >= log2fc_cutoff), dtype=np.bool_)


def find_consensus(
    calls: Sequence[BoolArray], log2_fcs: Sequence[FloatArray], *, has_direction: bool = True
) -> BoolArray:
    """Mark the genes that every method calls, all with the same sign.

    `has_direction`: whether the test is of a change with a sign; a test of several coefficients
    together is not.
    """
    together = np.logical_and.reduce(calls)
    if not has_direction:
        return np.asarray(together, dtype=np.bool_)
    signs = np.sign(np.vstack(log2_fcs))
    return np.asarray(together & (signs == signs[0]).all(axis=0), dtype=np.bool_)


def count_overlaps(calls: Sequence[BoolArray]) -> dict[tuple[int, ...], int]:
    """Count the genes that exactly these methods call (the bars of an UpSet plot).

    Returns:
        Number of genes by the positions of the methods that call them.
    """
    stacked = np.vstack(calls)
    counted: dict[tuple[int, ...], int] = {}
    for size in range(1, len(calls) + 1):
        for members in combinations(range(len(calls)), size):
            exact = np.array([index in members for index in range(len(calls))])
            counted[members] = int((stacked == exact[:, None]).all(axis=0).sum())
    return counted
