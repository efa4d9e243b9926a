"""edgeR's quasi-likelihood F-test, through edgepython.

The trended dispersion of edgeR 3, on which its quasi-likelihood fit rests. edgeR 3 computes the
deviance at dispersions below 1e-4 by a series whose factor 2/3 is an integer division, that is 0.
Its Levenberg fit accepts a step by that deviance, so that at the least dispersion of the grid it
ends elsewhere in the sixth digit, and each further point starts from there. edgepython has the
right series; to give edgeR 3's numbers, that one point is fitted here.

References:
    Lund et al. 2012, doi 10.1515/1544-6115.1826; Lun, Chen, Smyth 2016, doi
    10.1007/978-1-4939-3578-9_19; McCarthy, Chen, Smyth 2012, doi 10.1093/nar/gks042 (grid of
    adjusted profile likelihoods); Chen, Lun, Smyth 2014, doi 10.1007/978-3-319-07212-8_3 (trend).
"""

import math
import sys
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from edgepython import (
    WLEB,
    ave_log_cpm,
    glm_fit,
    glm_ql_fit,
    glm_ql_ftest,
    glm_treat,
    make_dgelist,
)
from edgepython.dispersion_lowlevel import adjusted_profile_lik, maximize_interpolant
from edgepython.glm_kernels import adj_profile_ll_mat, leven_start

from core.stats.compiled import compiled
from core.stats.fit import FloatArray, GeneTests, IntArray, adjust_pvalues, quiet

SMALLEST_SUM = 5
"""Genes of fewer reads have no part in the trend."""
GRID = np.linspace(-10.0, 10.0, 21)
"""log2 of dispersion / 0.1."""
SERIES_BELOW = 1e-4
TOLERANCE = 1e-6
MOST_STEPS = 200
_NO_FIT = 1e-4


