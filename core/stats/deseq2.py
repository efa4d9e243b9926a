"""DESeq2's Wald test, through the steps of pydeseq2.

The steps are pydeseq2's own except the dispersion trend (a gamma GLM as in R), the rule for
count outliers of designs with covariates and the independent filtering.

References:
    Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from pydeseq2.dds import DeseqDataSet
from pydeseq2.ds import DeseqStats
from scipy.stats import f, norm

from core.errors import DidNotConverge
from core.stats.dispersion import SMALLEST_USED, DispersionTrend, fit_trend
from core.stats.filtering import filter_independently
from core.stats.fit import BoolArray, FloatArray, GeneTests, IntArray, Trend, quiet
from core.stats.inference import BlockInference
from core.stats.prior import estimate_prior_variance, measure_spread

_TWO_GROUPS = 2
_REPLICATES = 3
_HIGHER_COUNTS = 3
_LN2 = float(np.log(2.0))


@dataclass(frozen=True)
class DeseqFit:
    """The tests, and the trend by which counts can be transformed for drawing."""

    tests: GeneTests
    trend: DispersionTrend | None


def fit_deseq2(
    counts: IntArray, design: FloatArray, size_factors: FloatArray, *, threshold: float = 0.0
) -> DeseqFit:
    """Test the last column of the design in every gene.

    Args:
        counts: Genes x samples, of the tested genes.
        design: Samples x coefficients; the last column is the comparison.
        size_factors: Median-of-ratios factor of each sample.
        threshold: log2 fold change that the null hypothesis allows; 0 tests against no change.

    Returns:
        One entry a gene. `pvalue` is NaN for count outliers, `padj` also for filtered genes.
    """
    with quiet():
        data = _prepare(counts, design, size_factors)
        data.fit_genewise_dispersions()
        trend, notes = _fit_trend(data)
        _fit_prior(data)
        data.fit_MAP_dispersions()
        data.fit_LFC()
        data.calculate_cooks()
        over = _over_limit(data)
        raw = _column(data, "genewise_dispersions")
        data.refit()
        log2_fc, lfc_se = _estimate(data, design)
    stat, pvalue = _test(log2_fc, lfc_se, threshold)
    pvalue[_find_outliers(data, design.shape[1] == _TWO_GROUPS)] = np.nan
    base_mean = _column(data, "_normed_means")
    dispersion = _column(data, "dispersions")
    tests = GeneTests(
        log2_fc=log2_fc,
        lfc_se=lfc_se,
        stat=stat,
        pvalue=pvalue,
        padj=filter_independently(base_mean, pvalue),
        extra={"dispersion": dispersion},
        trend=Trend(base_mean, raw, _column(data, "fitted_dispersions"), dispersion),
        outlier=over,
        notes=notes,
    )
    return DeseqFit(tests, trend)


def _prepare(counts: IntArray, design: FloatArray, size_factors: FloatArray) -> DeseqDataSet:
    """Make pydeseq2's data set with our design and size factors."""
    samples = [f"s{index}" for index in range(counts.shape[1])]
    columns = [f"b{index}" for index in range(design.shape[1])]
    data = DeseqDataSet(
        counts=pd.DataFrame(counts.T, index=samples, columns=[f"g{i}" for i in range(len(counts))]),
        metadata=pd.DataFrame({"sample": samples}, index=samples),
        design=pd.DataFrame(design, index=samples, columns=columns),
        inference=BlockInference(),
        quiet=True,
    )
    data.obs["size_factors"] = size_factors
    data.layers["normed_counts"] = data.X / size_factors[:, None]
    return data


def _column(data: DeseqDataSet, name: str) -> FloatArray:
    """Return a per-gene column of pydeseq2's data set."""
    return np.array(data.var[name].to_numpy(na_value=np.nan), dtype=np.float64)


def _fit_trend(data: DeseqDataSet) -> tuple[DispersionTrend | None, tuple[str, ...]]:
    """Fit the dispersion trend as R does; pydeseq2's mean dispersion where that fails."""
    mean = np.asarray(data.layers["normed_counts"]).mean(axis=0)
    data.var["_normed_means"] = mean
    try:
        trend = fit_trend(mean, _column(data, "genewise_dispersions"))
    except DidNotConverge:
        return None, (_use_mean_dispersion(data),)
    data.uns["trend_coeffs"] = pd.Series({"a0": trend.a0, "a1": trend.a1})
    data.uns["disp_function_type"] = "parametric"
    data.var["fitted_dispersions"] = trend.at(mean)
    return trend, ()


