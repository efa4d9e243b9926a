"""Ranked gene lists for gene-set tools: gene, tab, score, strongest rise first (.rnk)."""

import numpy as np

from core.stats.fit import FloatArray, GeneTests


def write_ranking(gene_ids: tuple[str, ...], tests: GeneTests) -> bytes:
    """Return the list of one method.

    The score is the test statistic with the sign of the change; edgeR's F by its root, and where
    a method has no statistic, -log10 p with that sign. Genes without p are left out.
    """
    score = signed_statistic(tests)
    finite = np.flatnonzero(np.isfinite(score) & ~np.isnan(tests.pvalue))
    order = finite[np.lexsort((finite, -score[finite]))]
    lines = [f"{_one_field(gene_ids[index])}\t{score[index]:.6g}\n" for index in order]
    return "".join(lines).encode("utf-8")


def signed_statistic(tests: GeneTests) -> FloatArray:
    """Return the score of each gene that `write_ranking` writes; NaN where there is none."""
    sign = np.sign(tests.log2_fc)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_p = sign * np.minimum(-np.log10(tests.pvalue), 300.0)
        is_ratio = bool((tests.stat[np.isfinite(tests.stat)] >= 0).all())
        by_stat = sign * np.sqrt(tests.stat) if is_ratio else tests.stat
    return np.asarray(by_stat if np.isfinite(by_stat).any() else by_p, dtype=np.float64)


def _one_field(gene_id: str) -> str:
    """Return a gene ID without the marks that separate fields and lines."""
    return " ".join(gene_id.split())
