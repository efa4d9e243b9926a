"""What imports brought that was not told before: the events that may fire."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from core.briefs.developments.merging import ALIKE, NEAR_DAYS
from core.briefs.developments.records import DAY, Development
from core.briefs.developments.scanning import ALL, find_developments
from core.briefs.developments.scoring import Known, read_earlier
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.events import EventQuery, ToldEvent
from core.vocabulary.event_types import EventType


@dataclass(frozen=True)
class Fresh:
    """Developments that may fire, and what was on record before.

    Attributes:
        told: The developments with the import that brought each.
        today: Day as of which they are scored.
        earlier: First day of each type of event of each drug.
    """

    told: Sequence[tuple[Development, int]]
    today: date
    earlier: Mapping[Known, date] = field(default_factory=dict)


def find_fresh(
    after: int,
    today: date,
    evidence: EvidenceReader,
    resolver: Resolver,
    *,
    since: str = "",
) -> Fresh:
    """Return what imports after one brought and has happened, told for the first time.

    What came with the first import of a source is the baseline and no news; an event that
    another source told before, or that a fuller copy tells again, is none either.

    Args:
        after: Number of an import; -1: all.
        today: Day as of which it is asked.
        evidence: The pack.
        resolver: Knows names.
        since: Those that may have happened on this day or later (YYYY-MM-DD).
    """
    query = EventQuery(since=since, after_generation=after, with_baseline=False, limit=ALL)
    developments = [
        development
        for development in find_developments(query, evidence, resolver)
        if _happened(development, today)
    ]
    subjects = {event.lead.subject for development in developments for event in development.events}
    subjects |= {development.asset for development in developments}
    before: dict[tuple[str, str, str], list[ToldEvent]] = defaultdict(list)
    for telling in evidence.told_events((), sorted(subjects)) if subjects else ():
        kind = ALIKE.get(EventType(telling.type), telling.type)
        before[telling.subject, kind, telling.region].append(telling)
    unseen = [
        (development, generation_of(development))
        for development in developments
        if not _is_known(development, before)
    ]
    return Fresh(
        unseen,
        today,
        read_earlier([development for development, _ in unseen], evidence) if unseen else {},
    )


def generation_of(development: Development) -> int:
    """Return the import that first brought a development."""
    return min(event.generation for event in development.events)


def _happened(development: Development, today: date) -> bool:
    """Return whether it took place for certain: a day that is meant is no event."""
    return development.type != EventType.DECISION_EXPECTED and development.first_on <= today


def _is_known(
    development: Development, before: Mapping[tuple[str, str, str], list[ToldEvent]]
) -> bool:
    """Return whether an earlier import told it, or the first import of a source."""
    generation, own_events = generation_of(development), {event.id for event in development.events}
    kind = ALIKE.get(development.type, development.type)
    return any(
        telling.event not in own_events
        and telling.event_generation < generation
        and _is_near(telling.day, development.day)
        and _says_same(telling, development)
        for subject in {development.asset, development.event.lead.subject}
        for telling in before.get((subject, kind, development.event.lead.region), ())
    )


def _says_same(telling: ToldEvent, development: Development) -> bool:
    """Return whether a telling is of the event itself, not of another one of these days.

    One source that tells two things within a week means two things.
    """
    sources = {record_id.partition(":")[0] for record_id in development.record_ids}
    return telling.record_id.partition(":")[0] not in sources or (telling.type, telling.after) == (
        development.event.type,
        development.event.lead.after,
    )


def _is_near(day: str, other: str) -> bool:
    """Return whether two days are within a week, or one as exact as the other allows."""
    if len(day) != len(other) or len(day) < DAY:
        shorter = min(len(day), len(other))
        return day[:shorter] == other[:shorter]
    try:
        return abs((date.fromisoformat(day) - date.fromisoformat(other)).days) <= NEAR_DAYS
    except ValueError:  # no day of the calendar, as registers have some
        return day == other
