"""Verdicts on figures of results: the same measure of the same trial decides, or nothing does."""

import re
from collections.abc import Iterator, Mapping, Sequence

from core.checking.accounting import says
from core.checking.assertions import Assertion
from core.checking.drug_verdicts import NO_DRUG
from core.checking.facts import Facts
from core.checking.figure_measures import find_measures
from core.checking.results import CheckedAssertion, CheckVerdict
from core.records.evidence_pack import StoredFact
from core.vocabulary.predicates import Predicate

_UNITS: Mapping[str, re.Pattern[str]] = {
    "hazard ratio": re.compile(r"hazard ratio|\bHR\b", re.IGNORECASE),
    "odds ratio": re.compile(r"odds ratio|\bOR\b", re.IGNORECASE),
    "%": re.compile(r"%|percent", re.IGNORECASE),
    "months": re.compile(r"month", re.IGNORECASE),
    "weeks": re.compile(r"week", re.IGNORECASE),
    "years": re.compile(r"year", re.IGNORECASE),
    "p value": re.compile(r"\bp[- ]?value|^p$", re.IGNORECASE),
}
_NUMBER = re.compile(r"[\d,]*\.?\d+")
_N = re.compile(r"\b[nN]\s?=\s?(\d[\d,]*)")
EXACT = 1e-9
ROUGH = 0.5
"""Half the last digit of a hazard ratio that is given as a whole number."""


def judge_figure(assertion: Assertion, facts: Facts) -> CheckedAssertion:
    """Return the verdict on a figure of a drug's results."""
    drug = assertion.drug
    asset = facts.assets.get(drug.key) if drug else None
    if asset is None:
        return facts.judge(assertion, "not_covered", note=NO_DRUG)
    figures = list(facts.figures.get(asset.key, ()))
    measures = find_measures(assertion.measure)
    same_unit = [stored for stored in figures if _has_unit(stored, assertion.unit)]
    equal = [
        stored
        for stored in same_unit
        if abs(_value(stored) - (assertion.value or 0.0)) <= assertion.step + EXACT
        and _fits(stored, measures, assertion, facts)
    ]
    if assertion.unit == "hazard ratio" and assertion.step >= ROUGH:
        return facts.judge(assertion, "not_covered", note="Too rough to compare.")
    if equal:
        best = max(equal, key=lambda stored: _closeness(stored, assertion))
        return _answer(assertion, "supported", best, facts)
    tight = [stored for stored in same_unit if _is_same_result(stored, measures, assertion)]
    if any(_value(stored) == assertion.value for stored in tight):
        return facts.judge(assertion, "not_covered")
    other_unit = [
        stored
        for stored in figures
        if measures
        and find_measures(stored.fact.object) == measures
        and _unit(stored) not in {"", assertion.unit}
        and abs(_value(stored) - (assertion.value or 0.0)) < EXACT
    ]
    if tight or other_unit:
        return _answer(assertion, "differs", (other_unit or tight)[0], facts)
    return facts.judge(assertion, "not_covered")


def _answer(
    assertion: Assertion, verdict: CheckVerdict, stored: StoredFact, facts: Facts
) -> CheckedAssertion:
    fact = stored.fact
    about = fact.qualifiers
    interval = re.sub(r"(?<=\d), (?=-?\d)", "-", about.interval.replace("CI:", "CI"))
    parts = (
        f"{fact.object}: {_value(stored):g} {fact.unit}".strip(),
        about.population or about.indication,
        f"against {about.arm}" if about.arm and fact.predicate == Predicate.LABEL_RESULT else "",
        about.arm if fact.predicate != Predicate.LABEL_RESULT else "",
        *(about.time_point, f"n={about.n}" if about.n else "", interval),
    )
    words = "; ".join(dict.fromkeys(filter(None, parts)))
    return facts.judge(assertion, verdict, words, [fact.record_id], as_of=fact.as_of)


def _value(stored: StoredFact) -> float:
    if stored.fact.value is not None:
        return stored.fact.value
    match = _NUMBER.search(stored.fact.object)
    return float(match[0].replace(",", "")) if match else float("nan")


def _unit(stored: StoredFact) -> str:
    return next((u for u, pattern in _UNITS.items() if pattern.search(stored.fact.unit)), "")


def _has_unit(stored: StoredFact, unit: str) -> bool:
    fact = stored.fact
    if unit == "p value":
        return fact.predicate == Predicate.TRIAL_P_VALUE or _unit(stored) == unit
    return _UNITS[unit].search(fact.unit) is not None if unit in _UNITS else False


def _fits(stored: StoredFact, measures: set[str], assertion: Assertion, facts: Facts) -> bool:
    """Return whether a figure may be that of the sentence: no other trial, measure or disease."""
    fact = stored.fact
    about = fact.qualifiers.indication
    keys = [x.key for x in facts.diseases.of_conditions([about]) if x.key] if about else []
    is_of_trial = bool(assertion.trial) and fact.record_id.endswith(assertion.trial)
    for disease in assertion.diseases if not is_of_trial else ():
        is_in = any(facts.covers(disease, key) for key in keys)
        if not is_in and not says(
            f"{about}; {fact.object}; {fact.qualifiers.population}", disease.said
        ):
            return False
    if assertion.trial and fact.record_id.startswith("ctgov:"):
        return fact.record_id.endswith(assertion.trial)
    text = assertion.words.casefold()
    recorded = find_measures(fact.object)
    return recorded == measures if recorded or measures else fact.object.casefold() in text


def _is_same_result(stored: StoredFact, measures: set[str], assertion: Assertion) -> bool:
    """Return whether a figure is surely that of the sentence, whatever its value.

    Its measure is named, and its number of participants with its population, its comparator or
    its trial stands in the sentence.
    """
    fact, text = stored.fact, assertion.words
    recorded = find_measures(fact.object)
    is_measure = recorded == measures if recorded else fact.object.casefold() in text.casefold()
    if not is_measure or not fact.object:
        return False
    sizes = {match[1].replace(",", "") for match in _N.finditer(text)}
    has_size = bool(fact.qualifiers.n) and fact.qualifiers.n in sizes
    has_trial = bool(assertion.trial) and fact.record_id.endswith(assertion.trial)
    return has_size or has_trial or any(word in text for word in _marks(fact.qualifiers.population))


def _marks(population: str) -> Iterator[str]:
    """Yield the names of trials in the words of a population: "CAPItello-291", "MONARCH 3"."""
    for part in re.split(r"[;,]", population):
        name = part.strip()
        if re.fullmatch(r"[A-Z][\w-]*[A-Z0-9][\w-]*(?: \d+)?", name) and len(name) > 4:
            yield name


def _closeness(stored: StoredFact, assertion: Assertion) -> tuple[bool, bool, int]:
    words: Sequence[str] = stored.fact.object.casefold().split()
    text = assertion.words.casefold()
    is_trial = bool(assertion.trial) and stored.fact.record_id.endswith(assertion.trial)
    marks = (part.strip() for part in stored.fact.qualifiers.population.split(";"))
    is_named = any(mark and mark.casefold() in text for mark in list(marks)[1:2])
    return is_trial, is_named, sum(word in text for word in words)
