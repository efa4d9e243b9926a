"""limma-voom: precision weights for log counts, then moderated t-tests.

The two linear models are fitted over all genes at once, since a gene at a time takes most of the
time of pylimma; its estimate of the prior variance is used as it is.

References:
    Law et al. 2014, doi 10.1186/gb-2014-15-2-r29; Smyth 2004, doi 10.2202/1544-6115.1027;
    McCarthy, Smyth 2009, doi 10.1093/bioinformatics/btp053 (tests against a threshold).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pylimma import squeeze_var
from scipy.stats import f as fisher
from scipy.stats import t as student
from statsmodels.nonparametric.smoothers_lowess import lowess

from core.stats.compiled import compiled, factorize, invert, weigh
from core.stats.cooks import blocks
from core.stats.fit import FloatArray, GeneTests, IntArray, Trend, adjust_pvalues, quiet

LimmaFlavor = Literal["fixed_span", "adaptive_span"]
_SPAN = 0.5
_LEAST_SPAN, _SMALL_N, _POWER = 0.3, 50, 1 / 3
_MILLION = 1e6
_LOWESS_STEP = 0.01
_ROBUST_ROUNDS = 3


@dataclass(frozen=True)
class PlainFit:
    """Unweighted fit of log2 counts per million: coefficients (genes x p), means, residual SD."""

    coefficients: FloatArray
    mean: FloatArray
    sigma: FloatArray


@dataclass(frozen=True)
class WeightedFit:
    """Weighted fit of the last coefficient: value, unscaled SD, residual variance, one a gene."""

    value: FloatArray
    unscaled: FloatArray
    variance: FloatArray


def fit_voom(
    counts: IntArray,
    design: FloatArray,
    tmm: FloatArray,
    *,
    flavor: LimmaFlavor = "fixed_span",
    threshold: float = 0.0,
    n_columns: int = 1,
) -> GeneTests:
    """Test the last column of the design in every gene, or the last few together.

    Args:
        counts: Genes x samples, of the tested genes.
        design: Samples x coefficients; the last column is the comparison.
        tmm: TMM factor of each sample.
        flavor: "fixed_span" as limma 3.54 (lowess span 0.5), "adaptive_span" by gene number.
        threshold: log2 fold change that the null hypothesis allows; 0 tests against no change.
        n_columns: Last columns that are tested together, by moderated F.

    Returns:
        One entry a gene.
    """
    library = counts.sum(axis=0) * tmm
    counts, design = np.ascontiguousarray(counts), np.ascontiguousarray(design)
    span = choose_span(flavor, len(counts))
    with quiet():
        plain = _fit_plain(counts, design, library)
        trend = fit_trend(plain, library, span)
        curve_x, at = np.unique(trend.x, return_index=True)
        fits = [
            _fit_column(counts, library, design, plain.coefficients, curve_x, trend.curve[at], last)
            for last in range(design.shape[1] - n_columns, design.shape[1])
        ]
        tests = moderate(fits, design, plain.mean, threshold=threshold)
    return replace(tests, trend=trend)


def moderate(
    fits: Sequence[WeightedFit], design: FloatArray, mean: FloatArray, *, threshold: float = 0.0
) -> GeneTests:
    """Test coefficients with variances drawn to a common prior.

    Args:
        fits: Of the coefficients that are tested together; the last one is the change reported.
        design: Samples x coefficients, without weights.
        mean: Mean log2 counts per million, one a gene.
        threshold: log2 fold change that the null hypothesis allows a single coefficient.
    """
    fitted, n_genes = fits[-1], len(mean)
    freedom = design.shape[0] - design.shape[1]
    squeezed = squeeze_var(fitted.variance, np.full(n_genes, float(freedom)))
    posterior = np.broadcast_to(np.asarray(squeezed["var_post"], dtype=np.float64), n_genes)
    total = np.minimum(freedom + np.asarray(squeezed["df_prior"]), freedom * n_genes)
    lfc_se = fitted.unscaled * np.sqrt(posterior)
    if len(fits) == 1:
        stat, pvalue = _test(fitted.value, lfc_se, total, threshold)
    else:
        t = (
            np.column_stack([fit.value / fit.unscaled for fit in fits])
            / np.sqrt(posterior)[:, None]
        )
        stat, pvalue = _test_together(t, design, total)
    return GeneTests(
        log2_fc=fitted.value,
        lfc_se=lfc_se,
        stat=stat,
        pvalue=pvalue,
        padj=adjust_pvalues(pvalue),
        extra={"ave_expr": mean},
    )


def weigh_counts(
    counts: IntArray, design: FloatArray, tmm: FloatArray, *, flavor: LimmaFlavor = "fixed_span"
) -> tuple[FloatArray, FloatArray]:
    """Return log2 counts per million and voom's precision weights, both genes x samples.

    Arguments as of `fit_voom`.
    """
    library = counts.sum(axis=0) * tmm
    span = choose_span(flavor, len(counts))
    with quiet():
        plain = _fit_plain(np.ascontiguousarray(counts), np.ascontiguousarray(design), library)
        trend = fit_trend(plain, library, span)
    return log_counts(counts, library), read_weights(plain, trend, design, library)


def read_weights(
    plain: PlainFit, trend: Trend, design: FloatArray, library: FloatArray
) -> FloatArray:
    """Return the weight of every count, by the trend at its fitted size; genes x samples."""
    curve_x, at = np.unique(trend.x, return_index=True)
    level = plain.coefficients @ design.T + np.log2((library + 1.0) / _MILLION)
    return np.asarray(np.interp(level, curve_x, trend.curve[at]) ** -4.0, dtype=np.float64)


def choose_span(flavor: LimmaFlavor, n_genes: int) -> float:
    """Return the lowess span: fixed, or by number of genes as limma 3.60 and later choose it."""
    if flavor == "fixed_span":
        return _SPAN
    span = _LEAST_SPAN + (1 - _LEAST_SPAN) * (_SMALL_N / n_genes) ** _POWER
    return float(min(span, 1.0))


def log_counts(counts: IntArray, library: FloatArray) -> FloatArray:
    """Return log2 counts per million with half a count added."""
    return np.asarray(np.log2((counts + 0.5) / (library + 1.0) * _MILLION), dtype=np.float64)


def _fit_plain(counts: IntArray, design: FloatArray, library: FloatArray) -> PlainFit:
    """Fit log2 counts per million without weights."""
    n_samples, n_columns = design.shape
    solver = np.linalg.pinv(design).T
    coefficients = np.empty((len(counts), n_columns))
    mean, sigma = np.empty(len(counts)), np.empty(len(counts))
    for block in blocks(*counts.shape):
        values = log_counts(counts[block], library)
        coefficients[block] = values @ solver
        residual = values - coefficients[block] @ design.T
        mean[block] = values.mean(axis=1)
        sigma[block] = np.sqrt((residual**2).sum(axis=1) / (n_samples - n_columns))
    return PlainFit(coefficients, mean, sigma)


def fit_trend(plain: PlainFit, library: FloatArray, span: float) -> Trend:
    """Return voom's mean-variance trend: root SD over mean log2 count, one entry a gene."""
    x = plain.mean + np.mean(np.log2(library + 1.0)) - np.log2(_MILLION)
    y = np.sqrt(plain.sigma)
    order = np.lexsort((y, x))
    step = _LOWESS_STEP * (x.max() - x.min())
    smooth = lowess(y[order], x[order], frac=span, it=_ROBUST_ROUNDS, delta=step, is_sorted=True)
    curve = np.empty(len(x))
    curve[order] = smooth[:, 1]
    return Trend(x=x, raw=y, curve=curve, final=np.full(len(x), np.nan))


