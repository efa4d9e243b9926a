"""Whether a development is what a scan asks for; what is not is told by its first reason."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Literal

from core.briefs.developments.question import Wanted
from core.briefs.developments.records import Development, Disease
from core.briefs.settings import Area
from core.evidence.assets.target_match import matches
from core.records.names import fold_name
from core.records.programs import TargetExpression
from core.vocabulary.event_types import EventType

Filter = Literal[
    "amount",
    "type",
    "regulator",
    "stage_focus",
    "target",
    "modality",
    "drug",
    "indication",
    "company",
    "not_understood",
    "left_out",
    "not_told",
    "beyond_limit",
]
Linked = Literal["drugs", "diseases", "companies"]
OF_ONE_USE = frozenset(
    {
        *(EventType.ORIGINAL_APPROVAL, EventType.SUPPLEMENT_EFFICACY),
        *(EventType.SUPPLEMENT_UNCLASSED, EventType.REGULATORY_DECISION),
        *(EventType.DECISION_EXPECTED, EventType.COMPLETE_RESPONSE),
        *(EventType.DESIGNATION, EventType.PRIORITY_VOUCHER),
    }
)
"""Regulatory events about one use of a drug."""
THROUGH_USES = 0.6
"""What a disease counts that is linked through the drug's uses alone."""
OF_FAMILY = 0.8
"""What a target counts that belongs to one of several drugs of a trial."""


def cut(
    developments: Iterable[Development], criteria: Wanted, *, upto: Linked = "companies"
) -> tuple[list[Development], Mapping[Filter, int]]:
    """Return what is asked for, and how many each filter removed.

    Args:
        developments: The developments.
        criteria: What is asked for.
        upto: What they are linked to; filters of the rest wait.
    """
    kept_developments: list[Development] = []
    dropped: Counter[Filter] = Counter()
    for development in developments:
        reason = why_not(development, criteria, upto=upto)
        if reason is None:
            kept_developments.append(development)
        else:
            dropped[reason] += 1
    return kept_developments, dict(sorted(dropped.items()))


def why_not(
    development: Development, criteria: Wanted, *, upto: Linked = "companies"
) -> Filter | None:
    """Return the first filter that a development does not pass; None where it passes all."""
    first: tuple[tuple[Filter, Callable[[], bool]], ...] = (
        ("not_understood", lambda: not criteria.nothing),
        (
            "type",
            lambda: not criteria.types or any(e.type in criteria.types for e in development.events),
        ),
        ("regulator", lambda: _is_of_regulator(development, criteria)),
        ("stage_focus", lambda: not criteria.stages or (development.stage in criteria.stages)),
        ("target", lambda: all(_acts_on(development, group) for group in criteria.targets)),
        (
            "modality",
            lambda: all(
                any(drug.modality in group for drug in development.drugs)
                for group in criteria.modalities
            ),
        ),
        (
            "drug",
            lambda: not criteria.drugs or _is_drug(development, {key for key, _ in criteria.drugs}),
        ),
    )
    second: tuple[tuple[Filter, Callable[[], bool]], ...] = (
        ("indication", lambda: hit_of_diseases(development, criteria) > 0),
    )
    third: tuple[tuple[Filter, Callable[[], bool]], ...] = (
        ("company", lambda: not criteria.companies or _is_of(development, criteria.companies)),
        ("left_out", lambda: not _is_refused(development, criteria)),
    )
    checks = {
        "drugs": first,
        "diseases": (*first, *second),
        "companies": (*first, *second, *third),
    }[upto]
    return next((name for name, passes in checks if not passes()), None)


def hit(development: Development, criteria: Wanted) -> float:
    """Return how well a development that passes meets the filters: mean over those asked, 0 to 1.

    A direct link counts 1, a disease through the drug's uses and a target of another drug of the
    trial less. Without a filter everything counts 1.
    """
    first = [development.drugs[0]] if development.drugs else []
    parts: list[float] = []
    for group in criteria.targets:
        is_first = any(matches(x, y) for drug in first for x in drug.targets for y in group)
        parts.append(1.0 if is_first else OF_FAMILY)
    for kinds in criteria.modalities:
        parts.append(1.0 if any(drug.modality in kinds for drug in first) else OF_FAMILY)
    if criteria.areas or criteria.disease_words:
        parts.append(hit_of_diseases(development, criteria))
    fields = (criteria.types, criteria.stages, criteria.drugs, criteria.companies)
    parts += [1.0 for field in fields if field]
    return sum(parts) / len(parts) if parts else 1.0


def hit_of_diseases(development: Development, criteria: Wanted) -> float:
    """Return how well the diseases of a development meet those asked for, 0 to 1.

    What concerns one use of a drug, where no record says which, is met only where every use of the
    drug is asked for: an approval in another disease is no news of this one.
    """
    words = [fold_name(word) for word in criteria.disease_words]
    if not criteria.areas and not words:
        return 1.0
    is_unsaid = development.is_through_uses and not OF_ONE_USE.isdisjoint(
        event.type for event in development.events
    )
    enough = all if is_unsaid else any
    is_met = all(
        enough(_is_in(disease, areas) for disease in development.diseases)
        for areas in criteria.areas
    )
    has_words = not words or any(
        all(word in fold_name(disease.name) for word in words) for disease in development.diseases
    )
    if not (is_met and has_words and development.diseases):
        return 0.0
    return THROUGH_USES if development.is_through_uses else 1.0


def asked_first(development: Development, criteria: Wanted) -> Development:
    """Return a development with the diseases that are asked for before its others."""
    diseases = sorted(
        development.diseases,
        key=lambda disease: not all(_is_in(disease, areas) for areas in criteria.areas),
    )
    return replace(development, diseases=tuple(diseases))


def _is_in(disease: Disease, areas: Iterable[Area]) -> bool:
    return any(
        disease.key in area.keys if disease.key else area.names_in(disease.name) for area in areas
    )


def _is_of_regulator(development: Development, criteria: Wanted) -> bool:
    is_asked = not criteria.regulators or development.region in criteria.regulators
    return is_asked and development.region not in criteria.not_regulators


def _acts_on(development: Development, group: Collection[TargetExpression]) -> bool:
    links = [target for drug in development.drugs for target in drug.targets]
    return any(matches(link, target) for link in links for target in group)


def _is_drug(development: Development, keys: Collection[str]) -> bool:
    return any(
        component in keys
        for drug in development.drugs
        for component in (drug.key, *drug.key.split(" + "))
    )


def _is_of(development: Development, companies: Collection[str]) -> bool:
    names = {fold_name(name) for name in companies}
    return any(
        fold_name(name) in names
        for name in (*development.companies, development.company, development.owner)
    )


def _is_refused(development: Development, criteria: Wanted) -> bool:
    links = [target for drug in development.drugs for target in drug.targets]
    return (
        any(matches(link, target) for link in links for target in criteria.not_targets)
        or any(drug.modality in criteria.not_modalities for drug in development.drugs)
        or any(drug.key in criteria.not_drugs for drug in development.drugs)
        or (bool(criteria.not_companies) and _is_of(development, criteria.not_companies))
        or any(
            disease.key in criteria.not_diseases for disease in development.diseases if disease.key
        )
    )
