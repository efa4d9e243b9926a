"""Capture and recapture: how many there are, from what two lists have in common."""

import math
from dataclasses import dataclass

FEWEST_IN_BOTH = 7
"""From seven in common on Chapman's estimate is hardly biased (Robson and Regier 1964)."""
_NORMAL_97_5 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Recapture:
    """An estimated number of things with its 95 % interval."""

    estimate: float
    low: float
    high: float


def estimate_total(n_first: int, n_second: int, n_both: int) -> Recapture | None:
    """Return Chapman's estimate of how many things two lists are drawn from.

    The interval is log-normal in the number of things on neither list (Chao 1987), so that it
    never falls below the number that is listed.

    Args:
        n_first: Things on the first list.
        n_second: Things on the second list.
        n_both: Things on both.

    Returns:
        The estimate; None where fewer than `FEWEST_IN_BOTH` are on both, or where one list holds
        the other: nothing then tells how much either of them misses.

    Raises:
        ValueError: More are on both lists than on one of them.

    >>> estimate_total(30, 25, 6) is None
    True
    """
    if not 0 <= n_both <= min(n_first, n_second):
        raise ValueError("more are on both lists than on one of them")
    if n_both < FEWEST_IN_BOTH or n_both == min(n_first, n_second):
        return None
    listed = n_first + n_second - n_both
    estimate = (n_first + 1) * (n_second + 1) / (n_both + 1) - 1
    unseen = estimate - listed
    variance = (
        (n_first + 1)
        * (n_second + 1)
        * (n_first - n_both)
        * (n_second - n_both)
        / ((n_both + 1) ** 2 * (n_both + 2))
    )
    width = math.exp(_NORMAL_97_5 * math.sqrt(math.log1p(variance / unseen**2)))
    return Recapture(estimate, listed + unseen / width, listed + unseen * width)