def _fit_column(  # noqa: PLR0913, PLR0917 (arguments of the compiled fit)
    counts: IntArray,
    library: FloatArray,
    design: FloatArray,
    coefficients: FloatArray,
    curve_x: FloatArray,
    curve_y: FloatArray,
    column: int,
) -> WeightedFit:
    """Fit every gene with voom's weights and keep one coefficient."""
    last = design.shape[1] - 1
    order = [*(index for index in range(last + 1) if index != column), column]
    if column != last:
        design, coefficients = (
            np.ascontiguousarray(values[:, order]) for values in (design, coefficients)
        )
    weighted = _fit_weighted(counts, library, design, coefficients, curve_x, curve_y)
    return WeightedFit(*weighted.T.copy())


@compiled
def _fit_weighted(  # noqa: PLR0913, PLR0917 (compiled code takes plain arrays)
    counts: IntArray,
    library: FloatArray,
    design: FloatArray,
    coefficients: FloatArray,
    curve_x: FloatArray,
    curve_y: FloatArray,
) -> FloatArray:
    """Fit every gene with voom's weights; genes x (last coefficient, unscaled SD, variance)."""
    n_genes, n_samples = counts.shape
    n_columns = design.shape[1]
    result = np.full((n_genes, 3), np.nan)
    values, information = np.empty(n_samples), np.empty((n_columns, n_columns))
    inverse, target = np.empty((n_columns, n_columns)), np.empty(n_columns)
    scale = np.log2((library + 1.0) / 1e6)
    for gene in range(n_genes):
        fitted = design @ coefficients[gene]
        weights = np.interp(fitted + scale, curve_x, curve_y) ** -4.0
        target[:] = 0.0
        for sample in range(n_samples):
            values[sample] = np.log2((counts[gene, sample] + 0.5) / (library[sample] + 1.0) * 1e6)
            residual = (values[sample] - fitted[sample]) * weights[sample]
            for column in range(n_columns):
                target[column] += design[sample, column] * residual
        weigh(design, weights, information)
        if np.isnan(factorize(information)):
            continue
        invert(information, inverse)
        solved = coefficients[gene] + inverse @ target
        residuals = values - design @ solved
        result[gene, 0] = solved[-1]
        result[gene, 1] = np.sqrt(inverse[-1, -1])
        result[gene, 2] = (weights * residuals**2).sum() / (n_samples - n_columns)
    return result


def _test(
    value: FloatArray, error: FloatArray, freedom: FloatArray, threshold: float
) -> tuple[FloatArray, FloatArray]:
    """Return moderated t and two-sided p against |log2FC| <= threshold."""
    size = np.abs(value)
    right, left = (size - threshold) / error, (size + threshold) / error
    pvalue = student.sf(right, freedom) + student.sf(left, freedom)
    stat = np.sign(value) * np.maximum(right, 0.0)
    return stat, np.asarray(np.minimum(pvalue, 1.0), dtype=np.float64)


def _test_together(
    t: FloatArray, design: FloatArray, freedom: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return moderated F and p of the last columns of a design together.

    As in limma the correlation of the coefficients is that of the design without weights.

    Args:
        t: Moderated t of the columns, genes x columns.
        design: Samples x p.
        freedom: Degrees of freedom of the moderated variance, one a gene.
    """
    n_columns = t.shape[1]
    covariance = np.linalg.inv(design.T @ design)[-n_columns:, -n_columns:]
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    stat = np.einsum("gi,ij,gj->g", t, np.linalg.inv(correlation), t) / n_columns
    return stat, np.asarray(fisher.sf(stat, n_columns, freedom), dtype=np.float64)
