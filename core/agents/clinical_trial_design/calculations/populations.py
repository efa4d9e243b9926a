"""Nested populations, such as PD-L1 high within all comers: what each test has for power."""

import math
from collections.abc import Iterator
from dataclasses import replace

from scipy.stats import multivariate_normal, norm

from core.agents.clinical_trial_design.calculations.assumed import assumed, assumed_words
from core.agents.clinical_trial_design.calculations.refusing import not_called_for
from core.agents.clinical_trial_design.case import DesignCase
from core.agents.clinical_trial_design.records import Calculation, Cell
from core.stats.trial_design.history import Z95
from core.stats.trial_design.sizing import size_of
from core.vocabulary.endpoints import EndpointType

METHOD = "nested populations"
FORMULA = (
    "events of a subgroup = events of all x its share; power = Phi(|ln ratio| sqrt(events) / 2 - "
    "z(1 - level)); fixed order tests the subgroup at the full level and all randomized patients "
    "only once it is shown; a split gives each its part, and a part won passes to the other; both "
    "tests share patients, so that their z correlate by sqrt(share of the subgroup)"
)
SPLIT = 0.5
ENRICHMENT = "adaptive enrichment"
ENRICHMENT_FORMULA = (
    "combination test (inverse normal): z = w1 z1 + w2 z2 with w1 = sqrt(n1 / (n1 + n2)) and w2 = "
    "sqrt(n2 / (n1 + n2)) fixed beforehand, n1 and n2 the patients planned in each stage; closed "
    "testing: the subgroup is shown once the test of the subgroup and that of the intersection are"
)


def nest_populations(case: DesignCase) -> Calculation:
    """Return the power in a marker-positive subgroup and in all, by fixed order and by split."""
    plan = case.plan
    marker = _marker(case)
    if not marker:
        return not_called_for(METHOD, "no marker of the class divides the patients")
    if plan.type != EndpointType.TIME_TO_EVENT or not case.is_randomized:
        return not_called_for(METHOD, "no time to an event is compared between two arms")
    if case.question.study == "first in human" or case.size.events is None:
        return not_called_for(METHOD, "no effect was found, so no events were calculated")
    events = case.size.events / plan.inflation
    return Calculation(
        method=METHOD,
        applies=True,
        why=f"{marker} divides the patients, and labels of the class name it: a claim in the "
        "subgroup, or in all, needs its own level. The strategy is the one with the most "
        "claims expected; subgroup first risks losing a result in all behind a failed "
        "subgroup. Few events in a subgroup make its ratio unstable: see its 95% limits",
        formula=FORMULA,
        inputs={
            "marker": marker,
            "hazard ratio in all": plan.planned.value,
            "events in all": math.ceil(events),
            "one-sided level": round(plan.level, 6),
        },
        results=list(_rows(case, events)),
    )


def _marker(case: DesignCase) -> str:
    """Return the marker that nests the patients: of a checkpoint drug, else the one asked for."""
    question = case.question
    if not question.is_oncology:
        return ""
    checkpoints = set(assumed_words("delay_targets"))
    parts = {symbol for target in question.setting.targets for symbol in target.text.split(" x ")}
    return (
        "PD-L1 expression" if parts & checkpoints else next(iter(question.setting.biomarkers), "")
    )


def _rows(case: DesignCase, events: float) -> Iterator[dict[str, Cell]]:
    plan = case.plan
    ratio = plan.planned.value or 1.0
    for share in assumed("subgroup_shares"):
        for stronger in assumed("subgroup_ratios"):
            inner = ratio * stronger
            shown = _strategies(
                _drift(inner, events * share), _drift(ratio, events), share, plan.level
            )
            spread = 2 * Z95 / math.sqrt(events * share)
            limits = (inner * math.exp(sign * spread) for sign in (-1, 1))
            yield {
                "share of the subgroup": share,
                "hazard ratio in it": round(inner, 3),
                "95% limits": " to ".join(f"{limit:.2f}" for limit in limits),
                "correlation": round(math.sqrt(share), 3),
                **{
                    f"{name}: subgroup, all": f"{subgroup:.3f}, {everyone:.3f}"
                    for name, (subgroup, everyone) in shown.items()
                },
                "strategy": max(shown, key=lambda name: sum(shown[name])),
                "events for the power asked in it": _needed(case, inner),
            }


def _strategies(
    subgroup: float, everyone: float, share: float, level: float
) -> dict[str, tuple[float, float]]:
    """Return by strategy the chance that the subgroup is shown, and that all are."""
    correlation = math.sqrt(share)
    z, half = float(norm.isf(level)), float(norm.isf(level * SPLIT))

    def both(least: float, other: float) -> float:
        below = [subgroup - least, everyone - other]
        return float(multivariate_normal.cdf(below, cov=[[1, correlation], [correlation, 1]]))

    joint, halves = both(z, z), both(half, half)
    alone = [float(norm.cdf(drift - half)) for drift in (subgroup, everyone)]
    return {
        "subgroup first": (float(norm.cdf(subgroup - z)), joint),
        "all first": (joint, float(norm.cdf(everyone - z))),
        "split": (alone[0] + both(z, half) - halves, alone[1] + both(half, z) - halves),
    }


def enrich_patients(case: DesignCase) -> Calculation:
    """Return how stages are combined where a look may restrict enrollment to a subgroup."""
    if not case.question.may_restrict:
        return not_called_for(ENRICHMENT, "no look is to restrict enrollment to a subgroup")
    return Calculation(
        method=ENRICHMENT,
        applies=True,
        why="a look that may restrict enrollment is a population change: the patients of both "
        "stages differ, and the choice uses unblinded data. Standard group sequential methods, and "
        "with them the bounds, events and N of the headline, do not apply; a pooled log-rank test "
        "does not keep the level. Plan a combination test by simulation, for instance with the R "
        "package rpact (FDA, Adaptive Designs for Clinical Trials, November 2019; ICH E20 case)",
        formula=ENRICHMENT_FORMULA,
        inputs={"one-sided level": round(case.plan.level, 6)},
        results=[
            {
                "share of patients in stage 1": share,
                "w1": round(math.sqrt(share), 3),
                "w2": round(math.sqrt(1 - share), 3),
            }
            for share in assumed("stage_shares")
        ],
    )


def _drift(ratio: float, events: float) -> float:
    return abs(math.log(ratio)) * math.sqrt(events) / 2


def _needed(case: DesignCase, ratio: float) -> int | None:
    plan = case.plan
    events = size_of(replace(plan, margin=None), ratio, plan.power).events
    return None if events is None else math.ceil(events)
