"""limma-voom: precision weights for log counts, then moderated t-tests.

The two linear models are fitted over all genes at once, since a gene at a time takes most of the
time of pylimma; its estimate of the prior variance is used as it is.

limma-voom where samples are no equals: blocks of correlated samples, and quality weights. Blocks
are subjects seen more than once whose samples correlate (duplicateCorrelation); weights let a noisy
sample count less (voomWithQualityWeights). Both change voom's own trend, so they are estimated, put
in, and estimated again, as limma's user guide has it.

Correlation of samples of one block (a subject seen more than once), one for all genes. Each gene's
two variance components, within and between blocks, are estimated by restricted maximum likelihood:
beyond the design the squared projections of its values on the axes of the block effect are gamma
variables with mean `within + between x eigenvalue`. limma takes the trimmed mean of the genes'
correlations on Fisher's z scale.

References:
    Law et al. 2014, doi 10.1186/gb-2014-15-2-r29; Smyth 2004, doi 10.2202/1544-6115.1027; McCarthy,
    Smyth 2009, doi 10.1093/bioinformatics/btp053 (tests against a threshold); Smyth, Michaud, Scott
    2005, doi 10.1093/bioinformatics/bti270; Liu et al. 2015, doi 10.1093/nar/gkv412; Ritchie et al.
    2006, doi 10.1186/1471-2105-7-261.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pylimma import array_weights, squeeze_var
from scipy.linalg import solve_triangular
from scipy.stats import f as fisher
from scipy.stats import t as student
from statsmodels.nonparametric.smoothers_lowess import lowess

from core.stats.compiled import compiled, factorize, invert, weigh
from core.stats.cooks import blocks
from core.stats.cooks import blocks as gene_blocks
from core.stats.design import SampleModel
from core.stats.fit import BoolArray, FloatArray, GeneTests, IntArray, Trend, adjust_pvalues, quiet

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


_TRIM = 0.15
_ROUNDS = 21
"""limma asks statmod for 20 rounds, and statmod ends after one more."""
_MOST, _MARGIN = 0.99, 0.01
_NO_AXIS = 1e-12
"""Eigenvalues of this share of the largest are none."""
_CLOSE, _SMALLEST, _STIFF = 1e-6, 1e-3, 1e15
"""Score times step at which the fit ends, least share of the largest variance, most damping."""
_AXES = 2


@dataclass(frozen=True)
class _Axes:
    """The axes of the block effect beyond the design, one row a gene.

    Attributes:
        size: Eigenvalues, genes x blocks.
        square: Squared projections of the gene's values, genes x blocks.
        is_one: Which of them are axes at all.
        n_flat: Number of axes on which blocks have no effect.
        flat: Sum of the squared projections on these.
    """

    size: FloatArray
    square: FloatArray
    is_one: BoolArray
    n_flat: FloatArray
    flat: FloatArray

    def of(self, genes: IntArray) -> "_Axes":
        """Return the axes of some genes."""
        size, square, is_one = self.size[genes], self.square[genes], self.is_one[genes]
        return _Axes(size, square, is_one, self.n_flat[genes], self.flat[genes])


def estimate_correlation(
    values: FloatArray, weights: FloatArray, design: FloatArray, blocks: IntArray
) -> float:
    """Return the consensus correlation of samples of one block (duplicateCorrelation).

    Args:
        values: log2 counts per million, genes x samples.
        weights: Precision weights, genes x samples.
        design: Samples x coefficients, of full rank.
        blocks: Code of the block of each sample, from 0.

    Returns:
        Between -1 / (largest block - 1) and 1; 0 where no gene tells.
    """
    sizes = np.bincount(blocks)
    members = (blocks[:, None] == np.arange(len(sizes))).astype(np.float64)
    correlations = np.full(len(values), np.nan)
    with np.errstate(all="ignore"):
        for block in gene_blocks(len(values), values.shape[1] * (len(sizes) + design.shape[1])):
            root = np.sqrt(weights[block])
            basis = np.linalg.qr(root[:, :, None] * design)[0]
            turned = basis.transpose(0, 2, 1)
            weighted = root * values[block]
            weighted = weighted - np.einsum(
                "gnp,gp->gn", basis, np.einsum("gpn,gn->gp", turned, weighted)
            )
            spread = members - basis @ (turned @ members)
            size, vectors = np.linalg.eigh(spread.transpose(0, 2, 1) @ spread)
            projected = np.einsum("gbk,gb->gk", vectors, np.einsum("gnb,gn->gb", spread, weighted))
            is_one = size > _NO_AXIS * size[:, -1:]
            square = np.where(is_one, projected**2 / np.where(is_one, size, 1.0), 0.0)
            flat = np.maximum((weighted**2).sum(axis=1) - square.sum(axis=1), 0.0)
            n_flat = (len(design) - design.shape[1] - is_one.sum(axis=1)).astype(np.float64)
            axes = _Axes(np.where(is_one, size, 0.0), square, is_one, n_flat, flat)
            within, between = _climb(axes, *_start(axes))
            correlations[block] = between / (within + between)
    finite = correlations[np.isfinite(correlations)]
    if len(finite) == 0:
        return 0.0
    least = 1.0 / (1.0 - sizes.max()) + _MARGIN
    scores = np.sort(np.arctanh(np.clip(finite, least, _MOST)))
    cut = int(len(scores) * _TRIM)
    return float(np.tanh(scores[cut : len(scores) - cut].mean()))


def _start(axes: _Axes) -> tuple[FloatArray, FloatArray]:
    """Return first variances within and between blocks by least squares; NaN where none can be."""
    n_all = axes.n_flat + axes.is_one.sum(axis=1)
    sum_x, sum_y = axes.size.sum(axis=1), axes.square.sum(axis=1) + axes.flat
    spread = n_all * (axes.size**2).sum(axis=1) - sum_x**2
    between = (n_all * (axes.size * axes.square).sum(axis=1) - sum_x * sum_y) / spread
    within = (sum_y - between * sum_x) / n_all
    means = within[:, None] + between[:, None] * axes.size
    is_below = (np.where(axes.is_one, means, 0.0) < 0).any(axis=1)
    is_below |= (axes.n_flat > 0) & (within < 0)
    within, between = np.where(is_below, sum_y / n_all, within), np.where(is_below, 0.0, between)
    can = (axes.is_one.sum(axis=1) >= _AXES) & (spread > 1e-15 * n_all**2)
    return np.where(can, within, np.nan), np.where(can, between, np.nan)


def _deviance(axes: _Axes, within: FloatArray, between: FloatArray) -> FloatArray:
    """Return the gamma deviance but for what no parameter changes; infinite below zero."""
    means = within[:, None] + between[:, None] * axes.size
    parts = np.where(axes.is_one, axes.square / means + np.log(means), 0.0)
    flat = np.where(axes.n_flat > 0, axes.flat / within + axes.n_flat * np.log(within), 0.0)
    is_below = (axes.is_one & (means < 0)).any(axis=1) | ((axes.n_flat > 0) & (within < 0))
    deviances = np.where(is_below, np.inf, 2.0 * (parts.sum(axis=1) + flat))
    return np.asarray(deviances, dtype=np.float64)


def _inform(axes: _Axes, within: FloatArray, between: FloatArray) -> FloatArray:
    """Return genes x (information aa, ab, bb; scores a, b) of within (a) and between (b)."""
    means = within[:, None] + between[:, None] * axes.size
    squares = np.where(axes.is_one, means**2, 0.0)
    alone = np.where(axes.n_flat > 0, within**2, 0.0)
    least = np.maximum(squares.max(axis=1), alone) * _SMALLEST
    weight = np.where(axes.is_one, 1.0 / np.maximum(squares, least[:, None]), 0.0)
    flat = np.where(axes.n_flat > 0, 1.0 / np.maximum(alone, least), 0.0)
    gap = axes.square - means
    return np.column_stack(
        [
            weight.sum(axis=1) + axes.n_flat * flat,
            (weight * axes.size).sum(axis=1),
            (weight * axes.size**2).sum(axis=1),
            (weight * gap).sum(axis=1) + (axes.flat - axes.n_flat * within) * flat,
            (weight * axes.size * gap).sum(axis=1),
        ]
    )


def _climb(axes: _Axes, within: FloatArray, between: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit the gamma means by Fisher scoring, damped where the deviance would rise.

    Args:
        axes: Of all genes.
        within: First variances within blocks; NaN leaves a gene out.
        between: First variances between blocks.

    Returns:
        Both variances, NaN where the fit fails.
    """
    deviance, damping = _deviance(axes, within, between), np.zeros(len(within))
    active = np.flatnonzero(np.isfinite(deviance))
    for step in range(_ROUNDS):
        information = _inform(axes.of(active), within[active], between[active])
        if step == 0:
            damping[active] = (information[:, 0] + information[:, 2]) / 4.0
        last = np.full((len(active), 2), np.nan)
        pending, is_first = np.arange(len(active)), True
        while len(pending):
            genes, weights = active[pending], information[pending]
            steps = _solve(weights, damping[genes])
            now = _deviance(
                axes.of(genes), within[genes] + steps[:, 0], between[genes] + steps[:, 1]
            )
            is_better = now <= deviance[genes]
            taken = genes[is_better]
            within[taken] += steps[is_better, 0]
            between[taken] += steps[is_better, 1]
            deviance[taken] = now[is_better]
            last[pending[is_better]] = steps[is_better]
            if is_first:
                damping[taken] /= 10.0
            failed = np.isnan(now)
            within[genes[failed]] = np.nan
            stiff = damping[genes] > _STIFF * np.maximum(weights[:, 0], weights[:, 2])
            pending = pending[~is_better & ~failed & ~stiff]
            damping[active[pending]] *= 2.0
            is_first = False
        gain = (information[:, 3:] * last).sum(axis=1)
        active = active[gain >= _CLOSE]
    return within, between


