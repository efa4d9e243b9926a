"""Adjustment, trend, filtering and design, each on numbers known beforehand."""

import numpy as np
import pytest
from scipy.special import digamma as scipy_digamma

from core.errors import DidNotConverge
from core.stats.deseq2 import filter_independently
from core.stats.design import Covariate, build_design, is_full_rank
from core.stats.dispersion import DispersionTrend, fit_local_trend, fit_trend, stabilize_variance
from core.stats.fit import adjust_pvalues, call_significant, count_overlaps, find_consensus
from core.stats.projection import project_samples


def test_adjustment_leaves_missing_values_out():
    adjusted = adjust_pvalues(np.array([0.01, np.nan, 0.02, 0.9]))
    assert np.allclose(adjusted, [0.03, np.nan, 0.03, 0.9], equal_nan=True)
    assert np.isnan(adjust_pvalues(np.array([np.nan, np.nan]))).all()


def test_trend_is_recovered_from_gamma_noise_and_never_falls():
    draw = np.random.default_rng(3)
    mean = np.exp(draw.uniform(1, 9, 5000))
    dispersion = (0.05 + 2 / mean) * draw.gamma(6, 1 / 6, 5000)
    trend = fit_trend(mean, dispersion)
    assert trend.a0 == pytest.approx(0.05, rel=0.05)
    assert trend.a1 == pytest.approx(2, rel=0.05)
    mean = np.linspace(1, 100, 50)
    with pytest.raises(DidNotConverge):
        fit_trend(mean, mean / 100)
    trend = DispersionTrend(0.1, 1.0)
    low, high = stabilize_variance(np.array([[1e5, 2e5]]), trend)[0]
    assert high - low == pytest.approx(1, abs=1e-3)


def test_local_trend_follows_a_curve_that_no_parametric_one_fits():
    draw = np.random.default_rng(5)
    mean = np.exp(draw.uniform(1, 9, 4000))
    wanted = 0.01 + 0.02 * np.log(mean)
    dispersion = wanted * draw.gamma(6, 1 / 6, 4000)
    found = fit_local_trend(mean, dispersion).at(mean)
    bias = np.exp(scipy_digamma(6)) / 6
    assert np.median(np.abs(np.log(found / (wanted * bias)))) < 0.05


def test_independent_filtering_sets_weak_genes_aside():
    draw = np.random.default_rng(6)
    base_mean = np.concatenate([draw.uniform(0, 5, 2000), draw.uniform(50, 500, 2000)])
    pvalue = np.concatenate([draw.uniform(0, 1, 2000), draw.beta(0.2, 1, 2000)])
    padj = filter_independently(base_mean, pvalue)
    assert np.isnan(padj[:2000]).mean() > 0.5
    assert np.isnan(padj[2000:]).mean() < 0.1
    assert (padj < 0.1).sum() > (adjust_pvalues(pvalue) < 0.1).sum()


def test_calls_need_both_cut_offs_and_a_consensus_one_sign():
    calls = call_significant(
        np.array([1.0, -1.0, 0.99, 3.0]),
        np.array([0.04, 0.049, 0.01, np.nan]),
        fdr_cutoff=0.05,
        log2fc_cutoff=1.0,
    )
    assert calls.tolist() == [True, True, False, False]
    calls = [np.array([True, True, True]), np.array([True, True, False])]
    changes = [np.array([2.0, 2.0, 2.0]), np.array([2.0, -2.0, 2.0])]
    assert find_consensus(calls, changes).tolist() == [True, False, False]
    assert count_overlaps(calls) == {(0,): 1, (1,): 0, (0, 1): 2}


def test_the_comparison_is_the_last_column():
    batch = Covariate("batch", ("x", "y", "x", "y"), is_numeric=False)
    age = Covariate("age", ("1.5", "2.5", "4", "9"), is_numeric=True)
    design = build_design([batch, age], np.array([False, False, True, True]))
    assert design.shape == (4, 4)
    assert design[:, -1].tolist() == [0, 0, 1, 1]
    assert design[:, 1].tolist() == [0, 1, 0, 1]
    assert not is_full_rank(design[:, [0, 0]])


def test_projection_does_not_depend_on_the_order_of_genes():
    values = np.random.default_rng(8).normal(size=(900, 6))
    plain, reverse = project_samples(values), project_samples(values[::-1])
    assert np.allclose(plain.scores, reverse.scores)
    assert plain.variance_share.sum() <= 1
