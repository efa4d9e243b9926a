"""What one method says of every gene, in one form for all methods.

Which genes several methods call together.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from itertools import combinations
from warnings import catch_warnings, simplefilter

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

LIBRARY_FAILURES = (
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    RuntimeError,
    TypeError,
    ValueError,
    np.linalg.LinAlgError,
)
"""What a statistics library raises when a method cannot be fitted to the data."""


@dataclass(frozen=True)
class Trend:
    """Mean against spread, with the curve that a method fits through it.

    Attributes:
        x: Abundance of a gene (the method's own scale), one value a gene.
        raw: The gene's own estimate of spread.
        curve: The fitted value at `x`.
        final: The value used in the test, NaN where the method has none.
    """

    x: FloatArray
    raw: FloatArray
    curve: FloatArray
    final: FloatArray


@dataclass(frozen=True)
class GeneTests:
    """Result of one method, one entry a gene, in the order of the count matrix given.

    Attributes:
        log2_fc: Log2 fold change, comparison over reference.
        lfc_se: Its standard error (log2 units), NaN where the method gives none.
        stat: Test statistic (DESeq2 Wald z, edgeR F, limma moderated t).
        pvalue: Two-sided p; NaN for a count outlier.
        padj: Benjamini-Hochberg adjusted p; NaN where it was filtered.
        extra: Columns of this method alone, by name.
        trend: Mean-spread trend for drawing, if the method has one.
        outlier: Genes with a count whose Cook's distance exceeds the limit.
        outlier_sample: Position of the sample with the largest distance, one a gene.
        sample_weights: Quality weight of each sample, where they were estimated.
        block_correlation: Of samples of one block, where it was estimated.
        notes: Warnings as `code: sentence`.
    """

    log2_fc: FloatArray
    lfc_se: FloatArray
    stat: FloatArray
    pvalue: FloatArray
    padj: FloatArray
    extra: Mapping[str, FloatArray] = field(default_factory=dict)
    trend: Trend | None = None
    outlier: BoolArray | None = None
    outlier_sample: IntArray | None = None
    sample_weights: FloatArray | None = None
    block_correlation: float | None = None
    notes: tuple[str, ...] = ()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep a library's prints and warnings to itself."""
    with catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        simplefilter("ignore")
        with np.errstate(all="ignore"):
            yield


def adjust_pvalues(pvalue: FloatArray) -> FloatArray:
    """Adjust p-values by Benjamini and Hochberg, leaving NaN in place.

    Args:
        pvalue: p-values, NaN for genes that are not tested.

    Returns:
        Adjusted p-values of the same length.

    References:
        Benjamini, Hochberg 1995, doi 10.1111/j.2517-6161.1995.tb02031.x.

    >>> adjust_pvalues(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    adjusted = np.full(pvalue.shape, np.nan)
    finite = np.flatnonzero(~np.isnan(pvalue))
    order = finite[np.argsort(pvalue[finite], kind="stable")[::-1]]
    n_tests = len(order)
    scaled = pvalue[order] * n_tests / np.arange(n_tests, 0, -1)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled))
    return adjusted


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
