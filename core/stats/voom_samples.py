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

from core.stats.blocks import correlation_matrix, estimate_correlation
from core.stats.cooks import blocks as gene_blocks
from core.stats.design import SampleModel
from core.stats.fit import FloatArray, GeneTests, IntArray, Trend, quiet
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
    factor = np.linalg.cholesky(correlation_matrix(samples.blocks, correlation))
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
