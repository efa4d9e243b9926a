"""Variance that follows the days before, rank tests and size tests, against plain loops."""

import numpy as np
import pytest
from scipy.stats import kstest, rankdata

from core.stats.event_study import EstimationPlan, Series, find_abnormal
from core.stats.event_study_tests import EventSample, compare_events
from core.stats.event_study_variants import DECAY, fit_garch, follow_variance
from tests.rows import over_rows

PLAN = EstimationPlan(length=120, gap=5, min_obs=60)


@pytest.fixture(scope="module")
def stormy():
    """A stock whose noise is five times as large for 60 rows."""
    draw = np.random.default_rng(7)
    market = draw.normal(0, 0.01, 900)
    noise = draw.normal(0, 0.01, 900)
    noise[500:560] *= 5
    near = np.zeros(900, bool)
    near[[300, 301, 520, 521]] = True
    return find_abnormal(Series(1.1 * market + noise, market), near, PLAN)


def test_ewma_is_the_recursion_day_by_day_and_looks_back_alone(stormy):
    found = follow_variance(stormy, "ewma")
    h, expected = 1.0, {}
    for row in range(900):
        expected[row] = h
        if stormy.tested[row] and (stormy.keep[row] or stormy.outlier[row]):
            h = DECAY * h + (1 - DECAY) * min(abs(stormy.sar[row]), 4.0) ** 2
    last = np.flatnonzero(stormy.tested & (stormy.keep | stormy.outlier))[-1]
    for row in np.flatnonzero(stormy.tested[: last + 1]):
        assert found.sar[row] == pytest.approx(stormy.sar[row] / np.sqrt(expected[row]), rel=1e-9)
    assert np.array_equal(found.ar, stormy.ar, equal_nan=True)
    series = Series(stormy.series.stock[:700], stormy.series.market[:700])
    cut = find_abnormal(series, np.zeros(700, bool), PLAN)
    whole = find_abnormal(stormy.series, np.zeros(900, bool), PLAN)
    early, late = follow_variance(cut, "ewma").sar, follow_variance(whole, "ewma").sar
    assert np.allclose(early, late[:700], equal_nan=True, rtol=1e-9)


@pytest.mark.parametrize("kind", ["ewma", "garch"])
def test_a_storm_makes_fewer_days_stand_out(stormy, kind):
    def share(found):
        return float((np.abs(found.sar[510:560]) >= 2.58).mean())

    assert share(stormy) > 0.2
    assert share(follow_variance(stormy, kind)) < share(stormy) / 2


def test_garch_finds_the_weights_that_made_a_series():
    draw = np.random.default_rng(11)
    alpha, beta, h, squares = 0.1, 0.8, 1.0, []
    for _ in range(20_000):
        squares.append(h * draw.normal() ** 2)
        h = 0.1 + alpha * squares[-1] + beta * h
    found = fit_garch(np.array(squares))
    assert found == pytest.approx((alpha, beta), abs=0.03)


def sample(draw, n=30, days=120, shift=0.0, spread=0.0):
    residual = draw.normal(0, 0.02, (n, days))
    signs = np.where(np.arange(n) % 2 == 0, 1, -1)
    car = draw.normal(0, 0.02, n) + shift + spread * signs
    return EventSample(car, car / 0.02, np.full(n, float(days)), residual, car[:, None])


def test_good_and_bad_news_cancel_in_the_mean_and_not_in_the_size():
    tests = compare_events(sample(np.random.default_rng(3), spread=0.1))
    for name in ("patell_z", "bmp_t", "corrado_rank", "generalized_rank", "generalized_sign"):
        assert tests[name].p_value > 0.05, name
    assert tests["size_rank"].p_value < 1e-6
    assert tests["size_rank"].statistic > 0


def test_generalized_rank_is_its_formula_step_by_step():
    one = sample(np.random.default_rng(4), n=12, days=40, shift=0.02)
    u = []
    for i in range(12):
        r = one.residual[i]
        gsar = np.append(r / np.sqrt((r**2).sum() / 38), one.scar[i] / one.scar.std(ddof=1))
        u.append(rankdata(gsar) / 42 - 0.5)
    mean = np.array(u).mean(axis=0)
    z = mean[-1] / np.sqrt((mean**2).mean())
    expected = z * np.sqrt((41 - 2) / (41 - 1 - z**2))
    assert compare_events(one)["generalized_rank"].statistic == pytest.approx(expected, rel=1e-12)


@over_rows("name", ["generalized_rank", "size_rank"])
def test_without_an_effect_p_is_uniform(name):
    draw = np.random.default_rng(5)
    p = [compare_events(sample(draw, n=20, days=60))[name].p_value for _ in range(300)]
    assert kstest(p, "uniform").pvalue > 0.01
