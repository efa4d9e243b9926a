"""The prior variance of dispersions, from residuals drawn with a known one."""

import numpy as np
import pytest
from scipy.special import digamma

from core.stats.dispersion import SMALLEST, _load_draws, estimate_prior_variance
from tests.rows import over_rows


@over_rows("freedom", [1, 2, 3, 6])
def test_known_variance_is_recovered(freedom):
    draw = np.random.default_rng(freedom)
    noise = np.log(draw.chisquare(freedom, 20_000) / freedom)
    residuals = noise + draw.normal(0, np.sqrt(1.5), 20_000)
    assert estimate_prior_variance(residuals, freedom) == pytest.approx(1.5, abs=0.35)


@over_rows("freedom", [2, 8])
def test_variance_has_a_floor(freedom):
    draw = np.random.default_rng(1)
    residuals = np.log(draw.chisquare(freedom, 5000) / freedom)
    assert estimate_prior_variance(residuals, freedom) == pytest.approx(SMALLEST, abs=0.15)


@over_rows(("freedom", "variance"), [(1, 0.0), (2, 2.0), (3, 6.0)])
def test_the_table_holds_draws_of_the_expected_mean(freedom, variance):
    rows = _load_draws()[freedom]
    row = rows[round(variance / 8 * 199)]
    middles = np.arange(-39, 40, 2) / 4
    expected = digamma(freedom / 2) + np.log(2 / freedom)
    assert row.sum() * 0.5 == pytest.approx(1)
    assert (row * middles).sum() * 0.5 == pytest.approx(expected, abs=0.1)