def estimate_trend(
    counts: FloatArray, design: FloatArray, sizes: FloatArray
) -> tuple[float, FloatArray]:
    """Return the dispersion common to all genes, and the one that the trend gives to each.

    Args:
        counts: Genes x samples.
        design: Samples x coefficients.
        sizes: Effective library size of each sample: reads times TMM factor.
    """
    chosen = counts.sum(axis=1) >= SMALLEST_SUM
    chosen_counts = np.ascontiguousarray(counts[chosen])
    offset = np.ascontiguousarray(np.broadcast_to(np.log(sizes), chosen_counts.shape))
    fitted = glm_fit(chosen_counts, design=design, offset=offset, dispersion=0.05, prior_count=0)
    is_zero = (chosen_counts < _NO_FIT) & (np.asarray(fitted["fitted.values"]) < _NO_FIT)
    likelihood = np.zeros((len(chosen_counts), len(GRID)))
    # Genes are taken together by the samples that a fit holds to be zero; those samples are left
    # out, and columns that then depend on others.
    patterns, group = np.unique(is_zero, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        samples = np.flatnonzero(~pattern)
        columns = _independent(design[samples]) if pattern.any() else design
        if len(samples) == 0 or columns.shape[0] == columns.shape[1]:
            continue
        genes = np.flatnonzero(group.reshape(-1) == number)
        block = np.ix_(genes, samples)
        likelihood[genes] = _along_grid(chosen_counts[block], columns, offset[block])
    top = maximize_interpolant(GRID, likelihood.sum(axis=0).reshape(1, -1))[0]
    common = float(_dispersion(top))
    level = ave_log_cpm(counts, lib_size=sizes, dispersion=common)
    smooth = WLEB(
        theta=GRID,
        loglik=likelihood,
        covariate=level[chosen],
        trend_method="locfit",
        legacy_span=True,
        overall=False,
        individual=False,
    )
    trend = _dispersion(np.asarray(smooth["trend"], dtype=np.float64))
    dispersions = np.full(len(counts), trend[np.argmin(level[chosen])])
    dispersions[chosen] = trend
    return common, dispersions


def _dispersion(transform: Any) -> Any:
    return 0.1 * 2.0**transform


def _along_grid(counts: FloatArray, design: FloatArray, offset: FloatArray) -> FloatArray:
    """Return likelihoods along the grid; every fit starts where the one before ended."""
    values = np.empty((len(counts), len(GRID)))
    start: FloatArray | None = None
    is_one_way = len(np.unique(design, axis=0)) == design.shape[1]
    for column, dispersion in enumerate(_dispersion(GRID)):
        if dispersion < SERIES_BELOW and not is_one_way:
            values[:, column], start = _at_least(counts, design, offset, dispersion, start)
            continue
        profile = adjusted_profile_lik(
            dispersion, counts, design, offset, start=start, get_coef=True
        )
        values[:, column], start = profile["apl"], profile["beta"]
    return values


def _at_least(
    counts: FloatArray,
    design: FloatArray,
    offset: FloatArray,
    dispersion: float,
    start: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Return likelihoods and coefficients at a dispersion of the series, as edgeR 3 has them."""
    counts, offset = np.ascontiguousarray(counts), np.ascontiguousarray(offset)
    design = np.ascontiguousarray(design)
    spread, weights = np.full(counts.shape, dispersion), np.ones(counts.shape)
    first = leven_start(counts, offset, spread, weights, design) if start is None else start
    beta = np.array(first, dtype=np.float64, order="C")
    means = np.empty(counts.shape)
    for gene in range(len(counts)):
        _fit(counts[gene], offset[gene], dispersion, design, beta[gene], means[gene])
    return adj_profile_ll_mat(counts, means, spread, weights, design, True), beta


def _independent(design: FloatArray) -> FloatArray:
    """Return the columns of a design that do not depend on those before them."""
    columns: list[int] = []
    for column in range(design.shape[1]):
        if np.linalg.matrix_rank(design[:, [*columns, column]]) > len(columns):
            columns.append(column)
    return design[:, columns]


@compiled
def _means(beta: FloatArray, offset: FloatArray, design: FloatArray, means: FloatArray) -> None:
    """Write the means that coefficients give to a gene's samples."""
    for sample in range(len(offset)):
        total = offset[sample]
        for column in range(len(beta)):
            total += design[sample, column] * beta[column]
        means[sample] = math.exp(total)


@compiled
def _deviance(counts: FloatArray, means: FloatArray, dispersion: float) -> float:
    """Return a gene's deviance by edgeR 3's series for small dispersions."""
    total = 0.0
    for sample in range(len(counts)):
        count, mean = counts[sample] + 1e-8, means[sample] + 1e-8
        residual = count - mean
        second = 0.5 * residual * residual * dispersion * (1.0 - dispersion * count)
        total += max(2.0 * (count * math.log(count / mean) - residual - second), 0.0)
    return total


@compiled
def _slope(
    counts: FloatArray, means: FloatArray, dispersion: float, design: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the score of a gene's coefficients and their expected information."""
    size = design.shape[1]
    score, information = np.zeros(size), np.zeros((size, size))
    for sample in range(len(counts)):
        scale = 1.0 + means[sample] * dispersion
        for row in range(size):
            score[row] += (counts[sample] - means[sample]) / scale * design[sample, row]
            for column in range(size):
                product = design[sample, row] * design[sample, column]
                information[row, column] += means[sample] / scale * product
    return score, information


@compiled
def _fit(
    counts: FloatArray,
    offset: FloatArray,
    dispersion: float,
    design: FloatArray,
    beta: FloatArray,
    means: FloatArray,
) -> None:
    """Fit one gene by damped Newton steps; coefficients and means are written in place.

    A step is taken if the deviance does not rise, else the damping doubles; after a step taken at
    once it falls to a tenth. The fit ends when score times step is below the tolerance.
    """
    _means(beta, offset, design, means)
    deviance = _deviance(counts, means, dispersion)
    tried_means, damping, largest = np.empty(len(counts)), 0.0, -1.0
    for step in range(MOST_STEPS):
        score, information = _slope(counts, means, dispersion, design)
        largest = max(largest, np.diag(information).max())
        if step == 0:
            damping = max(largest * 1e-6, 1e-13)
        tries = 0
        while True:
            tries += 1
            change = np.linalg.solve(information + damping * np.eye(len(beta)), score)
            _means(beta + change, offset, design, tried_means)
            tried = _deviance(counts, tried_means, dispersion)
            is_exact = tried / counts.max() < 1e-13
            if tried <= deviance or is_exact:
                beta += change
                means[:], deviance = tried_means, tried
                break
            damping *= 2.0
            if damping / largest > 1e13:
                return
        if is_exact or (score * change).sum() < TOLERANCE:
            return
        if tries == 1:
            damping /= 10.0


BLOCK_CELLS = 2_000_000
"""Counts that are fitted at once: a fit holds a dozen matrices of this size."""
_OF_GENES = frozenset(
    {"coefficients", "unshrunk.coefficients", "fitted.values", "deviance", "df.residual"}
    | {"iter", "failed"}
)


def fit_in_blocks(
    y: Any,
    design: Any = None,
    dispersion: Any = None,
    offset: Any = None,
    **settings: Any,
) -> dict[str, Any]:
    """Fit as edgepython's `glm_fit` does, a block of genes after the other.

    Genes are fitted one by one, so that blocks change nothing but the memory it takes.
    """
    n_genes, n_samples = np.shape(y) if np.ndim(y) == 2 else (1, 1)
    step = max(1, BLOCK_CELLS // n_samples)
    per_gene = [name for name in ("weights", "start") if settings.get(name) is not None]
    if isinstance(y, dict) or offset is None or per_gene or n_genes <= step:
        return dict(glm_fit(y, design, dispersion=dispersion, offset=offset, **settings))
    offsets = np.broadcast_to(np.asarray(offset, dtype=np.float64), np.shape(y))
    spread = np.asarray(dispersion, dtype=np.float64)
    fits = []
    for begin in range(0, n_genes, step):
        rows = slice(begin, begin + step)
        spread_of = spread[rows] if spread.ndim and len(spread) == n_genes else spread
        fit = glm_fit(y[rows], design, dispersion=spread_of, offset=offsets[rows], **settings)
        fits.append({name: fit[name] for name in fit if name not in ("counts", "offset")})
    joined = {name: np.concatenate([fit[name] for fit in fits]) for name in _OF_GENES
              if name in fits[0]}  # fmt: skip
    return {
        **fits[0],
        **joined,
        "counts": y,
        "offset": offsets,
        "dispersion": np.atleast_1d(spread),
    }


sys.modules["edgepython.glm_fit"].glm_fit = fit_in_blocks  # type: ignore[attr-defined]
"""edgepython's own functions fit through it, too: 60,000 x 500 at once take 4.7 GB, so 3.3."""

EdgerFlavor = Literal["v4", "legacy_v3"]


def fit_edger(
    counts: IntArray,
    design: FloatArray,
    tmm: FloatArray,
    *,
    flavor: EdgerFlavor = "v4",
    threshold: float = 0.0,
    n_columns: int = 1,
) -> GeneTests:
    """Test the last column of the design in every gene, or the last few together.

    Args:
        counts: Genes x samples, of the tested genes.
        design: Samples x coefficients; the last column is the comparison.
        tmm: TMM factor of each sample.
        flavor: "v4" as edgeR 4 (adjusted deviances), "legacy_v3" as edgeR 3.
        threshold: log2 fold change that the null hypothesis allows; 0 tests against no change.
        n_columns: Last columns that are tested together, against a design without them.

    Returns:
        One entry a gene. edgeR reports no standard error; with a threshold `stat` is NaN.
    """
    with quiet():
        data = make_dgelist(counts.astype(np.float64), norm_factors=tmm)
        is_legacy = flavor == "legacy_v3"
        if is_legacy:
            sizes = counts.sum(axis=0) * tmm
            common, trend = estimate_trend(data["counts"], design, sizes)
            data["common.dispersion"], data["trended.dispersion"] = common, trend
            data["AveLogCPM"] = ave_log_cpm(data)
        fitted = glm_ql_fit(data, design, legacy=is_legacy)
        last = design.shape[1] - 1
        if threshold > 0 and is_legacy:
            table = _treat_legacy(counts, fitted, last, threshold)
        elif threshold > 0:
            table = glm_treat(fitted, coef=last, lfc=threshold, legacy=True)["table"]
        else:
            tested = list(range(design.shape[1] - n_columns, design.shape[1]))
            coef = tested if n_columns > 1 else last
            table = glm_ql_ftest(fitted, coef=coef)["table"]
    n_genes = counts.shape[0]
    changes = [name for name in table.columns if name == "logFC" or name.startswith("logFC.")]
    pvalue = np.minimum(_column(table, "PValue", n_genes), 1.0)
    return GeneTests(
        log2_fc=_column(table, changes[-1], n_genes),
        lfc_se=np.full(n_genes, np.nan),
        stat=_column(table, "F", n_genes),
        pvalue=pvalue,
        padj=adjust_pvalues(pvalue),
        extra={"log_cpm": _column(table, "logCPM", n_genes)},
    )


def _treat_legacy(
    counts: IntArray, fitted: Mapping[str, Any], last: int, threshold: float
) -> pd.DataFrame:
    """Return the threshold test of edgeR 3.

    Where a gene varies less than Poisson counts would, its p is at least that of the same test
    on a Poisson fit. edgepython takes a newer test there, so both parts are asked for singly.
    """
    free = dict(fitted) | {
        "df.residual.zeros": None,
        "df.residual.adj": fitted["df.residual.zeros"],
    }
    table: pd.DataFrame = glm_treat(free, coef=last, lfc=threshold, legacy=True)["table"]
    variance = np.asarray(fitted["s2.post"], dtype=np.float64).reshape(-1, 1)
    dispersion = np.broadcast_to(np.asarray(fitted["dispersion"]), (len(counts),)).reshape(-1, 1)
    below = (variance * (1 + fitted["fitted.values"] * dispersion) < 1).any(axis=1)
    if below.any():
        poisson = glm_fit(
            counts[below].astype(np.float64),
            design=fitted["design"],
            offset=np.broadcast_to(np.asarray(fitted["offset"]), counts.shape)[below],
            dispersion=0.0,
            start=np.asarray(fitted["unshrunk.coefficients"])[below],
        )
        bound = glm_treat(poisson, coef=last, lfc=threshold, legacy=True)["table"]["PValue"]
        pvalue = table["PValue"].to_numpy().copy()
        pvalue[below] = np.maximum(pvalue[below], bound.to_numpy())
        table = table.assign(PValue=pvalue)
    return table


def _column(table: pd.DataFrame, name: str, n_genes: int) -> FloatArray:
    """Return a column of edgepython's result, NaN where it has none."""
    if name not in table:
        return np.full(n_genes, np.nan)
    return np.asarray(table[name], dtype=np.float64)
