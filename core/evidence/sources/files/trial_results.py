"""Posted results of a trial as facts: measure, value, unit, arm, n, interval, time point.

A number is taken only as the register gives it, never computed; what is not a number (NA) makes
no fact. Values of trials stand alone: they are not head-to-head comparisons. An arm whose title
names none of the drugs is told with the beginning of its description.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.evidence.names.cleaning import clean_text
from core.evidence.readers.trial_settings import read_biomarker, read_cut_off, read_line_of_arm
from core.records.evidence import Fact, Qualifiers
from core.records.names import fold_name
from core.vocabulary.effects import RATIOS, Effect, effect_of
from core.vocabulary.predicates import Predicate

Json = Mapping[str, Any]
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ROW_COUNTS = re.compile(r"\bn\s?=\s?(\d+(?:\s?[,;/]\s?\d+)*)", re.IGNORECASE)
"""Participants of each arm as the title of a row gives them: "Week 8 (n=23, 24)"."""
_SUBGROUP = re.compile(
    r"[<>\u2264\u2265]=? ?\d+ ?(?:years|yrs)|\b(?:fe)?males?\b|\b(?:wo)?men\b|sub-?group|"
    r"respond(?:er|ing)s?\b|\b(?:patients|participants|subjects) (?:with|who|on|aged)|"
    r"\bstrat(?:um|a)\b|\b(?:white|black|asian|japan\w*|chin(?:a|ese)|europe\w*|north america)\b|"
    r"\b(?:mutation|mutant|wild[- ]?type|positive|negative)\b",
    re.IGNORECASE,
)
"""Rows of some of the patients, whose number is not that of the whole measure."""
_SHOWN = frozenset(Effect) - {Effect.RATIO_OF_MEANS}
"""Effects that a cell shows."""
PAIR = 2
"""Arms that an effect compares."""
BETWEEN = " against "
_ROLES = frozenset({"PRIMARY", "SECONDARY"})
_CONTROL = re.compile(r"\b(?:placebo|control|sham|vehicle|no treatment|standard)\b", re.I)
_COMBINED = re.compile(r"\bcombin|\bchemo|\bin addition to\b|\bconcurrent", re.IGNORECASE)
"""Words of a description by which more was given than its title says."""
MOST_OF_DESCRIPTION = 400
"""Characters of an arm's description that are kept."""
LEAST_NAME = 4
"""Letters of a drug's name that is looked for in an arm."""
MOST_EVENTS = 20
"""Adverse-event terms kept per arm, the most frequent first; totals are always kept."""
MOST_COMPARED = 5
"""Those that every other arm has, too: what is shown for an arm is compared with the others."""


@dataclass(frozen=True)
class Setting:
    """What the trial's registration tells of its results.

    Attributes:
        record_id: The trial's record.
        number: The trial's number.
        titles: Its titles, which may tell line of treatment and biomarker.
        drugs: Names of its interventions.
    """

    record_id: str
    number: str
    titles: tuple[str, ...] = ()
    drugs: tuple[str, ...] = ()


def read_results(results: Json, setting: Setting) -> list[Fact]:
    """Return the outcome facts of a results section.

    Args:
        results: The `resultsSection`.
        setting: The trial.
    """
    outcomes = results.get("outcomeMeasuresModule", {}).get("outcomeMeasures", [])
    facts: list[Fact] = []
    for index, outcome in enumerate(outcomes):
        if outcome.get("type") in _ROLES:
            facts += _read_outcome(outcome, index, setting)
            facts += _read_analyses(outcome, index, setting)
    return facts + list(_read_events(results.get("adverseEventsModule", {}), setting))


def _read_outcome(outcome: Json, index: int, setting: Setting) -> list[Fact]:
    arms = name_groups(outcome.get("groups", []), setting)
    population = _words(outcome.get("populationDescription"), 300)
    cut_off = read_cut_off(
        *(_words(outcome.get(name), 2_000) for name in ("timeFrame", "populationDescription")),
        _words(outcome.get("description"), 2_000),
    )
    counts = count_participants(outcome.get("denoms", []))
    measure = _words(outcome.get("title"))
    unit = _words(outcome.get("unitOfMeasure"))
    facts: list[Fact] = []
    for locator, titles, entry, row_counts in _measurements(outcome):
        value = to_number(entry.get("value"))
        group = str(entry.get("groupId", ""))
        if value is None or group not in arms:
            continue
        qualifiers = Qualifiers(
            line=read_line_of_arm(arms[group], population, setting.titles),
            biomarker=read_biomarker(arms[group], population, *setting.titles),
            population=population,
            arm=arms[group],
            time_point=_words(outcome.get("timeFrame"), 300),
            n=row_counts.get(group, counts.get(group, "")),
            interval=_interval(entry, outcome),
        )
        facts.append(
            Fact(
                setting.record_id,
                setting.number,
                Predicate.TRIAL_RESULT,
                ": ".join(filter(None, (measure, *titles))),
                value=value,
                unit=_unit(unit, outcome),
                qualifiers=qualifiers,
                as_of=cut_off,
                locator=f"outcomeMeasures[{index}].{locator}",
            )
        )
    return facts