def _solve(information: FloatArray, damping: FloatArray) -> FloatArray:
    """Return the damped step of each gene, genes x 2; NaN where there is none."""
    aa, ab, bb, a, b = information.T
    aa, bb = aa + damping, bb + damping
    determinant = aa * bb - ab**2
    steps = np.column_stack([bb * a - ab * b, aa * b - ab * a]) / determinant[:, None]
    return np.where((determinant > 0)[:, None], steps, np.nan)


@dataclass(frozen=True)
class Precision:
    """What voom and the samples say of every count.

    Attributes:
        values: log2 counts per million, genes x samples.
        weights: Precision weights, quality put in, genes x samples.
        quality: Weight of each sample; None where quality does not count.
        correlation: Of samples of one block; None without blocks.
        plain: The fit behind the trend.
        trend: voom's trend.
    """

    values: FloatArray
    weights: FloatArray
    quality: FloatArray | None
    correlation: float | None
    plain: PlainFit
    trend: Trend


def fit_voom_samples(
    counts: IntArray,
    design: FloatArray,
    tmm: FloatArray,
    samples: SampleModel,
    *,
    flavor: LimmaFlavor = "fixed_span",
    threshold: float = 0.0,
    n_columns: int = 1,
) -> GeneTests:
    """Test the last column of the design in every gene, or the last few together.

    Arguments as of `core.stats.voom.fit_voom`, and how the samples differ.
    """
    with quiet():
        precision = weigh_samples(counts, design, tmm, samples, flavor=flavor)
        whitening = _whiten(samples, precision.correlation)
        fits = _fit_by_precision(precision, design, whitening)[-n_columns:]
        tests = moderate(fits, _apply(whitening, design), precision.plain.mean, threshold=threshold)
    return replace(
        tests,
        trend=precision.trend,
        sample_weights=precision.quality,
        block_correlation=precision.correlation,
    )


