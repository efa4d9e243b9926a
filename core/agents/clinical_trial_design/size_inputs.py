"""How the participants came about: the formula, and every number that enters it."""

from core.agents.clinical_trial_design.drafting import Draft
from core.agents.clinical_trial_design.sizing import Plan, rates_of
from core.agents.clinical_trial_design.statistical_records import Cell

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


def explain_size(draft: Draft) -> tuple[str, dict[str, Cell]]:
    """Return the formula of the participants and its inputs; empty where N is withheld."""
    plan, value = draft.made.plan, draft.made.plan.planned.value
    if value is None or draft.made.size.n is None:
        return "", {}
    inputs: dict[str, Cell] = {
        "effect": value,
        "one-sided level of a comparison": round(plan.level, 6),
        "power": plan.power,
        "arms": plan.groups,
        "loss": round(plan.dropout, 4),
        "inflation by looks": round(plan.inflation, 4),
    }
    return _formula(plan, value, inputs)


def _formula(plan: Plan, value: float, inputs: dict[str, Cell]) -> tuple[str, dict[str, Cell]]:
    planned = plan.planned
    if planned.kind == "hazard ratio":
        inputs |= {"control median": planned.control, "A, months": plan.months}
        return _SURVIVAL, inputs | {"F, months": plan.follow_up}
    rates = rates_of(plan, value)
    if rates:
        inputs |= {"p0": round(rates[0], 6), "p1": round(rates[1], 6)}
        return (_ONE_ARM if plan.is_single_arm else _RATES), inputs
    variance = None if planned.variance is None else float(f"{planned.variance:.8g}")
    inputs |= {"variance": variance}
    return (_T_TEST if plan.type == "mean change" else _NORMAL), inputs
