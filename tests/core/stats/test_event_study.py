"""The market model of every day, by hand and beside statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.multitest import multipletests

from core.stats.event_study import (
    EstimationPlan,
    Series,
    adjust_p,
    detectable_move,
    find_abnormal,
    fit_rolling,
    standardize,
    sum_abnormal,
    tail_p,
)
from core.stats.event_study_variants import empirical_p
from tests.rows import over_rows

PLAN = EstimationPlan()


def make_series(n=700, seed=3, beta=1.3, sigma=0.02):
    draw = np.random.default_rng(seed)
    market = draw.normal(0.0005, 0.012, n)
    return Series(0.0002 + beta * market + draw.normal(0, sigma, n), market)


def ols(series, row, keep):
    rows = np.arange(max(0, row - 260), row - 10)
    rows = rows[keep[rows]]
    return sm.OLS(series.stock[rows], sm.add_constant(series.market[rows])).fit()


def test_worked_example_by_hand():
    """Four estimation days: M = -1, 1, -1, 1 (%), R = 0, 2, -2, 4 (%); beta 2, alpha 1 %."""
    stock = np.array([0.0, 0.02, -0.02, 0.04, 0.10])
    market = np.array([-0.01, 0.01, -0.01, 0.01, 0.02])
    found = standardize(
        Series(stock, market), np.ones(5, bool), EstimationPlan(length=4, gap=1, min_obs=3)
    )
    assert found.fits.beta[4] == pytest.approx(2, abs=1e-12)
    assert found.fits.alpha[4] == pytest.approx(0.01, abs=1e-12)
    assert found.fits.sigma[4] == pytest.approx(np.sqrt(0.0004 / 2), abs=1e-12)
    assert found.ar[4] == pytest.approx(0.05, abs=1e-12)
    variance = 0.0002 * (1 + 1 / 4 + 0.02**2 / 0.0004)
    assert found.sar[4] == pytest.approx(0.05 / np.sqrt(variance), abs=1e-12)


@over_rows("row", [90, 130, 300, 699])
def test_every_fit_equals_statsmodels(row):
    series = make_series()
    keep = np.random.default_rng(1).random(700) > 0.1
    found = standardize(series, keep, PLAN)
    fit = ols(series, row, keep)
    assert found.fits.alpha[row] == pytest.approx(fit.params[0], abs=1e-14)
    assert found.fits.beta[row] == pytest.approx(fit.params[1], abs=1e-12)
    assert found.fits.sigma[row] == pytest.approx(np.sqrt(fit.scale), abs=1e-14)
    assert found.fits.n_obs[row] == fit.nobs
    forecast = fit.get_prediction([[1.0, series.market[row]]])
    assert found.sar[row] == pytest.approx(
        (series.stock[row] - forecast.predicted_mean[0]) / forecast.se_obs[0], abs=1e-11
    )


def test_window_variance_equals_the_matrix_formula():
    series = make_series()
    found = standardize(series, np.ones(700, bool), PLAN)
    fit = ols(series, 400, np.ones(700, bool))
    rows = np.arange(390, 399)
    design = sm.add_constant(series.market[rows])
    total = design.sum(axis=0)
    variance = fit.scale * len(rows) + total @ fit.cov_params() @ total
    car = (series.stock[rows] - design @ fit.params).sum()
    ours = sum_abnormal(found, 400, rows)
    assert ours.car == pytest.approx(car, abs=1e-13)
    assert ours.scar == pytest.approx(car / np.sqrt(variance), abs=1e-11)


def test_rows_of_the_gap_and_the_day_itself_never_enter_a_fit():
    series = make_series()
    found = standardize(series, np.ones(700, bool), PLAN)
    series.stock[490:501] += 0.5
    again = standardize(series, np.ones(700, bool), PLAN)
    assert again.fits.alpha[500] == pytest.approx(found.fits.alpha[500], abs=1e-13)
    assert again.fits.alpha[501] != pytest.approx(found.fits.alpha[501], abs=1e-6)


def test_jumps_and_constant_benchmarks_cost_no_digits():
    series = make_series()
    series.stock[5] = 900.0
    found = standardize(series, np.ones(700, bool), PLAN)
    fit = ols(series, 600, np.ones(700, bool))
    assert found.fits.sigma[600] == pytest.approx(np.sqrt(fit.scale), rel=1e-10)
    assert found.fits.beta[600] == pytest.approx(fit.params[1], rel=1e-10)
    series = make_series()
    series = Series(series.stock, np.full(700, 0.001))
    found = standardize(series, np.ones(700, bool), PLAN)
    assert (found.fits.beta[70:] == 0).all()
    assert np.isfinite(found.sar[70:]).all()


def test_rows_that_cannot_be_used_enter_no_fit():
    series = make_series()
    series.stock[300:320] = np.nan
    found = standardize(series, series.usable, PLAN)
    assert found.fits.n_obs[400] == 230
    assert not found.tested[300:320].any()
    found = standardize(make_series(), np.ones(700, bool), PLAN)
    assert not found.tested[:70].any()
    assert found.tested[70:].all()
    series = make_series(20)
    fits = fit_rolling(series, np.zeros(20, bool), PLAN)
    assert np.isnan(fits.sigma).all()
    assert (fits.n_obs == 0).all()


@over_rows("slope", [0.0, 1.0, 2.5])
def test_stock_without_residual_is_not_tested(slope):
    market = make_series().market
    found = standardize(Series(0.0013 + slope * market, market), np.ones(700, bool), PLAN)
    assert not found.tested.any()


def test_outliers_and_events_are_kept_out_of_later_windows():
    series = make_series()
    series.stock[[200, 260]] += 0.4
    near_event = np.zeros(700, bool)
    near_event[260:262] = True
    found = find_abnormal(series, near_event, PLAN)
    assert found.outlier[200]
    assert not found.keep[[200, 260, 261]].any()
    assert not found.outlier[260]
    assert found.fits.sigma[350] == pytest.approx(0.02, rel=0.1)
    raw = find_abnormal(series, np.zeros(700, bool), PLAN, outlier_z=None)
    assert raw.keep.all()
    assert raw.fits.sigma[350] > 1.5 * found.fits.sigma[350]


def test_p_of_days_is_the_known_tail_adjusted():
    p = np.random.default_rng(2).random(200) ** 2
    p[7] = np.nan
    ours = adjust_p(p)
    known = np.isfinite(p)
    assert np.isnan(ours[7])
    assert ours[known] == pytest.approx(multipletests(p[known], method="fdr_bh")[1], abs=1e-14)
    assert np.isnan(adjust_p(np.array([np.nan]))).all()
    assert tail_p(np.array([2.2281389]), np.array([12]))[0] == pytest.approx(0.05, abs=1e-8)


def test_empirical_p_counts_rows_that_stand_out_as_much():
    series = make_series()
    found = standardize(series, np.ones(700, bool), PLAN)
    fit = ols(series, 400, np.ones(700, bool))
    inner = fit.get_influence().resid_studentized_internal
    expected = (1 + (np.abs(inner) >= abs(found.sar[400])).sum()) / 251
    assert empirical_p(found, [400])[0] == pytest.approx(expected, abs=1e-14)


@over_rows("floor", [0.0, 0.2])
def test_detectable_move_is_seen_eight_times_in_ten(floor):
    series = make_series()
    found = standardize(series, np.ones(700, bool), PLAN)
    move = detectable_move(found, 400, sig_z=2.58, min_abs_move=floor)
    deviation = found.ar[400] / found.sar[400]
    noise = np.random.default_rng(5).standard_t(248, 200_000) * deviation
    seen = (np.abs(move + noise) >= max(floor, 2.58 * deviation)).mean()
    assert seen == pytest.approx(0.8, abs=0.005)
