"""The evaluation of watched queries after an import: one process at a time, resumable.

A query's hits and its mark are one transaction, so that a process that dies in the middle leaves
nothing half done; the next evaluation goes on with what is still due.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from core.briefs.watching.ahead import calendar_of, find_ahead
from core.briefs.watching.asked import read_question
from core.briefs.watching.firing import (
    Fresh,
    Preview,
    addresses_of,
    find_fresh,
    fire,
    preview,
    read_past,
    with_addresses,
)
from core.errors import WorkbenchError
from core.evidence.names.identity.resolver import Resolver, keep_resolver
from core.evidence.preparing import evidence_version
from core.evidence_ports import Evidence, EvidenceReader
from core.execution.child import OPENER, open_child_stores
from core.ports import Stores
from core.records.alerts import SignalLevel, Subscription, Watch, WatchQuestion
from core.settings import Settings

LEASE_S = 120.0
RENEW_EVERY = 50
"""Queries after which the lease is renewed."""
NOT_NOTED = (
    "what this query asks was not noted when it was saved; run it once more, and it is watched"
)


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation came to.

    Attributes:
        queries: Queries that were evaluated.
        hits: Hits that are new.
        failed: Queries that could not be evaluated and keep their mark.
        note: What is to be told in one line; "" where there is nothing.
        is_busy: Another process evaluates; nothing was done.
    """

    queries: int = 0
    hits: int = 0
    failed: int = 0
    note: str = ""
    is_busy: bool = False


def newest_prepared(evidence: Evidence) -> int | None:
    """Return the last import whose events are made; None while there is none."""
    mark = evidence.events_mark()
    _, _, numbers = mark.partition(" ")
    return int(numbers.rsplit(" ", maxsplit=1)[-1].partition(":")[0]) if numbers else None


def is_due(stores: Stores) -> bool:
    """Return whether an evaluation has something to do; cheap."""
    generation = newest_prepared(stores.evidence)
    return generation is not None and bool(stores.watches.due(generation))


def evaluate(stores: Stores, settings: Settings, worker: str, now: datetime) -> Evaluated:
    """Evaluate every query that is due.

    Args:
        stores: Of this process.
        settings: Of the instance.
        worker: Name of this process, which takes the lease.
        now: The clock.
    """
    generation = newest_prepared(stores.evidence)
    due = stores.watches.due(generation) if generation is not None else ()
    if generation is None or not due:
        return Evaluated()
    if not stores.watches.begin(worker, LEASE_S):
        return Evaluated(is_busy=True)
    note = ""
    try:
        due = stores.watches.due(generation)
        result = _Evaluation(stores, settings, worker, now).run(due, generation)
        note = result.note
    finally:
        stores.watches.end(worker, note, now)
    return result


class _Evaluation:
    """One evaluation of several queries."""

    def __init__(self, stores: Stores, settings: Settings, worker: str, now: datetime) -> None:
        self._stores = stores
        self._worker = worker
        self._now = now
        self._resolver = _resolver(stores, settings)
        self._addresses: Mapping[str, str] = {}

    def run(self, due: Sequence[Watch], generation: int) -> Evaluated:
        """Evaluate queries up to an import."""
        evidence = self._stores.evidence
        first = min((watch.after for watch in due if watch.after <= generation), default=generation)
        fresh = find_fresh(first, self._now.date(), evidence, self._resolver)
        self._addresses = addresses_of(fresh, evidence)
        hits = failed = done = 0
        for number, watch in enumerate(due, start=1):
            fired = self._evaluate(watch, fresh, generation)
            failed += fired is None
            hits += fired or 0
            done += fired is not None
            if number % RENEW_EVERY == 0:
                self._stores.watches.begin(self._worker, LEASE_S)
        return Evaluated(done, hits, failed, _tell_baseline(first, evidence))

    def _evaluate(self, watch: Watch, fresh: Fresh, generation: int) -> int | None:
        """Return how many new hits a query has; None where it could not be evaluated."""
        if watch.question is None:
            self._stores.watches.fail(watch, NOT_NOTED)
            return None
        try:
            question = read_question(watch.question, self._stores.evidence, self._resolver)
            hits = fire(question, watch.signal_level, fresh, after=watch.after)
            hits = with_addresses(hits, self._addresses)
        except (WorkbenchError, ValueError, LookupError) as failure:
            log = structlog.get_logger("alerts")
            log.error("query not evaluated", query_id=watch.query_id, exc_info=failure)
            self._stores.watches.fail(watch, f"it could not be evaluated: {type(failure).__name__}")
            return None
        return self._stores.watches.fire(watch, hits, generation, self._now) or 0


def _resolver(stores: Stores, settings: Settings) -> Resolver:
    version = evidence_version(stores.evidence, stores.identity, stores.learned_names)
    home = str(settings.home.resolve())
    return keep_resolver(home, version, stores.identity, stores.learned_names)


def _tell_baseline(after: int, evidence: EvidenceReader) -> str:
    """Return one line on sources that came for the first time; "" where none did."""
    first: dict[str, int] = {}
    for source, _, generation in evidence.origins():
        first[source] = min(generation, first.get(source, generation))
    new = sorted(source for source, generation in first.items() if generation > after)
    if not new:
        return ""
    return f"First import of {', '.join(new)}: what it brought is the baseline and fired nothing."


def preview_question(
    question: WatchQuestion, level: SignalLevel, stores: Stores, now: datetime, *, days: int
) -> Preview:
    """Return how often a question would have fired, by the names that are known now.

    Args:
        question: What is asked.
        level: From which score on it fires.
        stores: Of this process.
        now: The clock.
        days: How many days count.
    """
    resolver = Resolver(stores.identity, stores.learned_names)
    question_read = read_question(question, stores.evidence, resolver)
    past = read_past(now.date(), stores.evidence, resolver, days=days)
    return preview(question_read, level, past)


def preview_in_child(
    settings: Settings, question: WatchQuestion, level: SignalLevel, now: datetime, days: int
) -> Preview:
    """Return how often a question would have fired; runs in a child."""
    stores = open_child_stores(OPENER, settings)
    try:
        return preview_question(question, level, stores, now, days=days)
    finally:
        stores.engine.close()


def calendar_in_child(
    settings: Settings, saved: Sequence[Subscription], now: datetime
) -> tuple[int, bytes]:
    """Return how much lies ahead of a caller's enabled queries, and the calendar of it; in a child.

    Args:
        settings: Of the instance.
        saved: The caller's queries.
        now: The clock.
    """
    stores = open_child_stores(OPENER, settings)
    try:
        ahead = find_ahead(saved, now.date(), stores.evidence, _resolver(stores, settings))
        return len(ahead), calendar_of(ahead, now)
    finally:
        stores.engine.close()


def evaluate_in_child(settings: Settings, worker: str, now: datetime) -> Evaluated:
    """Evaluate every query that is due; runs in a child."""
    stores = open_child_stores(OPENER, settings)
    try:
        return evaluate(stores, settings, worker, now)
    finally:
        stores.engine.close()
