"""Saved queries and hits of one caller; every statement names the owner.

Enabling is one conditional statement: on PostgreSQL the caller's row is locked before it, so that
two that enable at once see each other; SQLite has one writer.
"""

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from sqlalchemy import ColumnElement, and_, func, or_, update
from sqlmodel import Session, col, select

from core.errors import InvalidInput, QuotaExceeded
from core.records.alerts import (
    ALL_HITS,
    MANUAL,
    AlertHit,
    AlertQuota,
    HitSearch,
    SignalLevel,
    Subscription,
)
from core.records.failure import ErrorDetail
from storage.columns import record_of
from storage.engine import Database
from storage.instants import Clock
from storage.tables import AlertHitRow, SavedQueryRow, UserRow

QUOTA = "alerts"
_MOST_HITS = 1000


class OwnSubscriptions:
    """The subscriptions of one caller (core.alert_ports.Subscriptions)."""

    def __init__(
        self, database: Database, now: Clock, *, owner_id: int, agents: Sequence[str], most: int
    ) -> None:
        """Keep whose they are.

        Args:
            database: Where the rows lie.
            now: Dates what is done.
            owner_id: The caller.
            agents: Those whose queries can be watched.
            most: How many may be enabled.
        """
        self._database = database
        self._now = now
        self._owner_id = owner_id
        self._agents = (*agents, MANUAL)
        self._most = most

    def list(self) -> Sequence[Subscription]:
        """Return the caller's queries that can be watched, newest first."""
        query = select(SavedQueryRow).where(self._own()).order_by(col(SavedQueryRow.id).desc())
        with self._database.read() as session:
            waiting = self._waiting_by_query(session)
            return [_record(row, waiting) for row in session.exec(query)]

    def get(self, query_id: int) -> Subscription:
        """Return one of the caller's queries.

        Raises:
            InvalidInput: `unknown_query`; there is none, or it is somebody else's.
        """
        with self._database.read() as session:
            return _record(self._find(session, query_id), self._waiting_by_query(session))

    def quota(self) -> AlertQuota:
        """Return how many are enabled, and how many may be."""
        with self._database.read() as session:
            return self._quota(session)

    def enable(
        self, query_id: int, level: SignalLevel, *, generation: int, catch_up: bool = False
    ) -> Subscription:
        """Turn a query on; one that is on takes the level.

        Raises:
            InvalidInput: `unknown_query`.
            QuotaExceeded: As many as may be are enabled.
        """
        with self._database.write() as session:
            self._find(session, query_id)
            return self._enable(session, query_id, level, None if catch_up else generation)

    def remove(self, query_id: int) -> Subscription:
        """Turn a query off; it stays with its mark and hits.

        Raises:
            InvalidInput: `unknown_query`.
        """
        return self._set(query_id, "is_enabled", False)

    def add_manual(
        self, drug_name: str, key: str, level: SignalLevel, *, generation: int
    ) -> Subscription:
        """Save a query for a drug and turn it on; the same key is the same query.

        Raises:
            QuotaExceeded: As many as may be are enabled; nothing is saved.
        """
        mark = sha256(f"drug {key}".encode()).hexdigest()
        with self._database.write() as session:
            self._lock(session)
            row = session.exec(
                select(SavedQueryRow).where(self._own(), col(SavedQueryRow.fingerprint) == mark)
            ).first()
            if row is None:
                now = self._now()
                row = SavedQueryRow(
                    owner_id=self._owner_id,
                    agent=MANUAL,
                    fingerprint=mark,
                    query=f"Drug: {drug_name}",
                    drug_name=drug_name,
                    is_manual=True,
                    question={"drug": drug_name},
                    created_at=now,
                    used_at=now,
                )
                session.add(row)
                session.flush()
            return self._enable(session, row.id or 0, level, generation)

    def hits(self, search: HitSearch = ALL_HITS) -> Sequence[AlertHit]:
        """Return the caller's hits, newest import first, then the best."""
        hit = AlertHitRow
        query = (
            select(hit, SavedQueryRow.query)
            .join(SavedQueryRow, col(SavedQueryRow.id) == col(hit.query_id))
            .where(*self._searched(search))
            .order_by(col(hit.generation).desc(), col(hit.score).desc(), col(hit.id).desc())
            .limit(min(search.limit, _MOST_HITS))
            .offset(search.offset)
        )
        with self._database.read() as session:
            return [_hit(row, query) for row, query in session.exec(query)]

    def unseen(self) -> int:
        """Return how many hits wait: neither seen, nor put off, nor of a muted query."""
        with self._database.read() as session:
            return sum(self._waiting_by_query(session).values())

    def mark_seen(self, hit_ids: Sequence[int] | None = None) -> int:
        """Mark hits as seen (None: all that wait); others' are left alone."""
        now = self._now()
        queries = select(SavedQueryRow.id).where(self._own())
        which = col(AlertHitRow.query_id).in_(queries) & col(AlertHitRow.seen_at).is_(None)
        if hit_ids is None:
            loud = queries.where(_is_loud(now))
            which &= col(AlertHitRow.query_id).in_(loud) & _is_awake(now)
        else:
            which &= col(AlertHitRow.id).in_(hit_ids)
        with self._database.write() as session:
            touched = set(session.exec(select(AlertHitRow.query_id).where(which)))
            seen = session.exec(update(AlertHitRow).where(which).values(seen_at=now))
            session.exec(
                update(SavedQueryRow)
                .where(self._own(), col(SavedQueryRow.id).in_(touched))
                .values(seen_at=now)
            )
            return seen.rowcount

    def mute(self, query_id: int, until: datetime | None) -> Subscription:
        """Keep a query's hits out of sight until an instant (None ends it).

        Raises:
            InvalidInput: `unknown_query`.
        """
        return self._set(query_id, "muted_until", until)

    def snooze(self, hit_id: int, until: datetime | None) -> None:
        """Put a hit off until an instant; it then waits as if it were new.

        Raises:
            InvalidInput: `unknown_hit`.
        """
        queries = select(SavedQueryRow.id).where(self._own())
        with self._database.write() as session:
            row = session.exec(
                select(AlertHitRow).where(
                    col(AlertHitRow.id) == hit_id, col(AlertHitRow.query_id).in_(queries)
                )
            ).first()
            if row is None:
                raise InvalidInput("hit not found", code="unknown_hit")
            row.snoozed_until, row.seen_at = until, None

    def _set(self, query_id: int, column: str, value: object) -> Subscription:
        with self._database.write() as session:
            row = self._find(session, query_id)
            setattr(row, column, value)
            session.flush()
            return _record(row, self._waiting_by_query(session))

    def _own(self) -> ColumnElement[bool]:
        """Return the condition of being the caller's, and to be watched."""
        return and_(
            col(SavedQueryRow.owner_id) == self._owner_id,
            col(SavedQueryRow.agent).in_(self._agents),
        )

    def _searched(self, search: HitSearch) -> Sequence[ColumnElement[bool]]:
        hit, now = AlertHitRow, self._now()
        conditions: list[ColumnElement[bool]] = [self._own()]
        if search.query_id is not None:
            conditions.append(col(hit.query_id) == search.query_id)
        if search.catalyst_type is not None:
            conditions.append(col(hit.catalyst_type) == search.catalyst_type)
        if search.least_score:
            conditions.append(col(hit.score) >= search.least_score)
        if search.only_unseen:
            conditions.append(col(hit.seen_at).is_(None))
        if search.since is not None:
            conditions.append(col(hit.found_at) >= search.since)
        if not search.with_muted:
            conditions += [_is_loud(now), _is_awake(now)]
        return conditions

    def _find(self, session: Session, query_id: int) -> SavedQueryRow:
        row = session.exec(
            select(SavedQueryRow).where(self._own(), col(SavedQueryRow.id) == query_id)
        ).first()
        if row is None:
            raise InvalidInput(
                "saved query not found; list your saved queries to see their ids",
                field="query_id",
                code="unknown_query",
            )
        return row

    def _lock(self, session: Session) -> None:
        """Wait until no other process changes what this caller has enabled."""
        session.exec(
            select(UserRow.id).where(col(UserRow.id) == self._owner_id).with_for_update()
        ).first()

    def _enable(
        self, session: Session, query_id: int, level: SignalLevel, generation: int | None
    ) -> Subscription:
        """Turn a query on if there is room, by one statement."""
        self._lock(session)
        enabled = SavedQueryRow.__table__.alias("enabled")  # type: ignore[attr-defined]
        count = (
            select(func.count())
            .select_from(enabled)
            .where(enabled.c.owner_id == self._owner_id, enabled.c.is_enabled)
            .scalar_subquery()
        )
        which = self._own() & (col(SavedQueryRow.id) == query_id)
        values: dict[str, object] = {"is_enabled": True, "signal_level": level, "error": None}
        on = session.exec(
            update(SavedQueryRow)
            .where(which, col(SavedQueryRow.is_enabled))
            .values(signal_level=level)
        )
        if on.rowcount == 0:
            if generation is not None:
                values["evaluated_generation"] = generation
            room = count < self._most
            turned = session.exec(update(SavedQueryRow).where(which, room).values(values))
            if turned.rowcount == 0:
                raise _exceeded(self._quota(session))
        session.expire_all()
        return _record(self._find(session, query_id), self._waiting_by_query(session))

    def _quota(self, session: Session) -> AlertQuota:
        count = session.exec(
            select(func.count())
            .select_from(SavedQueryRow)
            .where(col(SavedQueryRow.owner_id) == self._owner_id, col(SavedQueryRow.is_enabled))
        ).one()
        return AlertQuota(enabled_count=count, max_enabled=self._most)

    def _waiting_by_query(self, session: Session) -> dict[int, int]:
        """Return how many hits of each query wait to be seen."""
        now = self._now()
        query = (
            select(AlertHitRow.query_id, func.count())
            .join(SavedQueryRow, col(SavedQueryRow.id) == col(AlertHitRow.query_id))
            .where(self._own(), _is_loud(now), _is_awake(now), col(AlertHitRow.seen_at).is_(None))
            .group_by(col(AlertHitRow.query_id))
        )
        return dict(session.exec(query).all())


def _is_loud(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a query is not muted."""
    return or_(col(SavedQueryRow.muted_until).is_(None), col(SavedQueryRow.muted_until) <= now)


def _is_awake(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a hit is not put off."""
    return or_(col(AlertHitRow.snoozed_until).is_(None), col(AlertHitRow.snoozed_until) <= now)


def _record(row: SavedQueryRow, waiting: dict[int, int]) -> Subscription:
    query_id = row.id or 0
    return record_of(row, Subscription, query_id=query_id, unseen=waiting.get(query_id, 0))


def _hit(row: AlertHitRow, query: str) -> AlertHit:
    return record_of(row, AlertHit, hit_id=row.id, query=query)


def _exceeded(quota: AlertQuota) -> QuotaExceeded:
    values = {"name": QUOTA, "limit": quota.max_enabled, "used": quota.enabled_count}
    return QuotaExceeded(
        f"all {quota.max_enabled} alerts are enabled; remove one to enable another",
        details=[
            ErrorDetail(field=f"quota.{name}", code=QuotaExceeded.code, message=str(value))
            for name, value in values.items()
        ],
    )
