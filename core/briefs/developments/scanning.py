"""A scan: the window by the day of the event, what lies ahead, and the nearest before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from core.briefs.developments.filters import Filter, cut
from core.briefs.developments.linking import link_events
from core.briefs.developments.merging import merge_developments
from core.briefs.developments.question import Wanted
from core.briefs.developments.records import Development
from core.briefs.developments.scoring import Score, read_earlier, score
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.events import EventQuery
from core.vocabulary.event_types import EventType

ALL = 1_000_000
AHEAD_DAYS = 365
MARGIN_DAYS = 31
"""Days before a window that are read, too, so that an event keeps its day at the border."""
MOST_NEAREST = 10
SEARCHED = (2_000, 20_000)
"""Events before the window that are looked at for the nearest ones, first few, then many."""


@dataclass(frozen=True)
class Window:
    """The days of a scan.

    Attributes:
        today: Last day.
        days: How many days before it count.
    """

    today: date
    days: int

    @property
    def start(self) -> date:
        """Return the first day."""
        return self.today - timedelta(days=self.days)

    @property
    def before(self) -> date:
        """Return the first day of the window before."""
        return self.start - timedelta(days=self.days)

    def holds(self, one: Development) -> bool:
        """Return whether a development may have happened within the window."""
        return one.last_on >= self.start and one.first_on <= self.today

    def is_ahead(self, one: Development) -> bool:
        """Return whether a development lies ahead for certain."""
        return one.first_on > self.today


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
        nearest: Where nothing happened within the window, what happened last before.
        previous: What happened in the window before.
        dropped: How many of the window each filter removed.
        n_events: How many happened within the window, before any filter.
    """

    catalysts: Sequence[Scored]
    upcoming: Sequence[Development] = ()
    nearest: Sequence[Development] = ()
    previous: Sequence[Development] = ()
    dropped: Mapping[Filter, int] = field(default_factory=dict)
    n_events: int = 0


def find_developments(
    query: EventQuery, evidence: EvidenceReader, resolver: Resolver
) -> list[Development]:
    """Return the developments of a query, linked and merged, no filter applied.

    Args:
        query: Window, types, records, imports.
        evidence: The pack.
        resolver: Knows names.
    """
    return merge_developments(link_events(evidence.events(query), evidence, resolver))


def score_developments(
    told: Iterable[Development], wanted: Wanted, today: date, evidence: EvidenceReader
) -> list[Scored]:
    """Return developments with their scores, the best first, equal ones the newest first.

    Args:
        told: The developments.
        wanted: What was asked for.
        today: Day of the question.
        evidence: The pack, for what was on record before.
    """
    known = list(told)
    earlier = read_earlier(known, evidence)
    scored = [Scored(one, score(one, wanted, today, earlier)) for one in known]
    return sorted(scored, key=_order)


def _order(one: Scored) -> tuple[int, int, str, str]:
    what = one.what
    return -one.score.total, -what.last_on.toordinal(), what.drug.name if what.drug else "", what.id


def scan(wanted: Wanted, window: Window, evidence: EvidenceReader, resolver: Resolver) -> Scan:
    """Return what happened within a window that is asked for.

    Args:
        wanted: What is asked for.
        window: The days.
        evidence: The pack.
        resolver: Knows names.
    """
    since = window.before - timedelta(days=MARGIN_DAYS)
    until = window.today + timedelta(days=AHEAD_DAYS)
    query = EventQuery(since=since.isoformat(), until=until.isoformat(), limit=ALL)
    told = find_developments(query, evidence, resolver)
    within = [one for one in told if window.holds(one)]
    happened = [one for one in within if one.type != EventType.DECISION_EXPECTED]
    kept, dropped = cut(happened, wanted)
    if len(within) > len(happened):
        dropped = {**dropped, "not_told": len(within) - len(happened)}
    ahead, _ = cut([one for one in told if window.is_ahead(one)], wanted)
    previous, _ = cut([one for one in told if window.before <= one.last_on < window.start], wanted)
    nearest = () if kept else _nearest(wanted, window, evidence, resolver)
    return Scan(
        score_developments(kept, wanted, window.today, evidence),
        sorted(ahead, key=lambda one: (one.first_on, one.id)),
        nearest,
        previous,
        dropped,
        len(within),
    )


def _nearest(
    wanted: Wanted, window: Window, evidence: EvidenceReader, resolver: Resolver
) -> list[Development]:
    """Return what meets the filters and happened last before the window."""
    if wanted.nothing:
        return []
    last = (window.start - timedelta(days=1)).isoformat()
    found: list[Development] = []
    for most in SEARCHED:
        query = EventQuery(until=last, types=tuple(wanted.types), limit=most)
        told = find_developments(query, evidence, resolver)
        past = [one for one in told if one.last_on < window.start]
        found, _ = cut([one for one in past if one.type != EventType.DECISION_EXPECTED], wanted)
        if len(found) >= MOST_NEAREST or len(told) < most / 2:
            break
    found.sort(key=lambda one: (-one.last_on.toordinal(), -one.row.materiality, one.id))
    return found[:MOST_NEAREST]
