"""What the methods call where nothing changes."""

import numpy as np
import pytest

from core.stats.counts import estimate_size_factors, estimate_tmm_factors, filter_low_counts
from core.stats.deseq2 import fit_deseq2
from core.stats.edger import fit_edger
from core.stats.voom import fit_voom
from tests.rows import over_rows


def design_of(is_comparison: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(is_comparison)), is_comparison.astype(float)])


def fit(method: str, counts: np.ndarray, is_comparison: np.ndarray):
    design = design_of(is_comparison)
    if method == "DESeq2":
        return fit_deseq2(counts, design, estimate_size_factors(counts)[0]).tests
    fitted = fit_edger if method == "edgeR" else fit_voom
    return fitted(counts, design, estimate_tmm_factors(counts))


def draw_null(n_each: int, n_genes: int = 8000) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(n_each)
    mean = 2 ** draw.normal(7, 2, n_genes)
    dispersion = (0.03 + 2 / mean) * np.exp(draw.normal(0, 0.5, n_genes))
    depth = np.exp(draw.normal(0, 0.3, 2 * n_each))
    size = 1 / dispersion[:, None]
    counts = draw.negative_binomial(size, size / (size + mean[:, None] * depth))
    groups = np.repeat([False, True], n_each)
    return counts[filter_low_counts(counts, design_of(groups), 10)], groups


@over_rows("n_each", [3, 6])
@over_rows("method", ["DESeq2", "edgeR", "limma-voom"])
def test_one_null_gene_in_twenty_has_p_below_five_percent(method, n_each):
    counts, groups = draw_null(n_each)
    pvalue = fit(method, counts, groups).pvalue
    assert 0.04 <= np.mean(pvalue[~np.isnan(pvalue)] < 0.05) <= 0.06


@pytest.mark.parametrize("method", ["DESeq2", "edgeR", "limma-voom"])
def test_permuted_labels_call_hardly_a_gene(method):
    counts, groups = draw_null(6, 3000)
    counts[:300, 6:] *= 4
    draw = np.random.default_rng(2)
    shares = []
    for _ in range(10):
        permuted = draw.permutation(groups)
        tests = fit(method, counts, permuted)
        shares.append(np.mean((tests.padj < 0.05) & (np.abs(tests.log2_fc) >= 1)))
    assert np.mean(shares) <= 0.01
