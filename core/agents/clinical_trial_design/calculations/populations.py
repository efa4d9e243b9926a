"""Nested populations, such as PD-L1 high within all comers: what each test has for power."""

import math
from collections.abc import Iterator
from dataclasses import replace

from scipy.stats import norm

from core.agents.clinical_trial_design.calculations.assumed import assumed, assumed_words
from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.drafting import Draft
from core.agents.clinical_trial_design.statistical_records import Calculation, Cell
from core.stats.trial_design.sizing import size_of
from core.vocabulary.endpoints import EndpointType

METHOD = "nested populations"
FORMULA = (
    "events of a subgroup = events of all x its share; power = Phi(|ln ratio| sqrt(events) / 2 - "
    "z(1 - level)); fixed order tests the subgroup at the full level and all randomized patients "
    "only once it is shown; a split gives each its part, and a part won passes to the other"
)
SPLIT = 0.5


def nest_populations(draft: Draft) -> Calculation:
    """Return the power in a marker-positive subgroup and in all, by fixed order and by split."""
    plan, made = draft.made.plan, draft.made
    marker = _marker(draft)
    if not marker:
        return not_called_for(METHOD, "no marker of the class divides the patients")
    if plan.type != EndpointType.TIME_TO_EVENT or not made.is_randomized:
        return not_called_for(METHOD, "no time to an event is compared between two arms")
    if draft.asked.study == "first in human" or made.size.events is None:
        return not_called_for(METHOD, "the events are withheld, as no effect was found")
    events = made.size.events / plan.inflation
    return Calculation(
        method=METHOD,
        applies=True,
        why=f"{marker} divides the patients, and labels of the class name it: a claim in the "
        "subgroup, or in all, needs its own level",
        formula=FORMULA,
        inputs={
            "marker": marker,
            "hazard ratio in all": plan.planned.value,
            "events in all": math.ceil(events),
            "one-sided level": round(plan.level, 6),
        },
        results=list(_rows(draft, events)),
    )


def _marker(draft: Draft) -> str:
    """Return the marker that nests the patients: of a checkpoint drug, else the one asked for."""
    question = draft.asked
    if not question.is_oncology:
        return ""
    checkpoints = set(assumed_words("delay_targets"))
    parts = {symbol for target in question.setting.targets for symbol in target.text.split(" x ")}
    return (
        "PD-L1 expression" if parts & checkpoints else next(iter(question.setting.biomarkers), "")
    )


def _rows(draft: Draft, events: float) -> Iterator[dict[str, Cell]]:
    plan = draft.made.plan
    ratio = plan.planned.value or 1.0
    for share in assumed("subgroup_shares"):
        for stronger in assumed("subgroup_ratios"):
            inner = ratio * stronger
            yield {
                "share of the subgroup": share,
                "hazard ratio in it": round(inner, 3),
                "power, subgroup first": _power(inner, events * share, plan.level),
                "power, subgroup at half the level": _power(
                    inner, events * share, plan.level * SPLIT
                ),
                "power, all at half the level": _power(ratio, events, plan.level * SPLIT),
                "events for the power asked in it": _needed(draft, inner),
            }


def _power(ratio: float, events: float, level: float) -> float:
    drift = abs(math.log(ratio)) * math.sqrt(events) / 2
    return round(float(norm.cdf(drift - norm.isf(level))), 3)


def _needed(draft: Draft, ratio: float) -> int | None:
    plan = draft.made.plan
    events = size_of(replace(plan, margin=None), ratio, plan.power).events
    return None if events is None else math.ceil(events)
