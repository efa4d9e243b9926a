"""Participants, events, power grid, looks and two-stage designs of what is planned with."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Generic, TypeVar

from scipy.stats import norm

from core.stats.trial_design.means import inflate, one_mean_t, two_means, two_means_t
from core.stats.trial_design.multiplicity import dunnett_bound
from core.stats.trial_design.proportions import (
    SingleArm,
    TwoStage,
    non_inferior_proportions,
    simon,
    single_arm,
    two_proportions,
)
from core.stats.trial_design.sequential import Bounds, find_bounds, obrien_fleming
from core.stats.trial_design.survival import (
    Accrual,
    dropout_hazard,
    monthly_hazard,
    months_to_events,
    participants,
    schoenfeld_events,
)

RATIOS = ("hazard ratio", "odds ratio", "risk ratio", "rate ratio")
POWERS = (0.8, 0.85, 0.9, 0.95)
_STEPS = (-0.1, -0.05, 0.0, 0.05, 0.1)
_SCALES = (0.7, 0.85, 1.0, 1.15, 1.3)
_STANDARDIZED = (0.2, 0.3, 0.4, 0.5, 0.6)
_HAZARD_RATIOS = (0.6, 0.65, 0.7, 0.75, 0.8)
_LEAST_SHARE, _MOST_SHARE = 0.001, 0.999
MOST_SIMON = 80
ONE_ARM_LEVEL, ONE_ARM_POWER = 0.025, 0.9
STANDARDIZED = "standardized difference"


@dataclass(frozen=True)
class PlannedEffect:
    """The effect, its variance and the control arm.

    Attributes:
        kind: "hazard ratio", "odds ratio", "difference" and the like; "" without an effect.
        value: The effect; None without one.
        basis: Own data of the request, or evidence.
        unit: Of a difference.
        variance: Of the effect times participants (logarithm of ratios); None where unknown.
        control: Rate or median of the control arm; None where unknown.
    """

    kind: str = ""
    value: float | None = None
    basis: str = "assumption"
    unit: str = ""
    variance: float | None = None
    control: float | None = None


E = TypeVar("E", bound=PlannedEffect)


@dataclass(frozen=True)
class Plan(Generic[E]):
    """What participants are computed from.

    Attributes:
        type: Type of the primary endpoint.
        planned: Effect, variance and control arm.
        alpha: One-sided level.
        power: Under the effect.
        months: Months of accrual.
        follow_up: Months from the last entry to the analysis.
        dropout: Share lost, a year for times to an event, in all for other endpoints.
        looks: Shares of the information at looks; the last is 1.
        is_lower_better: Whether a lower value is the good one.
        doses: Doses that are each compared with the control.
        fixed_level: One-sided level of a comparison where it is set; None: by the doses.
        is_single_arm: Whether there is no control arm.
        allocation: Participants of the experimental arm for each of the control arm; other than 1
            only with one dose.
        margin: Of non-inferiority or equivalence, on the scale of the effect: a difference, or a
            ratio that the interval has to exclude; None for superiority.
        is_equivalence: Whether both margins are tested.
    """

    type: str
    planned: E
    alpha: float = 0.025
    power: float = 0.9
    months: float = 18
    follow_up: float = 12
    dropout: float = 0.1
    looks: tuple[float, ...] = (1.0,)
    is_lower_better: bool = False
    doses: int = 1
    fixed_level: float | None = None
    is_single_arm: bool = False
    allocation: float = 1.0
    margin: float | None = None
    is_equivalence: bool = False

    @property
    def level(self) -> float:
        """Return the one-sided level of one comparison: Dunnett's where there are several."""
        if self.fixed_level is not None:
            return self.fixed_level
        return level_of_dose(self.doses, self.alpha)

    @property
    def groups(self) -> int:
        """Return the number of arms: doses and a control where there is one."""
        return 1 if self.is_single_arm else self.doses + 1

    @property
    def share_of_arms(self) -> float:
        """Return all participants over those of one comparison."""
        return 1.0 if self.is_single_arm else self.groups / 2

    @property
    def block(self) -> int:
        """Return the smallest number of participants that the allocation divides evenly."""
        return self.groups if self.allocation == 1 else round(1 + self.allocation)

    def at_level(self, level: float) -> "Plan[E]":
        """Return the plan of one comparison at a level."""
        return replace(self, doses=1, fixed_level=level)

    @property
    def bounds(self) -> Bounds | None:
        """Return the bounds of the looks; None without a look before the end."""
        return looks_of(self.looks, self.level, self.power) if len(self.looks) > 1 else None

    @property
    def inflation(self) -> float:
        """Return by how much looks raise the information."""
        return self.bounds.inflation if self.bounds else 1.0

    @property
    def accrual(self) -> Accrual:
        """Return entry, follow-up and loss."""
        return Accrual(self.months, self.follow_up, dropout_hazard(self.dropout))

    def hazards(self, ratio: float) -> tuple[float, float] | None:
        """Return the hazards of control and experimental arm; None without a control median."""
        if not self.planned.control:
            return None
        control = monthly_hazard(self.planned.control)
        return control, control * ratio


