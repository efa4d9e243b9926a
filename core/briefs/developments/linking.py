"""Links events to drugs, diseases and companies, by records and tables alone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.briefs.developments.records import Development, Disease
from core.evidence.events.links import DrugLinks, Use
from core.evidence.names.companies import company_group, find_ticker, is_company, row_of
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import diseases_of
from core.evidence_ports import EvidenceReader
from core.records.events import Event, LinkedDrug
from core.records.evidence import Mention
from core.records.names import fold_name
from core.vocabulary.event_types import EventType, event_types

LATER = frozenset({"acquired", "merged", "majority holding"})
"""Relations that began on a day: before it the company was its own."""
_GRANTED = frozenset({EventType.ORIGINAL_APPROVAL, EventType.SUPPLEMENT_EFFICACY})
MOST_USES = 3
"""Uses of a drug that replace the disease that a register does not name."""
_POSTED = re.compile(r"^ctgov-\w+:(NCT\d{8})$")
_APPLICATION = re.compile(r"^fda-decisions:(NDA|BLA)(\d{6})-")
_NUMBER = re.compile(r"^(?:NDA|BLA|ANDA)[ -]?\d+$|\(individual\)", re.IGNORECASE)
_FOR = re.compile(r": (?:Treatment|Prevention|Diagnosis|Prophylaxis) of (?P<said>.+)$")


@dataclass(frozen=True)
class _Beside:
    """What other records of the same trial or application say."""

    mentions: Mapping[str, Sequence[Mention]]
    phases: Mapping[str, str]


class Linker:
    """Links events with one evidence pack: first to drugs, then to diseases and companies."""

    def __init__(self, evidence: EvidenceReader, resolver: Resolver) -> None:
        """Read what the pack says of drugs as such."""
        self.evidence, self._resolver = evidence, resolver
        self._links = self.links = DrugLinks(evidence, resolver)

    def to_drugs(self, events: Sequence[Event]) -> list[Development]:
        """Return events with the drugs that they happened to, or that their trials test."""
        beside = _read_beside(events, self.evidence)
        named = [_with_names(event, beside) for event in events]
        drugs = self._links.drugs(
            {name for development in named for name in development.event.drugs}
        )
        subjects = {
            development.event.lead.subject
            for development in named
            if _is_of_drug(development.event)
        }
        keys = self._links.by_key(subjects)
        developments: list[Development] = []
        for development in named:
            own_drugs = _drugs(development.event, drugs, keys)
            developments.append(
                replace(development, drugs=own_drugs, brand=_brand(development, own_drugs, drugs))
            )
        return developments

    def to_diseases(self, developments: Sequence[Development]) -> list[Development]:
        """Return developments with diseases: those of their records, else the drug's uses."""
        return _with_diseases(developments, self._links, self._resolver, self.evidence)

    def to_companies(self, developments: Sequence[Development]) -> list[Development]:
        """Return developments with companies, the drug's owner on that day, and tickers."""
        return _with_companies(developments, self._links, self._resolver)


def _is_of_drug(event: Event) -> bool:
    return event_types()[EventType(event.type)].subject == "drug"


def _twin(record_id: str) -> list[str]:
    """Return records that say of the same trial or application what this one does not."""
    if match := _POSTED.match(record_id):
        return [f"ctgov:{match[1]}"]
    if match := _APPLICATION.match(record_id):
        return [f"drugsfda:{match[2]}", f"purplebook:BLA{match[2]}"]
    return []


def _read_beside(events: Iterable[Event], evidence: EvidenceReader) -> _Beside:
    ids = sorted(
        {
            twin
            for event in events
            for record_id in event.records
            for twin in _twin(record_id)
            if not event.companies or not event.drugs
        }
    )
    if not ids:
        return _Beside({}, {})
    from core.evidence.events.planned import phases_of

    return _Beside(evidence.mentions(ids), phases_of(ids, evidence))


def _with_names(event: Event, beside: _Beside) -> Development:
    """Return an event with the names that records beside it have, where its own have none."""
    ids = [twin for record in event.records for twin in _twin(record)]
    mentions = [mention for record_id in ids for mention in beside.mentions.get(record_id, ())]

    def names(kind: str, own_names: tuple[str, ...]) -> tuple[str, ...]:
        is_tested = [mention for mention in mentions if mention.role in {"", "investigational"}]
        return own_names or tuple(
            dict.fromkeys(mention.name for mention in is_tested if mention.kind == kind)
        )

    phase = event.lead.phase or next(filter(None, map(beside.phases.get, ids)), "")
    if not mentions:
        return Development(event, phase=phase)
    linked_event = replace(
        event,
        drugs=names("drug", event.drugs),
        companies=names("company", event.companies),
        diseases=names("disease", event.diseases),
    )
    return Development(linked_event, phase=phase)


def _drugs(
    event: Event,
    named: Mapping[str, tuple[LinkedDrug, ...]],
    keys: Mapping[str, LinkedDrug],
) -> tuple[LinkedDrug, ...]:
    """Return the drugs of an event: that of its subject, else those that its records name."""
    subject = event.lead.subject
    if _is_of_drug(event) and subject in keys:
        return (keys[subject],)
    drugs = {drug.key: drug for name in event.drugs for drug in named.get(name, ())}
    if _is_of_drug(event) and subject in drugs:
        return (drugs[subject],)
    if _is_of_drug(event) and event_types()[EventType(event.type)].group == "regulatory":
        return tuple(drugs.values())[:1]
    return tuple(drugs.values())


