"""API keys: shown once when made, then known only by a keyed hash."""

import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, func, update
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from core.errors import InvalidInput, NotAuthenticated, NotFound, StorageFull, StorageUnavailable
from core.records.runs import ApiKey, Caller
from storage.callers import CallerMemory
from storage.columns import record_of
from storage.engine import Database
from storage.instants import TOUCH_WAIT_MS, Clock, is_stale
from storage.secret import Pepper
from storage.tables import METADATA, ApiKeyRow, UserRow

PREFIX = "bpw_live_"
_FORM = re.compile(r"bpw_live_[0-9a-f]{32}")
_LONGEST_NAME = 100
LONGEST_GRACE = timedelta(days=90)
_KEYS, _USERS = METADATA.tables["api_key"], METADATA.tables["user"]
_HOLDER = (
    select_columns(
        *(_KEYS.c.id, _KEYS.c.owner_id, _KEYS.c.scopes, _KEYS.c.expires_at, _KEYS.c.revoked_at),
        *(_KEYS.c.last_used_at, _USERS.c.name, _USERS.c.role, _USERS.c.disabled_at),
    )
    .join_from(_KEYS, _USERS, _USERS.c.id == _KEYS.c.owner_id)
    .where(_KEYS.c.digest == bindparam("key_digest"))
)


