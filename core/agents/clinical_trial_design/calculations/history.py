"""A non-inferiority margin from past trials of the comparator against placebo: M1 and M2."""

import math
from collections.abc import Iterator
from dataclasses import replace

from scipy.stats import norm

from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.records import Calculation, Cell
from core.stats.trial_design.history import Pooled, margins_of, pool_effects
from core.stats.trial_design.sizing import Size, size_of, whole

METHOD = "non-inferiority margin (M1, M2)"
FORMULA = (
    "pooled effect of the comparator over placebo (DerSimonian and Laird, logarithm for ratios); "
    "M1 = its 95% limit nearer to no effect (fixed margin) or its mean; M2 = (1 - share to keep) x "
    "M1; margin = exp(M2) for ratios, M2 for differences; non-inferior where the 95% interval of "
    "the new drug against the comparator excludes the margin"
)
LEAST_MARGIN, MOST_MARGIN = 1.2, 1.5
"""Hazard ratios outside which a margin asks for a reason of its own."""


def derive_margin(case: DesignCase) -> Calculation:
    """Return the margins that the history given allows, with what each asks for."""
    given = case.question.given
    if not given.history:
        return not_called_for(METHOD, "no historical_trials are given in preliminary_efficacy_data")
    pooled = pool_effects(given.history)
    return Calculation(
        method=METHOD,
        applies=True,
        why="past trials of the comparator against placebo are given (ICH E10; FDA guidance on "
        "non-inferiority trials, 2016). It assumes constancy: the comparator works in these "
        "patients as it did then. It assumes assay sensitivity: patients, dose and endpoint are "
        "those of the past trials. A drug approved this way is no comparator of a later "
        "non-inferiority trial without trials of its own against placebo (biocreep)",
        formula=FORMULA,
        inputs={
            "trials": pooled.n,
            "pooled effect": _shown(pooled.effect, is_ratio=given.is_ratio),
            "95% low": _shown(pooled.limits[0], is_ratio=given.is_ratio),
            "95% high": _shown(pooled.limits[1], is_ratio=given.is_ratio),
            "tau squared": round(pooled.between, 4),
            "share to keep": given.preserved,
            "one-sided level": round(case.plan.level, 6),
            "power": case.plan.power,
        },
        results=list(_rows(case, pooled)),
    )


def _shown(effect: float, *, is_ratio: bool) -> float:
    return round(math.exp(effect) if is_ratio else effect, 4)


def _rows(case: DesignCase, pooled: Pooled) -> Iterator[dict[str, Cell]]:
    given, plan = case.question.given, case.plan
    sure, mean, lost = margins_of(pooled, given.preserved)
    for name, effect in (("95% limit (fixed margin)", sure), ("pooled mean", mean)):
        margin = math.exp(lost * effect) if given.is_ratio else lost * effect
        size = None
        if effect and plan.planned.value is not None:
            against = replace(plan, margin=margin)
            size = size_of(against, plan.planned.value, plan.power)
        yield {
            "M1 by": name,
            "M1": round(effect, 4),
            "M2": round(lost * effect, 4),
            "margin": round(margin, 4) if effect else None,
            "events": None if size is None or size.events is None else math.ceil(size.events),
            "N": None if size is None else whole(size.n, plan.groups),
            "power to show superiority": _superiority(case, size, is_ratio=given.is_ratio),
            "note": _note(margin, effect, is_ratio=given.is_ratio),
        }


def _superiority(case: DesignCase, size: Size | None, *, is_ratio: bool) -> float | None:
    """Return the power of superiority under the effect planned for, once non-inferior."""
    plan = case.plan
    if size is None or size.events is None or not is_ratio or not plan.planned.value:
        return None
    drift = -math.log(plan.planned.value) * math.sqrt(size.events) / 2
    return round(float(norm.cdf(drift - norm.isf(plan.level))), 3)


def _note(margin: float, effect: float, *, is_ratio: bool) -> str:
    if not effect:
        return "the interval does not exclude no effect: no margin"
    if is_ratio and not LEAST_MARGIN <= margin <= MOST_MARGIN:
        return f"outside {LEAST_MARGIN:g} to {MOST_MARGIN:g}: give the reason"
    return ""