def _read_analyses(outcome: Json, index: int, setting: Setting) -> Iterator[Fact]:
    """Yield the effects of an outcome that compare two arms and stand within their interval.

    The register lists first what was planned first; a later analysis of the same two arms (other
    patients, another method) makes no fact.
    """
    arms = name_groups(outcome.get("groups", []), setting)
    counts = count_participants(outcome.get("denoms", []))
    seen: set[tuple[Effect, tuple[str, ...]]] = set()
    for k, entry in enumerate(outcome.get("analyses", [])):
        ids = tuple(str(group_id) for group_id in entry.get("groupIds", []))
        unit = effect_of(_words(entry.get("paramType")))
        interval = interval_of(entry)
        value = to_number(entry.get("paramValue"))
        if (
            len(ids) != PAIR
            or value is None
            or not interval
            or not all(group_id in arms for group_id in ids)
        ):
            continue
        if unit not in _SHOWN or (unit, ids) in seen:
            continue
        seen.add((unit, ids))
        sizes = [counts.get(group_id, "") for group_id in ids]
        n = str(sum(map(int, sizes))) if all(siz.isdecimal() for siz in sizes) else ""
        yield Fact(
            setting.record_id,
            setting.number,
            Predicate.TRIAL_EFFECT,
            f"{unit} for {_words(outcome.get('title'))}",
            value=value,
            unit=unit if unit in RATIOS else _words(outcome.get("unitOfMeasure")),
            qualifiers=Qualifiers(
                arm=BETWEEN.join(arms[group_id] for group_id in ids),
                n=n,
                interval=interval,
                time_point=_words(outcome.get("timeFrame"), 300),
                population=_words(outcome.get("type")).lower(),
            ),
            locator=f"outcomeMeasures[{index}].analyses[{k}]",
        )


def interval_of(entry: Json) -> str:
    """Return the interval of an analysis; "" where it has none or does not hold the value."""
    limits = [entry.get(name) for name in ("ciLowerLimit", "paramValue", "ciUpperLimit")]
    low, value, high = map(to_number, limits)
    if low is None or value is None or high is None or not low <= value <= high:
        return ""
    level = _words(entry.get("ciPctValue")) or "95"
    return f"{level}% CI: {limits[0]}, {limits[2]}"


def _measurements(outcome: Json) -> Iterator[tuple[str, list[str], Json, dict[str, str]]]:
    """Yield place, sub-titles, measurement and own participant counts of every cell."""
    ids = [str(group.get("id", "")) for group in outcome.get("groups", [])]
    for c, row in enumerate(outcome.get("classes", [])):
        participants = count_participants(row.get("denoms", []))
        for k, category in enumerate(row.get("categories", [])):
            titles = [_words(row.get("title")), _words(category.get("title"))]
            counts = participants or _titled_counts(" ".join(titles), ids)
            if not counts and _SUBGROUP.search(" ".join(titles)):
                counts = dict.fromkeys(ids, "")
            for m, entry in enumerate(category.get("measurements", [])):
                locator = f"classes[{c}].categories[{k}].measurements[{m}]"
                yield locator, [title for title in titles if title], entry, counts


def _titled_counts(title: str, ids: Sequence[str]) -> dict[str, str]:
    """Return participants per arm as a row's title tells them; "" for each where it is not plain.

    Older results give the participants of a row in its title alone; those of the whole measure
    would be wrong beside it.
    """
    row_counts = _ROW_COUNTS.findall(title)
    if not row_counts:
        return {}
    counts = re.findall(r"\d+", row_counts[0])
    is_plain = len(row_counts) == 1 and len(counts) == len(ids)
    return dict(zip(ids, counts, strict=True)) if is_plain else dict.fromkeys(ids, "")


def name_groups(entries: Sequence[Json], setting: Setting) -> dict[str, str]:
    """Return the name of each arm."""
    return {str(group.get("id", "")): _name_arm(group, setting) for group in entries}


def _name_arm(group: Json, setting: Setting) -> str:
    """Return an arm's title, with its description where that names further drugs."""
    title = _words(group.get("title"), 300)
    folded = fold_name(title)
    words = _words(group.get("description"), 5_000)
    names = [name for name in map(fold_name, setting.drugs) if len(name) >= LEAST_NAME]
    in_title = [name for name in names if name in folded]
    others = [name for name in names if name not in in_title]
    is_all = not _COMBINED.search(words) and not any(name in fold_name(words) for name in others)
    if (_CONTROL.search(title) and not in_title) or (in_title and is_all):
        return title
    if len(words) > MOST_OF_DESCRIPTION:
        words = f"{words[:MOST_OF_DESCRIPTION].rpartition(' ')[0]} \u2026"
    return f"{title} ({words})" if words and fold_name(words) != folded else title


