"""Trials whose endpoint is the time to an event: events, participants, power of the log-rank test.

Sources: Schoenfeld 1981 (10.1093/biomet/68.1.316) and 1983 (10.2307/2531021); Freedman 1982
(10.1002/sim.4780010204); Lachin and Foulkes 1986 (10.2307/2531201) for accrual and loss; Fleming
and Harrington 1991 for weights; Yung and Liu 2020 (10.1111/biom.13196) for power by integration.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Floats = NDArray[np.float64]
_STEPS = 4_000
"""Points of the integration over time; 1,000 give the same four decimals."""


@dataclass(frozen=True)
class Accrual:
    """How a trial fills and how long it follows.

    Attributes:
        months: Months of accrual.
        follow_up: Months from the last entry to the analysis.
        dropout: Hazard of loss a month, the same in both arms.
        weights: Relative speed in equal parts of the accrual; one part is uniform accrual.
    """

    months: float
    follow_up: float
    dropout: float = 0.0
    weights: tuple[float, ...] = (1.0,)

    def entered(self, at: Floats) -> Floats:
        """Return the share of participants that have entered by a time of the trial."""
        edges = np.linspace(0.0, self.months, len(self.weights) + 1)
        shares = np.concatenate([[0.0], np.cumsum(self.weights)]) / sum(self.weights)
        entered: Floats = np.interp(at, edges, shares)
        return entered


def monthly_hazard(median: float) -> float:
    """Return the hazard a month of exponential survival with this median in months."""
    return log(2) / median


def dropout_hazard(share: float, months: float = 12) -> float:
    """Return the hazard a month at which this share is lost within so many months."""
    return -log(1 - share) / months


def schoenfeld_events(
    hazard_ratio: float, alpha: float, power: float, ratio: float = 1.0, null: float = 1.0
) -> float:
    """Return the events that a log-rank test needs.

    Args:
        hazard_ratio: Experimental over control, under the alternative.
        alpha: One-sided level.
        power: Probability of success under the alternative.
        ratio: Participants of the experimental arm for each of the control arm.
        null: Hazard ratio under the null; a margin above 1 for non-inferiority.

    >>> round(schoenfeld_events(0.7, 0.025, 0.9), 2)
    330.38
    """
    share = ratio / (1 + ratio)
    return float(norm.isf(alpha) + norm.ppf(power)) ** 2 / (
        share * (1 - share) * log(hazard_ratio / null) ** 2
    )


def event_probability(hazard: float, accrual: Accrual) -> float:
    """Return the share of an arm that has had its event by the analysis.

    Args:
        hazard: Of the event, a month.
        accrual: Entry, follow-up and loss.

    >>> round(event_probability(monthly_hazard(6), Accrual(18, 12, 0.01)), 4)
    0.8394
    """
    total = hazard + accrual.dropout
    if len(set(accrual.weights)) == 1:
        early = exp(-total * accrual.follow_up)
        late = exp(-total * (accrual.months + accrual.follow_up))
        inside = (early - late) / (total * accrual.months) if accrual.months else early
        return hazard / total * (1 - inside)
    times = np.linspace(0.0, accrual.months + accrual.follow_up, _STEPS)
    at_risk = np.exp(-total * times) * accrual.entered(times[-1] - times)
    return float(np.trapezoid(hazard * at_risk, times))


def participants(
    events: float, hazards: tuple[float, float], accrual: Accrual, ratio: float = 1.0
) -> float:
    """Return how many participants give these events by the analysis."""
    control, experimental = (event_probability(hazard, accrual) for hazard in hazards)
    return events * (1 + ratio) / (control + ratio * experimental)


def months_to_events(
    events: float, total: float, hazards: tuple[float, float], accrual: Accrual, ratio: float = 1.0
) -> float:
    """Return the month from the first entry in which so many events are expected.

    Returns:
        Months; infinity where the participants never give so many events.
    """
    arms = (total / (1 + ratio), total * ratio / (1 + ratio))

    def expected(at: float) -> float:
        return sum(
            expected_events(hazard, n, accrual, at) for hazard, n in zip(hazards, arms, strict=True)
        )

    low, high = 0.0, accrual.months + 40 / min(hazards)
    if expected(high) < events:
        return float("inf")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) < events else (low, middle)
    return high


def expected_events(hazard: float, n: float, accrual: Accrual, at: float) -> float:
    """Return the events of an arm that are expected by a month of the trial."""
    grid = np.linspace(0.0, at, 400)
    at_risk = np.exp(-(hazard + accrual.dropout) * grid) * accrual.entered(at - grid)
    return float(n * np.trapezoid(hazard * at_risk, grid))


def average_hazard_ratio(
    hazards: tuple[float, float], delay: float, accrual: Accrual, at: float
) -> float:
    """Return the average hazard ratio at a month where the effect begins late.

    Logarithms of the ratios before and after the delay, weighted by their information
    1 / (1 / e0 + 1 / e1) with the expected events e of both arms, as in Yung and Liu 2020.

    Args:
        hazards: Of the control arm, and of the experimental arm after the delay.
        delay: Months from entry without an effect.
        accrual: Entry and loss; its follow-up is not used.
        at: Months from the first entry.
    """
    control, late = hazards
    grid = np.linspace(0.0, at, _STEPS)
    staying = np.exp(-accrual.dropout * grid) * accrual.entered(at - grid)
    before = grid <= delay
    events = []
    for hazard in (control, late):
        alive = np.exp(-control * np.minimum(grid, delay) - hazard * np.maximum(grid - delay, 0.0))
        rate = np.where(before, control, hazard) * alive * staying
        events.append([np.trapezoid(np.where(span, rate, 0.0), grid) for span in (before, ~before)])
    early, after = (
        1 / (1 / e0 + 1 / e1) if e0 and e1 else 0.0 for e0, e1 in zip(*events, strict=True)
    )
    return float(exp(after * log(late / control) / (early + after))) if early + after else 1.0


Hazard = Callable[[Floats], Floats]


def piecewise(hazards: Sequence[float], starts: Sequence[float]) -> Hazard:
    """Return a hazard that is constant from each start on."""
    values, edges = np.asarray(hazards, dtype=float), np.asarray(starts, dtype=float)
    return lambda times: values[np.searchsorted(edges, times, side="right") - 1]


def weighted_power(
    hazards: tuple[Hazard, Hazard],
    total: float,
    accrual: Accrual,
    alpha: float,
    *,
    weights: tuple[float, float] = (0.0, 0.0),
    ratio: float = 1.0,
) -> float:
    """Return the power of a weighted log-rank test against hazards of any course.

    Args:
        hazards: Of the control and of the experimental arm by months from entry.
        total: Participants in all.
        accrual: Entry, follow-up and loss.
        alpha: One-sided level.
        weights: Fleming and Harrington's rho and gamma; (0, 0) is the log-rank test.
        ratio: Participants of the experimental arm for each of the control arm.
    """
    end = accrual.months + accrual.follow_up
    times = np.linspace(0.0, end, _STEPS)
    rates = [hazard(times) for hazard in hazards]
    steps = np.diff(times, prepend=0.0)
    survival = [np.exp(-np.cumsum(rate * steps)) for rate in rates]
    shares = (1 / (1 + ratio), ratio / (1 + ratio))
    staying = accrual.entered(end - times) * np.exp(-accrual.dropout * times)
    risk = [share * alive * staying for share, alive in zip(shares, survival, strict=True)]
    pooled = np.maximum(risk[0] + risk[1], 1e-12)
    share = risk[1] / pooled
    deaths = risk[0] * rates[0] + risk[1] * rates[1]
    together = np.exp(-np.cumsum(deaths / pooled * steps))
    weight = together ** weights[0] * (1 - together) ** weights[1]
    drift = np.trapezoid(weight * share * risk[0] * (rates[0] - rates[1]), times)
    spread = np.trapezoid(weight**2 * share * (1 - share) * deaths, times)
    return float(norm.cdf(sqrt(total) * drift / sqrt(spread) - norm.isf(alpha)))
