"""Every posted analysis of a trial, and how its participants went through it.

An analysis is told by facts that stand at one locator: what it estimates, its p value as written,
its method, its hypothesis and its role. Nothing is inferred from a p value; an effect is named by
its parameter, else by the one ratio that its method names. Arms that are compared together stay
together: three groups are no pair.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.endpoints import read_addition, read_analysis_set
from core.evidence.sources.files.trial_results import (
    BETWEEN,
    PAIR,
    Setting,
    count_participants,
    interval_of,
    name_groups,
    to_number,
)
from core.records.evidence import Fact, Qualifiers
from core.vocabulary.effects import RATIOS, Effect, effect_of, effect_of_method
from core.vocabulary.predicates import Predicate

Json = Mapping[str, Any]
HYPOTHESES = {
    "SUPERIORITY": "superiority",
    "SUPERIORITY_OR_OTHER": "superiority or other",
    "SUPERIORITY_OR_OTHER_LEGACY": "superiority or other",
    "NON_INFERIORITY": "non-inferiority",
    "NON_INFERIORITY_OR_EQUIVALENCE": "non-inferiority or equivalence",
    "NON_INFERIORITY_OR_EQUIVALENCE_LEGACY": "non-inferiority or equivalence",
    "EQUIVALENCE": "equivalence",
    "OTHER": "other",
}
ROLES = {
    "PRIMARY": "primary",
    "SECONDARY": "secondary",
    "OTHER_PRE_SPECIFIED": "other",
    "POST_HOC": "post hoc",
}
FURTHER = "further"
"""What a second analysis of the same arms adds that says no more of itself."""
TOGETHER = " | "
"""Between arms that are compared together, more than two."""
_MILESTONES = frozenset({"STARTED", "COMPLETED", "NOT COMPLETED"})
_SAID = ("groupDescription", "statisticalComment", "estimateComment", "otherAnalysisDescription")


def read_analyses(results: Json, setting: Setting) -> Iterator[Fact]:
    """Yield what a results section says of each analysis.

    Args:
        results: The `resultsSection`.
        setting: The trial.
    """
    outcomes = results.get("outcomeMeasuresModule", {}).get("outcomeMeasures", [])
    for index, outcome in enumerate(outcomes):
        seen: set[tuple[str, ...]] = set()
        for number, entry in enumerate(outcome.get("analyses", [])):
            locator = f"outcomeMeasures[{index}].analyses[{number}]"
            stem = Fact(setting.record_id, setting.number, "", locator=locator)
            ids = tuple(str(group_id) for group_id in entry.get("groupIds", []))
            yield _effect(stem, entry, outcome, setting)
            yield from _tested(stem, entry)
            yield _role(stem, entry, outcome, is_further=ids in seen)
            seen.add(ids)


def _say(stem: Fact, predicate: Predicate, words: str, **fields: Any) -> Fact:
    return Fact(stem.record_id, stem.subject, predicate, words, locator=stem.locator, **fields)


def _effect(stem: Fact, entry: Json, outcome: Json, setting: Setting) -> Fact:
    """Return what an analysis estimates; without a value where it has none."""
    arms = name_groups(outcome.get("groups", []), setting)
    counts = count_participants(outcome.get("denoms", []))
    ids = [str(group_id) for group_id in entry.get("groupIds", [])]
    sizes = [counts.get(group_id, "") for group_id in ids]
    names = [arms.get(group_id, "") for group_id in ids]
    effect = effect_of(_words(entry.get("paramType"))) or _of_method(entry)
    measure = _words(outcome.get("title"))
    is_ratio = effect in RATIOS
    return _say(
        stem,
        Predicate.TRIAL_ANALYSIS,
        f"{effect} for {measure}" if effect else measure,
        value=to_number(entry.get("paramValue")) if effect else None,
        unit=str(effect) if is_ratio else _words(outcome.get("unitOfMeasure")) if effect else "",
        qualifiers=Qualifiers(
            arm=(BETWEEN if len(ids) == PAIR else TOGETHER).join(names),
            n=str(sum(map(int, sizes))) if sizes and all(map(str.isdecimal, sizes)) else "",
            interval=interval_of(entry) if effect else "",
            time_point=_words(outcome.get("timeFrame"), 300),
            population=_words(outcome.get("populationDescription"), 300),
        ),
    )


def _of_method(entry: Json) -> Effect | None:
    """Return the ratio that the words of a method name; a parameter's own words count first."""
    if entry.get("paramType") or to_number(entry.get("paramValue")) is None:
        return None
    return effect_of_method(
        *(_words(entry.get(key), 1_000) for key in ("statisticalMethod", *_SAID))
    )


