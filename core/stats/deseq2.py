"""DESeq2's Wald and likelihood-ratio tests, step by step as DESeq2 1.38 takes it.

One order of samples and one direction of the comparison for every way of writing a study. A ridge
and rules of stopping make DESeq2's numbers depend, in the sixth digit, on which group is the
reference, and every sum depends on the order of its terms in the last. A study is therefore brought
into an order that follows from its counts alone, fitted there, and the answer turned back: swapped
groups and shuffled samples give the same numbers.

DESeq2's independent filtering: genes too weak to be found do not dilute the adjustment. DESeq2 by
pydeseq2 as it comes: slower and a little further from R, for when our own fit fails.

References:
    Love, Huber, Anders 2014, doi 10.1186/s13059-014-0550-8; Bourgon, Gentleman, Huber 2010, doi
    10.1073/pnas.0914005107; Muzellec et al. 2023, doi 10.1093/bioinformatics/btad547.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from pydeseq2.dds import DeseqDataSet
from pydeseq2.default_inference import DefaultInference
from pydeseq2.ds import DeseqStats
from scipy.stats import chi2, nbinom, norm
from statsmodels.nonparametric.smoothers_lowess import lowess

from core.errors import DidNotConverge
from core.stats.coefficients import LN2, Coefficients, fit_coefficients, shrink_changes
from core.stats.cooks import (
    REPLACED_FROM,
    Distances,
    GeneModel,
    blocks,
    distances_after_replacement,
    is_backed,
    measure_distances,
    replace_outliers,
)
from core.stats.design import Effect
from core.stats.dispersion import (
    LOWEST,
    SMALLEST_USED,
    DispersionTrend,
    TrendCurve,
    estimate_prior_variance,
    find_dispersions,
    fit_local_trend,
    fit_trend,
    measure_spread,
)
from core.stats.fit import BoolArray, FloatArray, GeneTests, IntArray, Trend, adjust_pvalues, quiet


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


ALPHA = 0.1
"""R's default level for which the cut-off is chosen."""
_QUANTILES = 50
_HIGHEST = 0.95
_FEW_REJECTIONS = 10
_SMOOTHING = 0.2


def filter_independently(
    base_mean: FloatArray, pvalue: FloatArray, alpha: float = ALPHA
) -> FloatArray:
    """Adjust p-values over the genes above the base mean that gives most rejections.

    Args:
        base_mean: Mean normalized count of each gene.
        pvalue: p of each gene, NaN for count outliers.
        alpha: Adjusted p below which a rejection counts.

    Returns:
        Adjusted p, NaN for filtered genes and outliers.
    """
    lowest = float(np.mean(base_mean == 0))
    highest = _HIGHEST if lowest < _HIGHEST else 1.0
    theta = np.linspace(lowest, highest, _QUANTILES)
    cutoffs = np.quantile(base_mean, theta)
    rejections = np.array(
        [np.nansum(_adjust_above(base_mean, pvalue, cutoff) < alpha) for cutoff in cutoffs],
        dtype=np.float64,
    )
    return _adjust_above(base_mean, pvalue, cutoffs[_choose(theta, rejections)])


def _adjust_above(base_mean: FloatArray, pvalue: FloatArray, cutoff: float) -> FloatArray:
    """Adjust over the genes whose base mean reaches the cut-off; NaN for the others."""
    return adjust_pvalues(np.where(base_mean >= cutoff, pvalue, np.nan))


def _choose(theta: FloatArray, rejections: FloatArray) -> int:
    """Return the first quantile whose rejections come near the fitted maximum."""
    if rejections.max() <= _FEW_REJECTIONS:
        return 0
    fitted = lowess(rejections, theta, frac=_SMOOTHING, it=3, return_sorted=False)
    some = rejections > 0
    spread = np.sqrt(np.mean((rejections[some] - fitted[some]) ** 2))
    nearby = np.flatnonzero(rejections > fitted.max() - spread)
    return int(nearby[0]) if len(nearby) else 0


