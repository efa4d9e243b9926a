"""limma-voom where samples are no equals: blocks of correlated samples, and quality weights.

Blocks are subjects seen more than once whose samples correlate (duplicateCorrelation); weights let
a noisy sample count less (voomWithQualityWeights). Both change voom's own trend, so they are
estimated, put in, and estimated again, as limma's user guide has it.

References:
    Smyth, Michaud, Scott 2005, doi 10.1093/bioinformatics/bti270; Liu et al. 2015,
    doi 10.1093/nar/gkv412; Ritchie et al. 2006, doi 10.1186/1471-2105-7-261.
"""

from dataclasses import dataclass, replace

import numpy as np
from pylimma import array_weights
from scipy.linalg import solve_triangular

from core.stats.cooks import blocks as gene_blocks
from core.stats.design import SampleModel
from core.stats.fit import BoolArray, FloatArray, GeneTests, IntArray, Trend, quiet
from core.stats.voom import (
    LimmaFlavor,
    PlainFit,
    WeightedFit,
    choose_span,
    fit_trend,
    log_counts,
    moderate,
    read_weights,
)

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
        fits = _fit_weighted(precision, design, whitening)[-n_columns:]
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


def _fit_weighted(
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
