"""What a question asks of events, and which events meet it."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Literal

from core.briefs.developments.records import Development, Disease
from core.briefs.notices import no_match
from core.briefs.settings import Area, Part, make_area, read_setting
from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.target_match import matches
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import target_names
from core.evidence.proof.claims import unmark
from core.evidence.readers.questions.named import Held
from core.evidence.readers.questions.parsed import ParsedText, notices_of, warn_unfiltered
from core.evidence.readers.questions.reading import parse_text, split_events
from core.evidence_ports import EvidenceReader
from core.records.evidence import MentionKind
from core.records.names import fold_name
from core.records.programs import TargetExpression
from core.records.stages import Stage
from core.vocabulary.amounts import MoneyBound, find_bound
from core.vocabulary.biomarkers import excluded_by, find_biomarkers
from core.vocabulary.event_types import EventType, event_types
from core.vocabulary.regulators import agencies_of
from core.vocabulary.sister_targets import load_sisters
from core.vocabulary.target_axes import load_axes
from core.vocabulary.time_spans import Span, take_span

MOST_NAMES = 30
_BETWEEN = re.compile(r"\bbetween\b", re.IGNORECASE)
_SIDES = re.compile(
    r"\b(?:acquire|buy|deal|licen[cs]e|sell|sign)\w*\b.*\b(?:from|to|with)\b", re.IGNORECASE
)
"""Words by which companies are the two sides of one deal."""
_JOINED = re.compile(r"\s*(?:,|&|,?\s*\b(?:and|or)\b)\s*", re.IGNORECASE)
_OF_REGULATORS = frozenset({"regulatory", "label"})
_PLACES = ("agencies", "not_agencies", "regions", "not_regions", "territories")
"""Qualifiers that narrow the decisions of regulators."""
_KIND: dict[str, MentionKind] = {"target": "target", "disease": "disease", "query": "drug"}


@dataclass(frozen=True)
class Fields:
    """What a caller wrote; None where nothing was.

    Attributes:
        query: A question in plain words.
        indication: A disease.
        modality: A kind of drug.
        target: A target or mechanism.
        stages: Stages asked for; empty: any.
    """

    query: str | None = None
    indication: str | None = None
    modality: str | None = None
    target: str | None = None
    stages: tuple[Stage, ...] = ()

    @property
    def parts(self) -> dict[Part, str]:
        """Return the fields of one part each that were filled in."""
        texts: dict[Part, str | None] = {
            "disease": self.indication,
            "modality": self.modality,
            "target": self.target,
        }
        return {part: text for part, text in texts.items() if text is not None}


@dataclass(frozen=True)
class Wanted:
    """What an event must meet; every list given narrows, an empty one does not.

    Attributes:
        targets: Groups, one a field; a drug must act on one target of each.
        areas: Groups, one a field; a disease must lie in one area of each.
        disease_words: Words of a disease that is no known one; its name must hold them.
        modalities: Groups, one a field, of words of the modality table.
        drugs: Keys of drugs with their names.
        companies: Groups of companies.
        is_between: Whether each of the companies must take part: "deals between A and B".
        types: Types of events.
        stages: Stages.
        not_targets: Targets that are not wanted.
        not_modalities: Kinds of drugs that are not wanted.
        not_companies: Companies that are not wanted.
        not_diseases: Keys of diseases that are not wanted, with their kinds.
        not_drugs: Keys of drugs that are not wanted.
        nothing: Texts that name nothing known here: no event meets them.
        words: Phrases of the question, whose digits state nothing.
        warnings: What was not understood, or read otherwise than it was written.
        regulators: Whose decisions are asked for; empty: anyone's.
        not_regulators: Whose decisions are not wanted.
        span: The days that the question itself names; None where it names none.
        amount: What a deal must be worth; None where the question names none.
        markers: Biomarkers of the patients by which drugs are chosen, with what such drugs act on.
    """

    targets: tuple[tuple[TargetExpression, ...], ...] = ()
    areas: tuple[tuple[Area, ...], ...] = ()
    disease_words: tuple[str, ...] = ()
    modalities: tuple[tuple[str, ...], ...] = ()
    drugs: tuple[tuple[str, str], ...] = ()
    companies: tuple[str, ...] = ()
    is_between: bool = False
    types: tuple[EventType, ...] = ()
    stages: tuple[Stage, ...] = ()
    not_targets: tuple[TargetExpression, ...] = ()
    not_modalities: tuple[str, ...] = ()
    not_companies: tuple[str, ...] = ()
    not_diseases: frozenset[str] = frozenset()
    not_drugs: frozenset[str] = frozenset()
    nothing: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    regulators: tuple[str, ...] = ()
    not_regulators: tuple[str, ...] = ()
    span: Span | None = None
    amount: MoneyBound | None = None
    markers: tuple[tuple[str, TargetExpression], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that any record may carry: none, records alone name things."""
        return ()

    @property
    def target_names(self) -> list[str]:
        """Return the targets by name."""
        return list(dict.fromkeys(target.text for group in self.targets for target in group))

    @property
    def area_names(self) -> list[str]:
        """Return the diseases by name."""
        labels = (area.label for group in self.areas for area in group)
        return list(dict.fromkeys([*labels, *self.disease_words]))


