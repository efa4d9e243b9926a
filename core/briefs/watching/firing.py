"""What fires for a question at its level, with why; and how often it would have fired."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from hashlib import sha256

from core.briefs.developments.scanning import ALL, MARGIN_DAYS, find_developments
from core.briefs.developments.scoring import read_earlier, score
from core.briefs.developments.wording import title_of
from core.briefs.watching.asked import Asked
from core.briefs.watching.fresh import Fresh, find_fresh
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.claims import unmark
from core.evidence_ports import EvidenceReader
from core.records.alerts import LEAST_SCORE, NewHit, ScorePart, SignalLevel
from core.records.events import EventQuery

PREVIEW_DAYS = 90
MOST_SHOWN = 8
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

    def address(hit: NewHit) -> str | None:
        return next((addresses[each] for each in hit.source_ids if each in addresses), None)

    return [hit.model_copy(update={"url": address(hit)}) for hit in hits]
