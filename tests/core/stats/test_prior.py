"""The prior variance of dispersions, from residuals drawn with a known one."""

import numpy as np
import pytest

from core.stats.prior import SMALLEST, estimate_prior_variance


@pytest.mark.parametrize("freedom", [1, 2, 3, 6])
def test_known_variance_is_recovered(freedom):
    draw = np.random.default_rng(freedom)
    noise = np.log(draw.chisquare(freedom, 20_000) / freedom)
    residuals = noise + draw.normal(0, np.sqrt(1.5), 20_000)
    assert estimate_prior_variance(residuals, freedom) == pytest.approx(1.5, abs=0.35)


@pytest.mark.parametrize("freedom", [2, 8])
def test_variance_has_a_floor(freedom):
    draw = np.random.default_rng(1)
    residuals = np.log(draw.chisquare(freedom, 5000) / freedom)
    assert estimate_prior_variance(residuals, freedom) == pytest.approx(SMALLEST, abs=0.15)
