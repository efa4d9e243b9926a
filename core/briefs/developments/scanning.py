"""A scan: the window by the day of the event, what lies ahead, and the nearest before.

The events themselves are merged by the drug that a register writes; here letters, notices and
registers meet that write one drug in several ways, and the changes of one trial become one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from core.briefs.developments.linking import Linker
from core.briefs.developments.question import Filter, Wanted, asked_first, cut, hit
from core.briefs.developments.records import DAY, Development
from core.briefs.developments.scoring import Score, read_earlier, score
from core.evidence.entries.money import deals_of
from core.evidence.events.planned import planned_completions, withdrawn_among
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.events import PRECISIONS, EventQuery
from core.vocabulary.event_types import EventType
from core.vocabulary.time_spans import Span

NEAR_DAYS = 7
ALIKE = {
    EventType.TRIAL_COMPLETION_CHANGE: "changes of a trial",
    EventType.TRIAL_ENROLLMENT_CHANGE: "changes of a trial",
    EventType.TRIAL_PRIMARY_COMPLETION_CHANGE: "changes of a trial",
    EventType.TRIAL_PRIMARY_ENDPOINT_CHANGE: "changes of a trial",
    EventType.TRIAL_STATUS_CHANGE: "changes of a trial",
    EventType.BOXED_WARNING: "label",
    EventType.LABEL_CHANGE: "label",
}
"""Types that one publication of a source reports together."""
OF_DOCUMENTS = frozenset({EventType.FILING, EventType.PATENT_GRANTED, EventType.REGULATORY_NOTICE})
"""Types of which each document is an event, whatever drug it names."""
Key = tuple[str, str, str]


def merge_developments(developments: Iterable[Development]) -> list[Development]:
    """Return developments of which no two are one; their order and copies change nothing."""
    by_key: dict[Key, list[Development]] = defaultdict(list)
    for development in {development.id: development for development in developments}.values():
        by_key[_key(development)].append(development)
    return [
        _merged(cluster)
        for _, among in sorted(by_key.items())
        for cluster in _clusters(sorted(among, key=_lead_order))
    ]


def _key(development: Development) -> Key:
    subject = development.event.lead.subject.rpartition(":")[2]
    subject_key = subject if development.is_of_trial or not development.drugs else development.asset
    if development.type in OF_DOCUMENTS:
        subject_key = development.event.lead.subject
    if development.type == EventType.ACQUISITION:  # of a company with all its drugs
        subject_key = " | ".join(sorted(development.event.companies)) or subject_key
    return subject_key, ALIKE.get(development.type, development.type), development.event.lead.region


def _lead_order(development: Development) -> tuple[int, str, float, str]:
    """Return the place of a development: the best known day first, then the oldest."""
    return (
        PRECISIONS.index(development.precision),
        development.day,
        -development.row.materiality,
        development.id,
    )


def _clusters(among: Sequence[Development]) -> list[list[Development]]:
    clusters: list[list[Development]] = []
    for development in among:
        home = next((cluster for cluster in clusters if _is_same(cluster[0], development)), None)
        if home is None:
            clusters.append([development])
        else:
            home.append(development)
    return clusters


def _is_same(lead: Development, other: Development) -> bool:
    if len(lead.day) != len(other.day) or len(lead.day) < DAY:
        shorter = min(len(lead.day), len(other.day))
        return lead.day[:shorter] == other.day[:shorter]
    return abs((lead.last_on - other.last_on).days) <= NEAR_DAYS


def _merged(cluster: Sequence[Development]) -> Development:
    lead = cluster[0]
    if len(cluster) == 1:
        return lead
    events = {event.id: event for development in cluster for event in development.events}
    return replace(
        lead,
        further=tuple(event for key, event in sorted(events.items()) if key != lead.id),
        drugs=lead.drugs
        or next((development.drugs for development in cluster if development.drugs), ()),
        brand=lead.brand
        or next((development.brand for development in cluster if development.brand), ""),
    )


ALL = 1_000_000
AHEAD_DAYS = 365
MARGIN_DAYS = 31
"""Days before a window that are read, too, so that an event keeps its day at the border."""
MOST_NEAREST = 10
MOST_FOLLOWED = 40
"""The best of the feed, for whose drugs planned completions are shown."""
_AHEAD = frozenset({EventType.DECISION_EXPECTED, EventType.READOUT_EXPECTED})
"""Types of events that lie ahead: a question that names one wants no other ahead."""
DECISIONS = frozenset(
    {
        EventType.ORIGINAL_APPROVAL,
        EventType.BIOSIMILAR_APPROVAL,
        EventType.SUPPLEMENT_EFFICACY,
        EventType.REGULATORY_DECISION,
        EventType.COMPLETE_RESPONSE,
        EventType.TENTATIVE_APPROVAL,
    }
)
"""Types of events that answer a filing."""
_COPIES = frozenset({EventType.BIOSIMILAR_APPROVAL, EventType.TENTATIVE_APPROVAL})
"""Decisions on copies, whose target dates are not published."""
DECIDED_EARLY_DAYS = 180
"""How long before its target date a decision may come."""
SEARCHED = (1_000, 10_000)
"""Events before the window that are looked at for the nearest ones, first few, then many."""


@dataclass(frozen=True)
class Window:
    """The days of a scan.

    Attributes:
        today: The day of the question.
        days: How many days before the last one count.
        until: Last day; None: today.
        ahead: Last day ahead of today; None: a year from today.
        opens: First day of a span that lies ahead as a whole, of which nothing has happened yet.
    """

    today: date
    days: int
    until: date | None = None
    ahead: date | None = None
    opens: date | None = None

    @classmethod
    def of(cls, today: date, days: int, span: Span | None) -> "Window":
        """Return the window of a question: the span that it names, else the days before today."""
        if span is None:
            return cls(today, days)
        ahead = span.last if span.last > today else None
        if span.first >= today:
            return cls(today, days, ahead=ahead, opens=max(span.first, today + timedelta(days=1)))
        last = min(span.last, today)
        return cls(today, max(1, (last - span.first).days), last, ahead)

    @property
    def end(self) -> date:
        """Return the last day."""
        return self.until or self.today

    @property
    def words(self) -> str:
        """Return the window as a sentence names it."""
        if self.opens:
            return f"{self.opens.isoformat()} to {self.last_ahead.isoformat()}"
        if self.until is None:
            return f"the last {self.days} days"
        return f"{self.start.isoformat()} to {self.end.isoformat()}"

    @property
    def last_ahead(self) -> date:
        """Return the last day of what lies ahead."""
        return self.ahead or self.today + timedelta(days=AHEAD_DAYS)

    @property
    def start(self) -> date:
        """Return the first day."""
        return self.end - timedelta(days=self.days)

    @property
    def before(self) -> date:
        """Return the first day of the window before."""
        return self.start - timedelta(days=self.days)

    def holds(self, development: Development) -> bool:
        """Return whether a development may have happened within the window."""
        return development.counted_on >= self.start and development.first_on <= self.end

    def is_ahead(self, development: Development) -> bool:
        """Return whether a development lies ahead for certain."""
        first = self.opens or self.today + timedelta(days=1)
        return first <= development.first_on <= self.last_ahead


@dataclass(frozen=True)
class Scored:
    """A development with its score."""

    what: Development
    score: Score


@dataclass(frozen=True)
class Scan:
    """What a scan found.

    Attributes:
        catalysts: What happened within the window, the best first.
        upcoming: What lies ahead, the soonest first; it has no score.
        overdue: Target dates of the window that passed without a reported result.
        nearest: Where nothing happened within the window, what happened last before.
        previous: What happened in the window before.
        dropped: How many of the window each filter removed.
        n_events: How many happened within the window, before any filter.
    """

    catalysts: Sequence[Scored]
    upcoming: Sequence[Development] = ()
    overdue: Sequence[Development] = ()
    nearest: Sequence[Development] = ()
    previous: Sequence[Development] = ()
    dropped: Mapping[Filter, int] = field(default_factory=dict)
    n_events: int = 0


def find_developments(
    query: EventQuery, evidence: EvidenceReader, resolver: Resolver
) -> list[Development]:
    """Return the developments of a query, merged and linked, no filter applied."""
    linker = Linker(evidence, resolver)
    developments = merge_developments(linker.to_drugs(evidence.events(query)))
    return linker.to_companies(linker.to_diseases(developments))


def score_developments(
    developments: Iterable[Development], criteria: Wanted, today: date, evidence: EvidenceReader
) -> list[Scored]:
    """Return developments with their scores, the best first, equal ones the newest first."""
    known_developments = list(developments)
    earlier = read_earlier(known_developments, evidence)
    scored = [
        Scored(development, score(development, criteria, today, earlier))
        for development in known_developments
    ]
    return sorted(scored, key=_order)


def _order(scored: Scored) -> tuple[int, int, str, str]:
    what = scored.what
    return (
        -scored.score.total,
        -what.last_on.toordinal(),
        what.drug.name if what.drug else "",
        what.id,
    )


def scan(criteria: Wanted, window: Window, evidence: EvidenceReader, resolver: Resolver) -> Scan:
    """Return what happened within a window that is asked for.

    A question about when a decision on a drug is due also lists the decisions already made.
    """
    if criteria.drugs and criteria.types == (EventType.DECISION_EXPECTED,):
        types = (EventType.DECISION_EXPECTED, *sorted(DECISIONS - _COPIES))
        criteria = replace(criteria, types=types)
    since = window.before - timedelta(days=MARGIN_DAYS)
    query = EventQuery(since=since.isoformat(), until=window.last_ahead.isoformat(), limit=ALL)
    linker = Linker(evidence, resolver)
    developments = merge_developments(linker.to_drugs(evidence.events(query)))
    within = [development for development in developments if window.holds(development)]
    happened = _happened(within, evidence)
    kept_developments, dropped = _cut_linked(happened, criteria, linker)
    if len(within) > len(happened):
        dropped = {**dropped, "not_told": len(within) - len(happened)}
    past = [
        development
        for development in developments
        if window.before <= development.counted_on < window.start
    ]
    previous, _ = _cut_linked(past, criteria, linker)
    nearest = () if kept_developments else _nearest(criteria, window, evidence, linker)
    catalysts = score_developments(kept_developments, criteria, window.today, evidence)
    asked_ahead = _asked_ahead(criteria)
    best = [catalyst.what for catalyst in catalysts[:MOST_FOLLOWED]] or nearest
    if EventType.READOUT_EXPECTED in asked_ahead and not best:
        others, _ = _cut_linked([*happened, *past], replace(criteria, types=()), linker)
        best = others[:MOST_FOLLOWED]
    names = dict.fromkeys(name for development in best for name in _names(development))
    days_ahead = (window.last_ahead - window.today).days
    planned = planned_completions([*names], window.today, days_ahead, evidence)
    later = [
        development
        for development in (*developments, *linker.to_drugs(planned))
        if window.is_ahead(development)
    ]
    ahead, late = list[Development](), list[Development]()
    if asked_ahead or not criteria.types:
        criteria_ahead = replace(criteria, types=asked_ahead)
        ahead, _ = _cut_linked(later, criteria_ahead, linker)
        passed = [] if window.opens else _overdue(within, window, evidence, linker)
        late, _ = _cut_linked(passed, criteria_ahead, linker)
    if window.opens:
        return Scan((), sorted(ahead, key=_by_day))
    return Scan(
        catalysts,
        sorted(ahead, key=_by_day),
        sorted(late, key=_by_day),
        nearest,
        previous,
        dropped,
        len(within),
    )


def _asked_ahead(criteria: Wanted) -> tuple[EventType, ...]:
    """Return the types ahead that belong to the types asked for: target dates to decisions."""
    types = {*criteria.types}
    ahead = {EventType.DECISION_EXPECTED} if types & DECISIONS - _COPIES else set[EventType]()
    ahead |= {EventType.READOUT_EXPECTED} if EventType.TRIAL_RESULTS_POSTED in types else set()
    return tuple(sorted(ahead | types & _AHEAD))


def _by_day(development: Development) -> tuple[date, str]:
    return development.first_on, development.id


def _overdue(
    within: Sequence[Development], window: Window, evidence: EvidenceReader, linker: Linker
) -> list[Development]:
    """Return target dates that passed while no decision on the drug is reported.

    A decision may come long before its target date; one of any indication of the drug counts, so
    that nothing is called overdue that was decided.
    """
    passed = [
        development
        for development in within
        if development.type == EventType.DECISION_EXPECTED and development.last_on < window.today
    ]
    if not passed:
        return []
    since = min(development.first_on for development in passed) - timedelta(days=DECIDED_EARLY_DAYS)
    query = EventQuery(since=since.isoformat(), types=tuple(sorted(DECISIONS)), limit=ALL)
    decided = {
        (each.asset, each.event.lead.region) for each in linker.to_drugs(evidence.events(query))
    }
    return [each for each in passed if (each.asset, each.event.lead.region) not in decided]


def _happened(developments: Sequence[Development], evidence: EvidenceReader) -> list[Development]:
    """Return what took place for certain.

    A day that was meant is no decision; an approval of the window whose register calls the
    medicine withdrawn bears the day of that.
    """
    fresh = [
        development.event.lead.record_id
        for development in developments
        if development.type == EventType.ORIGINAL_APPROVAL
    ]
    withdrawn = withdrawn_among(sorted(fresh), evidence)
    return [
        development
        for development in developments
        if development.type != EventType.DECISION_EXPECTED
        and not (
            development.type == EventType.ORIGINAL_APPROVAL
            and development.event.lead.record_id in withdrawn
        )
    ]


def _names(development: Development) -> Iterator[str]:
    """Yield the names of a development's first drug under which trials may have it."""
    if development.drug:
        yield development.drug.name
        yield from development.event.drugs[:1]