@dataclass(frozen=True)
class Size:
    """Participants of all arms, events of a comparison; None where they cannot be told."""

    n: float | None = None
    events: float | None = None


@lru_cache(maxsize=64)
def level_of_dose(doses: int, alpha: float) -> float:
    """Return the one-sided level at which each of some doses is compared with the control.

    >>> level_of_dose(1, 0.025), round(level_of_dose(2, 0.025), 5)
    (0.025, 0.01348)
    """
    return alpha if doses == 1 else float(norm.sf(dunnett_bound(doses, alpha)))


@lru_cache(maxsize=64)
def looks_of(information: tuple[float, ...], alpha: float, power: float) -> Bounds:
    """Return O'Brien and Fleming's bounds with non-binding futility."""
    return find_bounds(information, alpha, power, obrien_fleming, beta_spending=obrien_fleming)


def size_of(plan: Plan[E], effect: float, power: float) -> Size:
    """Return how many participants of all arms an effect needs, loss included, looks not.

    Args:
        plan: Type, variance, control, doses.
        effect: A ratio, or a difference in the unit of the plan.
        power: Of each comparison under the effect.
    """
    find = _of_one_arm if plan.is_single_arm else _size_of_pair
    each = (1 + power) / 2 if plan.is_equivalence else power  # both one-sided tests succeed
    pair = find(plan, effect, each)
    return replace(pair, n=None if pair.n is None else pair.n * plan.share_of_arms)


def _size_of_pair(plan: Plan[E], effect: float, power: float) -> Size:
    """Return what one comparison needs."""
    planned = plan.planned
    if planned.kind == "hazard ratio":
        return _of_events(plan, effect, power)
    if planned.kind == STANDARDIZED:
        return _lost(2 * two_means(effect, 1.0, plan.level, power), plan)
    if plan.margin and plan.type == "proportion":
        return _of_margin(plan, effect, power, plan.margin)
    rates = rates_of(plan, effect)
    if rates:
        return _lost(2 * two_proportions(*rates, plan.level, power), plan)
    distance = _distance(plan, effect)
    if planned.variance is None or not distance:
        return Size()
    deviation = math.sqrt(planned.variance) / 2
    size = two_means_t if plan.type == "mean change" else two_means
    return _lost(2 * size(distance, deviation, plan.level, power), plan)


def _distance(plan: Plan[E], effect: float) -> float:
    """Return how far the effect lies from what the test excludes, logarithms for ratios."""
    is_ratio = plan.planned.kind in RATIOS
    gain = math.log(effect) if is_ratio else effect
    if not plan.margin:
        return gain
    limit = math.log(plan.margin) if is_ratio else plan.margin
    if is_ratio:
        return gain - limit
    return limit - abs(effect) if plan.is_equivalence else limit + _benefit(plan, effect)


def _benefit(plan: Plan[E], effect: float) -> float:
    """Return a difference as a gain: above 0 where the drug does better."""
    return -effect if plan.is_lower_better else effect


def _of_margin(plan: Plan[E], effect: float, power: float, margin: float) -> Size:
    """Return what a comparison of shares needs to exclude a margin (Farrington and Manning)."""
    control = plan.planned.control
    if control is None:
        return Size()
    share = control + effect
    pair = (1 - share, 1 - control) if plan.is_lower_better else (share, control)
    drug, other = pair
    try:
        n = non_inferior_proportions(other, drug, margin, plan.level, power)
    except ValueError:
        return Size()
    return _lost(2 * n, plan)


def _of_one_arm(plan: Plan[E], effect: float, power: float) -> Size:
    """Return what one arm needs against the share of controls on record, by the exact test.

    A mean is held against a fixed value, or against a margin, by a t test of one sample.
    """
    rates = rates_of(plan, effect)
    if rates is None and plan.planned.variance is not None and plan.planned.kind == "difference":
        distance = _distance(plan, effect)
        if not distance:
            return Size()
        deviation = math.sqrt(plan.planned.variance) / 2
        return _lost(one_mean_t(distance, deviation, plan.level, power), plan)
    if rates is None:
        return Size()
    null, target = (1 - rate if plan.is_lower_better else rate for rate in rates)
    try:
        return _lost(single_arm(null, target, plan.level, power).n, plan)
    except ValueError:
        return Size()


def _lost(n: float, plan: Plan[E]) -> Size:
    """Return the participants to enroll.

    Unequal allocation costs (1 + k)^2 / (4 k), exact for normal tests of one variance.
    """
    k = plan.allocation
    return Size(inflate(n * (1 + k) ** 2 / (4 * k), plan.dropout))


def _of_events(plan: Plan[E], ratio: float, power: float) -> Size:
    excluded = ratio / plan.margin if plan.margin else ratio
    events = schoenfeld_events(excluded, plan.level, power, plan.allocation)
    hazards = plan.hazards(ratio)
    if not hazards:
        return Size(None, events)
    return Size(participants(events, hazards, plan.accrual, plan.allocation), events)


