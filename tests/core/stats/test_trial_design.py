"""Size and bounds of trials against published vectors and R's rpact, gsDesign and multcomp."""

import math
from math import ceil

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import nct, norm, t

from core.stats.trial_design.conduct import detectable_rate, enrollment_months
from core.stats.trial_design.dose_finding import boin_bounds
from core.stats.trial_design.history import pool_effects
from core.stats.trial_design.means import (
    inflate,
    one_mean_t,
    repeated_factor,
    two_means,
    two_means_t,
    two_rates,
)
from core.stats.trial_design.multiplicity import dunnett_bound
from core.stats.trial_design.proportions import (
    non_inferior_proportions,
    simon,
    single_arm,
    two_proportions,
)
from core.stats.trial_design.sequential import (
    conditional_power,
    crossing,
    efficacy_bounds,
    find_bounds,
    obrien_fleming,
)
from core.stats.trial_design.sizing import Plan, PlannedEffect, Size, size_of
from core.stats.trial_design.survival import (
    Accrual,
    dropout_hazard,
    event_probability,
    monthly_hazard,
    months_to_events,
    participants,
    piecewise,
    schoenfeld_events,
    weighted_power,
)
from tests.rows import over_rows

ALPHA = 0.025
CONTROL = monthly_hazard(11.8)
LUNG = Accrual(20, 12, dropout_hazard(0.05))


@over_rows(
    ("hazard_ratio", "power", "ratio", "events"),
    [(0.7, 0.9, 1, 330.38), (0.75, 0.8, 1, 379.35), (0.65, 0.9, 2, 254.80), (0.75, 0.9, 1, 507.84)],
)
def test_events_of_a_log_rank_test(hazard_ratio, power, ratio, events) -> None:
    assert schoenfeld_events(hazard_ratio, ALPHA, power, ratio) == pytest.approx(events, abs=0.005)


def test_participants_by_accrual_follow_up_and_loss() -> None:
    accrual, control = Accrual(18, 12, 0.01), monthly_hazard(6)
    shares = [event_probability(rate, accrual) for rate in (control, 0.7 * control)]
    assert shares == pytest.approx([0.8394, 0.7427], abs=6e-5)
    events = schoenfeld_events(0.7, ALPHA, 0.9)
    assert ceil(participants(events, (control, 0.7 * control), accrual)) == 418
    events = schoenfeld_events(0.75, ALPHA, 0.9)
    total = participants(events, (CONTROL, 0.75 * CONTROL), LUNG)
    assert total == pytest.approx(801.15, abs=0.01)
    months = months_to_events(events, total, (CONTROL, 0.75 * CONTROL), LUNG)
    assert months == pytest.approx(32, abs=0.01)
    parts = Accrual(20, 12, LUNG.dropout, (1.0, 1.0 + 1e-9))
    assert event_probability(CONTROL, parts) == pytest.approx(event_probability(CONTROL, LUNG))
    late = Accrual(20, 12, LUNG.dropout, (1.0, 3.0))
    assert event_probability(CONTROL, late) < event_probability(CONTROL, LUNG)


def test_power_of_delayed_effects_by_integration() -> None:
    hazards = (piecewise([CONTROL], [0]), piecewise([CONTROL, 0.65 * CONTROL], [0, 4]))
    plain = weighted_power(hazards, 800, LUNG, ALPHA)
    late = weighted_power(hazards, 800, LUNG, ALPHA, weights=(0, 1))
    assert (plain, late) == pytest.approx((0.895, 0.959), abs=0.001)
    hazards = (piecewise([CONTROL], [0]), piecewise([0.75 * CONTROL], [0]))
    assert weighted_power(hazards, 801.15, LUNG, ALPHA) == pytest.approx(0.9, abs=0.005)


@over_rows(("control", "other", "power", "n"), [(0.3, 0.5, 0.9, 124.0), (0.4, 0.6, 0.8, 96.9)])
def test_two_proportions(control, other, power, n) -> None:
    assert two_proportions(control, other, ALPHA, power) == pytest.approx(n, abs=0.06)


def test_non_inferiority_by_farrington_and_manning() -> None:
    both = 2 * non_inferior_proportions(0.85, 0.85, 0.10, ALPHA, 0.9)
    assert both == pytest.approx(551.5, abs=0.05)


@over_rows(("null", "wanted", "n", "responses"), [(0.2, 0.4, 56, 18), (0.15, 0.35, 48, 13)])
def test_single_arm_is_exact(null, wanted, n, responses) -> None:
    found = single_arm(null, wanted, ALPHA, 0.9)
    assert (found.n, found.responses) == (n, responses)
    assert found.alpha <= ALPHA
    assert found.power >= 0.9


def test_a_single_arm_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="no design of 20"):
        single_arm(0.2, 0.25, ALPHA, 0.9, most=20)