def read_fields(
    fields: Fields, evidence: EvidenceReader, resolver: Resolver, today: date | None = None
) -> Wanted:
    """Return what fields in plain words ask for.

    Args:
        fields: As written; nothing in them is an instruction.
        evidence: The pack, whose names are near to a misspelt one.
        resolver: Knows names.
        today: The day that "last 60 days" counts from; None reads no span of time.
    """
    lookup = held_by(evidence, resolver)
    types, remainder = split_events(fields.query or "", resolver)
    amount = find_bound(remainder) if today else None
    if amount:
        remainder = f"{remainder[: amount.start]} {remainder[amount.end :]}"
    span, remainder = take_span(remainder, today) if today else (None, remainder)
    query = parse_text(remainder, resolver, lookup) if remainder else None
    parsed_parts: dict[Part, ParsedText] = {
        field: parse_text(text, resolver, lookup) for field, text in fields.parts.items()
    }
    texts = [*([query] if query else ()), *parsed_parts.values()]
    is_regulatory = types and all(event_types()[kind].group in _OF_REGULATORS for kind in types)
    decided = query if query and is_regulatory else ParsedText("")
    regulators = (*decided.agencies, *agencies_of(decided.regions))
    not_regulators = (*decided.not_agencies, *agencies_of(decided.not_regions))
    settings = [read_setting({"disease": text}, resolver) for text in texts]
    unresolved = read_setting(parsed_parts, resolver).unresolved
    nothing = [text for field, text in unresolved if field != "disease"]
    is_lost = query is not None and _names_nothing(query) and not types
    nothing += [query.text] if query and is_lost else []
    lost = [(field, text) for field, text in unresolved if field != "line"]
    disease = parsed_parts.get("disease")
    markers = tuple(_markers(texts, resolver))
    applied = (*(_PLACES if is_regulatory else ()), *(("biomarkers",) if markers else ()))
    return Wanted(
        targets=tuple(text.targets for text in texts if text.targets),
        areas=tuple(setting.areas for setting in settings if setting.areas),
        disease_words=(disease.words or (disease.text,))
        if disease and not disease.diseases
        else (),
        modalities=tuple(text.modalities for text in texts if text.modalities),
        drugs=tuple((drug.key, drug.label) for text in texts for drug in text.drugs if drug.key),
        companies=tuple(dict.fromkeys(company for text in texts for company in text.companies)),
        is_between=bool(types) and _names_two_sides(fields.query or "", query),
        types=types,
        stages=fields.stages or (query.stages if query else ()),
        not_targets=tuple(target for text in texts for target in text.not_targets),
        not_modalities=tuple(modality for text in texts for modality in text.not_modalities),
        not_companies=tuple(company for text in texts for company in text.not_companies),
        not_drugs=frozenset(drug.key for text in texts for drug in text.not_drugs),
        not_diseases=frozenset(
            key
            for text in texts
            for disease in text.not_diseases
            for key in make_area(disease, resolver).keys
        ),
        nothing=tuple(nothing),
        words=tuple(unmark(text.text) for text in texts),
        warnings=(
            *_describe_limits(regulators, not_regulators, span, amount, markers),
            *warn_unfiltered(texts, *applied),
            *_warn(query if not is_lost else None, texts, lost, nothing, evidence),
        ),
        regulators=regulators,
        not_regulators=not_regulators,
        span=span,
        amount=amount,
        markers=markers,
    )