def log_likelihood(
    counts: IntArray, model: GeneModel, dispersion: FloatArray, beta: FloatArray
) -> FloatArray:
    """Return the log-likelihood of each gene.

    `counts`: genes x samples. `dispersion`: one a gene. `beta`: natural-log coefficients, genes x
    p.
    """
    likelihoods = np.empty(len(counts))
    for block in blocks(*counts.shape):
        mu = model.size_factors * np.exp(beta[block] @ model.design.T)
        size = 1.0 / dispersion[block, None]
        with np.errstate(all="ignore"):
            logs = np.asarray(nbinom.logpmf(counts[block], size, size / (size + mu)))
        likelihoods[block] = logs.sum(axis=1)
    return likelihoods


def fit_reduced(
    counts: IntArray, model: GeneModel, dispersion: FloatArray, base_mean: FloatArray
) -> FloatArray:
    """Return natural-log coefficients of a reduced design, genes x p.

    DESeq2 fits an intercept alone by the mean of the normalized counts instead of by
    iteration, so this does, too.
    """
    if model.design.shape[1] == 1 and (model.design == 1).all():
        return np.asarray(np.log(base_mean)[:, None], dtype=np.float64)
    return fit_coefficients(counts, model.size_factors, model.design, dispersion).values


TrendKind = Literal["parametric", "local", "mean"]
_TWO_GROUPS = 2
_OUTLYING = 2.0
_START_SHARE = 0.1


@dataclass(frozen=True)
class DeseqFit:
    """The tests, and how the dispersion trend was found.

    Attributes:
        trend: The parametric curve, by which counts can be transformed for drawing.
        kind: Kind of the curve.
        is_turned: Whether the comparison group was the base level of the fit.
    """

    tests: GeneTests
    trend: DispersionTrend | None
    kind: TrendKind
    is_turned: bool = False


@dataclass(frozen=True)
class Spread:
    """What all genes together say of dispersions.

    Attributes:
        curve: Dispersion expected at a mean.
        observed: Variance of log gene-wise dispersions around the curve.
        prior: Variance of true log dispersions around it.
    """

    curve: TrendCurve
    observed: float
    prior: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class GeneFits:
    """The fits of some genes, one entry a gene; coefficients are genes x p."""

    mean: FloatArray
    genewise: FloatArray
    expected: FloatArray
    dispersion: FloatArray
    coefficients: Coefficients


@dataclass(frozen=True)
class _Fitted:
    """Everything that the fits gave.

    Attributes:
        model: Design and size factors, in the order of the fit.
        first: The fits before counts were replaced.
        final: The fits after.
        largest: The largest that still counts, one a gene.
    """

    model: GeneModel
    way: Orientation
    spread: Spread
    first: GeneFits
    final: GeneFits
    distances: Distances
    largest: FloatArray

    @property
    def log2_fc(self) -> FloatArray:
        """Return the log2 fold change of the last column, comparison over reference."""
        return np.asarray(self.way.sign * self.final.coefficients.values[:, -1] / LN2)

    @property
    def lfc_se(self) -> FloatArray:
        """Return its standard error."""
        return np.asarray(self.final.coefficients.errors[:, -1] / LN2)


@dataclass(frozen=True)
class _Genewise:
    """Gene-wise dispersions and the fitted means they rest on."""

    mean: FloatArray
    dispersion: FloatArray
    coefficients: FloatArray
    is_linear: bool


def fit_deseq2(
    counts: IntArray,
    design: FloatArray,
    size_factors: FloatArray,
    *,
    threshold: float = 0.0,
    alpha: float = ALPHA,
    effect: Effect | None = None,
) -> DeseqFit:
    """Test the last column of the design in every gene, or all columns of an effect together.

    Args:
        counts: Genes x samples, of the tested genes.
        design: Samples x coefficients; the last column is the comparison.
        size_factors: Median-of-ratios factor of each sample.
        threshold: log2 fold change that the null hypothesis allows; 0 tests against no change.
        alpha: Level for which independent filtering is optimized.
        effect: What is tested, where that is more than a comparison of the only two groups.

    Returns:
        One entry a gene. `pvalue` is NaN for count outliers, `padj` also for filtered genes.
    """
    ordered, fitted, used = _fit(counts, design, size_factors, effect)
    final = fitted.final
    values, errors = final.coefficients.values, final.coefficients.errors[:, -1]
    given = ordered, fitted.model.size_factors, fitted.model.design, final.dispersion
    shrunken = shrink_changes(*given, values, errors)
    tested = _test(fitted, used, threshold, effect)
    return _conclude(ordered, fitted, tested, alpha, shrunken)


