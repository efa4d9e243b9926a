"""Dated events that the instance holds of a company and of drugs on the same targets."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from core.evidence.events.of_targets import drugs_on, genes_of
from core.evidence.names.companies import company_group, starts_of
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.tickers import company_of_ticker
from core.evidence_ports import EvidenceReader
from core.records.events import Event, EventQuery
from core.records.names import fold_name
from core.vocabulary.event_types import EventType, event_types

_MOST_EVENTS = 20_000
_GROUPS = ("regulatory", "label", "deal")
_TRIAL = (EventType.TRIAL_RESULTS_POSTED, EventType.TRIAL_STOP)
_NO_NEWS = (
    EventType.DECISION_EXPECTED,
    EventType.GENERIC_APPROVAL,
    EventType.SUPPLEMENT_LABELING,
    EventType.SUPPLEMENT_MANUFACTURING,
    EventType.SUPPLEMENT_OTHER,
    EventType.SUPPLEMENT_UNCLASSED,
)
"""What lies ahead, concerns others, or is routine."""


Whose = Literal["own", "partner", "competitor"]


class HeldEvent(NamedTuple):
    """An event with whose it is, on a day that is known.

    Attributes:
        event: As the evidence holds it.
        relationship: As events of a request name it.
        title: Its type in words.
    """

    event: Event
    relationship: Whose
    title: str


class HeldEvents(NamedTuple):
    """What is held of a company within the days of its returns.

    Attributes:
        company: Name under which it counts; "" where no record names it.
        events: Its own events and those of competitors on the same targets, by day.
    """

    company: str
    events: tuple[HeldEvent, ...]


class Span(NamedTuple):
    """Days, YYYY-MM-DD, both included."""

    since: str
    until: str


class CompanySpelling(NamedTuple):
    """A company's name, folded and as one record writes it."""

    folded: str
    name: str


def find_held(
    company: str,
    span: Span,
    names: Sequence[CompanySpelling],
    evidence: EvidenceReader,
    resolver: Resolver,
) -> HeldEvents:
    """Return the events of a company and of its competitors whose day is known.

    Args:
        company: The company's name or ticker.
        span: First and last day.
        names: From `company_names`.
        evidence: The records.
        resolver: Knows names.
    """
    group = company_of_ticker(company, resolver) or company_group(company)
    written = _spellings(group, names)
    if not written:
        return HeldEvents("", ())
    query = EventQuery(since=span.since, until=span.until, types=_types(), limit=_MOST_EVENTS)
    own_events = [
        event
        for event in evidence.events(replace(query, companies=written))
        if _is_exact(event, span)
    ]
    written_drugs = {name for event in own_events for name in event.drugs}
    drugs = {fold_name(name) for name in written_drugs}
    rivals = drugs_on(evidence, resolver, sorted(genes_of(evidence, resolver, written_drugs)))
    others = [name for name in rivals if fold_name(name) not in drugs]
    known_ids = {event.id for event in own_events}
    rival_events = evidence.events(replace(query, drugs=tuple(others))) if others else ()
    rival = [
        event for event in rival_events if event.id not in known_ids and _is_exact(event, span)
    ]
    events = [
        *(HeldEvent(event, _whose(event, group), title_of(event.type)) for event in own_events),
        *(HeldEvent(event, "competitor", title_of(event.type)) for event in rival),
    ]
    return HeldEvents(
        group, tuple(sorted(events, key=lambda event: (event.event.day, event.event.id)))
    )


def _types() -> tuple[str, ...]:
    """Return the types that may move a stock."""
    moving = [row.type for row in event_types().values() if row.group in _GROUPS]
    return tuple(str(event_type) for event_type in (*moving, *_TRIAL) if event_type not in _NO_NEWS)


def title_of(kind: str) -> str:
    """Return a type of event in words."""
    return event_types()[EventType(kind)].title


def _is_exact(event: Event, span: Span) -> bool:
    return event.precision == "day" and span.since <= event.day <= span.until


def _whose(event: Event, group: str) -> Whose:
    """Return whether an event is the company's own: that of the company its record leads with."""
    first = company_group(event.companies[0]) if event.companies else ""
    return "own" if fold_name(first) == fold_name(group) else "partner"


def company_names(evidence: EvidenceReader) -> list[CompanySpelling]:
    """Return every company of the records, folded and as written: read once for all stocks."""
    return [CompanySpelling(folded, name) for folded, name, _ in evidence.names("company")]


def _spellings(group: str, names: Sequence[CompanySpelling]) -> tuple[str, ...]:
    """Return the names under which records write a company."""
    starts, folded = starts_of(group), fold_name(group)
    return tuple(
        name.name
        for name in names
        if name.folded.startswith(starts) and fold_name(company_group(name.name)) == folded
    )
