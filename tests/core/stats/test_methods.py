"""The methods on simulated counts: null data give uniform p, planted changes are found."""

import numpy as np
import pytest
from scipy.stats import kstest

from core.stats import edger
from core.stats.counts import estimate_size_factors, estimate_tmm_factors
from core.stats.deseq2 import fit_deseq2
from core.stats.edger import fit_edger
from core.stats.voom import fit_voom
from tests.rows import over_rows

DESIGN = np.column_stack([np.ones(10), np.repeat([0.0, 1.0], 5)])


def fit(method: str, counts: np.ndarray):
    if method == "DESeq2":
        return fit_deseq2(counts, DESIGN, estimate_size_factors(counts)[0]).tests
    fitted = fit_edger if method == "edgeR" else fit_voom
    return fitted(counts, DESIGN, estimate_tmm_factors(counts))


@over_rows("method", ["DESeq2", "edgeR", "limma-voom"])
def test_null_data_give_uniform_p(method):
    draw = np.random.default_rng(21)
    mean = np.exp(draw.uniform(4, 8, 600))[:, None]
    counts = draw.negative_binomial(10, 10 / (10 + np.repeat(mean, 10, axis=1)))
    pvalue = fit(method, counts).pvalue
    assert kstest(pvalue[~np.isnan(pvalue)], "uniform").statistic < 0.08


@over_rows("method", ["DESeq2", "edgeR", "limma-voom"])
def test_planted_changes_are_estimated(method):
    draw = np.random.default_rng(22)
    mean = np.repeat(np.exp(draw.uniform(5, 8, 400))[:, None], 10, axis=1)
    mean[:40, 5:] *= 4
    counts = draw.negative_binomial(20, 20 / (20 + mean))
    tests = fit(method, counts)
    assert np.median(tests.log2_fc[:40]) == pytest.approx(2, abs=0.2)
    assert (tests.padj[:40] < 0.05).mean() > 0.9
    assert (tests.padj[40:] < 0.05).mean() < 0.05


def test_a_single_huge_count_gets_no_p():
    draw = np.random.default_rng(23)
    counts = draw.negative_binomial(20, 20 / (20 + np.full((200, 10), 100.0)))
    counts[7, 3] = 100_000
    tests = fit("DESeq2", counts)
    assert np.isnan(tests.pvalue[7])
    assert tests.outlier[7]
    assert tests.outlier.sum() <= 3


@pytest.mark.parametrize("columns", [2, 3])
def test_fits_of_edger_in_blocks_are_those_of_all_genes_at_once(monkeypatch, columns):
    draw = np.random.default_rng(8)
    counts = draw.negative_binomial(5, 0.05, (300, 8))
    design = np.column_stack([np.ones(8), draw.normal(size=8), [0, 0, 0, 0, 1, 1, 1, 1]])
    design = np.ascontiguousarray(design[:, [0, 2] if columns == 2 else [0, 1, 2]])
    whole = edger.fit_edger(counts, design, np.ones(8))
    monkeypatch.setattr(edger, "BLOCK_CELLS", 400)
    blocks = edger.fit_edger(counts, design, np.ones(8))
    assert np.allclose(whole.pvalue, blocks.pvalue, rtol=1e-12, atol=0)
    assert np.allclose(whole.log2_fc, blocks.log2_fc, rtol=1e-12, atol=1e-12)
