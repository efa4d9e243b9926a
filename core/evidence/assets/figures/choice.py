"""Which figures of a trial's arm tell something: how well the drug works, how severe it is.

A value before treatment, a count of those who left, or a measure that is only watched for safety
in patients of that disease tells nothing of efficacy.
"""

from collections import Counter
from collections.abc import Sequence

from core.evidence.readers.measures import (
    is_before_treatment,
    is_of_safety_set,
    is_severe,
    is_trial_of_safety,
    is_watched_in,
    kind_of,
)
from core.records.evidence_pack import StoredFact
from core.vocabulary.endpoints import LAST, MeasureClass
from core.vocabulary.predicates import Predicate

MOST_FIGURES = 4
MOST_OF_A_MEASURE = 2
_SCALES = frozenset(
    {
        "lipids",
        "blood pressure",
        "clinical scale",
        "body weight",
        "lung function",
        "exacerbations",
        "blood counts",
        "red cells",
        "heart function",
    }
)
"""Measures that a trial also takes to watch safety."""
_WANTED = frozenset({"blood pressure"})
"""Of them those that tell efficacy in a trial of safety, too, where they are the disease."""


def best_figures(
    results: Sequence[StoredFact], primary: set[str], diseases: str
) -> list[StoredFact]:
    """Return the most telling efficacy figures: primary measures first, then by kind."""
    is_of_safety = is_trial_of_safety(diseases)
    ranked: list[tuple[tuple[bool, int, int], StoredFact]] = []
    for result in results:
        kind = kind_of(result.fact.object)
        planned = is_primary(result.fact.object, primary)
        if _may_tell_efficacy(result, kind, diseases) and _tells(kind, planned, is_of_safety):
            ranked.append(((not planned, kind.rank, result.id), result))
    ranked.sort(key=lambda entry: entry[0])
    chosen: list[StoredFact] = []
    seen: Counter[str] = Counter()
    for (not_primary, rank, _), stored in ranked:
        group = stored.fact.object.split(": ")[0]
        if not_primary and rank == LAST:
            continue
        seen[group] += 1
        if seen[group] <= MOST_OF_A_MEASURE:
            chosen.append(stored)
    return chosen[:MOST_FIGURES]


def is_primary(measure: str, primary: set[str]) -> bool:
    """Return whether a measure is one of the trial's primary ones, or a row of it."""
    return any(measure == name or measure.startswith(f"{name}: ") for name in primary)


def _tells(kind: MeasureClass, planned: bool, is_of_safety: bool) -> bool:
    """Return whether a kind of measure tells how well a drug works in such a trial."""
    if kind.side == "efficacy":
        return planned or not is_of_safety or kind.name not in _SCALES - _WANTED
    return kind.side == "other" and planned and not is_of_safety


def severe_figures(results: Sequence[StoredFact]) -> list[StoredFact]:
    """Return the posted counts of patients with severe events."""
    severe = [x for x in results if is_severe(x.fact.object) and not is_before_treatment(x.fact)]
    return [result for result in severe if kind_of(result.fact.object).side == "safety"][:2]


def event_figures(facts: Sequence[StoredFact]) -> list[StoredFact]:
    """Return the share with serious events, then the most frequent reactions of the largest arm."""
    events = [fact for fact in facts if fact.fact.predicate == Predicate.TRIAL_ADVERSE_EVENT]
    events = [event for event in events if event.fact.value is not None]
    serious = [event for event in events if event.fact.object == "serious adverse events, any"]
    serious.sort(
        key=lambda seriou: (
            -(int(seriou.fact.qualifiers.n) if seriou.fact.qualifiers.n.isdecimal() else 0),
            seriou.id,
        )
    )
    terms = [event for event in events if event.fact.object.startswith("other adverse event: ")]
    arm = serious[0].fact.qualifiers.arm if serious else ""
    terms = [term for term in terms if term.fact.qualifiers.arm == arm and term.fact.value]
    terms.sort(key=lambda term: (-(term.fact.value or 0), term.id))
    return [*serious[:2], *terms[:3]]


def _may_tell_efficacy(fact: StoredFact, kind: MeasureClass, diseases: str) -> bool:
    """Return whether a figure is neither a value before treatment nor one watched for safety."""
    if is_before_treatment(fact.fact) or is_watched_in(kind, diseases):
        return False
    may_be_of_safety = kind.name in _SCALES or kind.side == "other"
    return not (may_be_of_safety and is_of_safety_set(fact.fact.qualifiers.population))
