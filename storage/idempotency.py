"""Idempotency keys: a repeated request meets the run of the first one, for a day."""

from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.errors import InvalidInput
from core.records.upkeep import StoredAnswer
from storage.base import Store
from storage.tables import IdempotencyKeyRow

LIFETIME = timedelta(hours=24)
_LONGEST_KEY = 255


class IdempotencyStore(Store):
    """Keys of repeated requests (core.ports.Idempotency)."""

    def claim(
        self, owner_id: int, key: str, *, agent: str, body_sha256: str, at: datetime
    ) -> StoredAnswer | None:
        """Begin a request, or return what the first one with this key has come to.

        Args:
            owner_id: The caller; keys of different callers are unrelated.
            key: As sent, 1 to 255 printable signs.
            agent: Agent name.
            body_sha256: Hash of the request.
            at: The present instant.

        Returns:
            None for the first request, which then calls `attach` (or `release` when it comes
            to no run); else the earlier request.

        Raises:
            InvalidInput: `idempotency_mismatch`: the key stands for another request.
        """
        if not 1 <= len(key) <= _LONGEST_KEY or not key.isprintable():
            raise InvalidInput(
                f"an Idempotency-Key has 1 to {_LONGEST_KEY} printable characters",
                field="Idempotency-Key",
            )
        row = IdempotencyKeyRow(
            owner_id=owner_id,
            key=key,
            agent=agent,
            body_sha256=body_sha256,
            created_at=at,
            expires_at=at + LIFETIME,
        )
        with self._database.write() as session:
            session.exec(
                delete(IdempotencyKeyRow).where(
                    col(IdempotencyKeyRow.owner_id) == owner_id,
                    col(IdempotencyKeyRow.expires_at) <= at,
                )
            )
            stored_row = _find(session, owner_id, key) or _add(session, row)
        if stored_row is None:
            return None
        if (stored_row.agent, stored_row.body_sha256) != (agent, body_sha256):
            raise InvalidInput(
                "this Idempotency-Key was sent with another request; use a new one",
                field="Idempotency-Key",
                code="idempotency_mismatch",
            )
        return StoredAnswer(run_uuid=stored_row.run_uuid, expires_at=stored_row.expires_at)

    def attach(self, owner_id: int, key: str, run_uuid: str) -> None:
        """Say which run answers the request."""
        with self._database.write() as session:
            session.exec(
                update(IdempotencyKeyRow)
                .where(
                    col(IdempotencyKeyRow.owner_id) == owner_id, col(IdempotencyKeyRow.key) == key
                )
                .values(run_uuid=run_uuid)
            )

    def release(self, owner_id: int, key: str, run_uuid: str | None = None) -> None:
        """Forget a request that came to no run, or to one that is gone: it can be sent again."""
        with self._database.write() as session:
            session.exec(
                delete(IdempotencyKeyRow).where(
                    col(IdempotencyKeyRow.owner_id) == owner_id,
                    col(IdempotencyKeyRow.key) == key,
                    col(IdempotencyKeyRow.run_uuid).is_not_distinct_from(run_uuid),
                )
            )


def _find(session: Session, owner_id: int, key: str) -> IdempotencyKeyRow | None:
    return session.exec(
        select(IdempotencyKeyRow).where(
            col(IdempotencyKeyRow.owner_id) == owner_id, col(IdempotencyKeyRow.key) == key
        )
    ).first()


def _add(session: Session, row: IdempotencyKeyRow) -> IdempotencyKeyRow | None:
    """Write the row; return that of another process which was first."""
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return _find(session, row.owner_id, row.key)
    return None
