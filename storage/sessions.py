"""Sessions: a random token in the browser's cookie, only its keyed hash in the database."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from core.errors import NotAuthenticated, NotFound, StorageFull, StorageUnavailable
from core.records.runs import Caller, SignIn
from storage.columns import record_of
from storage.engine import Database
from storage.instants import TOUCH_WAIT_MS, Clock, is_stale
from storage.secret import Pepper
from storage.tables import SessionRow, UserRow

_LONGEST_ADDRESS = 64
_LONGEST_AGENT = 200
_LONGEST_TOKEN = 100


class SessionStore:
    """The sign-ins of all people."""

    def __init__(
        self,
        database: Database,
        pepper: Pepper,
        now: Clock,
        *,
        lifetime: timedelta,
        idle: timedelta = timedelta(0),
    ) -> None:
        """Keep what the sessions need.

        Args:
            database: Where the rows lie.
            pepper: Hashes the tokens.
            now: Decides whether a session has expired.
            lifetime: A session lasts so long.
            idle: A session that is not used for so long ends; none: it may rest.
        """
        self._database = database
        self._pepper = pepper
        self._now = now
        self._lifetime = lifetime
        self._idle = idle

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
        with self._database.write(essential=True) as session:
            session.exec(delete(SessionRow).where(col(SessionRow.expires_at) <= now))
            session.add(row)
        return token

    def find(self, token: str, *, is_seen: bool = True) -> Caller:
        """Return who is signed in with the token.

        Args:
            token: As the browser sent it.
            is_seen: Whether somebody is there, so that the session does not count as idle.

        Raises:
            NotAuthenticated: Unknown, expired, idle for too long or closed, or the account is
                disabled.
        """
        now = self._now()
        query = (
            select(SessionRow, UserRow)
            .join(UserRow, col(UserRow.id) == col(SessionRow.user_id))
            .where(col(SessionRow.digest) == self._pepper.digest(token[:_LONGEST_TOKEN]))
        )
        with self._database.read() as session:
            session_and_user = session.exec(query).first()
        if (
            session_and_user is None
            or self._has_ended(session_and_user[0], now)
            or not _may_enter(session_and_user[1])
        ):
            raise NotAuthenticated("the sign-in has ended; sign in again", code="no_session")
        row, user = session_and_user
        if is_seen and is_stale(row.last_seen_at, now):
            self._touch(row, now)
        return Caller.model_validate({"user_id": user.id, "name": user.name, "role": user.role})

    def _has_ended(self, row: SessionRow, now: datetime) -> bool:
        seen_at = row.last_seen_at or row.created_at
        return row.expires_at <= now or bool(self._idle and seen_at + self._idle <= now)

    def _touch(self, row: SessionRow, now: datetime) -> None:
        """Write when the session was last seen; a full or busy disk must lock nobody out."""
        with (
            suppress(StorageFull, StorageUnavailable),
            self._database.write(wait_ms=TOUCH_WAIT_MS) as session,
        ):
            session.exec(
                update(SessionRow).where(col(SessionRow.id) == row.id).values(last_seen_at=now)
            )

    def close(self, token: str) -> None:
        """End the session; its token no longer works."""
        digest = self._pepper.digest(token[:_LONGEST_TOKEN])
        with self._database.write(essential=True) as session:
            session.exec(delete(SessionRow).where(col(SessionRow.digest) == digest))

    def close_all(self, session: Session, user_id: int, *, but: str | None = None) -> int:
        """End every session of an account, and return how many ended.

        Args:
            session: An open write transaction.
            user_id: The account.
            but: Token whose session goes on.
        """
        digest = self._pepper.digest(but[:_LONGEST_TOKEN]) if but else ""
        ended = session.exec(
            delete(SessionRow).where(
                col(SessionRow.user_id) == user_id, col(SessionRow.digest) != digest
            )
        )
        return ended.rowcount

    def list(self, user_id: int, *, token: str | None) -> Sequence[SignIn]:
        """Return the sessions of an account that go on, newest first; that of `token` is marked."""
        digest = self._pepper.digest(token[:_LONGEST_TOKEN]) if token else ""
        query = (
            select(SessionRow)
            .where(col(SessionRow.user_id) == user_id, col(SessionRow.expires_at) > self._now())
            .order_by(col(SessionRow.id).desc())
        )
        with self._database.read() as session:
            rows = session.exec(query).all()
        now = self._now()
        return [_record(row, row.digest == digest) for row in rows if not self._has_ended(row, now)]

    def end(self, user_id: int, session_id: int) -> None:
        """End one session of an account.

        Raises:
            NotFound: The account has no such session.
        """
        with self._database.write(essential=True) as session:
            ended = session.exec(
                delete(SessionRow).where(
                    col(SessionRow.id) == session_id, col(SessionRow.user_id) == user_id
                )
            )
        if ended.rowcount == 0:
            raise NotFound("this session has ended already")


def _may_enter(user: UserRow) -> bool:
    """Return whether an account may use the pages."""
    return user.disabled_at is None and user.role != "api-only"


def _record(row: SessionRow, is_current: bool) -> SignIn:
    return record_of(row, SignIn, session_id=row.id, is_current=is_current)


def _plain(text: str, longest: int) -> str:
    return "".join(sign for sign in text if sign.isprintable())[:longest]
