"""Two factors, sector and market: every figure next to least squares on both."""

import numpy as np
import pytest
import statsmodels.api as sm

from core.stats.event_study import (
    EstimationPlan,
    Series,
    detectable_move,
    find_abnormal,
    standardize,
    sum_abnormal,
    tail_p,
    window_rows,
)
from core.stats.event_study_tests import EventSample, compare_events
from core.stats.event_study_variants import empirical_p, fill_short, fit_other_slopes
from tests.rows import over_rows

PLAN = EstimationPlan()
N = 700
KEEP = np.random.default_rng(5).random(N) > 0.1


@pytest.fixture(scope="module")
def series():
    """Returns with heavy tails; the sector follows the market at .9."""
    draw = np.random.default_rng(11)
    market = draw.normal(0.0005, 0.012, N)
    sector = 0.9 * market + draw.normal(0, 0.006, N)
    stock = 0.0002 + 0.4 * market + 1.1 * sector + 0.02 * draw.standard_t(4, N)
    return Series(stock, market, sector)


@pytest.fixture(scope="module")
def found(series):
    return standardize(series, KEEP, PLAN)


def design(series, rows):
    columns = [np.ones(len(rows)), series.market[rows], series.sector[rows]]
    return np.column_stack(columns)


def ols(found, row):
    rows = window_rows(found, row)
    return sm.OLS(found.series.stock[rows], design(found.series, rows)).fit()


@over_rows("row", [90, 130, 300, 699])
def test_fit_prediction_error_and_tail_equal_statsmodels(found, series, row):
    fit, fits = ols(found, row), found.fits
    slopes = [fits.alpha[row], fits.beta[row], fits.sector.beta[row], fits.sigma[row]]
    assert slopes == pytest.approx([*fit.params, np.sqrt(fit.scale)], abs=1e-12)
    assert fits.n_obs[row] == fit.nobs
    forecast = fit.get_prediction(design(series, np.array([row])))
    assert found.ar[row] == pytest.approx(series.stock[row] - forecast.predicted_mean[0], abs=1e-13)
    assert found.sar[row] == pytest.approx(found.ar[row] / forecast.se_obs[0], abs=1e-10)
    p = tail_p(found.sar, fits.n_obs, fits.n_coefficients)[row]
    outside = fit.get_prediction(design(series, np.array([row])))
    low, high = outside.conf_int(obs=True, alpha=p)[0]
    edge = low if found.ar[row] < 0 else high
    assert edge == pytest.approx(series.stock[row], abs=1e-9)


def test_variance_of_a_window_equals_the_matrix_formula(found, series):
    fit, rows = ols(found, 400), np.arange(390, 399)
    total = design(series, rows).sum(axis=0)
    variance = fit.scale * len(rows) + total @ fit.cov_params() @ total
    car = (series.stock[rows] - design(series, rows) @ fit.params).sum()
    ours = sum_abnormal(found, 400, rows)
    assert ours.car == pytest.approx(car, abs=1e-13)
    assert ours.scar == pytest.approx(car / np.sqrt(variance), abs=1e-10)


def test_a_sector_that_is_the_market_or_apart_from_it(series):
    """Rows in pairs of one market return and opposite sector returns: the factors are apart."""
    alike = standardize(series._replace(sector=2 * series.market + 0.001), KEEP, PLAN)
    alone = standardize(Series(series.stock, series.market), KEEP, PLAN)
    assert (alike.fits.sector.ss[100:] == 0).all()
    assert (alike.fits.n_coefficients[100:] == 2).all()
    np.testing.assert_allclose(alike.sar, alone.sar, rtol=0, atol=1e-12)
    market = np.repeat(series.market[:350], 2)
    sector = np.tile([0.01, -0.01], 350)
    both = standardize(Series(series.stock, market, sector), np.ones(N, bool), PLAN)
    alone = standardize(Series(series.stock, market), np.ones(N, bool), PLAN)
    rows = np.arange(270, N, 2)  # the gap is odd: their windows are whole pairs
    np.testing.assert_allclose(both.fits.beta[rows], alone.fits.beta[rows], atol=1e-12)
    assert np.abs(both.fits.sector.tilt[rows]).max() < 1e-12
    sector = series.sector.copy()
    sector[300] = np.nan
    found = find_abnormal(series._replace(sector=sector), np.zeros(N, bool), PLAN)
    assert np.isnan(found.sar[300])
    assert 300 not in window_rows(found, 400)


def test_rarity_of_a_day_counts_studentized_residuals_of_both_factors(found):
    row = 500
    fit, rows = ols(found, row), window_rows(found, row)
    studentized = fit.resid / np.sqrt(fit.scale * (1 - fit.get_influence().hat_matrix_diag))
    expected = (1 + (np.abs(studentized) >= abs(found.sar[row])).sum()) / (1 + len(rows))
    assert empirical_p(found, [row])[0] == pytest.approx(expected, abs=1e-12)


def test_other_slopes_on_the_market_stand_beside_the_sector(found, series):
    row = 500
    rows = window_rows(found, row)
    x, y = design(series, rows), series.stock[rows]
    huber = sm.RLM(y, x, M=sm.robust.norms.HuberT(1.345)).fit(tol=1e-12, maxiter=200)
    slopes = fit_other_slopes(found, [row])
    assert slopes.huber[0] == pytest.approx(huber.params[1], abs=1e-6)
    inner = rows[(rows > 0) & (rows < N - 1)]
    lagged = [one[inner + lag] for one in (series.market, series.sector) for lag in (-1, 0, 1)]
    fit = sm.OLS(series.stock[inner], np.column_stack([np.ones(len(inner)), *lagged])).fit()
    assert slopes.dimson[0] == pytest.approx(fit.params[1:4].sum(), abs=1e-9)


def test_patell_uses_the_degrees_of_freedom_of_three_coefficients():
    draw = np.random.default_rng(2)
    scar, residual = draw.normal(1, 1, 8), draw.normal(0, 0.02, (8, 30))
    sample = EventSample(scar / 50, scar, np.full(8, 30.0), residual, scar[:, None] / 50, 3)
    expected = scar.sum() / np.sqrt(8 * 27 / 25)
    assert compare_events(sample)["patell_z"].statistic == pytest.approx(expected, abs=1e-12)


def test_a_move_of_the_detectable_size_is_seen_four_times_in_five(found):
    row = 450
    move = detectable_move(found, row, sig_z=2.58, min_abs_move=0.0)
    deviation = found.ar[row] / found.sar[row]
    noise = np.random.default_rng(3).standard_t(found.fits.n_obs[row] - 3, 200_000) * deviation
    assert (move + noise >= 2.58 * deviation).mean() == pytest.approx(0.8, abs=0.005)


def test_days_before_the_first_fit_are_measured_by_the_benchmark_alone(series):
    found = standardize(series, np.ones(N, bool), PLAN)
    filled = fill_short(found)
    row = int(np.flatnonzero(filled.short)[0])
    assert filled.found.fits.sector.beta[row] == 0
    assert filled.found.ar[row] == series.stock[row] - series.market[row]
    assert sum_abnormal(filled.found, row, [row]).car == pytest.approx(filled.found.ar[row])
