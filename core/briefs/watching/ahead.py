"""What lies ahead of watched questions, as a calendar that other programs can read (RFC 5545)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from core.briefs.developments.linking import Linker
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import ALL, merge_developments
from core.briefs.developments.wording import title_of
from core.briefs.watching.asked import Asked, read_question
from core.briefs.watching.firing import identify
from core.evidence.events.planned import planned_completions
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.alerts import Subscription
from core.records.events import EventQuery

AHEAD_DAYS = 365
MOST_NAMES = 40
"""Names of a drug under which its trials are looked for."""
DOMAIN = "biopharma-workbench"


@dataclass(frozen=True)
class Ahead:
    """Something that is to happen to what is watched.

    Attributes:
        identity: The same for equal drug, type and day.
        title: What is to happen.
        first_on: First day on which it may.
        last_on: Last day on which it may; a month has its last day.
        queries: Lines of the watched queries that it meets.
        record_ids: Records that tell it.
        url: Address of the first of them that has one; "" where none has.
    """

    identity: str
    title: str
    first_on: date
    last_on: date
    queries: tuple[str, ...]
    record_ids: tuple[str, ...]
    url: str = ""


def find_ahead(
    saved: Sequence[Subscription], today: date, evidence: EvidenceReader, resolver: Resolver
) -> list[Ahead]:
    """Return what lies ahead of enabled queries within a year, the soonest first.

    A day that a register only plans is one: target dates of regulators and primary completions
    that trials of phase 2 and 3 plan. The latter are looked for by the drugs that are watched.

    Args:
        saved: Queries of one caller; those that are off count for nothing.
        today: Day after which it lies.
        evidence: The pack.
        resolver: Knows names.
    """
    questions = [
        (saved_query.query, replace(question, wanted=replace(question.wanted, types=())))
        for saved_query in saved
        if saved_query.is_enabled and saved_query.question is not None
        for question in [read_question(saved_query.question, evidence, resolver)]
    ]  # of any type: what is planned has none of the types asked for yet
    if not questions:
        return []
    upcomings: dict[str, Ahead] = {}
    for development in _planned([what for _, what in questions], today, evidence, resolver):
        queries = tuple(
            dict.fromkeys(query for query, what in questions if what.meets(development))
        )
        if queries and development.first_on > today:
            row = _ahead(development, queries, evidence)
            upcomings.setdefault(row.identity, row)
    return sorted(
        upcomings.values(),
        key=lambda upcoming: (upcoming.first_on, upcoming.title, upcoming.identity),
    )


def _planned(
    requested_questions: Iterable[Asked], today: date, evidence: EvidenceReader, resolver: Resolver
) -> list[Development]:
    """Return what is told of the days ahead, linked to drugs, diseases and companies."""
    since, until = today + timedelta(days=1), today + timedelta(days=AHEAD_DAYS)
    events = evidence.events(
        EventQuery(since=since.isoformat(), until=until.isoformat(), limit=ALL)
    )
    drugs = [what.drug for what in requested_questions if what.drug]
    keys = [key for drug in drugs for key in drug.keys]
    keys += [key for what in requested_questions for key, _ in what.wanted.drugs]
    names = {drug.name for drug in drugs}
    for key in keys:
        names |= {name.name for name in resolver.identity.names("drug", key)[:MOST_NAMES]}
    linker = Linker(evidence, resolver)
    developments = merge_developments(linker.to_drugs(events))
    developments += linker.to_drugs(planned_completions(sorted(names), today, AHEAD_DAYS, evidence))
    return linker.to_companies(linker.to_diseases(developments))


def _ahead(development: Development, queries: tuple[str, ...], evidence: EvidenceReader) -> Ahead:
    records = evidence.records(development.record_ids)
    urls = (records[each].url for each in development.record_ids if each in records)
    return Ahead(
        identity=identify(development.asset, development.type, development.day),
        title=title_of(development),
        first_on=development.first_on,
        last_on=development.last_on,
        queries=queries,
        record_ids=development.record_ids,
        url=next((url for url in urls if url.startswith(("https://", "http://"))), ""),
    )


def calendar_of(rows: Iterable[Ahead], now: datetime) -> bytes:
    """Return events as a calendar file; each takes its whole days and blocks no time."""
    from icalendar import Calendar, Event

    calendar = Calendar()
    calendar.add("prodid", f"-//{DOMAIN}//alerts//EN")
    calendar.add("version", "2.0")
    for row in rows:
        event = Event()
        event.add("uid", f"{row.identity}@{DOMAIN}")
        event.add("dtstamp", now)
        event.add("dtstart", row.first_on)
        event.add("dtend", row.last_on + timedelta(days=1))
        event.add("summary", row.title)
        watched = "; ".join(row.queries)
        event.add("description", f"Watched: {watched}. Reported by {', '.join(row.record_ids)}.")
        event.add("transp", "TRANSPARENT")
        if row.url:
            event.add("url", row.url)
        calendar.add_component(event)
    return bytes(calendar.to_ical())
