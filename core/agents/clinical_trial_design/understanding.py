"""What a request comes to: the question, the row of what agencies accept in it, the notices."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache

from core.agents.clinical_trial_design.expectations import ExpectationRow, load_expectations
from core.agents.clinical_trial_design.question import INTERVAL, Question, read_question
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignRequest
from core.agents.clinical_trial_design.tables import area_traits
from core.briefs.settings import Area, make_area
from core.evidence.names.aliases import Named
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.knowledge.contradictions import find_contradictions, without_conflicts
from core.workbench import RunContext

CLAIM = "outcome claim"
EXCLUSIVE = frozenset({"biosimilar", "diagnostic", "vaccine"})
"""Intents whose requests never take the row of a treatment."""
_AROUND_SURGERY = frozenset({"adjuvant", "neoadjuvant"})
"""Treatment of resected or resectable disease, of which rows on advanced disease say nothing."""
_WEIGHTS = {"intent": 16, "study": 8, "kinds": 4, "drug_words": 4, "words": 4, "lines": 3}
_SAME, _NAMED, _ANY_DISEASE = 0, 1, 10_000


def understand(request: ClinicalTrialDesignRequest, context: RunContext) -> Question:
    """Return what is asked for, with the expectation of its setting and what is unclear."""
    question = read_question(request, context.resolver)
    markers = without_conflicts(question.setting.biomarkers, question.patients_text)
    question = replace(question, setting=replace(question.setting, biomarkers=markers))
    question = _expect(question, context.resolver)
    conflicts = find_contradictions(question.patients_text)
    notices = (*conflicts, *question.warnings, *_notices(request, question))
    return replace(question, warnings=tuple(dict.fromkeys(notices)))


@lru_cache(maxsize=4)
def _disease_keys(resolver: Resolver) -> dict[str, tuple[str, ...]]:
    """Return the keys of the diseases of each row."""
    rows = load_expectations()
    names = {name for row in rows for name in row.diseases.split("|") if name}
    matches = resolver.resolve_many("disease", sorted(names))
    keys = {name: match.key for name, match in matches.items() if match.key}
    return {
        row.key: tuple(keys[name] for name in row.diseases.split("|") if name in keys)
        for row in rows
    }


def find_expectation(question: Question, agency: str, resolver: Resolver) -> ExpectationRow | None:
    """Return the row that fits best: the nearest disease, then the most conditions met.

    Where the claim is an outcome, rows of that outcome go first: of the disease, else of the claim.
    """
    above = {
        area.key: resolver.identity.ancestors("disease", area.key) | {area.key}
        for area in question.setting.areas
    }
    points = {  # conditions of a row that are met, weighted
        row.key: sum(points for name, points in _WEIGHTS.items() if getattr(row, name))
        + (row.agency == agency)
        for row in load_expectations()
    }
    ranked = [
        ((distance, -points[row.key], row.key), row)
        for row in load_expectations()
        if _fits(row, question, agency)
        and (distance := _distance(row, question, above, resolver)) is not None
    ]
    claimed = [rank for rank in ranked if rank[1].endpoint_class == question.claimed_outcome]
    of_disease = [rank for rank in claimed if rank[1].intent != CLAIM]
    fitting = of_disease or claimed or ranked
    return min(fitting, key=lambda rank: rank[0])[1] if fitting else None


def _fits(row: ExpectationRow, question: Question, agency: str) -> bool:
    """Return whether every condition of a row but its disease is met."""
    if row.intent == CLAIM:
        return bool(question.claimed_outcome) and question.claimed_outcome == row.endpoint_class
    exclusive = question.intents & EXCLUSIVE
    if (row.intent or exclusive) and row.intent not in (exclusive or question.intents):
        return False
    is_first = question.study == "first in human"
    is_later = question.is_early_car_t and row.control != "single_arm"
    if is_later or bool(row.study) != is_first or row.agency not in {"", agency}:
        return False
    if not row.diseases and row.area == "Cancer" and "Cancer" not in question.areas:
        return False
    lines = set(map(str, question.setting.lines))
    around = lines & _AROUND_SURGERY
    if row.area == "Cancer" and around and not around & set(row.lines.split("|")):
        return False
    return all(
        (
            not row.lines or bool(lines & set(row.lines.split("|"))),
            not row.kinds or bool(question.kinds & set(row.kinds.split("|"))),
            not row.words or bool(_compiled(row.words).search(question.setting_text)),
            not row.drug_words or bool(_compiled(row.drug_words).search(question.drug_text)),
        )
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _distance(
    row: ExpectationRow,
    question: Question,
    above: Mapping[str, frozenset[str]],
    resolver: Resolver,
) -> tuple[int, int] | None:
    """Return how far the disease of a row lies above the one asked for, and which one that is.

    None where it lies above none.

    Of several diseases the one named first leads: hot flushes in women with breast cancer.
    """
    if row.named and _compiled(row.named).search(question.patients_text):
        return _SAME, 0
    if not row.diseases:
        return None if row.named else (_ANY_DISEASE, 0)

    def step(disease: str, key: str) -> int:
        wider = len(resolver.identity.descendants("disease", key))
        return _SAME if disease == key else _NAMED + wider

    steps = [
        (step(disease, key), place)
        for place, (disease, reached) in enumerate(above.items())
        for key in _disease_keys(resolver)[row.key]
        if key in reached
    ]
    return min(steps, default=None)


def _expect(question: Question, resolver: Resolver) -> Question:
    """Return the request with the row of what agencies accept, and the disease that it names."""
    by_agency = [
        (agency, find_expectation(question, agency, resolver)) for agency in question.agencies
    ]
    row = by_agency[0][1]
    if question.study == "first in human":
        pivotal = replace(question, study="pivotal")
        later = find_expectation(pivotal, question.agency, resolver)
        question = replace(question, expected_later=later)
    if row is None:
        return question
    later = question.expected_later
    area_name = row.area or (later.area if later else "")
    keys, areas = set(_disease_keys(resolver)[row.key]), question.setting.areas
    notices = [text for text in question.warnings if not _is_read(text, row)]

    def above(area: Area) -> set[str]:
        return {area.key, *resolver.identity.ancestors("disease", area.key)}

    # a design speaks of the first disease: those that the row is about go first
    ordered = tuple(sorted(areas, key=lambda area: not keys & above(area)))
    if row.intent in {"prevention", "vaccine"}:  # of an infection, not of its wider syndrome
        ordered = tuple(area for area in ordered if keys & above(area)) or ordered
    is_other = bool(areas) and ordered[0] != areas[0] and not (row.words or row.named)
    if is_other and areas[0].label.split(maxsplit=1)[0] not in row.endpoint:
        notices.append(
            f"expectation_of: no expectation is on file for {unmark(areas[0].label)}, named first; "
            f"the design follows what agencies accept in {unmark(ordered[0].label)}."
        )
    question = replace(
        question,
        warnings=tuple(notices),
        expected=row,
        expected_by_agency=tuple((name, accepted) for name, accepted in by_agency if accepted),
        traits=area_traits([area_name]) if area_name else question.traits,
        setting=replace(question.setting, areas=ordered),
    )
    if not row.named or not keys or any(keys & above(area) for area in ordered):
        return question
    disease = row.diseases.partition("|")[0]
    match = resolver.resolve_many("disease", [disease]).get(disease)
    if match is None or not match.key:
        return question
    area = make_area(Named("disease", match.key, match.label, disease, ()), resolver)
    words = f"disease_read: the indication is read as {unmark(match.label)}."
    setting = replace(question.setting, areas=(area,))
    return replace(question, setting=setting, warnings=(words, *question.warnings))


def _is_read(notice: str, row: ExpectationRow) -> bool:
    """Return whether a line of treatment that is not resolved is one that the row asks for."""
    is_line = "names no line of treatment" in notice
    return is_line and bool(row.words) and bool(_compiled(row.words).search(notice))


def _notices(request: ClinicalTrialDesignRequest, question: Question) -> Iterator[str]:
    """Yield what of the request is not understood or does not fit."""
    if question.agencies == ("Other",):
        yield (
            "geography_unknown: the regulator was not recognized; enter FDA, EMA, MHRA, PMDA, NMPA "
            "or Health Canada. General rules are used."
        )
    if question.stage is None:
        yield "stage_unknown: the development stage is not known; a pivotal study is planned for."
    if question.study == "first in human" and (
        request.intended_label_claim or question.is_later_line
    ):
        yield (
            "next_study_first: the drug is not in patients yet; the next study is the first in "
            "human, the pivotal study stands among the scenarios."
        )
    if question.may_restrict:
        yield (
            "adaptive_enrichment: enrollment may change at a look, so that bounds, events and N, "
            "which assume one population throughout, do not hold; see Additional calculations."
        )
    if question.is_preferred_unknown:
        yield "endpoint_unknown: the preferred endpoint is of no class known; it is used as named."
    if request.dosing_schedule and not INTERVAL.search(request.dosing_schedule):
        yield "not_read: dosing_schedule names no interval such as “every 3 weeks”."
    if request.route_of_administration and not question.regimen:
        yield "not_read: route_of_administration names no recognized route."
    unknown = len(request.regulatory_designations or ()) - len(question.designations)
    if unknown > 0:
        yield f"not_read: {unknown} of the regulatory designations were not recognized."
    if question.intents & EXCLUSIVE and question.expected is None:
        yield (
            "intent_unknown: no expectation is on file for this vaccine or biosimilar; name the "
            "disease that it prevents or the reference product's disease."
        )
    if question.claim and not (
        question.claimed or question.claim.lines or question.claim.biomarkers
    ):
        yield "not_read: intended_label_claim names no recognized endpoint, line or marker."
    patients = question.patients
    if patients and not (patients.populations or patients.lines or patients.biomarkers):
        yield "not_read: target_patient_population names no recognized age, line or marker."