def _use_mean_dispersion(data: DeseqDataSet) -> str:
    """Put the mean dispersion in place of the trend, or each gene's own where all are Poisson."""
    own = _column(data, "genewise_dispersions")
    failed = "trend_fallback: the dispersion trend of DESeq2 could not be fitted;"
    if (own > SMALLEST_USED).any():
        data.fit_type = "mean"
        data.fit_dispersion_trend()
        return f"{failed} the mean dispersion of all genes was used instead."
    data.uns["disp_function_type"] = "mean"
    data.uns["mean_disp"] = float(own.mean())
    data.var["fitted_dispersions"] = own
    return f"{failed} no gene varies more than Poisson counts do, so each kept its own estimate."


def _fit_prior(data: DeseqDataSet) -> None:
    """Estimate the prior variance, and the spread beyond which a gene keeps its own estimate."""
    n_samples, n_columns = data.obsm["design_matrix"].shape
    own = _column(data, "genewise_dispersions")
    residuals = np.log(own) - np.log(_column(data, "fitted_dispersions"))
    residuals = residuals[own >= SMALLEST_USED]
    data.uns["_squared_logres"] = np.float64(measure_spread(residuals))
    variance = estimate_prior_variance(residuals, n_samples - n_columns)
    data.uns["prior_disp_var"] = np.float64(variance)


def _estimate(data: DeseqDataSet, design: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log2 fold changes and their standard errors for the last coefficient."""
    contrast = np.zeros(design.shape[1])
    contrast[-1] = 1.0
    wald = DeseqStats(data, contrast=contrast, inference=data.inference, quiet=True)
    wald.run_wald_test()
    log2_fc = data.varm["LFC"].iloc[:, -1].to_numpy(dtype=np.float64) / _LN2
    return log2_fc, wald.SE.to_numpy(dtype=np.float64) / _LN2


def _test(
    log2_fc: FloatArray, lfc_se: FloatArray, threshold: float
) -> tuple[FloatArray, FloatArray]:
    """Return Wald statistics and two-sided p-values against |log2FC| <= threshold."""
    beyond = np.abs(log2_fc) - threshold
    with np.errstate(divide="ignore", invalid="ignore"):
        stat = np.sign(log2_fc) * np.maximum(beyond, 0.0) / lfc_se
        pvalue = np.minimum(1.0, 2.0 * norm.sf(beyond / lfc_se))
    empty = lfc_se == 0
    return np.where(empty, 0.0, stat), np.where(empty, 1.0, pvalue)


def _limit(data: DeseqDataSet) -> float:
    """Return the limit of Cook's distance, F(0.99; p, n - p)."""
    n_samples, n_columns = data.obsm["design_matrix"].shape
    return float(f.ppf(0.99, n_columns, n_samples - n_columns))


def _over_limit(data: DeseqDataSet) -> BoolArray:
    """Mark the genes with a count over the limit in a cell of three or more replicates."""
    cooks = np.asarray(data.layers["cooks"])[_replicated(data)]
    return np.asarray((cooks > _limit(data)).any(axis=0), dtype=np.bool_)


def _replicated(data: DeseqDataSet) -> BoolArray:
    """Mark the samples whose combination of factors occurs at least three times."""
    design = data.obsm["design_matrix"].to_numpy()
    _, cell, sizes = np.unique(design, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(sizes[cell.ravel()] >= _REPLICATES, dtype=np.bool_)


def _find_outliers(data: DeseqDataSet, is_two_groups: bool) -> BoolArray:
    """Mark the genes whose p-value a single count decides.

    In a plain two-group design a gene with three or more counts above the suspect one is kept.
    """
    counts = np.asarray(data.X)
    original = np.asarray(data.layers["cooks"])
    current = np.asarray(data.layers.get("replace_cooks", original))
    samples = _replicated(data)
    outlier = np.asarray((current[samples] > _limit(data)).any(axis=0), dtype=np.bool_)
    if is_two_groups and outlier.any():
        suspects = np.flatnonzero(outlier)
        position = original[:, suspects].argmax(axis=0)
        suspect_count = counts[position, suspects]
        outlier[suspects] = (counts[:, suspects] > suspect_count).sum(axis=0) < _HIGHER_COUNTS
    return outlier
