"""Events that the instance holds, set beside the moves that the list leaves unexplained.

A proposal explains nothing: it is a dated record near a move, with the chance that records of its
kind would lie as near on any dates. What a user ticks joins the request's events and is judged
again by the decision table.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, NamedTuple

import numpy as np

from core.agents.attribution_engine.decision import Decision
from core.agents.attribution_engine.records import Proposal
from core.agents.attribution_engine.schema import AttributionEngineRequest, plain_ticker
from core.agents.attribution_engine.settings import ConfigUsed
from core.agents.attribution_engine.stocks import Studied
from core.agents.attribution_engine.wording import count, percent, share
from core.evidence.events.links import drugs_on, genes_of
from core.evidence.names.companies import company_group, company_of_ticker, starts_of
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.events import Event, EventQuery
from core.records.names import fold_name
from core.vocabulary.event_types import EventType, event_types
from core.workbench import RunContext

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
    """Return the events of a company and of its competitors whose day is known."""
    group = company_of_ticker(company, resolver) or company_group(company)
    starts, folded = starts_of(group), fold_name(group)
    # Names under which records write the company.
    written = tuple(
        name.name
        for name in names
        if name.folded.startswith(starts) and fold_name(company_group(name.name)) == folded
    )
    if not written:
        return HeldEvents("", ())
    moving = [row.type for row in event_types().values() if row.group in _GROUPS]
    query = EventQuery(
        since=span.since,
        until=span.until,
        types=tuple(
            str(event_type) for event_type in (*moving, *_TRIAL) if event_type not in _NO_NEWS
        ),
        limit=_MOST_EVENTS,
    )
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


_MOST_A_MOVE = 5
_MOST_NAMED = 300


@dataclass(frozen=True)
class Proposed:
    """What was proposed, and what is to be said of it."""

    proposals: list[Proposal]
    warnings: list[str]


def propose(
    request: AttributionEngineRequest,
    stocks: Sequence[Studied],
    config: ConfigUsed,
    context: RunContext,
) -> Proposed:
    """Return the held events near every unexplained move of the companies that are named."""
    if not request.companies:
        return Proposed([], [])
    evidence, resolver = context.evidence, context.resolver
    proposals: list[Proposal] = []
    unknown: list[str] = []
    empty: list[str] = []
    named = {plain_ticker(company.ticker): company.name for company in request.companies}
    names = company_names(evidence)
    for stock in stocks:
        company = named.get(stock.stock.ticker)
        dates = stock.stock.rows.dates
        if company is None or not dates:
            continue
        events = find_held(company, Span(str(dates[0]), str(dates[-1])), names, evidence, resolver)
        if not events.company:
            unknown.append(" ".join(company.split())[:60])
        elif not events.events:
            empty.append(events.company)
        proposals += [
            proposal
            for decision in stock.decisions
            if decision.match is None
            for proposal in _near(decision, stock, events, config)[:_MOST_A_MOVE]
        ]
    warnings = []
    if unknown:
        warnings.append(
            f"company_not_held: no record of this instance names {', '.join(unknown)}, so that "
            "nothing could be compared with their moves; write the company's name as registers do."
        )
    if empty:
        warnings.append(
            f"no_held_events: no event with a day within the returns was found for "
            f"{', '.join(empty)}."
        )
    return Proposed(_with_addresses(proposals, evidence), warnings)


def _near(
    decision: Decision, studied: Studied, events: HeldEvents, config: ConfigUsed
) -> list[Proposal]:
    """Return the held events on a move's days or just before, the least likely by chance first."""
    rows, returns = studied.stock.rows, studied.study.found
    usable = np.flatnonzero(rows.series.usable).tolist()
    days = [rows.dates[row] for row in usable]
    reach = max(config.unexplained_window, config.max_lag)
    placed = list(_place(events.events, days, usable))
    proposals = []
    for event, row in placed:
        lag = decision.move.first - row
        if not (row <= decision.move.last and lag <= reach):
            continue
        alike = sum(
            bool(returns.tested[index])
            and (other.relationship, other.event.type) == (event.relationship, event.event.type)
            for other, index in placed
        )
        span = decision.move.last - decision.move.first + 1 + max(lag, 0)
        chance = 1 - (1 - min(1.0, span / int(returns.tested.sum()))) ** alike
        proposals.append(_describe(decision, studied, event, lag, float(chance), alike))
    return sorted(proposals, key=lambda each: (each.chance, abs(each.lag), each.asset, each.date))


def _place(
    events: Iterable[HeldEvent], days: Sequence[date], usable: Sequence[int]
) -> Iterator[tuple[HeldEvent, int]]:
    """Yield every event with the first row on which it could move the stock."""
    for event in events:
        index = bisect_left(days, date.fromisoformat(event.event.day))
        if index < len(days):
            yield event, usable[index]


def _describe(
    decision: Decision, studied: Studied, dated: HeldEvent, lag: int, chance: float, n_alike: int
) -> Proposal:
    event, move = dated.event, decision.move
    drugs = ", ".join(event.drugs[:3]) or "a drug not named"
    rows = studied.stock.rows
    return Proposal(
        ticker=studied.stock.ticker,
        move_date=rows.dates[move.peak],
        car=move.size.car,
        lag=lag,
        date=date.fromisoformat(event.day),
        asset=drugs[:_MOST_NAMED],
        event_type=dated.title,
        relationship=dated.relationship,
        region=event.lead.region,
        companies=list(event.companies[:5]),
        records=list(event.records[:5]),
        url="",
        chance=chance,
        n_alike=n_alike,
        note=f"Moved {percent(move.size.car)}; {dated.title.casefold()} of {drugs[:80]} on "
        f"{event.day} ({dated.relationship}) is in the evidence; "
        f"{count(n_alike, 'such record')} would lie as near on any dates in {share(chance)}. "
        "Not counted as explained.",
    )


def _with_addresses(proposals: list[Proposal], evidence: EvidenceReader) -> list[Proposal]:
    """Return the proposals with the address of each one's first record."""
    record_ids = sorted({proposal.records[0] for proposal in proposals if proposal.records})
    known_records = evidence.records(record_ids) if record_ids else {}
    return [
        proposal.model_copy(update={"url": known_records[proposal.records[0]].url})
        if proposal.records and proposal.records[0] in known_records
        else proposal
        for proposal in proposals
    ]