def _brand(
    development: Development,
    drugs: Sequence[LinkedDrug],
    named: Mapping[str, tuple[LinkedDrug, ...]],
) -> str:
    """Return the name of the product, where a record has one beside the drug's own."""
    if development.is_of_trial or not drugs:
        return ""
    drug = drugs[0]
    own_name = fold_name(drug.name)
    for name in reversed(development.event.drugs):
        folded = fold_name(name)
        is_other = folded not in own_name and own_name not in folded
        is_part = any(fold_name(component) in folded for component in drug.name.split(" + "))
        if is_other and not is_part and len(name.split()) <= MOST_USES:
            is_same = {each.key for each in named.get(name, ())} <= {drug.key}
            if is_same:
                return name.title() if name.isupper() else name
    return ""


def _with_diseases(
    developments: Sequence[Development],
    links: DrugLinks,
    resolver: Resolver,
    evidence: EvidenceReader,
) -> list[Development]:
    """Return developments with their diseases: those of their records, else the drug's uses."""
    notes = _notes(developments, evidence)
    developments = [
        replace(development, note=notes[development.id]) if development.id in notes else development
        for development in developments
    ]
    lacking = {
        development.drug.key: {development.drug.name, *development.said("drugs")}
        for development in developments
        if development.drug and not development.said("diseases") and not development.note
    }
    uses = links.uses(lacking) if lacking else {}
    read = diseases_of(resolver)
    read.read_ahead(
        sorted(
            {
                name
                for development in developments
                for name in (*development.said("diseases"), development.note)
                if name
            }
            | {use.disease for uses in uses.values() for use in uses}
        )
    )

    def diseases(names: Iterable[str]) -> tuple[Disease, ...]:
        conditions = read.of_conditions(list(names))
        return tuple(
            {
                disease.name: Disease(disease.key, disease.name)
                for disease in conditions
                if disease.name
            }.values()
        )

    linked: list[Development] = []
    for development in developments:
        stated_diseases = development.said("diseases") or (
            (development.note,) if development.note else ()
        )
        if stated_diseases:
            linked.append(replace(development, diseases=diseases(stated_diseases)))
            continue
        of_drug = uses.get(development.drug.key, ()) if development.drug else ()
        stated = _only_use(of_drug, development)
        chosen = stated or _furthest(of_drug)
        if development.type in _GRANTED and chosen and chosen[0].stage != "APPROVED":
            chosen = ()  # what is approved is none of the uses that are still being tested
        linked.append(
            replace(
                development,
                diseases=diseases(use.disease for use in chosen),
                is_through_uses=bool(chosen) and not stated,
                link_ids=tuple(dict.fromkeys(use.record_id for use in chosen[:MOST_USES])),
            )
        )
    return linked


def _only_use(uses: Sequence[Use], development: Development) -> Sequence[Use]:
    """Return the use that the record of an event states, where it is the only one.

    Lists of medicines give the uses of today; of several, nobody knows which came with the event.
    """
    record_ids = {told.record_id for event in development.events for told in event.told}
    own_uses = [use for use in uses if use.record_id in record_ids]
    return own_uses if len({use.disease for use in own_uses}) == 1 else ()


def _furthest(uses: Sequence[Use]) -> Sequence[Use]:
    """Return the uses of the highest stage that is told."""
    return [use for use in uses if use.stage == uses[0].stage] if uses else ()


def _notes(developments: Sequence[Development], evidence: EvidenceReader) -> Mapping[str, str]:
    """Return the disease that each designation is for, which its title alone tells, by event."""
    requested_developments = [
        development
        for development in developments
        if development.type == EventType.DESIGNATION and not development.said("diseases")
    ]
    ids = sorted({development.event.lead.record_id for development in requested_developments})
    records = evidence.records(ids) if ids else {}
    notes: dict[str, str] = {}
    for requested_development in requested_developments:
        record = records.get(requested_development.event.lead.record_id)
        match = _FOR.search(record.title) if record else None
        if match:
            notes[requested_development.id] = match["said"].strip(" .")
    return notes


def _with_companies(
    developments: Sequence[Development], links: DrugLinks, resolver: Resolver
) -> list[Development]:
    """Return developments with their companies, the owner of the drug on that day, and tickers."""
    drugs = {
        development.drug.key: {development.drug.name, *development.said("drugs")}
        for development in developments
        if development.drug
    }
    holders = links.holders(drugs)
    linked: list[Development] = []
    for development in developments:
        names = [name for name in development.said("companies") if not _NUMBER.search(name)]
        firms = [name for name in names if not development.is_of_trial or is_company(name)]
        groups = [group_on(name, development.day) for name in firms]
        owners = [
            ownership.company
            for ownership in (holders.get(development.drug.key, ()) if development.drug else ())
            if ownership.was_on(development.day)
        ]
        lead = groups[:1] if not development.is_of_trial or firms[:1] == names[:1] else []
        linked.append(
            replace(
                development,
                company=next(iter(lead), ""),
                companies=tuple(dict.fromkeys(groups)),
                sponsor=names[0] if development.is_of_trial and names else "",
                owner=next(iter(owners), ""),
            )
        )
    written: dict[str, set[str]] = {}
    for development in linked:
        if development.company:
            written.setdefault(development.company, set()).update(development.said("companies")[:1])
    tickers = {
        group: find_ticker(group, sorted(names), resolver) for group, names in written.items()
    }
    return [
        replace(development, ticker=tickers.get(development.company) or "")
        for development in linked
    ]


def group_on(name: str, day: str) -> str:
    """Return the company under which a name counted on a day.

    One that was taken over later was its own company then.
    """
    row = row_of(name)
    if row and row.relation in LATER and row.from_on and row.from_on > day:
        return row.name
    return company_group(name)
