"""One event of several tellings: same drug, type and region within a week."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from core.records.events import PRECISIONS, ToldEvent
from core.vocabulary.event_types import EventType, finer_types

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
        same = [other for other in among if _is_same(other, event)]
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
        home = next((cluster for cluster in clusters if _is_same(cluster[0], event)), None)
        if home is None:
            clusters.append([event])
        else:
            home.append(event)
    return clusters


def _is_same(lead: ToldEvent, other: ToldEvent) -> bool:
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