def rates_of(plan: Plan[E], effect: float) -> tuple[float, float] | None:
    """Return the rates of control and experimental arm; None where they are not told."""
    planned = plan.planned
    if plan.type != "proportion" or planned.control is None:
        return None
    control = planned.control
    is_as_given = plan.is_lower_better or effect > 1  # ratios of records are told as gains
    factor = effect if is_as_given or planned.kind not in RATIOS else 1 / effect
    if planned.kind == "odds ratio" and control < 1:
        odds = control / (1 - control) * factor
        target = odds / (1 + odds)
    elif planned.kind == "risk ratio" and planned.basis == "request":
        target = control * factor
    elif planned.kind == "difference":
        scale = 0.01 if "percent" in planned.unit.casefold() or abs(effect) > 1 else 1.0
        target = control + abs(effect) * scale * (-1 if plan.is_lower_better else 1)
    else:
        return None
    fits = _LEAST_SHARE < target < _MOST_SHARE and _LEAST_SHARE < control < _MOST_SHARE
    return (control, target) if fits and target != control else None


def effects_around(plan: Plan[E]) -> list[float]:
    """Return the effects of the grid: around the planned one, else those worth a look."""
    value = plan.planned.value
    if is_by_margin(plan):
        return [_scaled_margin(plan, scale) for scale in _SCALES]
    if value is None:
        return list(_HAZARD_RATIOS if plan.type == "time to event" else _STANDARDIZED)
    if plan.planned.kind in RATIOS and value > 1:
        return [round(effect, 3) for effect in (value**scale for scale in _SCALES)]
    if plan.planned.kind in RATIOS:
        ratios = (round(value + step, 3) for step in _STEPS)
        return [ratio for ratio in ratios if 0.2 <= ratio <= 0.95]  # noqa: PLR2004 - ratios worth a look
    return [float(f"{value * scale:.3g}") for scale in _SCALES]


def for_grid(plan: Plan[E]) -> Plan[E]:
    """Return a plan whose grid can be told where no effect is on record."""
    if plan.planned.value is not None:
        return plan
    kind = "hazard ratio" if plan.type == "time to event" else STANDARDIZED
    return replace(plan, planned=replace(plan.planned, kind=kind))


def is_by_margin(plan: Plan[E]) -> bool:
    """Return whether the grid varies the margin: no difference is planned with."""
    no_effect = 1.0 if plan.planned.kind in RATIOS else 0.0
    return bool(plan.margin) and plan.planned.value == no_effect


def _scaled_margin(plan: Plan[E], scale: float) -> float:
    margin = plan.margin or 1.0
    return float(f"{margin**scale if plan.planned.kind in RATIOS else margin * scale:.3g}")


def grid_of(plan: Plan[E]) -> list[tuple[float, float, Size]]:
    """Return participants by effect, or by margin where no difference is planned, and power."""
    shown = for_grid(plan)
    if is_by_margin(shown):
        value = shown.planned.value or 0.0
        return [
            (margin, power, size_of(replace(shown, margin=margin), value, power))
            for margin in effects_around(shown)
            for power in POWERS
        ]
    return [
        (effect, power, size_of(shown, effect, power))
        for effect in effects_around(plan)
        for power in POWERS
    ]


def month_of(plan: Plan[E], share: float, total: float, events: float) -> float | None:
    """Return the month of a look by events; None where it cannot be told."""
    value = plan.planned.value
    hazards = plan.hazards(value) if value and plan.planned.kind == "hazard ratio" else None
    if not hazards:
        return None
    pair = total / plan.share_of_arms
    month = months_to_events(events * share, pair, hazards, plan.accrual)
    return round(month, 1) if math.isfinite(month) else None


def size_with_looks(plan: Plan[E]) -> Size:
    """Return participants and events of the planned effect, the inflation by looks included."""
    if plan.planned.value is None:
        return Size()
    size = size_of(plan, plan.planned.value, plan.power)
    more = plan.inflation
    return Size(
        None if size.n is None else size.n * more,
        None if size.events is None else size.events * more,
    )


def two_stage(null: float, target: float) -> TwoStage | None:
    """Return Simon's optimal design at .05 and 80 %; None where none is small enough."""
    try:
        return simon(round(null, 3), round(target, 3), 0.05, 0.8, MOST_SIMON)[0]
    except ValueError:
        return None


def one_stage(null: float, target: float) -> SingleArm | None:
    """Return the exact design of one arm at .025 and 90 %; None where none is small enough."""
    try:
        return single_arm(null, target, ONE_ARM_LEVEL, ONE_ARM_POWER)
    except ValueError:
        return None


def whole(number: float | None, groups: int = 2) -> int | None:
    """Return a number rounded up so that arms are of the same size.

    >>> whole(100.2), whole(100.2, 3), whole(None)
    (102, 102, None)
    """
    return None if number is None else groups * math.ceil(number / groups - 1e-9)