class KeyStore:
    """API keys of all callers (core.ports.Keys)."""

    def __init__(
        self, database: Database, pepper: Pepper, now: Clock, callers: CallerMemory
    ) -> None:
        """Keep what the keys need.

        Args:
            database: Where the rows lie.
            pepper: Hashes the keys.
            now: Decides whether a key has expired.
            callers: Remembers who held a key a moment ago.
        """
        self._database = database
        self._callers = callers
        self._pepper = pepper
        self._now = now

    def create(
        self,
        owner_id: int,
        name: str,
        *,
        scopes: Sequence[str] = (),
        expires_at: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """Make a key; the second value is the key itself, shown once and never stored.

        Raises:
            InvalidInput: The name is empty or too long, or the expiry has passed.
            NotFound: There is no such account.
        """
        label = "".join(sign for sign in name if sign.isprintable()).strip()
        now = self._now()
        if not 1 <= len(label) <= _LONGEST_NAME:
            raise InvalidInput(f"a key's name has 1 to {_LONGEST_NAME} characters", field="name")
        if expires_at is not None and expires_at <= now:
            raise InvalidInput(
                "the expiry date is in the past; give a later one", field="expires_at"
            )
        row, key = self._make(
            owner_id=owner_id,
            name=label,
            scopes=list(scopes),
            created_at=now,
            expires_at=expires_at,
        )
        with self._database.write() as session:
            owner = session.get(UserRow, owner_id)
            if owner is None:
                raise NotFound("account not found")
            session.add(row)
        return _record(row, owner.name), key

    def _make(self, **columns: Any) -> tuple[ApiKeyRow, str]:
        """Return a new row and the key that it stands for."""
        key = PREFIX + secrets.token_hex(16)
        digest = self._pepper.digest(key)
        return ApiKeyRow(digest=digest, prefix=PREFIX, last4=key[-4:], **columns), key

    def rotate(
        self, key_id: int, *, grace: timedelta, owner_id: int | None = None
    ) -> tuple[ApiKey, str]:
        """Make the key's successor; the old one works until the grace is over.

        Args:
            key_id: The key.
            grace: How long the old key still works; at most 90 days, none ends it now.
            owner_id: Keys of this owner only.

        Returns:
            The successor, with the name, the scopes and the lifetime of the old key, and the
            key itself, shown once.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
            InvalidInput: `key_ended`: revoked, expired or rotated already.
        """
        if not timedelta(0) <= grace <= LONGEST_GRACE:
            raise InvalidInput("the grace lasts 0 to 90 days", field="grace")
        now = self._now()
        with self._callers.changing(), self._database.write() as session:
            old, owner = _find(session, key_id, owner_id, lock=True)
            _check_rotatable(session, old, now)
            lifetime = old.expires_at - old.created_at if old.expires_at else None
            row, key = self._make(
                owner_id=old.owner_id,
                name=old.name,
                scopes=list(old.scopes),
                created_at=now,
                expires_at=now + lifetime if lifetime else None,
                replaces_id=old.id,
            )
            session.add(row)
            if grace:
                old.expires_at = min(old.expires_at or now + grace, now + grace)
            else:
                old.revoked_at = now
        return _record(row, owner.name), key

    def find_caller(self, key: str) -> Caller:
        """Return who holds the key.

        Raises:
            NotAuthenticated: Malformed, unknown, revoked, expired or of a disabled account,
                always in the same words.
        """
        if not _FORM.fullmatch(key):
            raise _refused()
        now, changes, digest = self._now(), self._callers.changes, self._pepper.digest(key)
        row = self._database.row(_HOLDER, {"key_digest": digest})
        is_expired = row is not None and row.expires_at is not None and row.expires_at <= now
        if row is None or row.revoked_at or is_expired or row.disabled_at:
            self._callers.keep(digest, None, changes)
            raise _refused()
        if is_stale(row.last_used_at, now):
            self._touch(row.id, now)
        caller = Caller.model_validate(
            {
                "user_id": row.owner_id,
                "name": row.name,
                "role": row.role,
                "key_id": row.id,
                "scopes": tuple(row.scopes),
            }
        )
        self._callers.keep(digest, caller, changes, row.expires_at)
        return caller

    def recall_caller(self, key: str) -> Caller | None:
        """Return who held the key a moment ago, at once; None where `find_caller` must look.

        Raises:
            NotAuthenticated: The key was refused a moment ago.
        """
        holder = self._callers.recall(self._pepper.digest(key), self._now())
        if holder is not None and holder.caller is None:
            raise _refused()
        return holder.caller if holder is not None else None

    def _touch(self, key_id: int, now: datetime) -> None:
        """Write the last use; a full or busy disk must not lock anybody out, nor let them wait."""
        with (
            suppress(StorageFull, StorageUnavailable),
            self._database.write(wait_ms=TOUCH_WAIT_MS) as session,
        ):
            session.exec(
                update(ApiKeyRow).where(col(ApiKeyRow.id) == key_id).values(last_used_at=now)
            )

    def list(self, owner_id: int | None = None) -> Sequence[ApiKey]:
        """Return the keys of an owner (all owners: None), newest first."""
        query = _whole_keys()
        if owner_id is not None:
            query = query.where(col(ApiKeyRow.owner_id) == owner_id)
        with self._database.read() as session:
            rows = session.exec(query.order_by(col(ApiKeyRow.id).desc())).all()
        return [_record(row, owner, successor) for row, owner, successor in rows]

    def get(self, key_id: int, *, owner_id: int | None = None) -> ApiKey:
        """Return a key (of this owner).

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.read() as session:
            key_row = session.exec(_whole_keys().where(col(ApiKeyRow.id) == key_id)).first()
        if key_row is None or owner_id not in (None, key_row[0].owner_id):
            raise _no_key()
        row, owner, successor = key_row
        return _record(row, owner, successor)

    def revoke(self, key_id: int, *, owner_id: int | None = None) -> None:
        """Revoke a key (of this owner); a second time changes nothing.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._callers.changing(), self._database.write() as session:
            row, _ = _find(session, key_id, owner_id)
            row.revoked_at = row.revoked_at or self._now()

    def revoke_all(self, owner_id: int) -> int:
        """Revoke every key of an owner that still works; return how many those were."""
        now = self._now()
        with self._callers.changing(), self._database.write() as session:
            ended = session.exec(
                update(ApiKeyRow)
                .where(col(ApiKeyRow.owner_id) == owner_id, col(ApiKeyRow.revoked_at).is_(None))
                .values(revoked_at=now)
            )
        return ended.rowcount


def _whole_keys() -> "Select[ApiKeyRow, str, Any]":
    """Return the query of keys with their owner's name and their successor's id."""
    successor = aliased(ApiKeyRow)
    newest = (
        select(func.max(successor.id))
        .where(col(successor.replaces_id) == col(ApiKeyRow.id))
        .correlate(ApiKeyRow)
        .scalar_subquery()
    )
    return select(ApiKeyRow, UserRow.name, newest).join(
        UserRow, col(UserRow.id) == col(ApiKeyRow.owner_id)
    )


def _find(
    session: Session, key_id: int, owner_id: int | None, *, lock: bool = False
) -> tuple[ApiKeyRow, UserRow]:
    row = session.get(ApiKeyRow, key_id, with_for_update=lock)
    if row is None or owner_id not in (None, row.owner_id):
        raise _no_key()
    owner = session.get(UserRow, row.owner_id)
    assert owner is not None
    return row, owner


def _check_rotatable(session: Session, row: ApiKeyRow, now: datetime) -> None:
    """Refuse a key that has ended, or that has a successor."""
    is_expired = row.expires_at is not None and row.expires_at <= now
    query = select(ApiKeyRow.id).where(col(ApiKeyRow.replaces_id) == row.id)
    if row.revoked_at is not None or is_expired or session.exec(query).first() is not None:
        raise InvalidInput(
            "this key was revoked, has expired or was rotated already; make a new one",
            code="key_ended",
        )


def _no_key() -> NotFound:
    return NotFound("key not found")


def _refused() -> NotAuthenticated:
    return NotAuthenticated("missing or invalid API key")


def _record(row: ApiKeyRow, owner: str, successor: int | None = None) -> ApiKey:
    return record_of(row, ApiKey, key_id=row.id, owner=owner, replaced_by_id=successor)
