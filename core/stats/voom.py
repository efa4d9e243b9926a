"""limma-voom: precision weights for log counts, then moderated t-tests, through pylimma.

References:
    Law et al. 2014, doi 10.1186/gb-2014-15-2-r29; Smyth 2004, doi 10.2202/1544-6115.1027.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pylimma import e_bayes, lm_fit, treat, voom

from core.stats.fit import FloatArray, GeneTests, IntArray, Trend, adjust_pvalues, quiet

LimmaFlavor = Literal["fixed_span", "adaptive_span"]


def fit_voom(
    counts: IntArray,
    design: FloatArray,
    tmm: FloatArray,
    *,
    flavor: LimmaFlavor = "fixed_span",
    threshold: float = 0.0,
) -> GeneTests:
    """Test the last column of the design in every gene.

    Args:
        counts: Genes x samples, of the tested genes.
        design: Samples x coefficients; the last column is the comparison.
        tmm: TMM factor of each sample.
        flavor: "fixed_span" as limma 3.54 (lowess span 0.5), "adaptive_span" by gene number.
        threshold: log2 fold change that the null hypothesis allows; 0 tests against no change.

    Returns:
        One entry a gene.
    """
    library = counts.sum(axis=0) * tmm
    with quiet():
        values = voom(
            counts.astype(np.float64),
            design,
            lib_size=library,
            adaptive_span=flavor == "adaptive_span",
            save_plot=True,
        )
        fit = lm_fit(values, design)
        moderated = treat(fit, lfc=threshold) if threshold > 0 else e_bayes(fit)
    last = design.shape[1] - 1
    pvalue = np.minimum(np.asarray(moderated["p_value"], dtype=np.float64)[:, last], 1.0)
    unscaled = np.asarray(moderated["stdev_unscaled"], dtype=np.float64)[:, last]
    posterior = np.asarray(moderated["s2_post"], dtype=np.float64)
    return GeneTests(
        log2_fc=np.asarray(moderated["coefficients"], dtype=np.float64)[:, last],
        lfc_se=unscaled * np.sqrt(posterior),
        stat=np.asarray(moderated["t"], dtype=np.float64)[:, last],
        pvalue=pvalue,
        padj=adjust_pvalues(pvalue),
        extra={"ave_expr": np.asarray(moderated["Amean"], dtype=np.float64)},
        trend=_trend(values),
    )


def _trend(values: Mapping[str, Any]) -> Trend:
    """Return voom's mean-variance trend: sqrt SD over mean log2 count, one entry a gene."""
    points, line = values["voom_xy"], values["voom_line"]
    x = np.asarray(points["x"], dtype=np.float64)
    return Trend(
        x=x,
        raw=np.asarray(points["y"], dtype=np.float64),
        curve=np.interp(x, line["x"], line["y"]),
        final=np.full(x.shape, np.nan),
    )
