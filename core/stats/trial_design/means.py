"""Trials whose endpoint is a mean or a rate of events: two arms, repeated visits, counts.

Sources: Lu, Luo and Chen 2008 (10.2202/1557-4679.1098) for repeated measures with loss; Zhu and
Lakkis 2014 (10.1002/sim.5947) for negative binomial rates.
"""

from collections.abc import Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import nct, norm, t


def two_means(difference: float, deviation: float, alpha: float, power: float) -> float:
    """Return the participants an arm by the normal approximation.

    >>> round(two_means(0.5, 1, 0.025, 0.9), 2)
    84.06
    """
    return float(2 * ((norm.isf(alpha) + norm.ppf(power)) * deviation / difference) ** 2)


def two_means_t(difference: float, deviation: float, alpha: float, power: float) -> float:
    """Return the participants an arm of a t test, not rounded.

    For non-inferiority of equal means `difference` is the margin.

    Args:
        difference: Between the arms.
        deviation: Standard deviation in each arm.
        alpha: One-sided level.
        power: Under the difference.

    >>> [round(2 * two_means_t(*one, 0.025, 0.9), 2) for one in ((0.5, 1), (0.4, 1.1))]
    [170.06, 319.78]
    """
    effect = abs(difference) / deviation

    def lack(n: float) -> float:
        freedom = 2 * n - 2
        return float(nct.sf(t.isf(alpha, freedom), freedom, effect * sqrt(n / 2))) - power

    least = 1.5
    if lack(least) >= 0:  # so large an effect that the smallest trial shows it
        return least
    rough = two_means(difference, deviation, alpha, power)
    return float(brentq(lack, least, rough + 10, xtol=1e-8))


def one_mean_t(difference: float, deviation: float, alpha: float, power: float) -> float:
    """Return the participants of a one-sample t test, or of paired differences, rounded up.

    >>> one_mean_t(0.5, 1, 0.025, 0.9)
    44.0
    """
    effect = abs(difference) / deviation
    n = max(2, int(two_means(difference, deviation, alpha, power) / 2) - 5)
    while True:
        n += 1
        reached = float(nct.sf(t.isf(alpha, n - 1), n - 1, effect * sqrt(n)))
        if reached >= power or n > MOST_OF_ONE_MEAN:
            return float(n)


MOST_OF_ONE_MEAN = 5_000
"""Participants of one arm at which the search stops."""


def repeated_factor(correlations: NDArray[np.float64], retention: Sequence[float]) -> float:
    """Return by how much loss inflates the variance of the last visit's mean in a mixed model.

    Args:
        correlations: Between visits, one row and column a visit.
        retention: Share of participants still there at each visit; the first is 1, none rises.

    >>> visits = np.arange(4)
    >>> first_order = 0.7 ** abs(visits[:, None] - visits)
    >>> round(repeated_factor(first_order, (1, 0.95, 0.9, 0.85)), 4)
    1.1242
    """
    n = len(retention)
    leaving = -np.diff([*retention, 0.0])
    information = np.zeros((n, n))
    for last, share in enumerate(leaving):
        seen = last + 1
        information[:seen, :seen] += share * np.linalg.inv(correlations[:seen, :seen])
    return float(np.linalg.inv(information)[-1, -1])


def two_rates(
    rates: tuple[float, float], exposure: float, dispersion: float, alpha: float, power: float
) -> float:
    """Return the participants an arm for a ratio of negative binomial rates.

    Args:
        rates: Events a year of the control and of the experimental arm.
        exposure: Years of observation of a participant.
        dispersion: k, with variance mean + k mean squared.
        alpha: One-sided level.
        power: Under these rates.

    Returns:
        Participants an arm, variance taken under the alternative (method 3 of Zhu and Lakkis takes
        it at the most likely rates under the null, which equal arms make the mean rate).
    """
    control, experimental = rates
    mean = (control + experimental) / 2
    null = 2 / (exposure * mean) + 2 * dispersion
    variance = (1 / control + 1 / experimental) / exposure + 2 * dispersion
    distance = log(experimental / control)
    return float(
        ((norm.isf(alpha) * sqrt(null) + norm.ppf(power) * sqrt(variance)) / distance) ** 2
    )


def inflate(n: float, dropout: float) -> float:
    """Return participants to enroll so that so many remain.

    >>> round(inflate(100, 0.2), 6)
    125.0
    """
    return n / (1 - dropout)
