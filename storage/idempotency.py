"""Idempotency keys: which run answers a request that a program sends again."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.records.runs import KeptRequest
from storage.engine import Database
from storage.tables import IdempotencyKeyRow

KEPT = timedelta(hours=24)


class IdempotencyStore:
    """Idempotency keys of all callers (core.ports.IdempotencyKeys)."""

    def __init__(self, database: Database) -> None:
        """Keep the database.

        Args:
            database: Where the rows lie.
        """
        self._database = database

    def reserve(
        self, owner_id: int, key: str, *, agent: str, body_sha256: str, run_uuid: str, at: datetime
    ) -> KeptRequest:
        """Tie a caller's key to a request for a day, unless it is tied already.

        Args:
            owner_id: The caller.
            key: What the caller sent.
            agent: Agent that is asked.
            body_sha256: Of the canonical request.
            run_uuid: Id of the run that is to answer.
            at: Present instant.

        Returns:
            What the key stands for: this request, or the one that came first.
        """
        row = IdempotencyKeyRow(
            owner_id=owner_id,
            key=key,
            agent=agent,
            body_sha256=body_sha256,
            run_uuid=run_uuid,
            created_at=at,
            expires_at=at + KEPT,
        )
        try:
            with self._database.write() as session:
                session.exec(
                    delete(IdempotencyKeyRow).where(col(IdempotencyKeyRow.expires_at) <= at)
                )
                first = _find(session, owner_id, key)
                if first is None:
                    session.add(row)
        except IntegrityError:  # another process was quicker
            with self._database.read() as session:
                first = _find(session, owner_id, key)
        kept = first or row
        return KeptRequest(
            agent=kept.agent, body_sha256=kept.body_sha256, run_uuid=kept.run_uuid or ""
        )

    def bind(self, owner_id: int, key: str, run_uuid: str, other: str) -> None:
        """Let a key stand for another run than it was reserved for."""
        with self._database.write() as session:
            session.exec(
                update(IdempotencyKeyRow).where(_is(owner_id, key, run_uuid)).values(run_uuid=other)
            )

    def forget(self, owner_id: int, key: str, run_uuid: str) -> None:
        """Free a key whose request led to no run, or whose run is gone."""
        with self._database.write() as session:
            session.exec(delete(IdempotencyKeyRow).where(_is(owner_id, key, run_uuid)))


def _is(owner_id: int, key: str, run_uuid: str) -> ColumnElement[bool]:
    return and_(
        col(IdempotencyKeyRow.owner_id) == owner_id,
        col(IdempotencyKeyRow.key) == key,
        col(IdempotencyKeyRow.run_uuid) == run_uuid,
    )


def _find(session: Session, owner_id: int, key: str) -> IdempotencyKeyRow | None:
    return session.exec(
        select(IdempotencyKeyRow).where(
            col(IdempotencyKeyRow.owner_id) == owner_id, col(IdempotencyKeyRow.key) == key
        )
    ).first()