def count_participants(denominators: Sequence[Json]) -> dict[str, str]:
    """Return participants per arm; other units (eyes, lesions) are no n of patients."""
    for denominator in denominators:
        if denominator.get("units") == "Participants":
            return {str(e["groupId"]): str(e["value"]) for e in denominator.get("counts", [])}
    return {}


def _interval(entry: Json, outcome: Json) -> str:
    """Return what the register says of the spread, with its kind: "95% Confidence Interval".

    Bounds that do not hold the value are of something else, such as an odds ratio; a standard
    deviation or error has no bounds, so that of bounds the kind is not told then.
    """
    kind = _words(outcome.get("dispersionType"))
    low, high, spread = (_words(entry.get(n)) for n in ("lowerLimit", "upperLimit", "spread"))
    if spread and not (low and high):
        return f"{kind} {spread}".strip()
    value, least, most = (to_number(limit) for limit in (entry.get("value"), low, high))
    if value is not None and ((least or value) > value or (most or value) < value):
        return ""
    if low or high:
        kind = "" if kind.startswith("Standard") else kind
        return f"{kind} {low or '?'} to {high or '?'}".strip()
    return ""


def _unit(unit: str, outcome: Json) -> str:
    kind = _words(outcome.get("paramType")).replace("_", " ").lower()
    return f"{unit} ({kind})" if kind else unit


def _read_events(module: Json, setting: Setting) -> Iterator[Fact]:
    """Yield totals per arm and the most frequent terms."""
    time_point = _words(module.get("timeFrame"), 300)
    groups = module.get("eventGroups", [])
    arms = name_groups(groups, setting)
    ids = (setting.record_id, setting.number)
    for index, group in enumerate(groups):
        for kind in ("serious", "other", "deaths"):
            affected, at_risk = group.get(f"{kind}NumAffected"), group.get(f"{kind}NumAtRisk")
            if isinstance(affected, int) and isinstance(at_risk, int) and at_risk > 0:
                label = {"deaths": "deaths, any cause"}.get(kind, f"{kind} adverse events, any")
                yield _event(
                    ids,
                    label,
                    (affected, at_risk),
                    Qualifiers(arm=arms[str(group.get("id", ""))], time_point=time_point),
                    f"adverseEventsModule.eventGroups[{index}].{kind}NumAffected",
                )
    for kind in ("serious", "other"):
        terms = module.get(f"{kind}Events", [])
        yield from _read_terms(ids, kind, terms, arms, time_point)


def _read_terms(
    ids: tuple[str, str], kind: str, terms: Sequence[Json], arms: dict[str, str], when: str
) -> Iterator[Fact]:
    """Yield the terms most frequent in an arm, and of the first what every other arm had."""
    rows: dict[str, list[tuple[float, int, int, int]]] = {}
    for index, term in enumerate(terms):
        for stat in term.get("stats", []):
            affected, at_risk = stat.get("numAffected"), stat.get("numAtRisk")
            group = str(stat.get("groupId", ""))
            if group in arms and isinstance(affected, int) and at_risk:
                rows.setdefault(group, []).append((-affected / at_risk, index, affected, at_risk))
    most_frequent = {group: _most_frequent(row, MOST_EVENTS) for group, row in rows.items()}
    compared = {index for row in rows.values() for index in _most_frequent(row, MOST_COMPARED)}
    for group, measured in rows.items():
        for _, term_index, affected, at_risk in sorted(measured):
            if term_index in compared or term_index in most_frequent[group]:
                yield _event(
                    ids,
                    f"{kind} adverse event: {_words(terms[term_index].get('term'))}",
                    (affected, at_risk),
                    Qualifiers(arm=arms[group], time_point=when),
                    f"adverseEventsModule.{kind}Events[{term_index}]",
                )


def _most_frequent(counts: Sequence[tuple[float, int, int, int]], most: int) -> set[int]:
    """Return the places of the terms that most of an arm's participants had."""
    return {index for share, index, _, _ in sorted(counts)[:most] if share < 0}


def _event(
    ids: tuple[str, str],
    label: str,
    affected: tuple[int, int],
    qualifiers: Qualifiers,
    locator: str,
) -> Fact:
    count, at_risk = affected
    return Fact(
        ids[0],
        ids[1],
        Predicate.TRIAL_ADVERSE_EVENT,
        label,
        value=float(count),
        unit="participants affected",
        qualifiers=Qualifiers(arm=qualifiers.arm, time_point=qualifiers.time_point, n=str(at_risk)),
        locator=locator,
    )


def to_number(value: object) -> float | None:
    """Return a value that is a plain number; the register's "NA" and "<0.1" are none."""
    match = _NUMBER.fullmatch(str(value).replace(",", "").strip())
    return float(match[0]) if match else None


def _words(value: object, longest: int = 500) -> str:
    return clean_text(value, longest) if isinstance(value, str) else ""
