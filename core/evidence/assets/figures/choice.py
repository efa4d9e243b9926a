"""Which figures of a trial's arm tell something: how well the drug works, how severe it is.

A value before treatment, a count of those who left, or a measure that is only watched for safety
in patients of that disease tells nothing of efficacy.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from core.records.evidence_pack import StoredFact
from core.vocabulary.endpoints import LAST, SEVERE, MeasureClass, classify_measure
from core.vocabulary.predicates import Predicate

MOST_FIGURES = 4
_STAGE = re.compile(
    r"(?:phase|part|period|stage|step|cohorts?|group|arm|double[- ]blind|open[- ]label|core|"
    r"main|extension|induction|maintenance|dose[- ]\w+)\b[^:]{0,40}: ",
    re.IGNORECASE,
)
"""A part of a trial named before a measure: "Phase 1b: Overall Response Rate"."""
_SAFETY_SET = re.compile(r"\bsafety\b[^.,;]{0,20}\b(?:population|set|evaluable)\b", re.I)
_ROW_BEFORE_TREATMENT = re.compile(
    r"(?:^|[:;,(] ?)(?:at )?baseline(?! ?(?:to|minus|through|adjusted|corrected|-)\b)|"
    r"\bpre-?(?:dose|treatment)\b|\bscreening\b|\bcensored\b|"
    r"\bbaseline(?<!from baseline)(?<!from the baseline)(?<!since baseline)(?<!vs baseline)"
    r"(?<!versus baseline)(?<!over baseline)(?<!of baseline)(?<!to baseline)(?<!than baseline)"
    r"(?<!below baseline)(?<!above baseline)(?<!with baseline)(?<!post baseline)(?<!post-baseline)"
    r"\s*(?:$|[;,(\[])",
    re.IGNORECASE,
)
_ARM_BEFORE_TREATMENT = re.compile(
    r"[(\[:,-] ?(?:at )?(?:baseline|screening|pre-?treatment|pre-?dose)(?: visit)?\s*(?:[)\]]|$)",
    re.I,
)
"""Columns of a table that are times and no arms: "Drug A (Baseline)"."""
_MEASURE_BEFORE_TREATMENT = re.compile(
    r"^(?:mean )?baseline\b(?!.{0,60}\b(?:to|change)\b)|\bat baseline(?: visit)?\s*$|"
    r"\bpre-?treatment adverse",
    re.IGNORECASE,
)
_ONLY_BEFORE = re.compile(
    r"\s*(?:at )?(?:the )?(?:baseline|screening|day 0|pre-?dose|pre-?treatment)(?: visit| only)?"
    r"(?: \(day -?\d+\))?\s*\.?\s*",
    re.IGNORECASE,
)
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
_SAFETY_TRIAL = re.compile(r"\bsafety\b|tolerab|pharmacokinetic|healthy", re.IGNORECASE)
_EFFICACY_TRIAL = re.compile(
    r"efficac|effect|activity|respon|outcome|superior|compar|versus|antitumor|dose-?finding",
    re.IGNORECASE,
)
"""Titles of trials whose primary measures, of no known kind, tell how well a drug works."""
_OTHER_PRESSURE = re.compile(
    r"\b(?:pulmonary|portal|ocular|intracranial)\b(?: \w+){0,2} hypertension", re.IGNORECASE
)
_BARE_PRESSURE = re.compile(r"(?<!arterial )(?<!essential )(?<!systemic )hypertension", re.I)
_DISEASES: Mapping[str, re.Pattern[str]] = {
    "blood pressure": re.compile(r"hypertens|hypotens|blood pressure", re.IGNORECASE),
    "lipids": re.compile(
        r"lipid|cholesterol|triglycerid|atheroscl|cardiovasc|coronary|diabet", re.IGNORECASE
    ),
    "heart function": re.compile(
        r"heart|cardi|ventric|myocard|valv|mitral|aort|fontan|hypertens", re.IGNORECASE
    ),
    "blood counts": re.compile(
        r"an(?:a)?emi|thrombo(?:cyt|pen)|neutrop|ha?emat|leu[ck]|lymph|eosino|myel|bleed|transfus|"
        r"transplant",
        re.IGNORECASE,
    ),
    "semen": re.compile(r"infertil|spermi|hypogonad", re.IGNORECASE),
    "red cells": re.compile(
        r"an(?:a)?emi|thrombo(?:cyt|pen)|neutrop|ha?emat|leu[ck]|lymph|kidney|renal|dialysis|"
        r"eosino|sickle|thalass|myel|bleed|transfus|transplant|ha?emoglobin",
        re.IGNORECASE,
    ),
    "body weight": re.compile(r"obes|overweight|weight|diabet|prader|cachex|anorex", re.IGNORECASE),
}
"""Diseases in which these measures tell efficacy; in others they are watched for safety."""


def best_figures(
    results: Sequence[StoredFact], primary: set[str], diseases: str
) -> list[StoredFact]:
    """Return the most telling efficacy figures: primary measures first, then by kind.

    Args:
        results: Posted results of the drug's own arms.
        primary: Primary measures as written.
        diseases: Title and conditions of the trial.
    """
    is_of_safety = _SAFETY_TRIAL.search(diseases) and not _EFFICACY_TRIAL.search(diseases)
    ranked: list[tuple[tuple[bool, int, int], StoredFact]] = []
    for one in results:
        measure = one.fact.object
        kind = _kind(one)
        if not _may_tell_efficacy(one, kind, diseases):
            continue
        is_primary = any(measure == said or measure.startswith(f"{said}: ") for said in primary)
        is_watched = is_of_safety and not is_primary and kind.name in _SCALES - _WANTED
        is_other = is_primary and kind.side == "other" and not is_of_safety
        if (kind.side == "efficacy" and not is_watched) or is_other:
            ranked.append(((not is_primary, kind.rank, one.id), one))
    ranked.sort(key=lambda entry: entry[0])
    chosen: list[StoredFact] = []
    seen: dict[str, int] = {}
    for (not_primary, rank, _), one in ranked:
        group = one.fact.object.split(": ")[0]
        if not_primary and rank == LAST:
            continue
        seen[group] = seen.get(group, 0) + 1
        if seen[group] <= 2:
            chosen.append(one)
    return chosen[:MOST_FIGURES]


def severe_figures(results: Sequence[StoredFact]) -> list[StoredFact]:
    """Return the posted counts of patients with severe events."""
    found = [
        one for one in results if SEVERE.search(one.fact.object) and not _is_before_treatment(one)
    ]
    return [one for one in found if _kind(one).side == "safety"][:2]


def event_figures(facts: Sequence[StoredFact]) -> list[StoredFact]:
    """Return the share with serious events, then the most frequent reactions of the largest arm."""
    events = [one for one in facts if one.fact.predicate == Predicate.TRIAL_ADVERSE_EVENT]
    events = [one for one in events if one.fact.value is not None]
    serious = [one for one in events if one.fact.object == "serious adverse events, any"]
    serious.sort(key=lambda one: (-_n(one), one.id))
    terms = [one for one in events if one.fact.object.startswith("other adverse event: ")]
    arm = serious[0].fact.qualifiers.arm if serious else ""
    terms = [one for one in terms if one.fact.qualifiers.arm == arm and one.fact.value]
    terms.sort(key=lambda one: (-(one.fact.value or 0), one.id))
    return [*serious[:2], *terms[:3]]


def _may_tell_efficacy(one: StoredFact, kind: MeasureClass, diseases: str) -> bool:
    """Return whether a figure is neither a value before treatment nor one watched for safety."""
    if _is_before_treatment(one):
        return False
    disease = _DISEASES.get(kind.name)
    if disease and not disease.search(_own(kind, diseases)):
        return False
    may_be_of_safety = kind.name in _SCALES or kind.side == "other"
    return not (may_be_of_safety and _SAFETY_SET.search(one.fact.qualifiers.population))


def _own(kind: MeasureClass, diseases: str) -> str:
    """Return the diseases without those of another pressure than that of the blood."""
    plain = _OTHER_PRESSURE.sub(" ", diseases) if kind.name == "blood pressure" else diseases
    # "Hypertension" among the conditions of such a trial is that of the lung, too
    return plain if plain == diseases else _BARE_PRESSURE.sub(" ", plain)


def _is_before_treatment(one: StoredFact) -> bool:
    said = one.fact.qualifiers
    return (
        _is_measured_before(one.fact.object)
        or _is_column_before(said.arm)
        or _is_time_before(said.time_point)
    )


@lru_cache(maxsize=16_384)
def _is_measured_before(told: str) -> bool:
    measure, _, row = told.partition(": ")
    return bool(_ROW_BEFORE_TREATMENT.search(row) or _MEASURE_BEFORE_TREATMENT.search(measure))


@lru_cache(maxsize=16_384)
def _is_column_before(arm: str) -> bool:
    return bool(_ARM_BEFORE_TREATMENT.search(arm))


@lru_cache(maxsize=16_384)
def _is_time_before(time_point: str) -> bool:
    return bool(_ONLY_BEFORE.fullmatch(time_point))


def _kind(one: StoredFact) -> MeasureClass:
    """Return the kind of a measure; what follows its title names a row of its table."""
    measure = one.fact.object
    part = _STAGE.match(measure)
    return classify_measure(measure[part.end() if part else 0 :].partition(": ")[0])


def _n(one: StoredFact) -> int:
    return int(one.fact.qualifiers.n) if one.fact.qualifiers.n.isdecimal() else 0
