"""Windows and limits of assays: Z', minimum significant ratio, limits of blank and detection.

Zhang, Chung and Oldenburg 1999 (10.1177/108705719900400206); Eastwood and others 2006
(10.1177/1087057105285611).
"""

import numpy as np
from numpy.typing import ArrayLike


def z_prime(high: ArrayLike, low: ArrayLike) -> float:
    """Return the separation of two controls; 1 is perfect, 0.5 is good.

    >>> round(z_prime([100, 102, 98], [10, 11, 9]), 3)
    0.9
    """
    tall, small = np.asarray(high, float), np.asarray(low, float)
    spread = 3 * (tall.std(ddof=1) + small.std(ddof=1))
    return float(1 - spread / abs(tall.mean() - small.mean()))


def limits(blank: ArrayLike, low: ArrayLike) -> tuple[float, float]:
    """Return the limits of blank and of detection.

    Args:
        blank: Values of blank samples.
        low: Values of samples with little analyte.

    >>> tuple(round(one, 2) for one in limits([0, 1, 2], [3, 4, 5]))
    (2.65, 4.29)
    """
    empty, small = np.asarray(blank, float), np.asarray(low, float)
    of_blank = empty.mean() + 1.645 * empty.std(ddof=1)
    return float(of_blank), float(of_blank + 1.645 * small.std(ddof=1))


def percent_cv(values: ArrayLike) -> float:
    """Return the coefficient of variation in percent; NaN with fewer than two values.

    >>> round(percent_cv([9, 10, 11]), 1)
    10.0
    """
    values_array = np.asarray(values, float)
    return (
        float(100 * values_array.std(ddof=1) / values_array.mean())
        if values_array.size > 1
        else float("nan")
    )
