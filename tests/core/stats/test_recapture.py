"""Chapman's estimate: known numbers, its interval, and where there is none."""

import random

import pytest

from core.stats.recapture import FEWEST_IN_BOTH, estimate_total
from tests.rows import over_rows


def test_estimate_is_chapmans_in_any_order() -> None:
    found = estimate_total(30, 25, 14)
    assert found is not None
    assert found.estimate == pytest.approx(31 * 26 / 15 - 1)  # 52.73
    assert found.low == pytest.approx(45.4, abs=0.1)
    assert found.high == pytest.approx(72.3, abs=0.1)
    assert estimate_total(30, 25, 14) == estimate_total(25, 30, 14)
    assert estimate_total(41, 23, 23) is None
    with pytest.raises(ValueError, match="both lists"):
        estimate_total(5, 9, 6)


def test_interval_never_falls_below_what_is_listed() -> None:
    for n_both in range(FEWEST_IN_BOTH, 20):
        found = estimate_total(20, 40, n_both)
        assert found is not None
        assert 60 - n_both < found.low < found.estimate < found.high


@over_rows("n_both", [0, 1, FEWEST_IN_BOTH - 1])
def test_too_small_an_overlap_gives_no_estimate(n_both: int) -> None:
    assert estimate_total(30, 25, n_both) is None


def test_interval_covers_the_truth_where_lists_are_independent() -> None:
    dice = random.Random(20261121)
    covered = drawn = 0
    mean = 0.0
    for _ in range(2_000):
        first = {one for one in range(60) if dice.random() < 0.6}
        second = {one for one in range(60) if dice.random() < 0.5}
        found = estimate_total(len(first), len(second), len(first & second))
        if found is not None:
            drawn += 1
            mean += found.estimate
            covered += found.low <= 60 <= found.high
    assert drawn > 1_900
    assert mean / drawn == pytest.approx(60, rel=0.02)
    assert 0.92 <= covered / drawn <= 0.99