def weigh_samples(
    counts: IntArray,
    design: FloatArray,
    tmm: FloatArray,
    samples: SampleModel,
    *,
    flavor: LimmaFlavor = "fixed_span",
) -> Precision:
    """Return log counts with their weights, sample weights and the correlation within blocks."""
    library = counts.sum(axis=0) * tmm
    values, span = log_counts(counts, library), choose_span(flavor, len(counts))
    precision = _weigh(values, design, library, samples, span, None)
    if samples.blocks is None:
        return precision
    first = estimate_correlation(values, precision.weights, design, samples.blocks)
    precision = _weigh(values, design, library, samples, span, first)
    last = estimate_correlation(values, precision.weights, design, samples.blocks)
    return replace(precision, correlation=last)


def _weigh(  # noqa: PLR0913, PLR0917 (what voom needs)
    values: FloatArray,
    design: FloatArray,
    library: FloatArray,
    samples: SampleModel,
    span: float,
    correlation: float | None,
) -> Precision:
    """Return voom's weights for a known correlation, quality estimated twice where it counts."""
    whitening = _whiten(samples, correlation)
    plain, trend, weights = _fit_voom(values, design, library, span, whitening)
    if not samples.by_quality:
        return Precision(values, weights, None, correlation, plain, trend)
    first = _weigh_by_quality(values, weights, design)
    root = np.diag(np.sqrt(first))
    whitening = root if whitening is None else whitening @ root
    plain, trend, weights = _fit_voom(values, design, library, span, whitening)
    quality = _weigh_by_quality(values, weights, design)
    return Precision(values, weights * quality, quality, correlation, plain, trend)


