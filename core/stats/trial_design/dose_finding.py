"""Dose finding: the bounds of BOIN.

Source: Liu and Yuan 2015 (10.1111/rssc.12089).
"""

from math import log


def boin_bounds(target: float, low: float = 0.6, high: float = 1.4) -> tuple[float, float]:
    """Return the rates of toxicity at which BOIN escalates and de-escalates.

    Args:
        target: Rate of toxicity that is aimed at.
        low: Share of the target below which a dose is too low.
        high: Share of the target above which a dose is too toxic.

    >>> tuple(round(one, 3) for one in boin_bounds(0.3))
    (0.236, 0.359)
    """
    below, above = low * target, high * target
    escalate = log((1 - below) / (1 - target)) / log(target * (1 - below) / (below * (1 - target)))
    deescalate = log((1 - target) / (1 - above)) / log(
        above * (1 - target) / (target * (1 - above))
    )
    return escalate, deescalate
