"""How the sample size was computed: the formula and every number in it, written and read back."""

from collections.abc import Mapping

from core.agents.clinical_trial_design.records import Cell, GridPoint, Statistics
from core.stats.trial_design.sizing import E, Plan, PlannedEffect, grid_of, rates_of, whole

_INFLATED = "x inflation by looks"
_SURVIVAL = (
    "events = 4 ((z(1 - level) + z(power)) / ln ratio)^2 " + _INFLATED + "; P = h / s x (1 - "
    "(exp(-s F) - exp(-s (A + F))) / (s A)), h the hazard ln 2 / median (x ratio with the drug), "
    "g = -ln(1 - loss) / 12, s = h + g; N = events / mean of P, x arms / 2"
)
_ONE_ARM = "least n whose exact binomial test keeps level and power; N = n / (1 - loss)"
_RATES = (
    "per arm ((z(1 - level) sqrt(2 m (1 - m)) + z(power) sqrt(p0 (1 - p0) + p1 (1 - p1))) / "
    "(p1 - p0))^2, m the mean of both; N = arms x per arm / (1 - loss), " + _INFLATED
)
_T_TEST = (
    "n an arm, not rounded, whose t test (noncentral, 2 n - 2 degrees) has the power, standard "
    "deviation sqrt(variance) / 2; N = arms x n / (1 - loss), " + _INFLATED
)
_NORMAL = (
    "per arm 2 ((z(1 - level) + z(power)) x sqrt(variance) / 2 / effect)^2, the effect of a ratio "
    "its logarithm; N = arms x per arm / (1 - loss), " + _INFLATED
)


_KIND, _UNIT, _LOWER = "effect measure", "effect unit", "lower is better"
_MARGIN, _BOTH = "margin", "both margins are tested"
_AGAINST_MARGIN = (
    "; against a margin: the ratio is divided by it, a difference is counted from it; shares by "
    "Farrington and Manning 1990; where both margins are tested the power is (1 + power) / 2"
)
_ONE_MEAN = "least n whose one-sample t test (noncentral) has the power; N = n / (1 - loss)"


def explain_size(plan: Plan[E], *, has_size: bool) -> tuple[str, dict[str, Cell]]:
    """Return the formula of the participants and its inputs.

    Args:
        plan: What the participants are computed from.
        has_size: Whether they are told; where they are withheld, the formula is empty and the
            inputs that are known allow the size to be computed once the missing ones are entered.
    """
    value = plan.planned.value
    inputs: dict[str, Cell] = {
        "effect": value,
        "one-sided level of a comparison": round(plan.level, 6),
        "power": plan.power,
        "arms": plan.groups,
        "loss": round(plan.dropout, 4),
        "inflation by looks": round(plan.inflation, 4),
        _KIND: plan.planned.kind or None,
        _UNIT: plan.planned.unit or None,
        _LOWER: "yes" if plan.is_lower_better else "no",
        _MARGIN: plan.margin,
        _BOTH: "yes" if plan.is_equivalence else None,
    }
    formula, inputs = _formula(plan, value, inputs)
    formula += _AGAINST_MARGIN if plan.margin else ""
    return (formula if has_size else ""), inputs


def _formula(
    plan: Plan[E], value: float | None, inputs: dict[str, Cell]
) -> tuple[str, dict[str, Cell]]:
    planned = plan.planned
    if plan.type == "time to event":
        inputs |= {"control median": planned.control, "A, months": plan.months}
        return _SURVIVAL, inputs | {"F, months": plan.follow_up}
    rates = rates_of(plan, value) if value is not None else None
    if rates:
        inputs |= {"p0": round(rates[0], 6), "p1": round(rates[1], 6)}
        return (_ONE_ARM if plan.is_single_arm else _RATES), inputs
    variance = None if planned.variance is None else float(f"{planned.variance:.8g}")
    inputs |= {"variance": variance, "control": planned.control}
    if plan.type == "proportion" and plan.margin and not plan.is_single_arm:
        return _RATES, inputs
    if plan.is_single_arm:
        return _ONE_MEAN, inputs
    return (_T_TEST if plan.type == "mean change" else _NORMAL), inputs


def list_grid_points(plan: Plan[E]) -> list[GridPoint]:
    """Return participants and events by effect and power, looks included."""
    more = plan.inflation
    return [
        GridPoint(
            effect=effect,
            power=power,
            n=whole(None if size.n is None else size.n * more, plan.block),
            events=None if size.events is None else whole(size.events * more, 1),
        )
        for effect, power, size in grid_of(plan)
    ]


def read_plan(statistics: Statistics) -> Plan[PlannedEffect] | None:
    """Return the plan that an answer was sized by; None where its endpoint has no type."""
    if statistics.endpoint_type is None or statistics.framework == "dose_finding":
        return None
    inputs = statistics.sample_size.inputs
    arms = _read(inputs, "arms", len(statistics.sample_size.per_arm) or 2)
    looks = [look.information for look in statistics.interim.looks] if statistics.interim else [1.0]
    alpha = statistics.alpha / statistics.sides
    level = _read(inputs, "one-sided level of a comparison", alpha)
    is_split = arms <= 2 and level < alpha  # noqa: PLR2004 - one dose, no Dunnett
    planned = PlannedEffect(
        kind=str(inputs.get(_KIND) or ""),
        value=statistics.effect.value,
        basis=statistics.effect.basis,
        unit=str(inputs.get(_UNIT) or ""),
        variance=statistics.variance.value,
        control=statistics.control.value,
    )
    return Plan(
        type=statistics.endpoint_type,
        planned=planned,
        alpha=alpha,
        power=statistics.power,
        months=_read(inputs, "A, months", Plan.months),
        follow_up=_read(inputs, "F, months", Plan.follow_up),
        dropout=_read(inputs, "loss", statistics.sample_size.dropout or 0.0),
        looks=tuple(looks),
        is_lower_better=inputs.get(_LOWER) == "yes",
        doses=max(1, int(arms) - 1),
        fixed_level=level if is_split else None,
        is_single_arm=statistics.framework == "single_arm",
        margin=_read(inputs, _MARGIN, 0.0) or None,
        is_equivalence=inputs.get(_BOTH) == "yes",
    )


def _read(inputs: Mapping[str, Cell], name: str, default: float) -> float:
    value = inputs.get(name)
    return float(value) if isinstance(value, int | float) else default