def _cut_linked(
    developments: Sequence[Development], criteria: Wanted, linker: Linker
) -> tuple[list[Development], Mapping[Filter, int]]:
    """Return what is asked for, linked, and how many each filter removed.

    What drug and type rule out is not linked any further.
    """
    among, poor = developments, dict[Filter, int]()
    if criteria.amount:
        leads = {one.event.lead.record_id: one for one in developments if one.is_deal}
        among = [
            leads[record_id]
            for record_id, deal in deals_of([*leads], linker.evidence).items()
            if criteria.amount.holds(
                deal.upfront.value if deal.upfront else None,
                deal.total.value if deal.total else None,
            )
        ]
        poor["amount"] = len(developments) - len(among)
    some, first = cut(among, criteria, upto="drugs")
    fewer, second = cut(linker.to_diseases(some), criteria, upto="diseases")
    fewer = [asked_first(development, criteria) for development in fewer]
    kept_developments, third = cut(linker.to_companies(fewer), criteria)
    return kept_developments, dict(sorted({**poor, **first, **second, **third}.items()))


def _nearest(
    criteria: Wanted, window: Window, evidence: EvidenceReader, linker: Linker
) -> list[Development]:
    """Return what happened last before the window, of what surely meets the filters."""
    if criteria.nothing:
        return []
    last = (window.start - timedelta(days=1)).isoformat()
    developments: list[Development] = []
    for most in SEARCHED:
        query = EventQuery(until=last, types=tuple(criteria.types), limit=most)
        events = evidence.events(query)
        past = [
            development
            for development in merge_developments(linker.to_drugs(events))
            if development.last_on < window.start
            and development.type != EventType.DECISION_EXPECTED
        ]
        linked, _ = _cut_linked(past, criteria, linker)
        developments = [development for development in linked if hit(development, criteria) == 1]
        if len(developments) >= MOST_NEAREST or len(events) < most:
            break
    developments.sort(
        key=lambda development: (
            -development.last_on.toordinal(),
            -development.row.materiality,
            development.id,
        )
    )
    return developments[:MOST_NEAREST]
