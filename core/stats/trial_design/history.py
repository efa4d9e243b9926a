"""Non-inferiority margins from past trials of the comparator against placebo: M1 and M2.

Pooling is DerSimonian and Laird 1986 (10.1016/0197-2456(86)90046-2); the margin is the fixed-margin
method of ICH E10: M1 is the effect of the comparator that is sure, M2 the part that may be lost.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Pooled:
    """An effect over trials, a logarithm for ratios.

    Attributes:
        effect: Random-effects mean.
        error: Its standard error.
        between: Variance between trials (tau squared).
        n: Trials.
    """

    effect: float
    error: float
    between: float
    n: int

    @property
    def limits(self) -> tuple[float, float]:
        """Return the 95% interval."""
        return self.effect - Z95 * self.error, self.effect + Z95 * self.error


def pool_effects(effects: Sequence[tuple[float, float]]) -> Pooled:
    """Return the random-effects mean of trials.

    Args:
        effects: Effect and standard error of each trial.

    >>> pooled = pool_effects([(-0.5, 0.2), (-0.3, 0.1), (-0.4, 0.15)])
    >>> round(pooled.effect, 4), round(pooled.between, 4)
    (-0.3557, 0.0)
    """
    weights = [1 / error**2 for _, error in effects]
    total = sum(weights)
    fixed = sum(w * effect for w, (effect, _) in zip(weights, effects, strict=True)) / total
    spread = sum(w * (effect - fixed) ** 2 for w, (effect, _) in zip(weights, effects, strict=True))
    scale = total - sum(w**2 for w in weights) / total
    between = max(0.0, (spread - (len(effects) - 1)) / scale) if scale > 0 else 0.0
    mixed = [1 / (error**2 + between) for _, error in effects]
    mean = sum(w * effect for w, (effect, _) in zip(mixed, effects, strict=True)) / sum(mixed)
    return Pooled(mean, math.sqrt(1 / sum(mixed)), between, len(effects))


def margins_of(pooled: Pooled, preserved: float) -> tuple[float, float, float]:
    """Return M1 by the limit nearer to no effect, M1 by the mean, and the share that may be lost.

    Args:
        pooled: Effect of the comparator over placebo.
        preserved: Share of M1 that the new drug has to keep.

    >>> [round(number, 3) for number in margins_of(Pooled(-0.5108, 0.1468, 0.0, 3), 0.5)]
    [0.223, 0.511, 0.5]
    """
    low, high = pooled.limits
    sure = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return sure, abs(pooled.effect), 1 - preserved
