"""How long a trial takes to fill, and what its safety database can see.

Source of the rule of three: Hanley and Lippman-Hand 1983 (10.1001/jama.1983.03330370053031).
"""

from math import ceil


def enrollment_months(n: float, sites: int, rate: float, ramp: float = 0.0) -> int:
    """Return the months until so many have entered.

    Args:
        n: Participants.
        sites: When all are open; at least 1.
        rate: Participants a site and month, above 0.
        ramp: Months over which the sites open, evenly.

    Returns:
        The first month at whose end the expected number is reached.

    >>> enrollment_months(400, 64, 0.4, 6), enrollment_months(400, 100, 0.4, 6)
    (19, 13)
    """
    full, month, entered = sites * rate, 0, 0.0
    while entered < n:
        month += 1
        entered += full * min(1.0, month / ramp if ramp else 1.0)
        if month > ramp:
            return month + ceil(max(0.0, n - entered) / full - 1e-9)
    return month


def detectable_rate(n: int, confidence: float = 0.95) -> float:
    """Return the rate of an event that so many participants show at least once.

    >>> round(100 * detectable_rate(300), 2), round(100 * detectable_rate(1500), 2)
    (0.99, 0.2)
    """
    return float(1 - (1 - confidence) ** (1 / n))
