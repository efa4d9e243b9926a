"""API keys: shown once when made, then known only by a keyed hash."""

import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from sqlalchemy import update
from sqlmodel import col, select

from core.errors import InvalidInput, NotAuthenticated, NotFound, StorageFull
from core.records.runs import ApiKey, Caller
from storage.engine import Database
from storage.instants import Clock, is_stale
from storage.secret import Pepper
from storage.tables import ApiKeyRow, UserRow

PREFIX = "bpw_live_"
_FORM = re.compile(r"bpw_live_[0-9a-f]{32}")
_LONGEST_NAME = 100


class KeyStore:
    """API keys of all callers (core.ports.Keys)."""

    def __init__(self, database: Database, pepper: Pepper, now: Clock) -> None:
        """Keep what the keys need.

        Args:
            database: Where the rows lie.
            pepper: Hashes the keys.
            now: Decides whether a key has expired.
        """
        self._database = database
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
            raise InvalidInput("the expiry lies in the past; give a later one", field="expires_at")
        key = PREFIX + secrets.token_hex(16)
        row = ApiKeyRow(
            owner_id=owner_id,
            name=label,
            digest=self._pepper.digest(key),
            prefix=PREFIX,
            last4=key[-4:],
            scopes=list(scopes),
            created_at=now,
            expires_at=expires_at,
        )
        with self._database.write() as session:
            owner = session.get(UserRow, owner_id)
            if owner is None:
                raise NotFound("there is no such account")
            session.add(row)
        return _record(row, owner.name), key

    def find_caller(self, key: str) -> Caller:
        """Return who holds the key.

        Raises:
            NotAuthenticated: Malformed, unknown, revoked, expired or of a disabled account,
                always in the same words.
        """
        if not _FORM.fullmatch(key):
            raise _refused()
        now = self._now()
        wanted = (
            select(ApiKeyRow, UserRow)
            .join(UserRow, col(UserRow.id) == col(ApiKeyRow.owner_id))
            .where(col(ApiKeyRow.digest) == self._pepper.digest(key))
        )
        with self._database.read() as session:
            found = session.exec(wanted).first()
        if found is None:
            raise _refused()
        row, owner = found
        is_expired = row.expires_at is not None and row.expires_at <= now
        if row.revoked_at is not None or is_expired or owner.disabled_at is not None:
            raise _refused()
        if is_stale(row.last_used_at, now):
            self._touch(row, now)
        return Caller.model_validate(
            {
                "user_id": row.owner_id,
                "name": owner.name,
                "role": owner.role,
                "key_id": row.id,
                "scopes": tuple(row.scopes),
            }
        )

    def _touch(self, row: ApiKeyRow, now: datetime) -> None:
        """Write the last use; a full disk must not lock anybody out."""
        with suppress(StorageFull), self._database.write() as session:
            session.exec(
                update(ApiKeyRow).where(col(ApiKeyRow.id) == row.id).values(last_used_at=now)
            )

    def list(self, owner_id: int | None = None) -> Sequence[ApiKey]:
        """Return the keys of an owner (all owners: None), newest first."""
        wanted = select(ApiKeyRow, UserRow.name).join(
            UserRow, col(UserRow.id) == col(ApiKeyRow.owner_id)
        )
        if owner_id is not None:
            wanted = wanted.where(col(ApiKeyRow.owner_id) == owner_id)
        with self._database.read() as session:
            found = session.exec(wanted.order_by(col(ApiKeyRow.id).desc())).all()
        return [_record(row, owner) for row, owner in found]

    def revoke(self, key_id: int, *, owner_id: int | None = None) -> None:
        """Revoke a key (of this owner); a second time changes nothing.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.write() as session:
            row = session.get(ApiKeyRow, key_id)
            if row is None or owner_id not in (None, row.owner_id):
                raise NotFound("there is no such key")
            row.revoked_at = row.revoked_at or self._now()


def _refused() -> NotAuthenticated:
    return NotAuthenticated("missing or invalid API key")


def _record(row: ApiKeyRow, owner: str) -> ApiKey:
    assert row.id is not None
    return ApiKey(
        key_id=row.id,
        owner_id=row.owner_id,
        owner=owner,
        name=row.name,
        prefix=row.prefix,
        last4=row.last4,
        scopes=tuple(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
    )
