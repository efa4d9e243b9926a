"""The search for dispersions: its derivative, its maximum, its likelihood beside scipy's."""

import numpy as np
import pytest
from scipy.special import digamma as scipy_digamma
from scipy.special import gammaln
from scipy.stats import nbinom

from core.stats.compiled import gamma_rest, log_gamma
from core.stats.dispersion import adjusted_likelihood, evaluate, find_dispersions
from tests.rows import over_rows

DESIGN = np.column_stack([np.ones(30), np.repeat([0.0, 1.0], 15)])


def gene(seed: int):
    draw = np.random.default_rng(seed)
    counts = draw.negative_binomial(5, 5 / 205, size=30)
    return counts, np.full(30, 200.0)


def rooms():
    return np.empty(30), np.empty((2, 2))


@over_rows("x", [1e-3, 0.3, 1.0, 7.2, 9.999, 10.0, 250.0, 1e6])
def test_gamma_functions_equal_scipy(x):
    assert log_gamma(x) == pytest.approx(gammaln(x), rel=1e-13, abs=1e-14)
    stirling = (x - 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi)
    rest, slope, log_x = gamma_rest(x)
    assert log_x == pytest.approx(np.log(x), abs=1e-15)
    assert stirling + rest == pytest.approx(gammaln(x), rel=1e-13, abs=1e-14)
    assert slope == pytest.approx(scipy_digamma(x), rel=1e-12, abs=1e-14)


def test_likelihood_is_the_binomials_with_its_adjustment():
    counts, mu = gene(1)

    def expected(alpha: float) -> float:
        plain = nbinom.logpmf(counts, 1 / alpha, 1 / (1 + mu * alpha)).sum()
        weights = mu / (1 + mu * alpha)
        information = DESIGN.T @ (weights[:, None] * DESIGN)
        return plain - 0.5 * np.log(np.linalg.det(information))

    def found(alpha: float) -> float:
        return adjusted_likelihood(np.log(alpha), counts, mu, DESIGN, 0.0, 0.0, *rooms())

    assert found(0.3) - found(0.1) == pytest.approx(expected(0.3) - expected(0.1), abs=1e-9)


@over_rows("prior_variance", [0.0, 1.2])
def test_slope_is_the_derivative_of_the_likelihood(prior_variance):
    counts, mu = gene(2)
    given, step = (counts, mu, DESIGN, -2.0, prior_variance), 1e-5
    for at in (-5.0, -1.5, 0.5):
        high = adjusted_likelihood(at + step, *given, *rooms())
        low = adjusted_likelihood(at - step, *given, *rooms())
        value, slope = evaluate(at, *given, *rooms(), np.empty((2, 2)))
        assert value == pytest.approx(adjusted_likelihood(at, *given, *rooms()), rel=1e-12)
        assert slope == pytest.approx((high - low) / (2 * step), abs=1e-4)


def test_dispersions_come_near_the_maximum():
    counts = np.vstack([gene(seed)[0] for seed in range(12)])
    linear = np.tile([200.0, 0.0], (12, 1))
    found = find_dispersions(
        counts, np.ones(30), DESIGN, linear, True, np.full(12, 0.6), np.ones(12), 0.0
    )
    for row, alpha in zip(counts, found, strict=True):
        around = np.log(alpha) + np.linspace(-0.5, 0.5, 101)
        values = [
            adjusted_likelihood(at, row, np.full(30, 200.0), DESIGN, 0.0, 0.0, *rooms())
            for at in around
        ]
        assert max(values) - values[50] < 1e-4


def test_a_strong_prior_pulls_to_the_trend():
    counts = np.vstack([gene(seed)[0] for seed in range(5)])
    linear = np.tile([200.0, 0.0], (5, 1))
    trend = np.full(5, 0.01)
    found = find_dispersions(counts, np.ones(30), DESIGN, linear, True, trend, trend, 1e-4)
    assert np.allclose(found, trend, rtol=0.05)
