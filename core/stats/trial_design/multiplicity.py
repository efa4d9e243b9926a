"""Several arms or endpoints: Dunnett's bound, and levels that pass along a graph.

Sources: Dunnett 1955 (10.2307/2281208); Bretz, Maurer, Brannath and Posch 2009
(10.1002/sim.3495).
"""

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

_POINTS = 96


def dunnett_bound(n_arms: int, alpha: float, ratio: float = 1.0) -> float:
    """Return the z from which on an arm beats a common control, its variance known.

    Args:
        n_arms: Experimental arms, at least 1.
        alpha: One-sided level over all of them.
        ratio: Participants of an experimental arm for each of the control arm.

    >>> [round(dunnett_bound(one, 0.025), 4) for one in (2, 3, 4)]
    [2.2121, 2.349, 2.4418]
    """
    correlation = ratio / (1 + ratio)
    points, weights = np.polynomial.hermite_e.hermegauss(_POINTS)
    weights = weights / weights.sum()

    def lack(bound: float) -> float:
        inside = norm.cdf((bound + sqrt(correlation) * points) / sqrt(1 - correlation))
        return float(weights @ inside**n_arms) - (1 - alpha)

    return float(brentq(lack, 0.0, 8.0))


def pass_levels(
    levels: Sequence[float],
    transfers: NDArray[np.float64],
    p_values: Sequence[float],
) -> tuple[bool, ...]:
    """Return which hypotheses a graphical procedure rejects.

    Args:
        levels: One-sided level of each at the start; together at most the level in all.
        transfers: Row i, column j: the share of i's level that goes to j when i is rejected.
        p_values: One-sided, one a hypothesis.
    """
    own_levels, graph = np.array(levels, dtype=float), np.array(transfers, dtype=float)
    left = set(range(len(own_levels)))
    while True:
        passed = [
            index
            for index in sorted(left)
            if own_levels[index] > 0 and p_values[index] <= own_levels[index]
        ]
        if not passed:
            return tuple(index not in left for index in range(len(own_levels)))
        gone = passed[0]
        left.remove(gone)
        own_levels, graph = _without(own_levels, graph, gone, left)


def level_at_last(levels: Sequence[float], transfers: NDArray[np.float64], index: int) -> float:
    """Return the level at which a hypothesis stands once all others are rejected.

    Args:
        levels: One-sided level of each at the start.
        transfers: As of `pass_levels`.
        index: Place of the hypothesis.

    >>> level_at_last((0.02, 0.005), np.array([[0, 1], [1, 0]]), 1)
    0.025
    """
    own_levels, graph = np.array(levels, dtype=float), np.array(transfers, dtype=float)
    left = set(range(len(own_levels)))
    for gone in range(len(own_levels)):
        if gone != index:
            left.remove(gone)
            own_levels, graph = _without(own_levels, graph, gone, left)
    return float(own_levels[index])


def _without(
    own_levels: NDArray[np.float64], graph: NDArray[np.float64], gone: int, left: set[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return levels and transfers once a hypothesis is rejected."""
    levels, shares = own_levels.copy(), np.zeros_like(graph)
    for index in left:
        levels[index] += own_levels[gone] * graph[gone, index]
        for other in left - {index}:
            back = graph[index, gone] * graph[gone, index]
            if back < 1:
                through = graph[index, other] + graph[index, gone] * graph[gone, other]
                shares[index, other] = through / (1 - back)
    levels[gone] = 0.0
    return levels, shares


def split_level(weights: Mapping[str, float], alpha: float) -> dict[str, float]:
    """Return Bonferroni's split of a level by weights."""
    total = sum(weights.values())
    return {name: alpha * weight / total for name, weight in weights.items()}