def _tested(stem: Fact, entry: Json) -> Iterator[Fact]:
    """Yield the p value as written, the method and the hypothesis with what is said of each."""
    words = _words(entry.get("pValue"), 100)
    if words:
        comment = Qualifiers(population=_words(entry.get("pValueComment"), 300))
        value = _share(words)
        yield _say(stem, Predicate.TRIAL_P_VALUE, words, value=value, qualifiers=comment)
    method = _words(entry.get("statisticalMethod"), 200)
    if method:
        comment = Qualifiers(population=_words(entry.get("statisticalComment"), 300))
        yield _say(stem, Predicate.TRIAL_ANALYSIS_METHOD, method, qualifiers=comment)
    hypothesis = HYPOTHESES.get(str(entry.get("nonInferiorityType", "")), "")
    if hypothesis:
        comment = Qualifiers(population=_words(entry.get("nonInferiorityComment"), 300))
        yield _say(stem, Predicate.TRIAL_HYPOTHESIS, hypothesis, qualifiers=comment)


def _share(text: str) -> float | None:
    """Return a p value as a number; None for what is none, as a probability in percent.

    >>> _share("<0.0001"), _share("= .03"), _share("44.05"), _share("NS")
    (0.0001, 0.03, None, None)
    """
    try:
        value = float(text.lstrip("<>=\u2264\u2265~ ").rstrip())
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def _role(stem: Fact, entry: Json, outcome: Json, *, is_further: bool) -> Fact:
    """Return the role of the endpoint, what the analysis adds to its main one, and its patients.

    An endpoint that is primary makes no sensitivity analysis primary.
    """
    stated_roles = [_words(entry.get(key), 1_000) for key in _SAID]
    title = _words(outcome.get("title"))
    patients = read_analysis_set(
        " ".join(stated_roles), title, _words(outcome.get("populationDescription"), 2_000)
    )
    return _say(
        stem,
        Predicate.TRIAL_ANALYSIS_ROLE,
        ROLES.get(str(outcome.get("type", "")), "other"),
        unit=read_addition(*stated_roles, title) or (FURTHER if is_further else ""),
        qualifiers=Qualifiers(population=patients),
    )


def read_flow(results: Json, setting: Setting) -> Iterator[Fact]:
    """Yield how many participants of each arm came to a milestone, and why others left."""
    module = results.get("participantFlowModule", {})
    arms = {
        str(group.get("id", "")): _words(group.get("title")) for group in module.get("groups", [])
    }
    for index, period in enumerate(module.get("periods", [])):
        title = _words(period.get("title"), 300)
        for name, counts, predicate in (
            ("milestones", "achievements", Predicate.TRIAL_FLOW),
            ("dropWithdraws", "reasons", Predicate.TRIAL_LEFT),
        ):
            for number, entry in enumerate(period.get(name, [])):
                locator = f"participantFlowModule.periods[{index}].{name}[{number}]"
                stem = Fact(setting.record_id, setting.number, predicate, locator=locator)
                yield from _counted(stem, entry, counts, arms, title)


def _counted(
    stem: Fact, analysis: Json, counts: str, arms: Mapping[str, str], period: str
) -> Iterator[Fact]:
    words = _words(analysis.get("type"))
    entries: Sequence[Json] = analysis.get(counts, [])
    for entry in entries:
        value = to_number(entry.get("numSubjects"))
        group = str(entry.get("groupId", ""))
        if value is not None and group in arms and words:
            yield _say(
                stem,
                Predicate(stem.predicate),
                words.lower() if words in _MILESTONES else words,
                value=value,
                unit="participants",
                qualifiers=Qualifiers(arm=arms[group], time_point=period),
            )


def _words(value: object, longest: int = 500) -> str:
    return clean_text(value, longest) if isinstance(value, str) else ""
