"""Statistics of assays against published numbers, simulation and R's nls with SSfpl."""

import doctest
from math import log

import numpy as np
import pytest

from core.stats.assays import curves, sizes, windows
from tests.rows import over_rows

X = np.array([0.1, 0.3, 1, 3, 10, 30, 100, 300] * 2)
BY_R = (
    # lower, upper, ln of midpoint, scale, residual sum of squares by R 4.2
    (
        (
            9.35828440238269,
            100.77603232673965,
            2.121517050988513,
            0.862579350629461,
            24.05181137888,
        ),
        (
            *(10.654, 11.519, 17.817, 31.361, 60.186, 85.248, 97.811, 100.273),
            *(9.41, 9.819, 15.922, 31.265, 57.502, 84.378, 93.987, 97.754),
        ),
    ),
    (
        (10.425434500893, 99.50373126833, 3.518216667848, 0.84131084624754, 54.988920904972),
        (
            *(13.15, 6.497, 12.012, 14.114, 27.185, 52.935, 78.695, 93.908),
            *(8.791, 15.315, 11.723, 14.437, 27.442, 52.256, 80.143, 93.67),
        ),
    ),
)


@over_rows("module", [sizes, windows])
def test_published_numbers(module) -> None:
    assert doctest.testmod(module).failed == 0


@over_rows(("wanted", "signal"), BY_R)
def test_four_parameters_equal_those_of_r(wanted, signal) -> None:
    found = curves.fit_curve(X, signal)
    ours = (found.lower, found.upper, log(found.midpoint), 1 / found.slope, found.rss)
    assert ours == pytest.approx(wanted, rel=1e-6)


def test_a_falling_curve_is_the_same_curve_from_the_other_end() -> None:
    signal = np.array(BY_R[0][1])
    rising, falling = curves.fit_curve(X, signal), curves.fit_curve(X, 110 - signal)
    assert falling.midpoint == pytest.approx(rising.midpoint, rel=1e-6)
    assert (falling.lower, falling.upper) == pytest.approx((110 - rising.lower, 110 - rising.upper))


def test_relative_potency_of_a_weaker_sample_and_of_another_shape() -> None:
    draw = np.random.default_rng(1)

    def points(midpoint: float, slope: float) -> np.ndarray:
        share = 1 / (1 + np.exp(-slope * (np.log(X) - np.log(midpoint))))
        return 10 + 90 * share + draw.normal(0, 1, X.size)

    reference = points(8, 1.2)
    weaker = curves.compare_curves(X, reference, X, points(12, 1.2))
    assert weaker.relative_potency == pytest.approx(8 / 12 * 100, rel=0.05)
    assert weaker.p > 0.01
    assert curves.compare_curves(X, reference, X, points(12, 3.0)).p < 1e-6


def test_five_parameters_fit_what_four_cannot() -> None:
    signal = 5 + 95 / (1 + np.exp(-2 * (np.log(X) - np.log(10)))) ** 0.3
    assert curves.fit_curve(X, signal, parameters=5).rss < 1e-6
    assert curves.fit_curve(X, signal).rss > 1


@over_rows("dose", [[1, 2, 3, 4], [0, 1, 2, 3, 4]])
def test_too_few_or_impossible_concentrations_are_refused(dose) -> None:
    with pytest.raises(ValueError, match="5 concentrations above 0"):
        curves.fit_curve(dose, [1.0] * len(dose))


def test_sizes_hold_their_level_and_power_in_simulation() -> None:
    """20,000 sets: the upper limit holds 95 %; two tests for bias reach the stated power."""
    draw = np.random.default_rng(7)
    n = sizes.precision_size(10, 15).n
    spread = draw.normal(0, 10, (20_000, n)).std(axis=1, ddof=1)
    assert np.mean(spread >= 10 * 10 / 15) == pytest.approx(0.95, abs=0.01)
    size = sizes.bias_size(20, 12, power=0.8).n
    s, theta = log(1.20), log(1.12)
    sets = draw.normal(0, s, (20_000, size))
    from scipy.stats import t

    half = t.isf(0.05, size - 1) * sets.std(axis=1, ddof=1) / size**0.5
    inside = np.abs(sets.mean(axis=1)) + half < theta
    assert inside.mean() >= 0.79
