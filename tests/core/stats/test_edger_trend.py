"""The trend of edgeR 3: equal to edgepython's where no step is decided by the old series."""

import numpy as np
import pytest
from edgepython import estimate_disp, make_dgelist

from core.stats import edger
from core.stats.edger import estimate_trend

ONE_WAY = np.column_stack([np.ones(6), [0, 0, 0, 1, 1, 1]]).astype(float)
BATCHED = np.column_stack([ONE_WAY, [0, 1, 0, 1, 0, 1]])[:, [0, 2, 1]].astype(float)


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    """Return 400 genes in six samples, some of them absent from one group."""
    random = np.random.default_rng(20261122)
    means = random.gamma(2.0, 60.0, size=(400, 1))
    drawn = random.negative_binomial(8, 8 / (8 + means), size=(400, 6)).astype(float)
    drawn[:6, :3] = 0.0
    return drawn


def of_library(counts: np.ndarray, design: np.ndarray) -> tuple[float, np.ndarray]:
    found = estimate_disp(make_dgelist(counts), design, legacy_span=True)
    return found["common.dispersion"], found["trended.dispersion"]


def test_groups_alone_give_the_trend_of_the_library(counts) -> None:
    common, trend = estimate_trend(counts, ONE_WAY, counts.sum(axis=0))
    theirs, their_trend = of_library(counts, ONE_WAY)
    assert common == pytest.approx(theirs, rel=1e-12)
    assert trend == pytest.approx(their_trend, rel=1e-12)
    _, trend = estimate_trend(counts, BATCHED, counts.sum(axis=0))
    _, theirs = of_library(counts, BATCHED)
    assert trend == pytest.approx(theirs, rel=1e-4)
    few = np.vstack([counts, [[1.0, 0, 0, 0, 1, 0]]])
    _, trend = estimate_trend(few, ONE_WAY, few.sum(axis=0))
    _, theirs = of_library(few, ONE_WAY)
    assert trend[-1] == pytest.approx(theirs[-1], rel=1e-12)


def test_with_a_covariate_the_right_series_gives_the_trend_of_the_library(
    counts, monkeypatch
) -> None:
    def right(counts, means, dispersion):
        a, b = counts + 1e-8, means + 1e-8
        rest = a - b
        factor = 1 + dispersion * (2 / 3 * rest - a)
        units = 2 * (a * np.log(a / b) - rest - 0.5 * rest**2 * dispersion * factor)
        return np.maximum(units, 0).sum()

    monkeypatch.setattr(edger, "_deviance", right)
    monkeypatch.setattr(edger, "_fit", edger._fit.py_func)
    common, trend = estimate_trend(counts, BATCHED, counts.sum(axis=0))
    theirs, their_trend = of_library(counts, BATCHED)
    assert common == pytest.approx(theirs, rel=1e-9)
    assert trend == pytest.approx(their_trend, rel=1e-9)
