"""Makes the events of what an import brought, once after it; a second import makes none.

An event keeps the generation that brought its first telling. What came with the first import of
a source, or with the starter pack, is a baseline and no news; a change between two states is
news as soon as one of them was held before.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from core.code_digest import READING, code_digest
from core.evidence.events.brought import read_brought
from core.evidence.events.rules import of_drug
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import Evidence, EvidenceReader
from core.identity_ports import Identity
from core.records.events import PRECISIONS, ToldEvent
from core.records.names import fold_name
from core.vocabulary.event_types import EventType, event_types, finer_types

NEAR_DAYS = 7
Key = tuple[str, str, str]


def key_of(report: ToldEvent) -> Key:
    """Return what tellings of one event share."""
    return report.type, report.subject, report.region


def merge(reports: Iterable[ToldEvent]) -> Iterator[ToldEvent]:
    """Yield tellings with the event that each belongs to; their order changes nothing."""
    by_key: dict[Key, list[ToldEvent]] = defaultdict(list)
    for event in _finely_typed(list(reports)):
        by_key[key_of(event)].append(event)
    for key, among in sorted(by_key.items()):
        for cluster in _clusters(sorted(among, key=_order)):
            lead = cluster[0]
            identity = "\n".join(
                (*key, lead.day, lead.since, lead.after if lead.precision != "day" else "")
            )
            number = hashlib.sha256(identity.encode()).hexdigest()[:16]
            first = min(event.generation for event in cluster)
            is_baseline = all(event.is_baseline for event in cluster if event.generation == first)
            for event in cluster:
                yield replace(
                    event,
                    event=number,
                    is_lead=event is lead,
                    event_generation=first,
                    is_event_baseline=is_baseline,
                )


def _finely_typed(reports: Sequence[ToldEvent]) -> Iterator[ToldEvent]:
    """Yield tellings with the finer type by which another source tells the same event.

    Drugs@FDA calls the license of a biosimilar what it calls any license; the Purple Book does not.
    """
    finer = finer_types()
    known_reports: dict[Key, list[ToldEvent]] = defaultdict(list)
    for event in reports:
        known_reports[key_of(event)].append(event)
    for event in reports:
        types = sorted(finer.get(EventType(event.type), ()))
        among = [
            other for kind in types for other in known_reports.get((kind, *key_of(event)[1:]), ())
        ]
        same = [other for other in among if _is_same_event(other, event)]
        yield replace(event, type=same[0].type) if same else event


def _order(report: ToldEvent) -> tuple[int, str, str, str, str]:
    """Return the place of a telling: exact days first, then the oldest."""
    return (
        PRECISIONS.index(report.precision),
        report.day,
        report.record_id,
        report.after,
        report.rule,
    )


def _clusters(among: Sequence[ToldEvent]) -> list[list[ToldEvent]]:
    """Return tellings by event, each led by the one whose day is best known and oldest."""
    clusters: list[list[ToldEvent]] = []
    for event in among:
        home = next((cluster for cluster in clusters if _is_same_event(cluster[0], event)), None)
        if home is None:
            clusters.append([event])
        else:
            home.append(event)
    return clusters


def _is_same_event(lead: ToldEvent, other: ToldEvent) -> bool:
    """Return whether two tellings of one type and subject are of one event."""
    if other.precision == "by":
        return other.day >= (lead.since or lead.day)[: len(other.day)]
    if lead.precision == "between" or other.precision == "between":
        return (
            lead.day == other.day
            or lead.precision == "day"
            and (other.since <= lead.day <= other.day)
        )
    if len(lead.day) != len(other.day):
        shorter = min(len(lead.day), len(other.day))
        return lead.day[:shorter] == other.day[:shorter]
    if lead.precision != "day":
        return lead.day == other.day
    return abs(_number(lead.day) - _number(other.day)) <= NEAR_DAYS


def _number(day: str) -> int:
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:  # no day of the calendar, as registers have some
        return -(10**6)


def prepare_events(evidence: Evidence, identity: Identity, learned: Identity) -> int:
    """Bring the events up to date with the records and return how many tellings were read."""
    if are_events_current(evidence, identity):
        return 0
    mark = evidence.events_mark()
    target = _mark(identity, evidence.generations())
    after = _continued(mark, target)
    resolver = Resolver(identity, learned)
    renewed = renew_events(evidence, after, resolver)
    replaced = None if after < 0 else renewed.replaced
    evidence.keep_events(renewed.reports, replaced, target)
    return renewed.n_read


class Renewed(NamedTuple):
    """Tellings that take the place of those of some records.

    Attributes:
        reports: The tellings, each with its event.
        replaced: Records whose tellings they replace.
        n_read: How many the records tell that came.
    """

    reports: Sequence[ToldEvent]
    replaced: Sequence[str]
    n_read: int


def renew_events(evidence: EvidenceReader, after: int, resolver: Resolver) -> Renewed:
    """Return the events of records that imports after one brought, merged with those kept.

    Args:
        evidence: The pack, or a run's evidence with live records.
        after: Number of the last import whose events are made; -1: none.
        resolver: Knows names.
    """
    seen: set[str] = set()
    read = list(_naming_drugs(list(read_brought(evidence, after, seen)), evidence))
    reports = list(_of_drugs(read, resolver))
    if after < 0:
        return Renewed(list(merge(reports)), sorted(seen), len(reports))
    stored_events = evidence.told_events(sorted(seen), ())
    reports = list(_inherited(reports, stored_events))
    subjects = sorted({report.subject for report in (*reports, *stored_events)})
    beside = evidence.told_events((), subjects)
    kept_events = [event for event in beside if event.record_id not in seen]
    replaced = sorted(seen | {event.record_id for event in kept_events})
    requested_subjects = set(subjects)
    others = [
        event
        for event in evidence.told_events(replaced, ())
        if event.record_id not in seen and event.subject not in requested_subjects
    ]
    return Renewed([*merge([*reports, *kept_events]), *others], replaced, len(reports))


def are_events_current(evidence: Evidence, identity: Identity) -> bool:
    """Return whether events are up to date, or cannot be made without names."""
    target = _mark(identity, evidence.generations())
    return not identity.version() or evidence.events_mark() == target


def _mark(identity: Identity, generations: Sequence[tuple[int, int]]) -> str:
    """Return what the events are made of: rules, names, and imports in their order."""
    code = code_digest(*READING, "evidence/assets", "evidence/events")
    rules = sha256(f"{code} {identity.version()}".encode()).hexdigest()[:12]
    return " ".join([rules, *(f"{number}:{first}" for number, first in generations)])


def _continued(mark: str, target: str) -> int:
    """Return the generation up to which events are made; -1 where all are to be made anew."""
    if " " not in mark or not f"{target} ".startswith(f"{mark} "):
        return -1
    return int(mark.rsplit(" ", maxsplit=1)[-1].partition(":")[0])


def _naming_drugs(reports: Sequence[ToldEvent], evidence: EvidenceReader) -> Iterator[ToldEvent]:
    """Yield events with the drugs of their record where the fact is about the record itself."""
    about = {event.record_id for event in reports if _is_of_record(event)}
    mentions = evidence.mentions(sorted(about))
    for event in reports:
        event_mentions = mentions.get(event.record_id, ()) if _is_of_record(event) else ()
        drugs = [each for each in event_mentions if each.kind == "drug"]
        made_of = [each.name for each in drugs if each.relation == "ingredient"]
        names = made_of or [each.name for each in drugs[:1]] or [event.subject]
        if names == [event.subject]:
            yield event
        else:
            yield from (replace(event, subject=name) for name in dict.fromkeys(names))


def _is_of_record(event: ToldEvent) -> bool:
    return of_drug(event.type) and event.record_id.endswith(f":{event.subject}")


def _of_drugs(reports: Iterable[ToldEvent], resolver: Resolver) -> Iterator[ToldEvent]:
    """Yield events with drugs by their keys; a product of several is one event."""
    by_record: dict[tuple[str, ...], list[ToldEvent]] = defaultdict(list)
    names: set[str] = set()
    for event in reports:
        if not of_drug(event.type):
            yield event
            continue
        by_record[event.record_id, event.type, event.region, event.day, event.after].append(event)
        names.add(event.subject)
    resolver.resolve_many("drug", sorted(names))
    keys = {name: _keys(name, resolver) for name in names}
    for among in by_record.values():
        parts = sorted({key for report in among for key in keys[report.subject]})
        first = min(among, key=lambda report: (report.generation, report.fact_id))
        yield replace(first, subject=" + ".join(parts))


def _keys(name: str, resolver: Resolver) -> list[str]:
    matches = resolver.resolve_combination(name)
    return [match.key or f"name:{fold_name(name)}" for match in matches]


def _inherited(
    reports: Iterable[ToldEvent], stored_reports: Iterable[ToldEvent]
) -> Iterator[ToldEvent]:
    """Yield events with the import that first brought them: a corrected day is no news."""
    known_reports: dict[tuple[str, ...], list[ToldEvent]] = defaultdict(list)
    for event in stored_reports:
        known_reports[_what(event)].append(event)
    for event in reports:
        older = [other for other in known_reports[_what(event)] if _is_same(event, other)]
        first = min(older, key=lambda other: other.generation, default=event)
        if first.generation >= event.generation:
            yield event
        else:
            yield replace(event, generation=first.generation, is_baseline=first.is_baseline)


def _what(event: ToldEvent) -> tuple[str, ...]:
    return event.record_id, event.type, event.subject, event.region, event.after


def _is_same(event: ToldEvent, other: ToldEvent) -> bool:
    if event.day == other.day or event_types()[EventType(event.type)].once:
        return True
    if "between" not in (event.precision, other.precision):
        return event.precision == other.precision == "by"
    return max(event.since, other.since) <= min(event.day, other.day)
