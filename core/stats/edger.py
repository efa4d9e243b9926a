"""edgeR's quasi-likelihood F-test, through edgepython.

References:
    Lund et al. 2012, doi 10.1515/1544-6115.1826; Lun, Chen, Smyth 2016,
    doi 10.1007/978-1-4939-3578-9_19.
"""

from typing import Literal

import numpy as np
import pandas as pd
from edgepython import estimate_disp, glm_ql_fit, glm_ql_ftest, glm_treat, make_dgelist

from core.stats.fit import FloatArray, GeneTests, IntArray, adjust_pvalues, quiet

EdgerFlavor = Literal["v4", "legacy_v3"]


def fit_edger(
    counts: IntArray,
    design: FloatArray,
    tmm: FloatArray,
    *,
    flavor: EdgerFlavor = "v4",
    threshold: float = 0.0,
) -> GeneTests:
    """Test the last column of the design in every gene.

    Args:
        counts: Genes x samples, of the tested genes.
        design: Samples x coefficients; the last column is the comparison.
        tmm: TMM factor of each sample.
        flavor: "v4" as edgeR 4 (adjusted deviances), "legacy_v3" as edgeR 3.
        threshold: log2 fold change that the null hypothesis allows; 0 tests against no change.

    Returns:
        One entry a gene. edgeR reports no standard error; with a threshold `stat` is NaN.
    """
    with quiet():
        data = make_dgelist(counts.astype(np.float64), norm_factors=tmm)
        is_legacy = flavor == "legacy_v3"
        if is_legacy:
            data = estimate_disp(data, design, legacy_span=True)
        fitted = glm_ql_fit(data, design, legacy=is_legacy)
        last = design.shape[1] - 1
        if threshold > 0:
            table = glm_treat(fitted, coef=last, lfc=threshold, legacy=True)["table"]
        else:
            table = glm_ql_ftest(fitted, coef=last)["table"]
    n_genes = counts.shape[0]
    pvalue = np.minimum(_column(table, "PValue", n_genes), 1.0)
    return GeneTests(
        log2_fc=_column(table, "logFC", n_genes),
        lfc_se=np.full(n_genes, np.nan),
        stat=_column(table, "F", n_genes),
        pvalue=pvalue,
        padj=adjust_pvalues(pvalue),
        extra={"log_cpm": _column(table, "logCPM", n_genes)},
    )


def _column(table: pd.DataFrame, name: str, n_genes: int) -> FloatArray:
    """Return a column of edgepython's result, NaN where it has none."""
    if name not in table:
        return np.full(n_genes, np.nan)
    return np.asarray(table[name], dtype=np.float64)
