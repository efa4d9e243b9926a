"""Sessions: a random token in the browser's cookie, only its keyed hash in the database."""

import secrets
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import col, select

from core.errors import NotAuthenticated, StorageFull
from core.records.runs import Caller
from storage.engine import Database
from storage.instants import Clock, is_stale
from storage.secret import Pepper
from storage.tables import SessionRow, UserRow

_LONGEST_ADDRESS = 64
_LONGEST_AGENT = 200
_LONGEST_TOKEN = 100


class SessionStore:
    """The sign-ins of all people."""

    def __init__(self, database: Database, pepper: Pepper, now: Clock, days: int) -> None:
        """Keep what the sessions need.

        Args:
            database: Where the rows lie.
            pepper: Hashes the tokens.
            now: Decides whether a session has expired.
            days: A session lasts this many days.
        """
        self._database = database
        self._pepper = pepper
        self._now = now
        self._lifetime = timedelta(days=days)

    def open(self, user_id: int, *, address: str, agent: str) -> str:
        """Begin a session and return its token; expired sessions are cleared away."""
        token = secrets.token_urlsafe(32)
        now = self._now()
        row = SessionRow(
            user_id=user_id,
            digest=self._pepper.digest(token),
            created_at=now,
            expires_at=now + self._lifetime,
            last_seen_at=now,
            address=_plain(address, _LONGEST_ADDRESS),
            agent=_plain(agent, _LONGEST_AGENT),
        )
        with self._database.write() as session:
            session.exec(delete(SessionRow).where(col(SessionRow.expires_at) <= now))
            session.add(row)
        return token

    def find(self, token: str) -> Caller:
        """Return who is signed in with the token.

        Raises:
            NotAuthenticated: Unknown, expired or closed, or the account is disabled.
        """
        now = self._now()
        wanted = (
            select(SessionRow, UserRow)
            .join(UserRow, col(UserRow.id) == col(SessionRow.user_id))
            .where(col(SessionRow.digest) == self._pepper.digest(token[:_LONGEST_TOKEN]))
        )
        with self._database.read() as session:
            found = session.exec(wanted).first()
        if found is None or found[0].expires_at <= now or found[1].disabled_at is not None:
            raise NotAuthenticated("the sign-in has ended; sign in again", code="no_session")
        row, user = found
        if is_stale(row.last_seen_at, now):
            self._touch(row, now)
        return Caller.model_validate({"user_id": user.id, "name": user.name, "role": user.role})

    def _touch(self, row: SessionRow, now: datetime) -> None:
        """Write when the session was last seen; a full disk must not lock anybody out."""
        with suppress(StorageFull), self._database.write() as session:
            session.exec(
                update(SessionRow).where(col(SessionRow.id) == row.id).values(last_seen_at=now)
            )

    def close(self, token: str) -> None:
        """End the session; its token no longer works."""
        digest = self._pepper.digest(token[:_LONGEST_TOKEN])
        with self._database.write() as session:
            session.exec(delete(SessionRow).where(col(SessionRow.digest) == digest))

    def close_all(self, user_id: int) -> None:
        """End every session of an account."""
        with self._database.write() as session:
            session.exec(delete(SessionRow).where(col(SessionRow.user_id) == user_id))


def _plain(text: str, longest: int) -> str:
    return "".join(sign for sign in text if sign.isprintable())[:longest]