def call_deseq2(
    counts: IntArray,
    design: FloatArray,
    size_factors: FloatArray,
    *,
    threshold: float = 0.0,
    alpha: float = ALPHA,
    effect: Effect | None = None,
) -> GeneTests:
    """Return the tests of `fit_deseq2` without shrunken changes, which take a fifth of its time."""
    ordered, fitted, used = _fit(counts, design, size_factors, effect)
    tested = _test(fitted, used, threshold, effect)
    return _conclude(ordered, fitted, tested, alpha, np.full(len(counts), np.nan)).tests


def _fit(
    counts: IntArray, design: FloatArray, size_factors: FloatArray, effect: Effect | None
) -> tuple[IntArray, _Fitted, IntArray]:
    """Return the counts in the order of the fit, the fits, and the counts after replacement."""
    way = orient(counts, design, effect)
    counts = np.ascontiguousarray(counts[:, way.order], dtype=np.int64)
    model = GeneModel(size_factors[way.order], way.apply(design))
    with quiet():
        genewise = _fit_genewise(counts, model)
        spread = _learn_spread(genewise, model)
        first = _finish(counts, model, genewise, spread)
        distances = measure_distances(counts, model, first.dispersion, first.coefficients.values)
        fits, largest, used = _refit(counts, model, spread, first, distances)
    _level_absent_groups(counts, way, fits)
    return counts, _Fitted(model, way, spread, first, fits, distances, largest), used


def _level_absent_groups(counts: IntArray, way: Orientation, fits: GeneFits) -> None:
    """Set a change to 0, in place, where neither of the two groups compared has a read.

    Only where further groups are in the model can such a gene be among the tested ones.
    """
    if way.compared is None:
        return
    absent = counts[:, way.compared[way.order]].sum(axis=1) == 0
    fits.coefficients.values[absent, -1] = 0.0


def _fit_genewise(counts: IntArray, model: GeneModel) -> _Genewise:
    """Estimate each gene's own dispersion."""
    n_samples, n_columns = model.design.shape
    mean, start, linear = _moments(counts, model)
    start = np.clip(start, LOWEST, max(10.0, float(n_samples)))
    is_linear = len(np.unique(model.design, axis=0)) == n_columns
    coefficients = linear
    if not is_linear:
        coefficients = fit_coefficients(counts, model.size_factors, model.design, start).values
    dispersions = find_dispersions(
        counts,
        model.size_factors,
        model.design,
        np.ascontiguousarray(coefficients),
        is_linear,
        start,
        np.ones(len(counts)),
        0.0,
    )
    return _Genewise(mean, dispersions, coefficients, is_linear)


