"""People and programs: accounts with bcrypt passwords, throttled sign-in, sessions."""

import re
from collections.abc import Sequence
from functools import lru_cache

import bcrypt
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.records.runs import Caller, Role, User
from storage.engine import Database
from storage.instants import Clock
from storage.sessions import SessionStore
from storage.tables import UserRow
from storage.throttle import Throttle

PASSWORD_ROUNDS = 12
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD_BYTES = 72
_FEWEST_SIGNS = 4
_NAME = re.compile(r"[a-z0-9._@-]{3,64}")


class UserStore:
    """Accounts and their sessions (core.ports.Users)."""

    def __init__(
        self, database: Database, sessions: SessionStore, throttle: Throttle, now: Clock
    ) -> None:
        """Keep what the accounts need.

        Args:
            database: Where the rows lie.
            sessions: The sign-ins.
            throttle: Counts failed sign-ins.
            now: Tells when an account was made.
        """
        self._database = database
        self._sessions = sessions
        self._throttle = throttle
        self._now = now

    def create(self, name: str, password: str, role: Role = "analyst") -> User:
        """Add an account.

        Args:
            name: 3 to 64 of `a-z 0-9 . _ - @`.
            password: At least 10 characters and at most 72 bytes in UTF-8.
            role: `api-only` accounts hold keys and cannot sign in.

        Raises:
            InvalidInput: The name is taken or malformed, or the password is refused.
        """
        if not _NAME.fullmatch(name):
            raise InvalidInput("an account's name has 3 to 64 of: a-z 0-9 . _ - @", field="name")
        check_new_password(name, password)
        row = UserRow(name=name, role=role, password_hash=_hash(password), created_at=self._now())
        try:
            with self._database.write() as session:
                session.add(row)
        except IntegrityError as error:
            raise InvalidInput(
                "this name is taken; choose another", field="name", code="name_taken"
            ) from error
        return _record(row)

    def check_password(self, name: str, password: str, *, address: str) -> User:
        """Return the account that the name and password belong to.

        Args:
            name: As typed; capitals and surrounding blanks do not matter.
            password: As typed.
            address: Network address of the caller.

        Raises:
            NotAuthenticated: `throttled`, or `wrong_credentials` in the same words and after
                the same time for an unknown name, a wrong password and a disabled account.
        """
        account = name.strip().lower()
        if not _NAME.fullmatch(account):
            account = ""
        self._throttle.admit(account, address)
        with self._database.read() as session:
            row = session.exec(select(UserRow).where(col(UserRow.name) == account)).first()
        is_right = _matches(password, row.password_hash if row else _decoy())
        if row is None or not is_right or row.disabled_at or row.role == "api-only":
            raise NotAuthenticated("the name or the password is wrong", code="wrong_credentials")
        self._throttle.forgive(account, address)
        return _record(row)

    def by_name(self, name: str) -> User:
        """Return an account by its name.

        Raises:
            NotFound: There is none.
        """
        with self._database.read() as session:
            row = session.exec(select(UserRow).where(col(UserRow.name) == name)).first()
        if row is None:
            raise NotFound("there is no such account")
        return _record(row)

    def list(self) -> Sequence[User]:
        """Return all accounts by name."""
        with self._database.read() as session:
            return [_record(row) for row in session.exec(select(UserRow).order_by(UserRow.name))]

    def disable(self, user_id: int) -> None:
        """Shut an account: its sessions end, its keys stop working, its runs stay.

        Raises:
            NotFound: There is none.
        """
        with self._database.write() as session:
            row = session.get(UserRow, user_id)
            if row is None:
                raise NotFound("there is no such account")
            row.disabled_at = row.disabled_at or self._now()
        self._sessions.close_all(user_id)

    def open_session(self, user_id: int, *, address: str, agent: str) -> str:
        """Begin a session and return its random token (only its hash is stored)."""
        return self._sessions.open(user_id, address=address, agent=agent)

    def find_session(self, token: str) -> Caller:
        """Return who is signed in with the token.

        Raises:
            NotAuthenticated: Unknown, expired or closed, or the account is disabled.
        """
        return self._sessions.find(token)

    def close_session(self, token: str) -> None:
        """End the session; its token no longer works."""
        self._sessions.close(token)


def check_new_password(name: str, password: str) -> None:
    """Refuse a password that is too short, too long, too simple or the account's name.

    Raises:
        InvalidInput: `weak_password` or `password_too_long`.
    """
    if len(password.encode("utf-8", "replace")) > LONGEST_PASSWORD_BYTES:
        raise InvalidInput(
            f"the password is longer than {LONGEST_PASSWORD_BYTES} bytes; choose a shorter one",
            field="password",
            code="password_too_long",
        )
    is_simple = len(set(password)) < _FEWEST_SIGNS or password.lower() == name
    if len(password) < SHORTEST_PASSWORD or is_simple or not password.isprintable():
        raise InvalidInput(
            f"a password has at least {SHORTEST_PASSWORD} printable characters, at least "
            f"{_FEWEST_SIGNS} different ones, and is not the account's name",
            field="password",
            code="weak_password",
        )


def _hash(password: str) -> str:
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(PASSWORD_ROUNDS)).decode()


@lru_cache(maxsize=1)
def _decoy() -> str:
    """Return a hash that no password fits, so that unknown names cost the same time."""
    return bcrypt.hashpw(bcrypt.gensalt(4), bcrypt.gensalt(PASSWORD_ROUNDS)).decode()


def _matches(password: str, hashed: str) -> bool:
    """Compare; a password over bcrypt's length costs the same time and never fits."""
    given = password.encode("utf-8", "replace")
    is_equal = bcrypt.checkpw(given[:LONGEST_PASSWORD_BYTES], hashed.encode())
    return is_equal and len(given) <= LONGEST_PASSWORD_BYTES


def _record(row: UserRow) -> User:
    return User.model_validate(
        {
            "user_id": row.id,
            "name": row.name,
            "role": row.role,
            "created_at": row.created_at,
            "disabled_at": row.disabled_at,
        }
    )