def _markers(
    texts: Iterable[ParsedText], resolver: Resolver
) -> Iterator[tuple[str, TargetExpression]]:
    """Yield the biomarkers that drugs act on: "HER2-positive", "EGFR mutation".

    Of an axis the drugs act on either end, whoever is chosen by the other.
    """
    for name in dict.fromkeys(name for text in texts for name in text.biomarkers):
        target = target_names(resolver).of_text(name.removesuffix("-positive").partition(" ")[0])
        if target is not None and target.text not in {*load_axes(), *load_sisters()}:
            yield name, target


def _describe_limits(
    regulators: Sequence[str],
    not_regulators: Sequence[str],
    span: Span | None,
    amount: MoneyBound | None,
    markers: Sequence[tuple[str, TargetExpression]],
) -> Iterator[str]:
    """Yield how the question's own words narrow the scan."""
    limits = [
        f"{name} (events whose words name it, or whose drug acts on {target.text})"
        for name, target in markers
    ]
    if regulators:
        limits.append(f"decisions of {' and '.join(regulators)} alone")
    if not_regulators:
        limits.append(f"no decisions of {' or '.join(not_regulators)}")
    if span:
        limits.append(f"events {span.words}")
    if amount:
        limits.append(f"deals with {amount.words}; deals of unknown amount are excluded")
    if limits:
        yield f"filtered: the question asks for {', '.join(limits)}."


def _names_nothing(query: ParsedText) -> bool:
    """Return whether nothing in a query was understood as anything that narrows."""
    further_fields = (query.modalities, query.stages, query.not_targets, query.not_companies)
    return not query.names_something and not any(further_fields) and bool(query.words)


def held_by(evidence: EvidenceReader, resolver: Resolver) -> Held:
    """Return what decides whether a word is a drug: that the evidence has one of that name."""
    known_drugs = known_by_key(resolver)

    def has_asset(key: str) -> bool:
        if key in known_drugs:
            return True
        names = [name.name for name in resolver.identity.names("drug", key)]
        return bool(names) and bool(evidence.mentioning("drug", names[:MOST_NAMES]))

    return Held(has_asset)


def _warn(
    query: ParsedText | None,
    texts: Sequence[ParsedText],
    lost: Sequence[tuple[Part, str]],
    nothing: Sequence[str],
    evidence: EvidenceReader,
) -> Iterator[str]:
    """Yield what was not understood, with the names that are near."""
    seen = set()
    for field, text in lost:
        seen.add(text)
        if field == "modality":
            yield f"no_match: “{unmark(text)}” is no kind of drug known here."
        else:
            yield no_match(_KIND[field], text, evidence)
    for text in nothing:
        if text not in seen:
            yield no_match("drug", text, evidence)
    if query and query.words:
        yield (
            f"not_resolved: “{unmark(' '.join(query.words))}” names nothing known here, so that it "
            "narrows nothing."
        )
    for parsed in texts:
        yield from notices_of(parsed)


Filter = Literal[
    "amount",
    "type",
    "regulator",
    "stage_focus",
    "target",
    "modality",
    "drug",
    "indication",
    "biomarker",
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
        ("biomarker", lambda: all(_meets(development, *marker) for marker in criteria.markers)),
    )
    third: tuple[tuple[Filter, Callable[[], bool]], ...] = (
        ("company", lambda: _is_of_companies(development, criteria)),
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


def _meets(development: Development, marker: str, target: TargetExpression) -> bool:
    """Return whether an event is of patients with a biomarker: by its words, or by its drug."""
    words = " ; ".join((*development.said("diseases"), development.note))
    named = {row.name for row in find_biomarkers(words)}
    if marker in named or not named.isdisjoint(excluded_by(marker)):
        return marker in named
    return _acts_on(development, [target])


def _is_drug(development: Development, keys: Collection[str]) -> bool:
    return any(
        component in keys
        for drug in development.drugs
        for component in (drug.key, *drug.key.split(" + "))
    )


def _names_two_sides(text: str, query: ParsedText | None) -> bool:
    """Return whether companies are the two sides of a deal, and not a list joined by "and".

    Args:
        text: The question.
        query: It without its types of events and its days.
    """
    if query is None:
        return False
    named = [piece for piece in query.pieces if piece.became == "company"]
    gaps = (query.text[first.end : second.start] for first, second in pairwise(named))
    is_apart = any(_JOINED.fullmatch(gap) is None for gap in gaps)
    return bool(_BETWEEN.search(text) or (is_apart and _SIDES.search(text)))


def _is_of_companies(development: Development, criteria: Wanted) -> bool:
    sides = (_is_of(development, [name]) for name in criteria.companies)
    return not criteria.companies or (all(sides) if criteria.is_between else any(sides))


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