def _moments(counts: IntArray, model: GeneModel) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return means, the smaller of two moment estimates of dispersion, and linear coefficients."""
    n_samples, n_columns = model.design.shape
    mean, start = np.empty(len(counts)), np.empty(len(counts))
    linear = np.empty((len(counts), n_columns))
    solver = np.linalg.pinv(model.design).T
    depth = float(np.mean(1.0 / model.size_factors))
    for block in blocks(*counts.shape):
        normalized = counts[block] / model.size_factors
        linear[block] = normalized @ solver
        fitted = np.maximum(linear[block] @ model.design.T, 1.0)
        rough = (((normalized - fitted) ** 2 - fitted) / fitted**2).sum(axis=1)
        mean[block] = normalized.mean(axis=1)
        variance = normalized.var(axis=1, ddof=1)
        moment = (variance - depth * mean[block]) / mean[block] ** 2
        start[block] = np.minimum(np.maximum(rough / (n_samples - n_columns), 0.0), moment)
    return mean, start, linear


def _learn_spread(genewise: _Genewise, model: GeneModel) -> Spread:
    """Fit the trend and the spread of genes around it."""
    n_samples, n_columns = model.design.shape
    dispersion = genewise.dispersion
    curve, notes = _fit_curve(genewise.mean, dispersion)
    used = dispersion >= SMALLEST_USED
    residuals = np.log(dispersion[used]) - np.log(curve.at(genewise.mean[used]))
    prior = estimate_prior_variance(residuals, n_samples - n_columns)
    return Spread(curve, measure_spread(residuals), prior, notes)


def _fit_curve(mean: FloatArray, genewise: FloatArray) -> tuple[TrendCurve, tuple[str, ...]]:
    """Fit the dispersion trend as R does: parametric, else local regression."""
    try:
        return fit_trend(mean, genewise), ()
    except DidNotConverge:
        failed = "trend_fallback: the dispersion trend of DESeq2 could not be fitted;"
    if not (genewise > SMALLEST_USED).any():
        note = "no gene varies more than Poisson counts do, so the dispersion was taken as 0."
        return DispersionTrend(10 * LOWEST, 0.0), (f"{failed} {note}",)
    return fit_local_trend(mean, genewise), (f"{failed} a local regression was used instead.",)


def _finish(counts: IntArray, model: GeneModel, genewise: _Genewise, spread: Spread) -> GeneFits:
    """Shrink the dispersions toward the curve and fit the coefficients."""
    genewise_values, expected = genewise.dispersion, spread.curve.at(genewise.mean)
    dispersion = find_dispersions(
        counts,
        model.size_factors,
        model.design,
        np.ascontiguousarray(genewise.coefficients),
        genewise.is_linear,
        np.where(genewise_values > _START_SHARE * expected, genewise_values, expected),
        expected,
        spread.prior,
    )
    keeps = np.log(genewise_values) > np.log(expected) + _OUTLYING * np.sqrt(spread.observed)
    dispersion = np.where(keeps, genewise_values, dispersion)
    fitted = fit_coefficients(counts, model.size_factors, model.design, dispersion)
    return GeneFits(genewise.mean, genewise_values, expected, dispersion, fitted)


def _refit(
    counts: IntArray, model: GeneModel, spread: Spread, fits: GeneFits, distances: Distances
) -> tuple[GeneFits, FloatArray, IntArray]:
    """Replace outlying counts where seven replicates allow it and fit those genes again.

    Returns:
        The fits, the largest distance that still counts, one a gene, and the counts fitted. A
        gene whose every count was replaced by 0 keeps no estimate.
    """
    largest = distances.largest.copy()
    genes = np.flatnonzero(distances.is_over)
    if not model.replicated(REPLACED_FROM).any() or len(genes) == 0:
        return fits, largest, counts
    given = counts[genes], model, fits.dispersion[genes], fits.coefficients.values[genes]
    replaced = replace_outliers(*given)
    largest[genes] = distances_after_replacement(*given)
    used = counts.copy()
    used[genes] = replaced
    alive = replaced.any(axis=1)
    dead, genes, replaced = genes[~alive], genes[alive], replaced[alive]
    again = _finish(replaced, model, _fit_genewise(replaced, model), spread)

    def put(old: FloatArray, new: FloatArray) -> FloatArray:
        changed = old.copy()
        changed[genes] = new
        return changed

    merged = GeneFits(
        put(fits.mean, again.mean),
        put(fits.genewise, again.genewise),
        put(fits.expected, again.expected),
        put(fits.dispersion, again.dispersion),
        Coefficients(
            put(fits.coefficients.values, again.coefficients.values),
            put(fits.coefficients.errors, again.coefficients.errors),
        ),
    )
    merged.mean[dead] = 0.0
    merged.coefficients.values[dead] = np.nan
    merged.coefficients.errors[dead] = np.nan
    return merged, largest, used


def _conclude(
    counts: IntArray,
    fitted: _Fitted,
    tested: tuple[FloatArray, FloatArray],
    alpha: float,
    shrunken: FloatArray,
) -> DeseqFit:
    """Set count outliers aside, filter and adjust."""
    stat, pvalue = tested
    model, way, final, distances = fitted.model, fitted.way, fitted.final, fitted.distances
    with quiet():
        outlier = fitted.largest > model.limit
        over = distances.largest > model.limit
    if model.design.shape[1] == _TWO_GROUPS and outlier.any():
        outlier[outlier] = ~is_backed(counts[outlier], distances.position[outlier])
    pvalue[outlier] = np.nan
    tests = GeneTests(
        log2_fc=fitted.log2_fc,
        lfc_se=fitted.lfc_se,
        stat=stat,
        pvalue=pvalue,
        padj=filter_independently(final.mean, pvalue, alpha),
        extra={"dispersion": final.dispersion, "log2FC_shrunken": way.sign * shrunken},
        trend=Trend(final.mean, fitted.first.genewise, final.expected, final.dispersion),
        outlier=over,
        outlier_sample=way.order[distances.position],
        notes=fitted.spread.notes,
    )
    curve = fitted.spread.curve
    if isinstance(curve, DispersionTrend) and curve.a1 > 0:
        return DeseqFit(tests, curve, "parametric", way.sign < 0)
    kind: TrendKind = "mean" if isinstance(curve, DispersionTrend) else "local"
    return DeseqFit(tests, None, kind, way.sign < 0)


def _test(
    fitted: _Fitted, used: IntArray, threshold: float, effect: Effect | None
) -> tuple[FloatArray, FloatArray]:
    """Return statistics and p-values of every gene."""
    if effect is not None and effect.by_ratio:
        return _test_by_ratio(fitted, used, effect.n_columns)
    beyond = np.abs(fitted.log2_fc) - threshold
    with np.errstate(divide="ignore", invalid="ignore"):
        stat = np.sign(fitted.log2_fc) * np.maximum(beyond, 0.0) / fitted.lfc_se
        pvalue = np.minimum(1.0, 2.0 * norm.sf(beyond / fitted.lfc_se))
    return stat, pvalue


def _test_by_ratio(
    fitted: _Fitted, used: IntArray, n_columns: int
) -> tuple[FloatArray, FloatArray]:
    """Return likelihood ratios against the design without its last columns, and their p."""
    model, final = fitted.model, fitted.final
    reduced = GeneModel(model.size_factors, np.ascontiguousarray(model.design[:, :-n_columns]))
    full = log_likelihood(used, model, final.dispersion, final.coefficients.values)
    with quiet():
        beta = fit_reduced(used, reduced, final.dispersion, final.mean)
    stat = 2.0 * (full - log_likelihood(used, reduced, final.dispersion, beta))
    return stat, np.asarray(chi2.sf(stat, n_columns), dtype=np.float64)


def fit_pydeseq2(
    counts: IntArray,
    design: FloatArray,
    size_factors: FloatArray,
    *,
    threshold: float = 0.0,
    alpha: float = ALPHA,
) -> DeseqFit:
    """Test the last column of the design in every gene; arguments as `fit_deseq2`."""
    samples = [f"s{index}" for index in range(counts.shape[1])]
    genes = [f"g{index}" for index in range(len(counts))]
    columns = [f"b{index}" for index in range(design.shape[1])]
    alone = DefaultInference(n_cpus=1)
    contrast = np.zeros(design.shape[1])
    contrast[-1] = 1.0
    with quiet():
        data = DeseqDataSet(
            counts=pd.DataFrame(counts.T, index=samples, columns=genes),
            metadata=pd.DataFrame({"sample": samples}, index=samples),
            design=pd.DataFrame(design, index=samples, columns=columns),
            inference=alone,
            quiet=True,
        )
        data.obs["size_factors"] = size_factors
        data.layers["normed_counts"] = data.X / size_factors[:, None]
        data.deseq2()
        chosen = {"lfc_null": threshold, "alt_hypothesis": "greaterAbs"} if threshold else {}
        tests = DeseqStats(data, contrast=contrast, inference=alone, quiet=True, **chosen)
        tests.summary()
    table = tests.results_df
    pvalue = table["pvalue"].to_numpy(dtype=np.float64)
    base_mean = table["baseMean"].to_numpy(dtype=np.float64)
    tests_of_genes = GeneTests(
        log2_fc=table["log2FoldChange"].to_numpy(dtype=np.float64),
        lfc_se=table["lfcSE"].to_numpy(dtype=np.float64),
        stat=table["stat"].to_numpy(dtype=np.float64),
        pvalue=pvalue,
        padj=filter_independently(base_mean, pvalue, alpha),
        extra={"dispersion": data.var["dispersions"].to_numpy(dtype=np.float64)},
        notes=(
            "deseq2_fallback: our own fit of DESeq2's model failed on these counts; pydeseq2's was "
            "used, which departs from R in a few genes in a hundred.",
        ),
    )
    kind: TrendKind = "parametric" if data.uns["disp_function_type"] == "parametric" else "mean"
    return DeseqFit(tests_of_genes, None, kind)