@pytest.mark.parametrize(
    ("null", "wanted", "optimal", "expected", "minimax"),
    [
        (0.05, 0.25, (0, 9, 2, 17), 12.0, (0, 12, 2, 16)),
        (0.10, 0.30, (1, 10, 5, 29), 15.0, (1, 15, 5, 25)),
        (0.20, 0.40, (3, 13, 12, 43), 20.6, (4, 18, 10, 33)),
    ],
)
def test_two_stages_of_simon(null, wanted, optimal, expected, minimax) -> None:
    best, least = simon(null, wanted, 0.05, 0.8)
    assert (best.r1, best.n1, best.r, best.n) == optimal
    assert best.expected == pytest.approx(expected, abs=0.05)
    assert (least.r1, least.n1, least.r, least.n) == minimax


def test_means_and_repeated_measures() -> None:
    assert two_means(0.5, 1, ALPHA, 0.9) == pytest.approx(84.06, abs=0.01)
    assert two_means(0.3, 1, ALPHA, 0.9) == pytest.approx(233.5, abs=0.05)
    assert 2 * two_means_t(0.5, 1, ALPHA, 0.9) == pytest.approx(170.06, abs=0.01)
    assert 2 * two_means_t(0.4, 1.1, ALPHA, 0.9) == pytest.approx(319.78, abs=0.01)
    visits = np.arange(4)
    correlations = 0.7 ** abs(visits[:, None] - visits)
    assert repeated_factor(correlations, (1, 0.95, 0.9, 0.85)) == pytest.approx(1.1242, abs=5e-5)
    assert repeated_factor(correlations, (1, 1, 1, 1)) == pytest.approx(1)
    assert repeated_factor(np.eye(4), (1, 0.95, 0.9, 0.85)) == pytest.approx(1 / 0.85)


def test_rates_grow_with_dispersion_and_shrink_with_exposure() -> None:
    base = two_rates((0.8, 0.6), 1, 0.5, ALPHA, 0.9)
    assert two_rates((0.8, 0.6), 1, 0.9, ALPHA, 0.9) > base
    assert two_rates((0.8, 0.6), 2, 0.5, ALPHA, 0.9) < base
    poisson = two_rates((0.8, 0.6), 1, 0.0, ALPHA, 0.9)
    z = norm.isf(ALPHA) + norm.ppf(0.9)
    assert poisson == pytest.approx(z**2 * (1 / 0.8 + 1 / 0.6) / np.log(0.75) ** 2, rel=0.02)


@over_rows(
    ("information", "spending", "bounds"),
    [
        ((0.5, 1), obrien_fleming, (2.9626, 1.9686)),
        ((1 / 3, 2 / 3, 1), obrien_fleming, (3.7103, 2.5114, 1.9930)),
        ((0.25, 0.5, 0.75, 1), obrien_fleming, (4.3326, 2.9631, 2.3590, 2.0141)),
        ((0.5, 0.75, 1), obrien_fleming, (2.9626, 2.3590, 2.0141)),
        ((0.7, 1), obrien_fleming, (2.4380, 1.9999)),
    ],
)
def test_bounds_of_success(information, spending, bounds) -> None:
    assert efficacy_bounds(information, ALPHA, spending) == pytest.approx(bounds, abs=6e-5)


def test_looks_inflate_the_events_and_power_is_known_on_the_way() -> None:
    found = find_bounds((0.7, 1), ALPHA, 0.9)
    events = schoenfeld_events(0.75, ALPHA, 0.9) * found.inflation
    assert events == pytest.approx(514.88, abs=0.01)
    assert conditional_power(0, 0.5, 1.96, 0) == pytest.approx(norm.sf(1.96 / 0.5**0.5))
    assert conditional_power(3, 0.999_999, 1.96, 3) == pytest.approx(1)


@over_rows("binding", [False, True])
def test_futility_by_spending(binding: bool) -> None:
    found = find_bounds((0.5, 0.75, 1), ALPHA, 0.9, beta_spending=obrien_fleming, binding=binding)
    under_null, _ = crossing(found.information, found.success, found.futility, 0.0)
    under_other, lost = crossing(found.information, found.success, found.futility, found.drift)
    assert under_other.sum() == pytest.approx(0.9, abs=1e-4)
    assert lost.sum() == pytest.approx(0.1, abs=1e-4)
    if binding:
        assert under_null.sum() == pytest.approx(ALPHA, abs=1e-5)
        return
    assert found.futility[:2] == pytest.approx((0.3316, 1.2917), abs=6e-5)
    assert found.inflation == pytest.approx(1.0828, abs=6e-5)
    assert under_null.sum() < ALPHA
    alone, _ = crossing(found.information, found.success, (), 0.0)
    assert alone.sum() == pytest.approx(ALPHA, abs=1e-6)


def test_bounds_hold_in_a_simulation() -> None:
    found = find_bounds((0.5, 0.75, 1), ALPHA, 0.9, beta_spending=obrien_fleming)
    chance = np.random.default_rng(20_261_123)
    steps = np.diff((0, *found.information))
    paths = chance.normal(found.drift * steps, np.sqrt(steps), (200_000, 3)).cumsum(axis=1)
    z = paths / np.sqrt(found.information)
    going, won = np.ones(len(z), dtype=bool), np.zeros(len(z), dtype=bool)
    for place in range(3):
        won |= going & (z[:, place] >= found.success[place])
        going &= (z[:, place] < found.success[place]) & (z[:, place] >= found.futility[place])
    assert won.mean() == pytest.approx(0.9, abs=0.004)


