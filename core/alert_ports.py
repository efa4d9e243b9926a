"""What the store of alerts must offer: one caller's subscriptions, and the evaluation of all."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from core.records.alerts import (
    ALL_HITS,
    AlertCounts,
    AlertHit,
    AlertQuota,
    HitSearch,
    NewHit,
    SignalLevel,
    Subscription,
    Watch,
    WatchQuestion,
)


class Subscriptions(Protocol):
    """The saved queries and hits of one caller; nobody else's can be reached through it."""

    def list(self) -> Sequence[Subscription]:
        """Return the caller's queries that can be watched, newest first."""
        ...

    def get(self, query_id: int) -> Subscription:
        """Return one of them. Raises InvalidInput (`unknown_query`), always the same way."""
        ...

    def quota(self) -> AlertQuota:
        """Return how many are enabled, and how many may be."""
        ...

    def enable(
        self, query_id: int, level: SignalLevel, *, generation: int, catch_up: bool = False
    ) -> Subscription:
        """Turn a query on; one that is on takes the level.

        Args:
            query_id: One of the caller's.
            level: From which score on it fires.
            generation: The newest import: what came before is no news.
            catch_up: Whether it fires for what came while it was off.

        Raises QuotaExceeded at the cap and InvalidInput (`unknown_query`).
        """
        ...

    def remove(self, query_id: int) -> Subscription:
        """Turn a query off; it stays with its mark and hits. Raises InvalidInput."""
        ...

    def add_manual(
        self, drug_name: str, key: str, level: SignalLevel, *, generation: int
    ) -> Subscription:
        """Save a query for a drug and turn it on; the same key is the same query.

        Raises QuotaExceeded at the cap: nothing is saved then.
        """
        ...

    def hits(self, search: HitSearch = ALL_HITS) -> Sequence[AlertHit]:
        """Return the caller's hits, newest import first, then the best."""
        ...

    def unseen(self) -> int:
        """Return how many hits wait: neither seen, nor put off, nor of a muted query."""
        ...

    def mark_seen(self, hit_ids: Sequence[int] | None = None) -> int:
        """Mark hits as seen (None: all that are shown); others' are left alone."""
        ...

    def mute(self, query_id: int, until: datetime | None) -> Subscription:
        """Keep a query's hits out of sight until an instant (None ends it). Raises InvalidInput."""
        ...

    def snooze(self, hit_id: int, until: datetime | None) -> None:
        """Put a hit off until an instant (None ends it). Raises InvalidInput (`unknown_hit`)."""
        ...


class Watches(Protocol):
    """Every enabled query, for the evaluation after an import."""

    def of(self, owner_id: int, agents: Sequence[str], most: int) -> Subscriptions:
        """Return the subscriptions of one caller.

        Args:
            owner_id: The caller.
            agents: Those whose queries can be watched.
            most: How many may be enabled.
        """
        ...

    def due(self, generation: int) -> Sequence[Watch]:
        """Return enabled queries that were not evaluated up to an import, the oldest first."""
        ...

    def fire(
        self, watch: Watch, hits: Sequence[NewHit], generation: int, at: datetime
    ) -> int | None:
        """Keep hits and the mark at once; return how many are new, None if others were quicker."""
        ...

    def fail(self, watch: Watch, message: str) -> None:
        """Note why a query could not be evaluated; its mark stays."""
        ...

    def ask(self, query_id: int, question: WatchQuestion) -> None:
        """Note what a query of before asks."""
        ...

    def begin(self, worker: str, lease_s: float) -> bool:
        """Take or renew the one lease of the evaluation; False while another worker holds it."""
        ...

    def end(self, worker: str, note: str, at: datetime) -> None:
        """Give the lease back and note what the evaluation told; "" leaves the last note."""
        ...

    def counts(self) -> AlertCounts:
        """Return numbers of all callers together."""
        ...
