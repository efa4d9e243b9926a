"""With what a figure of an arm is compared: the same measure of the trial's only other arm."""

import re
from collections.abc import Sequence

from core.evidence.readers.arms import gets_at_some_time, names_drug
from core.records.evidence_pack import StoredFact
from core.vocabulary.predicates import Predicate

_WHOLE_TRIAL = re.compile(r"\s*(?:total|all|overall|any|combined|pooled)\b", re.I)
"""Columns of a whole trial, in which the drug's own arm is counted too."""
_TIME_OF_TRIAL = re.compile(
    r"(?:period|part|phase|stage|step|cohort)s?[ _-]*(?:[ivx]+|\d+[a-d]?|[a-d])\b|extension|"
    r"(?<![a-z])core(?![a-z])|"
    r"open[- ]label|double[- ]blind|\b(?:db|ol|lte?|rs|db\w*) ?(?:period|phase)?\b|long[- ]term|"
    r"switch\w*|induction|maintenance|run-in|crossover|cross-over|follow[- ]up|wash-?out|"
    r"inpatient|outpatient|overall|sub-?study|maternal|fetal|pre-?\w+ (?:dosing|treatment)",
    re.IGNORECASE,
)
"""Parts and times of a trial; arms of different ones are not compared."""
MOST_ASIDE = 40
"""Characters of a bracket that still belongs to the title of an arm."""


def find_comparator(
    fact: StoredFact,
    others: Sequence[StoredFact],
    facts: Sequence[StoredFact],
    names: Sequence[str],
) -> StoredFact | None:
    """Return the same measure of the only other arm; with several there is no telling.

    Events are counted over the whole trial: patients who got the drug later are no comparison.

    Args:
        fact: A figure of the drug's own arm.
        others: Figures of the trial's other arms.
        facts: All figures of the trial.
        names: Folded names of the drug.
    """
    if _misses_an_arm(fact, facts):
        return None
    path = fact.fact.locator.rpartition(".measurements")[0]
    same = [
        two
        for two in others
        if two.fact.object == fact.fact.object
        and two.fact.unit == fact.fact.unit
        and two.fact.predicate == fact.fact.predicate
        and not _WHOLE_TRIAL.match(two.fact.qualifiers.arm)
        and (two.fact.locator.rpartition(".measurements")[0] == path)
    ]
    if len(same) != 1 or names_drug(same[0].fact.qualifiers.arm, names):
        return None
    is_event = fact.fact.predicate == Predicate.TRIAL_ADVERSE_EVENT
    if is_event and gets_at_some_time(same[0].fact.qualifiers.arm, names):
        return None
    times = [_times(two.fact.qualifiers.arm) for two in (fact, same[0])]
    return same[0] if times[0] == times[1] else None


def _times(arm: str) -> set[str]:
    """Return the parts and times of the trial that the title of an arm names."""
    title, _, times = arm.partition(" (")
    short = times.partition(")")[0] if len(times.partition(")")[0]) <= MOST_ASIDE else ""
    words = f"{title} {short}".replace("_", " ")
    return {re.sub(r"\W", "", match[0]).casefold() for match in _TIME_OF_TRIAL.finditer(words)}


def tell_comparator(fact: StoredFact) -> str:
    """Return arm, value, unit and participants of a comparator in words."""
    value = fact.fact.value if fact.fact.value is not None else 0.0
    n = f" (n={fact.fact.qualifiers.n})" if fact.fact.qualifiers.n else ""
    return f"{fact.fact.qualifiers.arm}: {value:g} {fact.fact.unit}{n}"


def _misses_an_arm(fact: StoredFact, facts: Sequence[StoredFact]) -> bool:
    """Return whether a row of results has an arm without a figure: the comparator, perhaps."""
    row, _, path = fact.fact.locator.rpartition(".measurements")
    places = {
        two.fact.locator.rpartition(".measurements")[2]
        for two in facts
        if row and two.fact.locator.rpartition(".measurements")[0] == row
    }
    return bool(path) and places != {f"[{number}]" for number in range(len(places))}
