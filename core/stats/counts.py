"""Which genes are tested, and how samples of unequal depth are put on one scale."""

import numpy as np

from core.stats.fit import BoolArray, FloatArray, IntArray, quiet

MIN_TOTAL_COUNT = 15
LARGE_GROUP = 10
LARGE_GROUP_SHARE = 0.7
_TOLERANCE = 1e-14
_UPPER, _NO_UPPER, _EQUAL = 0.75, 1e-20, 1e-6
"""Quantile by which the reference sample is chosen, where it is none, and ratios that are 1."""
_TRIM_RATIO, _TRIM_LEVEL = 0.3, 0.05


def smallest_sample_size(design: FloatArray) -> float:
    """Return the effective size of the smallest group of a design: 1 / largest leverage.

    In a design with one mean per cell this is the size of its smallest cell, counted exactly.

    Args:
        design: Samples x coefficients, of full rank.
    """
    cells, sizes = np.unique(design, axis=0, return_counts=True)
    if len(cells) == design.shape[1]:
        return float(sizes.min())
    leverage = (np.linalg.qr(design)[0] ** 2).sum(axis=1)
    return float(1 / leverage.max())


def required_samples(design: FloatArray) -> float:
    """Return in how many samples a gene must be expressed to be tested (filterByExpr)."""
    smallest = smallest_sample_size(design)
    if smallest > LARGE_GROUP:
        return LARGE_GROUP + (smallest - LARGE_GROUP) * LARGE_GROUP_SHARE
    return smallest


def filter_low_counts(counts: IntArray, design: FloatArray, min_count: int) -> BoolArray:
    """Mark the genes that are expressed in enough samples to be tested (filterByExpr).

    Args:
        counts: Genes x samples.
        design: Samples x coefficients whose smallest cell sets the number of samples.
        min_count: Reads that a gene needs in a sample of median depth.

    Returns:
        One flag a gene: total count at least 15 and enough samples above the cut-off.

    References:
        Chen, Lun, Smyth 2016, doi 10.12688/f1000research.8987.2.
    """
    depth = counts.sum(axis=0)
    cutoff = min_count / np.median(depth) * 1e6
    n_above = (counts / depth * 1e6 >= cutoff).sum(axis=1)
    is_deep = counts.sum(axis=1) >= MIN_TOTAL_COUNT - _TOLERANCE
    return np.asarray((n_above >= required_samples(design) - _TOLERANCE) & is_deep, dtype=np.bool_)


def estimate_size_factors(counts: IntArray) -> tuple[FloatArray, bool]:
    """Estimate DESeq2's median-of-ratios size factors.

    Where every gene has a zero somewhere, geometric means over the positive counts stand in
    ("poscounts").

    Returns:
        One factor a sample, and whether poscounts had to be used. A factor that cannot be
        estimated is NaN.

    References:
        Anders, Huber 2010, doi 10.1186/gb-2010-11-10-r106, equation 5.
    """
    complete = (counts > 0).all(axis=1)
    if complete.any():
        logs = np.log(counts[complete])
        return np.exp(np.median(logs - logs.mean(axis=1, keepdims=True), axis=0)), False
    positive = counts > 0
    logs = np.log(np.where(positive, counts, 1))
    centered = np.where(positive, logs - logs.mean(axis=1, keepdims=True), np.nan)
    with quiet():
        factors = np.exp(np.nanmedian(centered, axis=0))
    return factors / np.exp(np.mean(np.log(factors))), True


def estimate_tmm_factors(counts: IntArray) -> FloatArray:
    """Estimate edgeR's TMM normalization factors.

    Returns:
        One factor a sample; their product is 1.

    References:
        Robinson, Oshlack 2010, doi 10.1186/gb-2010-11-3-r25.
    """
    if not counts.any(axis=1).all():
        counts = counts[counts.any(axis=1)]
    depth = counts.sum(axis=0)
    with quiet():
        upper = np.array([np.quantile(column, _UPPER) for column in counts.T]) / depth
        reference = int(np.abs(upper - upper.mean()).argmin())
        if np.median(upper) < _NO_UPPER:
            reference = int(np.sqrt(counts).sum(axis=0).argmax())
        against = counts[:, reference].astype(np.float64)
        factors = np.array(
            [_compare(column.astype(np.float64), against, depth[reference]) for column in counts.T]
        )
        return np.asarray(factors / np.exp(np.mean(np.log(factors))), dtype=np.float64)


def _compare(counts: FloatArray, against: FloatArray, depth: float) -> float:
    """Return the trimmed weighted mean ratio of a sample to another one of a given depth."""
    library_size = counts.sum()
    ratio = np.log2((counts / library_size) / (against / depth))
    level = (np.log2(counts / library_size) + np.log2(against / depth)) / 2
    is_finite = np.isfinite(ratio) & np.isfinite(level)
    ratio, level = ratio[is_finite], level[is_finite]
    if len(ratio) == 0 or np.abs(ratio).max() < _EQUAL:
        return 1.0
    variance = (
        (library_size - counts) / library_size / counts + (depth - against) / depth / against
    )[is_finite]
    keep = _is_inner(ratio, _TRIM_RATIO) & _is_inner(level, _TRIM_LEVEL)
    total = (1 / variance[keep]).sum()
    if not (total > 0 and np.isfinite(total)):
        factor = float(np.nanmean(ratio[keep]))
    else:
        factor = float((ratio[keep] / variance[keep]).sum() / total)
    return float(2.0 ** (0.0 if np.isnan(factor) else factor))


def _is_inner(values: FloatArray, share: float) -> BoolArray:
    """Mark the values whose mean rank is not in this share at either end.

    Sorted values tell the ranks at both cuts, which saves ranking them all.
    """
    ordered = np.sort(values)
    first = int(np.floor(len(values) * share)) + 1
    last = len(values) + 1 - first
    low, high = ordered[first - 1], ordered[last - 1]
    is_inner = (values > low) & (values < high)
    for cut in (low, high):
        ends = np.searchsorted(ordered, cut, "left") + 1, np.searchsorted(ordered, cut, "right")
        if first <= sum(ends) / 2 <= last:
            is_inner |= values == cut
    return np.asarray(is_inner, dtype=np.bool_)


def log_cpm(counts: IntArray, tmm: FloatArray, prior: float = 2.0) -> FloatArray:
    """Return log2 counts per million of the effective library, moderated by a prior count.

    Args:
        counts: Genes x samples.
        tmm: TMM factor of each sample.
        prior: Count added to a library of average size.
    """
    library = counts.sum(axis=0) * tmm
    scaled_prior = prior * library / library.mean()
    shares = (counts + scaled_prior) / (library + 2 * scaled_prior)
    return np.asarray(np.log2(shares * 1e6), dtype=np.float64)
