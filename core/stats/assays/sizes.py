"""How many determinations an assay's validation needs, and what its precision costs.

Precision by the upper limit of a standard deviation (chi-square), bias by two one-sided tests on
the logarithm of relative potency, as USP <1033> does. The coefficient of variation is the
geometric one throughout: 100 (exp(s) - 1) of the standard deviation s of logarithms.
"""

from dataclasses import dataclass
from math import ceil, log, sqrt

from scipy.stats import chi2, norm, t

MOST = 2_000
"""Determinations beyond which no experiment is proposed."""


@dataclass(frozen=True)
class Size:
    """A number of determinations with what it follows from.

    Attributes:
        n: Determinations; None where no number up to 2,000 is enough.
        formula: As printed.
        inputs: Its numbers by name.
    """

    n: int | None
    formula: str
    inputs: dict[str, float]


def precision_size(cv: float, limit: float, alpha: float = 0.05) -> Size:
    """Return the determinations whose upper confidence limit of precision is within a limit.

    Args:
        cv: Expected coefficient of variation, in percent.
        limit: Largest one that is acceptable, in percent.
        alpha: One-sided level of the confidence limit.

    >>> [precision_size(*one).n for one in ((10, 15), (8, 15), (10, 20))]
    [14, 8, 7]
    """
    enough = (n for n in range(2, MOST + 1) if cv * sqrt((n - 1) / chi2.ppf(alpha, n - 1)) <= limit)
    return Size(
        next(enough, None) if cv < limit else None,
        "smallest n with CV * sqrt((n - 1) / chi2(alpha, n - 1)) <= limit",
        {"CV": cv, "limit": limit, "alpha": alpha},
    )


def bias_size(gcv: float, margin: float, alpha: float = 0.05, power: float = 0.95) -> Size:
    """Return the determinations that show a relative potency within a margin, by two tests.

    Args:
        gcv: Geometric coefficient of variation of a determination, in percent.
        margin: Largest acceptable bias, in percent above 100.
        alpha: Level of each of the two tests.
        power: Where there is no bias.

    >>> [bias_size(g, 12, power=p).n for p in (0.95, 0.8) for g in (8, 20)]
    [9, 36, 6, 24]
    """
    s, theta = log(1 + gcv / 100), log(1 + margin / 100)
    beta = 1 - power
    enough = (
        n
        for n in range(2, MOST + 1)
        if (t.isf(alpha, n - 1) + t.isf(beta / 2, n - 1)) ** 2 * s**2 / theta**2 <= n
    )
    return Size(
        next(enough, None),
        "smallest n >= (t(1 - alpha, n - 1) + t(1 - beta / 2, n - 1))^2 * s^2 / theta^2, "
        "s = ln(1 + GCV / 100), theta = ln(1 + margin / 100)",
        {"GCV": gcv, "margin": margin, "alpha": alpha, "power": power},
    )


def cut_point_size(rate: float, half_width: float, confidence: float = 0.9) -> Size:
    """Return the donors that estimate the rate of false positives within a half width.

    Args:
        rate: Wanted share of false positives.
        half_width: Of its interval (normal approximation).
        confidence: Of the interval.

    >>> cut_point_size(0.05, 0.05).n
    52
    """
    z = norm.ppf((1 + confidence) / 2)
    return Size(
        ceil(z**2 * rate * (1 - rate) / half_width**2),
        "n = z^2 * p * (1 - p) / h^2",
        {"p": rate, "h": half_width, "confidence": confidence},
    )


def comparison_size(sd: float, limit: float, alpha: float = 0.05, power: float = 0.9) -> Size:
    """Return the paired samples that show two methods equal within a limit.

    Args:
        sd: Standard deviation of the differences.
        limit: Largest acceptable mean difference, in the same unit.
        alpha: Level of each of the two tests.
        power: Where there is no difference.

    >>> comparison_size(10, 5).n
    46
    """
    beta = 1 - power
    enough = (
        n
        for n in range(2, MOST + 1)
        if (t.isf(alpha, n - 1) + t.isf(beta / 2, n - 1)) ** 2 * sd**2 / limit**2 <= n
    )
    return Size(
        next(enough, None),
        "smallest n >= (t(1 - alpha, n - 1) + t(1 - beta / 2, n - 1))^2 * sd^2 / limit^2",
        {"sd": sd, "limit": limit, "alpha": alpha, "power": power},
    )


def reportable_size(gcv: float, goal: float) -> Size:
    """Return the independent determinations whose geometric mean reaches a goal of precision.

    Args:
        gcv: Geometric coefficient of variation of one determination, in percent.
        goal: Of the reportable value, in percent.

    >>> reportable_size(20, 12).n
    3
    """
    ratio = log(1 + gcv / 100) / log(1 + goal / 100)
    return Size(
        max(1, ceil(ratio**2 - 1e-9)),
        "n = (ln(1 + GCV / 100) / ln(1 + goal / 100))^2",
        {"GCV": gcv, "goal": goal},
    )


def share_out(bias: float, gcv: float, low: float = 70.0, high: float = 143.0) -> float:
    """Return the probability that a value of a good lot falls outside its specification.

    Args:
        bias: Of the assay, in percent.
        gcv: Geometric coefficient of variation of the reportable value, in percent.
        low: Lower limit of relative potency, in percent.
        high: Upper limit.

    >>> [float(f"{share_out(*one):.1e}") for one in ((0, 8), (12, 8), (0, 20), (12, 20))]
    [3.5e-06, 0.00075, 0.05, 0.095]
    """
    s, mean = log(1 + gcv / 100), log(1 + bias / 100)
    return float(norm.cdf((log(low / 100) - mean) / s) + norm.sf((log(high / 100) - mean) / s))


def incurred_samples(n: int) -> int:
    """Return how many incurred samples are measured again: 10 % of 1,000 and 5 % of the rest.

    >>> incurred_samples(400), incurred_samples(3_000)
    (40, 200)
    """
    return ceil(min(n, 1_000) * 0.1) + ceil(max(0, n - 1_000) * 0.05)
