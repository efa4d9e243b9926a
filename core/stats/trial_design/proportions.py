"""Trials whose endpoint is a proportion: two arms, non-inferiority, one arm, two stages.

Sources: Fleiss 1981; Farrington and Manning 1990 (10.1002/sim.4780091208); Simon 1989
(10.1016/0197-2456(89)90015-9).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binom, norm


def two_proportions(control: float, experimental: float, alpha: float, power: float) -> float:
    """Return the participants an arm, for a test with pooled variance.

    >>> round(two_proportions(0.3, 0.5, 0.025, 0.9), 1)
    124.0
    """
    mean = (control + experimental) / 2
    null = sqrt(2 * mean * (1 - mean))
    spread = sqrt(control * (1 - control) + experimental * (1 - experimental))
    z = norm.isf(alpha) * null + norm.ppf(power) * spread
    return float((z / (experimental - control)) ** 2)


def non_inferior_proportions(
    control: float, experimental: float, margin: float, alpha: float, power: float
) -> float:
    """Return the participants an arm of a non-inferiority trial, by Farrington and Manning.

    The variance under the null is that of the rates most likely at the margin.

    Args:
        control: Rate of the control arm.
        experimental: Rate of the experimental arm; the higher rate is the better one.
        margin: Largest difference that is tolerated, above 0.
        alpha: One-sided level.
        power: Under these rates.

    >>> round(2 * non_inferior_proportions(0.85, 0.85, 0.10, 0.025, 0.9), 1)
    551.5
    """
    low, high = max(0.0, -margin) + margin + 1e-9, 1 - 1e-9

    def slope(rate: float) -> float:
        shifted = rate - margin
        spread = experimental / shifted - (1 - experimental) / (1 - shifted)
        return spread + control / rate - (1 - control) / (1 - rate)

    at_null = brentq(slope, low, high, xtol=1e-12)
    shifted = at_null - margin
    null = sqrt(at_null * (1 - at_null) + shifted * (1 - shifted))
    spread = sqrt(control * (1 - control) + experimental * (1 - experimental))
    distance = experimental - control + margin
    return float(((norm.isf(alpha) * null + norm.ppf(power) * spread) / distance) ** 2)


@dataclass(frozen=True)
class SingleArm:
    """An exact test of one arm: success where `responses` or more of `n` respond."""

    n: int
    responses: int
    alpha: float
    power: float


def single_arm(
    null: float, target: float, alpha: float, power: float, most: int = 500
) -> SingleArm:
    """Return the smallest exact binomial design.

    Args:
        null: Rate that is of no interest.
        target: Rate that is wanted.
        alpha: One-sided level.
        power: Under the rate that is wanted.
        most: Largest number of participants tried.

    Raises:
        ValueError: No design of so many participants has this power.

    >>> found = single_arm(0.2, 0.4, 0.025, 0.9)
    >>> found.n, found.responses
    (56, 18)
    """
    for n in range(1, most + 1):
        least = int(binom.isf(alpha, n, null)) + 1
        reached = float(binom.sf(least - 1, n, target))
        if reached >= power:
            return SingleArm(n, least, float(binom.sf(least - 1, n, null)), reached)
    raise ValueError(f"no design of {most} participants or fewer has this power")


@dataclass(frozen=True)
class TwoStage:
    """Simon's design: stop where `r1` or fewer of `n1` respond, fail where `r` or fewer of `n` do.

    Attributes:
        r1: Responses at which the first stage stops.
        n1: Participants of the first stage.
        r: Responses of both stages at which the trial fails.
        n: Participants of both stages.
        expected: Participants expected under the null.
        stopping: Probability that the first stage stops under the null.
    """

    r1: int
    n1: int
    r: int
    n: int
    expected: float
    stopping: float


@lru_cache(maxsize=256)
def simon(
    null: float, target: float, alpha: float, power: float, most: int = 60
) -> tuple[TwoStage, TwoStage]:
    """Return Simon's optimal and minimax designs.

    Args:
        null: Rate that is of no interest.
        target: Rate that is wanted.
        alpha: One-sided level.
        power: Under the rate that is wanted.
        most: Largest number of participants tried.

    Raises:
        ValueError: No design of so many participants has this power.

    >>> optimal, minimax = simon(0.1, 0.3, 0.05, 0.8)
    >>> (optimal.r1, optimal.n1, optimal.r, optimal.n), (minimax.r1, minimax.n1)
    ((1, 10, 5, 29), (1, 15))
    """
    designs: list[TwoStage] = []
    for n in range(2, most + 1):
        for n1 in range(1, n):
            designs += _designs(null, target, (alpha, power), n1, n)
        if designs and n > min(stage.n for stage in designs) + 25:
            break
    if not designs:
        raise ValueError(f"no two-stage design of {most} participants or fewer has this power")
    optimal = min(designs, key=lambda stage: (stage.expected, stage.n))
    minimax = min(designs, key=lambda stage: (stage.n, stage.expected))
    return optimal, minimax


def _designs(
    null: float, target: float, limits: tuple[float, float], n1: int, n: int
) -> list[TwoStage]:
    """Return, for each first limit, the design of least second limit that keeps the level."""
    alpha, power = limits
    none, some = (_successes(rate, n1, n) for rate in (null, target))
    designs = []
    for r1 in range(n1):
        # success needs more than r1 in the first stage and more than r in both
        fits = np.flatnonzero((none[r1] <= alpha) & (some[r1] >= power))
        if fits.size:
            stopping = float(binom.cdf(r1, n1, null))
            expected = n1 + (1 - stopping) * (n - n1)
            designs.append(TwoStage(r1, n1, int(fits[0]), n, expected, stopping))
    return designs


def _successes(rate: float, n1: int, n: int) -> NDArray[np.float64]:
    """Return the probability of success by both limits: rows r1, columns r."""
    first = binom.pmf(np.arange(n1 + 1), n1, rate)
    limits = np.arange(n + 1)
    later = binom.sf(limits[None, :] - np.arange(n1 + 1)[:, None], n - n1, rate)
    joint = first[:, None] * later
    from_above: NDArray[np.float64] = np.cumsum(joint[::-1], axis=0)[::-1]
    return from_above[1:]
