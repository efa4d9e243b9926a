"""What imports brought, what fires for a question at its level, and the digest of the hits."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, timedelta
from hashlib import sha256

from core.briefs.developments.records import DAY, Development
from core.briefs.developments.scanning import ALIKE, ALL, MARGIN_DAYS, NEAR_DAYS, find_developments
from core.briefs.developments.scoring import Known, read_earlier, score
from core.briefs.developments.wording import title_of
from core.briefs.watching.asked import Asked
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence_ports import EvidenceReader
from core.records.alerts import LEAST_SCORE, AlertHit, NewHit, ScorePart, SignalLevel
from core.records.events import EventQuery, ToldEvent
from core.reports.markdown import escape
from core.vocabulary.event_types import EventType


def digest(hits: Sequence[AlertHit], since: datetime, until: datetime) -> str:
    """Return hits by query, the best first."""
    lines = [f"# Alerts, {since:%Y-%m-%d} to {until:%Y-%m-%d}", ""]
    if not hits:
        lines += ["Nothing new on the watched questions.", ""]
    for query, query_hits in by_query(hits):
        lines += [f"## {escape(query)}", "", *map(_line, query_hits), ""]
    return "\n".join(lines)


def by_query(hits: Sequence[AlertHit]) -> list[tuple[str, list[AlertHit]]]:
    """Return each question with its hits, the best first."""
    hits_by_query: dict[str, list[AlertHit]] = defaultdict(list)
    for hit in sorted(hits, key=lambda hit: (-hit.score, hit.title)):
        hits_by_query[hit.query].append(hit)
    return sorted(hits_by_query.items())


def _line(hit: AlertHit) -> str:
    where = f" ({escape(hit.company)})" if hit.company else ""
    link = f" <{hit.url}>" if hit.url and not set(hit.url) & set(" <>") else ""
    return f"- {escape(hit.event_day)}, score {hit.score}: {escape(hit.title)}{where}{link}"


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


PREVIEW_DAYS = 90
MOST_SOURCES = 20


@dataclass(frozen=True)
class Preview:
    """How often a question would have fired.

    Attributes:
        hits: What a replay of the stored imports fires, of the last days; the best first.
        on_record: What happened in these days at that level, with what the first import of a
            source brought, which fires nothing; the best first.
        days: How many days.
    """

    hits: Sequence[NewHit]
    on_record: Sequence[NewHit]
    days: int


def fire(question: Asked, level: SignalLevel, fresh: Fresh, *, after: int = -1) -> list[NewHit]:
    """Return what fires for a question, each drug, type and day once, the best first.

    Args:
        question: What is asked for.
        level: From which score on it fires.
        fresh: What may fire.
        after: Import up to which the question was evaluated.
    """
    hits: dict[str, NewHit] = {}
    for development, generation in fresh.told:
        if generation <= after or not question.meets(development):
            continue
        points = score(development, question.wanted, fresh.today, fresh.earlier)
        if points.total < LEAST_SCORE[level]:
            continue
        hit = NewHit(
            identity=identify(development.asset, development.catalyst_type, development.day),
            title=title_of(development),
            catalyst_type=development.catalyst_type,
            score=points.total,
            event_day=development.day,
            drug=unmark(development.drug.name) if development.drug else "",
            company=unmark(development.company),
            source_ids=development.record_ids[:MOST_SOURCES],
            parts=tuple(
                ScorePart(name=field.name, points=getattr(points, field.name))
                for field in fields(points)
            ),
            met=tuple(question.told()),
            generation=generation,
        )
        earlier = hits.get(hit.identity)
        hits[hit.identity] = hit if earlier is None else _joined(earlier, hit)
    return sorted(hits.values(), key=lambda hit: (-hit.score, hit.event_day, hit.identity))


@dataclass(frozen=True)
class Past:
    """What any question can have met in the last days.

    Attributes:
        fresh: What imports told for the first time.
        on_record: What happened, with what the first import of a source brought.
        days: How many days.
    """

    fresh: Fresh
    on_record: Fresh
    days: int


def read_past(
    today: date, evidence: EvidenceReader, resolver: Resolver, *, days: int = PREVIEW_DAYS
) -> Past:
    """Return what any question can have met in the last days."""
    start = today - timedelta(days=days)
    since = (start - timedelta(days=MARGIN_DAYS)).isoformat()
    fresh = find_fresh(-1, today, evidence, resolver, since=since)
    query = EventQuery(since=since, until=today.isoformat(), limit=ALL)
    developments = find_developments(query, evidence, resolver)
    everything = Fresh(
        [(development, 0) for development in developments],
        today,
        read_earlier(developments, evidence),
    )
    return Past(_within(fresh, start), _within(everything, start), days)


def preview(question: Asked, level: SignalLevel, past: Past) -> Preview:
    """Return how often a question would have fired, by the code that fires."""
    return Preview(
        fire(question, level, past.fresh), fire(question, level, past.on_record), past.days
    )


def _within(fresh: Fresh, start: date) -> Fresh:
    reported = [
        (development, number)
        for development, number in fresh.told
        if start <= development.last_on <= fresh.today
    ]
    return replace(fresh, told=reported)


def identify(asset: str, catalyst_type: str, day: str) -> str:
    """Return what tells one hit of a question from another: drug, type, day."""
    return sha256("\n".join((asset, catalyst_type, day)).encode()).hexdigest()


def _joined(first: NewHit, second: NewHit) -> NewHit:
    """Return one hit of two that are the same drug, type and day: the better one leads."""
    lead, other = sorted((first, second), key=lambda hit: (-hit.score, hit.title))
    source_ids = dict.fromkeys((*lead.source_ids, *other.source_ids))
    return lead.model_copy(update={"source_ids": tuple(source_ids)[:MOST_SOURCES]})


def addresses_of(fresh: Fresh, evidence: EvidenceReader) -> Mapping[str, str]:
    """Return the web address of each record that tells what may fire, where it has one."""
    record_ids = {each for development, _ in fresh.told for each in development.record_ids}
    return {
        key: record.url
        for key, record in evidence.records(sorted(record_ids)).items()
        if record.url.startswith(("https://", "http://"))
    }


def with_addresses(hits: Iterable[NewHit], addresses: Mapping[str, str]) -> list[NewHit]:
    """Return hits with the address of the first of their records that has one."""
    return [
        hit.model_copy(update={"url": next(filter(None, map(addresses.get, hit.source_ids)), None)})
        for hit in hits
    ]
