"""A benefit that begins late, as under immunotherapy: power of the log-rank and weighted tests."""

import math
from collections.abc import Iterator

from scipy.stats import norm

from core.agents.clinical_trial_design.calculations.assumed import assumed, assumed_words
from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.planning import Planned
from core.agents.clinical_trial_design.records import Calculation, Cell
from core.stats.trial_design.sizing import Plan
from core.stats.trial_design.survival import (
    average_hazard_ratio,
    expected_events,
    months_to_events,
    piecewise,
    weighted_power,
)
from core.vocabulary.endpoints import EndpointType

METHOD = "delayed effect"
FORMULA = (
    "hazard h0 = ln 2 / median before the delay in both arms, h0 x ratio after it in the "
    "experimental arm; pooled risk y = (y0 + y1), share p = y1 / y, weight w = S^rho (1 - S)^gamma "
    "with S the pooled survival; power = Phi(sqrt(N) x I[w p y0 (h0 - h1)] / "
    "sqrt(I[w^2 p (1 - p) (y0 h0 + y1 h1)]) - z(1 - level)), I over the months of the trial, risk "
    "by uniform entry, loss and survival; N for the power asked: N x ((z(1 - level) + z(power)) / "
    "(z(1 - level) + z(power at N)))^2"
)


def delay_effect(case: DesignCase) -> Calculation:
    """Return what a late benefit does to the plan."""
    plan = case.plan
    why_not = _why_not(case)
    if why_not:
        return not_called_for(METHOD, why_not)
    n = (case.size.n or 0.0) / plan.inflation / plan.share_of_arms
    rho, gamma = assumed("late_weights")
    return Calculation(
        method=METHOD,
        applies=True,
        why=f"{immune_reason(case)}: curves may part late, and the formula of the headline "
        "assumes hazards in proportion",
        formula=FORMULA,
        inputs={
            "control median, months": plan.planned.control,
            "hazard ratio after the delay": plan.planned.value,
            "months of accrual": plan.months,
            "months of follow-up": plan.follow_up,
            "loss a year": plan.dropout,
            "one-sided level": round(plan.level, 6),
            "power asked": plan.power,
            "N, two arms without looks": round(n, 2),
            "rho": rho,
            "gamma": gamma,
        },
        results=list(_rows(plan, round(n, 2), (rho, gamma))),
        source_ids=case.ids((*plan.planned.ids, *plan.planned.control_ids)),
    )


def _why_not(case: DesignCase) -> str:
    plan = case.plan
    if plan.type != EndpointType.TIME_TO_EVENT:
        return "the endpoint is no time to an event"
    if not case.is_randomized or case.question.study == "first in human":
        return "no two arms are compared"
    if not immune_reason(case):
        return "no immunotherapy in the setting: neither target nor partner is a checkpoint"
    if plan.planned.kind != "hazard ratio" or not plan.planned.control or case.size.n is None:
        return "no hazard ratio or median of the control arm was found"
    return ""


def immune_reason(case: DesignCase) -> str:
    """Return why a late benefit is to be reckoned with; "" where nothing says so."""
    question, checkpoints = case.question, set(assumed_words("delay_targets"))
    if not question.is_oncology:
        return ""
    parts = [symbol for target in question.setting.targets for symbol in target.text.split(" x ")]
    checkpoint_targets = [symbol for symbol in parts if symbol in checkpoints]
    if checkpoint_targets:
        return f"the drug acts on {checkpoint_targets[0]}"
    if "vaccine" in question.kinds:
        return "a cancer vaccine"
    partners = {partner.casefold() for partner in question.partners}
    for use in case.precedents.uses:
        hit = checkpoints & set(use.row.targets)
        names = [name for name in use.row.drugs if name.casefold() in partners]
        if hit and names:
            return f"the partner {names[0]} acts on {sorted(hit)[0]}"
    return ""


def _rows(plan: Plan[Planned], n: float, weights: tuple[float, float]) -> Iterator[dict[str, Cell]]:
    ratio = plan.planned.value or 1.0
    control, experimental = plan.hazards(ratio) or (1.0, 1.0)
    for delay in assumed("delay_months"):
        late = (
            piecewise([control, experimental], [0, delay])
            if delay
            else piecewise([experimental], [0])
        )
        hazards = (piecewise([control], [0]), late)
        plain, weighted = (
            weighted_power(hazards, n, plan.accrual, plan.level, weights=weights_used)
            for weights_used in ((0.0, 0.0), weights)
        )
        yield {
            "months without effect": delay,
            "power, log-rank": round(plain, 3),
            "power, weighted": round(weighted, 3),
            "N, log-rank": _needed(plan, n, plain),
            "N, weighted": _needed(plan, n, weighted),
            **dict(_averages(plan, n, (control, experimental), delay)),
        }


def _averages(
    plan: Plan[Planned], n: float, hazards: tuple[float, float], delay: float
) -> Iterator[tuple[str, Cell]]:
    """Yield the average hazard ratio at the month in which the plan expects each look."""
    end = plan.months + plan.follow_up
    events = sum(expected_events(hazard, n / 2, plan.accrual, end) for hazard in hazards)
    for share in plan.looks:
        month = min(end, months_to_events(events * share, n, hazards, plan.accrual))
        ratio = average_hazard_ratio(hazards, delay, plan.accrual, month)
        yield f"average ratio at {share:.0%}", round(ratio, 3)


def _needed(plan: Plan[Planned], n: float, power: float) -> int | None:
    """Return the participants for the power asked; None where the effect points the other way."""
    level = float(norm.isf(plan.level))
    reached = level + float(norm.ppf(power))
    if reached <= 0:
        return None
    return 2 * math.ceil(n * ((level + float(norm.ppf(plan.power))) / reached) ** 2 / 2)