@over_rows(("n_arms", "about"), [(1, 1.9600), (2, 2.2122), (3, 2.3482), (4, 2.4407)])
def test_dunnett_is_the_integral_itself(n_arms: int, about: float) -> None:
    """R's qmvnorm, which draws, is within .0012 of the integral."""
    bound = dunnett_bound(n_arms, ALPHA)
    inside, _ = quad(
        lambda x: norm.pdf(x) * norm.cdf((bound + 0.5**0.5 * x) / 0.5**0.5) ** n_arms, -9, 9
    )
    assert inside == pytest.approx(1 - ALPHA, abs=1e-8)
    assert bound == pytest.approx(about, abs=0.0012)


def test_conduct_and_dose_finding() -> None:
    assert enrollment_months(400, 64, 0.4, 6) == 19
    assert enrollment_months(400, 100, 0.4, 6) == 13
    assert enrollment_months(10, 5, 2.0) == 1
    assert [round(100 * detectable_rate(n), 2) for n in (300, 1500)] == [0.99, 0.2]
    assert inflate(80, 0.2) == pytest.approx(100)
    bounds = {0.2: (0.157, 0.238), 0.25: (0.197, 0.298), 0.3: (0.236, 0.359), 0.33: (0.260, 0.395)}
    for target, wanted in bounds.items():
        assert boin_bounds(target) == pytest.approx(wanted, abs=6e-4)


BCG = (
    *((4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619)),
    *((33, 5036, 47, 5761), (180, 1361, 372, 1079), (8, 2537, 10, 619)),
    *((505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600)),
    *((186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825)),
)
"""Tuberculosis and none of vaccinated, then of not vaccinated, in 13 trials (Colditz 1994)."""


def test_pooling_is_that_of_metafor() -> None:
    """`rma(measure="RR", method="DL", data=dat.bcg)` of metafor: -0.7141, 0.1787, 0.3088."""
    effects = []
    for ill, well, others_ill, others_well in BCG:
        n, m = ill + well, others_ill + others_well
        error = math.sqrt(1 / ill - 1 / n + 1 / others_ill - 1 / m)
        effects.append((math.log((ill / n) / (others_ill / m)), error))
    pooled = pool_effects(effects)
    assert (round(pooled.effect, 4), round(pooled.error, 4)) == (-0.7141, 0.1787)
    assert round(pooled.between, 4) == 0.3088


def _against(margin: float, planned: PlannedEffect, kind: str, **more: object) -> Size:
    plan = Plan(kind, planned, dropout=0.0, margin=margin, **more)  # type: ignore[arg-type]
    assert planned.value is not None
    return size_of(plan, planned.value, 0.9)


def test_margins_are_excluded_on_the_scale_of_the_effect() -> None:
    z = norm.isf(0.025) + norm.ppf(0.9)
    timed = _against(1.3, PlannedEffect("hazard ratio", 1.0, control=24.0), "time to event")
    assert timed.events == pytest.approx(4 * z**2 / math.log(1.3) ** 2)
    means = PlannedEffect("difference", 0.0, variance=4 * 1.1**2)
    assert _against(0.4, means, "mean change").n == pytest.approx(319.78, abs=0.01)
    shares = PlannedEffect("difference", 0.0, control=0.85)
    assert _against(0.1, shares, "proportion").n == pytest.approx(551.5, abs=0.1)
    fails = PlannedEffect("difference", 0.0, control=0.15)
    lower = _against(0.1, fails, "proportion", is_lower_better=True)
    assert lower.n == pytest.approx(551.5, abs=0.1)


def test_equivalence_tests_both_margins() -> None:
    """Both one-sided tests succeed with the power where each has 1 - (1 - power) / 2."""
    means = PlannedEffect("difference", 0.0, variance=4.0)
    both = _against(0.5, means, "mean change", is_equivalence=True).n
    assert both is not None
    per_arm = both / 2
    bound = t.isf(0.025, 2 * per_arm - 2)
    reached = 2 * nct.sf(bound, 2 * per_arm - 2, 0.5 * math.sqrt(per_arm / 2)) - 1
    assert reached == pytest.approx(0.9, abs=1e-3)


def test_one_arm_of_a_mean_is_the_least_that_has_the_power() -> None:
    planned = PlannedEffect("difference", 1.0, variance=4.0)
    assert size_of(Plan("mean change", planned, dropout=0.0, is_single_arm=True), 1.0, 0.9).n == 13
    for effect in (0.3, 0.5, 1.0):
        n = one_mean_t(effect, 1.0, 0.025, 0.9)
        powers = [
            nct.sf(t.isf(0.025, one - 1), one - 1, effect * math.sqrt(one)) for one in (n - 1, n)
        ]
        assert powers[0] < 0.9 <= powers[1]
