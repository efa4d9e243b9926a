"""The evaluation of all watched queries: what is due, what fired, who evaluates.

Hits and the mark of a query are one transaction that names the mark it saw: a process that dies
in the middle loses nothing and repeats nothing, and of two that evaluate one query one is told
that it came second. The lease only saves the work.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, or_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col, select

from core.records.alerts import AlertCounts, NewHit, Watch, WatchQuestion
from storage.base import DatedStore
from storage.engine import Database
from storage.instants import database_now
from storage.subscriptions import OwnSubscriptions
from storage.tables import AlertHitRow, AlertJobRow, SavedQueryRow, UserRow

_JOB = "evaluate"
_LONGEST_ERROR = 300
_PORTION = 500


class WatchStore(DatedStore):
    """Every enabled query (core.alert_ports.Watches)."""

    def of(self, owner_id: int, agents: Sequence[str], most: int) -> OwnSubscriptions:
        """Return the subscriptions of one caller."""
        return OwnSubscriptions(
            self._database, self._now, owner_id=owner_id, agents=agents, most=most
        )

    def due(self, generation: int) -> Sequence[Watch]:
        """Return enabled queries that were not evaluated up to an import, the oldest first.

        One that was saved before questions were noted waits until it is run once more.
        """
        mark = col(SavedQueryRow.evaluated_generation)
        query = (
            select(SavedQueryRow)
            .join(UserRow, col(UserRow.id) == col(SavedQueryRow.owner_id))
            .where(
                col(SavedQueryRow.is_enabled),
                col(UserRow.disabled_at).is_(None),
                col(SavedQueryRow.question).is_not(None),
                or_(mark.is_(None), mark != generation),
            )
            .order_by(col(SavedQueryRow.id))
        )
        with self._database.read() as session:
            return [_watch(row) for row in session.exec(query)]

    def fire(
        self, watch: Watch, hits: Sequence[NewHit], generation: int, at: datetime
    ) -> int | None:
        """Keep hits and the mark at once; return how many are new, None if others were quicker."""
        try:
            with self._database.write() as session:
                marked = session.exec(
                    update(SavedQueryRow)
                    .where(
                        col(SavedQueryRow.id) == watch.query_id,
                        col(SavedQueryRow.is_enabled),
                        col(SavedQueryRow.evaluated_generation).is_not_distinct_from(watch.mark),
                    )
                    .values(evaluated_generation=generation, evaluated_at=at, error=None)
                )
                if marked.rowcount == 0:
                    return None
                fresh = _new_among(session, watch.query_id, hits)
                session.add_all(
                    AlertHitRow(query_id=watch.query_id, found_at=at, **hit.model_dump(mode="json"))
                    for hit in fresh
                )
                return len(fresh)
        except IntegrityError:  # the query was deleted meanwhile
            return None

    def fail(self, watch: Watch, message: str) -> None:
        """Note why a query could not be evaluated; its mark stays."""
        with self._database.write() as session:
            session.exec(
                update(SavedQueryRow)
                .where(col(SavedQueryRow.id) == watch.query_id)
                .values(error=message[:_LONGEST_ERROR])
            )

    def ask(self, query_id: int, question: WatchQuestion) -> None:
        """Note what a query of before asks."""
        with self._database.write() as session:
            session.exec(
                update(SavedQueryRow)
                .where(col(SavedQueryRow.id) == query_id)
                .values(question=question.model_dump(exclude_defaults=True))
            )

    def begin(self, worker: str, lease_s: float) -> bool:
        """Take or renew the one lease of the evaluation; False while another worker holds it."""
        _make_job(self._database)
        with self._database.write() as session:
            now = database_now(session)
            taken = session.exec(
                update(AlertJobRow)
                .where(
                    col(AlertJobRow.name) == _JOB,
                    or_(
                        col(AlertJobRow.worker).is_(None),
                        col(AlertJobRow.worker) == worker,
                        col(AlertJobRow.until) < now,
                    ),
                )
                .values(worker=worker, until=now + timedelta(seconds=lease_s))
            )
            return taken.rowcount == 1

    def end(self, worker: str, note: str, at: datetime) -> None:
        """Give the lease back and note what the evaluation told; "" leaves the last note."""
        values: dict[str, object] = {"worker": None, "until": None}
        if note:
            values |= {"note": note, "noted_at": at}
        with self._database.write() as session:
            session.exec(
                update(AlertJobRow)
                .where(col(AlertJobRow.name) == _JOB, col(AlertJobRow.worker) == worker)
                .values(values)
            )

    def counts(self) -> AlertCounts:
        """Return numbers of all callers together."""
        query, hit = SavedQueryRow, AlertHitRow
        with self._database.read() as session:
            job = session.get(AlertJobRow, _JOB)

            return AlertCounts(
                queries=_count(session, query),
                enabled=_count(session, query, col(query.is_enabled)),
                failing=_count(
                    session, query, col(query.is_enabled), col(query.error).is_not(None)
                ),
                hits=_count(session, hit),
                unseen=_count(session, hit, col(hit.seen_at).is_(None)),
                note=job.note if job else "",
                noted_at=job.noted_at if job else None,
            )


def _count(
    session: Session,
    row: type[SavedQueryRow | AlertHitRow],
    *conditions: ColumnElement[bool] | Mapped[bool],
) -> int:
    return session.exec(select(func.count()).select_from(row).where(*conditions)).one()


def _make_job(database: Database) -> None:
    """Write the row of the lease unless it is there."""
    with database.read() as session:
        if session.get(AlertJobRow, _JOB) is not None:
            return
    try:
        with database.write() as session:
            session.add(AlertJobRow(name=_JOB))
    except IntegrityError:
        """Another process was quicker: its row serves as well."""


def _new_among(session: Session, query_id: int, hits: Sequence[NewHit]) -> list[NewHit]:
    """Return the hits that the query does not have yet, each once."""
    by_identity = {hit.identity: hit for hit in hits}
    names = list(by_identity)
    for start in range(0, len(names), _PORTION):
        query = select(AlertHitRow.identity).where(
            col(AlertHitRow.query_id) == query_id,
            col(AlertHitRow.identity).in_(names[start : start + _PORTION]),
        )
        for identity in session.exec(query):
            del by_identity[identity]
    return list(by_identity.values())


def _watch(row: SavedQueryRow) -> Watch:
    return Watch(
        query_id=row.id or 0,
        question=None if row.question is None else WatchQuestion.model_validate(row.question),
        query=row.query,
        signal_level=row.signal_level,
        after=-1 if row.evaluated_generation is None else row.evaluated_generation,
        mark=row.evaluated_generation,
    )
