"""edgeR's quasi-likelihood F-test, through edgepython.

References:
    Lund et al. 2012, doi 10.1515/1544-6115.1826; Lun, Chen, Smyth 2016,
    doi 10.1007/978-1-4939-3578-9_19.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from edgepython import (
    ave_log_cpm,
    glm_fit,
    glm_ql_fit,
    glm_ql_ftest,
    glm_treat,
    make_dgelist,
)

from core.stats.edger_trend import estimate_trend
from core.stats.fit import FloatArray, GeneTests, IntArray, adjust_pvalues, quiet

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