def _weigh_by_quality(values: FloatArray, weights: FloatArray, design: FloatArray) -> FloatArray:
    """Return the weight of each sample by its residuals (arrayWeights, a gene after another)."""
    quality = array_weights({"E": values, "weights": weights}, design=design, method="genebygene")
    return np.asarray(quality, dtype=np.float64)


def _fit_voom(
    values: FloatArray,
    design: FloatArray,
    library: FloatArray,
    span: float,
    whitening: FloatArray | None,
) -> tuple[PlainFit, Trend, FloatArray]:
    """Return voom's first fit, its trend, and the weights that the trend gives."""
    whitened = _apply(whitening, design)
    coefficients = _apply(whitening, values.T).T @ np.linalg.pinv(whitened).T
    residual = _apply(whitening, (values - coefficients @ design.T).T)
    freedom = design.shape[0] - design.shape[1]
    sigma = np.sqrt((residual**2).sum(axis=0) / freedom)
    plain = PlainFit(coefficients, values.mean(axis=1), sigma)
    trend = fit_trend(plain, library, span)
    return plain, trend, read_weights(plain, trend, design, library)


def _whiten(samples: SampleModel, correlation: float | None) -> FloatArray | None:
    """Return what makes the samples of blocks independent, samples x samples; None: they are."""
    if samples.blocks is None or correlation is None:
        return None
    matrix = np.where(samples.blocks[:, None] == samples.blocks, correlation, 0.0)
    np.fill_diagonal(matrix, 1.0)
    factor = np.linalg.cholesky(np.asarray(matrix, dtype=np.float64))
    return np.asarray(solve_triangular(factor, np.eye(len(factor)), lower=True), dtype=np.float64)


def _apply(whitening: FloatArray | None, columns: FloatArray) -> FloatArray:
    """Return whitened columns, one row a sample."""
    return columns if whitening is None else whitening @ columns


def _fit_by_precision(
    precision: Precision, design: FloatArray, whitening: FloatArray | None
) -> list[WeightedFit]:
    """Fit every gene with its weights and return the fit of each coefficient."""
    n_genes, n_samples = precision.values.shape
    n_columns = design.shape[1]
    value, unscaled = np.empty((n_genes, n_columns)), np.empty((n_genes, n_columns))
    variance = np.empty(n_genes)
    turn = np.eye(n_samples) if whitening is None else whitening.T
    for block in gene_blocks(n_genes, n_samples * n_columns):
        root = np.sqrt(precision.weights[block])
        y = (root * precision.values[block]) @ turn
        x = (root[:, None, :] * design.T) @ turn
        inverse = np.linalg.inv(x @ x.transpose(0, 2, 1))
        value[block] = np.einsum("gij,gjn,gn->gi", inverse, x, y, optimize=True)
        unscaled[block] = np.sqrt(np.einsum("gii->gi", inverse))
        residual = y - np.einsum("gi,gin->gn", value[block], x)
        variance[block] = (residual**2).sum(axis=1) / (n_samples - n_columns)
    return [
        WeightedFit(value[:, index], unscaled[:, index], variance) for index in range(n_columns)
    ]
