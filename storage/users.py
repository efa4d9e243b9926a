"""People and programs: accounts with bcrypt passwords, throttled sign-in, sessions."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

import bcrypt
from sqlalchemy import Delete, ForeignKey, Table, Update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.records.runs import FINAL, Caller, OneTimeLink, Role, SignIn, SignOn, User
from storage.callers import CallerMemory
from storage.engine import Database
from storage.instants import Clock
from storage.links import FIRST, LinkStore
from storage.projects import leave_projects
from storage.sessions import SessionStore
from storage.tables import METADATA, RunRow, SingleSignOnRow, UserRow
from storage.throttle import Throttle, of_account, of_owner
from storage.user_rows import (
    DELETED,
    NAME,
    check_name,
    find_user,
    id_of,
    keep_an_administrator,
    taking_name,
    user_of,
)

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD_BYTES = 72
FEWEST_GUESSES = 10**8
"""Guesses that a password withstands at least, by the lists and patterns of zxcvbn (its score
3).
"""


def check_new_password(name: str, password: str) -> None:
    """Refuse a password that is too short, too long, common, or made of the account's name.

    Raises:
        InvalidInput: `weak_password` or `password_too_long`.

    References:
        Wheeler 2016, zxcvbn: low-budget password strength estimation, USENIX Security.
    """
    if len(password.encode("utf-8", "replace")) > LONGEST_PASSWORD_BYTES:
        raise InvalidInput(
            f"the password is longer than {LONGEST_PASSWORD_BYTES} bytes; choose a shorter one",
            field="password",
            code="password_too_long",
        )
    if len(password) < SHORTEST_PASSWORD or not password.isprintable():
        raise InvalidInput(
            f"a password has at least {SHORTEST_PASSWORD} printable characters",
            field="password",
            code="weak_password",
        )
    if password != password.strip():
        raise InvalidInput(
            "a password does not begin or end with a blank; leave it out",
            field="password",
            code="weak_password",
        )
    if guesses_of(password, name) < FEWEST_GUESSES:
        raise InvalidInput(
            "this password is among those that are guessed first (common words, names, dates, "
            "rows of keys, repetitions); choose another, for example four words that nobody "
            "would put together",
            field="password",
            code="weak_password",
        )


def guesses_of(password: str, name: str) -> float:
    """Return after about how many guesses somebody who knows the account comes to a password."""
    from zxcvbn import zxcvbn  # its lists take a tenth of a second to read

    return float(zxcvbn(password, user_inputs=[name, "biopharma", "workbench"])["guesses"])


def hash_password(password: str, rounds: int) -> str:
    """Return the bcrypt hash of a password.

    Args:
        password: At most 72 bytes in UTF-8.
        rounds: Logarithm of the work.
    """
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(rounds)).decode()


@lru_cache(maxsize=2)
def decoy(rounds: int) -> str:
    """Return a hash that no password fits, so that unknown names cost the same time."""
    return bcrypt.hashpw(bcrypt.gensalt(4), bcrypt.gensalt(rounds)).decode()


def matches_typed(password: str, hashed: str) -> bool:
    """Compare what a person typed; blanks around it do not matter."""
    bare = password.strip()
    return matches(password, hashed) or (bare != password and matches(bare, hashed))


def matches(password: str, hashed: str) -> bool:
    """Compare; a password over bcrypt's length costs the same time and never fits."""
    given = password.encode("utf-8", "replace")
    is_equal = bcrypt.checkpw(given[:LONGEST_PASSWORD_BYTES], hashed.encode())
    return is_equal and len(given) <= LONGEST_PASSWORD_BYTES


def _release(table: Table, key: ForeignKey, user_id: int) -> Delete | Update:
    """Return the statement that deletes the rows of an account, or takes it out of them."""
    if key.ondelete == "CASCADE":
        return table.delete().where(key.parent == user_id)
    return table.update().where(key.parent == user_id).values({key.parent.name: None})


PASSWORD_ROUNDS = 12
MOST_RUNS = 1_000_000


class UserStore:
    """Accounts and their sessions (core.ports.Users)."""

    def __init__(
        self,
        database: Database,
        *,
        sessions: SessionStore,
        links: LinkStore,
        throttle: Throttle,
        now: Clock,
        callers: CallerMemory,
    ) -> None:
        """Keep what the accounts need.

        Args:
            database: Where the rows lie.
            sessions: The sign-ins.
            links: The invitations and resets.
            throttle: Counts failed sign-ins.
            now: Tells when an account was made.
            callers: Forgets who held a key when an account changes.
        """
        self._database = database
        self._callers = callers
        self._sessions = sessions
        self._links = links
        self._throttle = throttle
        self._now = now

    def create(
        self, name: str, password: str, role: Role = "analyst", *, is_generated: bool = False
    ) -> User:
        """Add an account.

        Args:
            name: 3 to 64 of `a-z 0-9 . _ - @`.
            password: At least 12 characters, at most 72 bytes in UTF-8, none that is common.
            role: `api-only` accounts hold keys and cannot sign in.
            is_generated: The password works for seven days, in which the person chooses another.

        Raises:
            InvalidInput: The name is taken or malformed, or the password is refused.
        """
        check_name(name)
        check_new_password(name, password)
        now = self._now()
        row = UserRow(
            name=name,
            role=role,
            created_at=now,
            password_hash=hash_password(password, PASSWORD_ROUNDS),
        )
        row.password_set_at = now
        with taking_name(), self._database.write() as session:
            session.add(row)
            if is_generated:
                session.flush()
                self._links.add(session, id_of(row), FIRST)
        return user_of(row)

    def invite(self, name: str, role: Role = "analyst") -> tuple[User, str]:
        """Add an account without a password; the second value is the token of its link.

        Raises:
            InvalidInput: The name is taken or malformed.
        """
        check_name(name)
        row = UserRow(name=name, role=role, created_at=self._now(), password_hash="")
        with taking_name(), self._database.write() as session:
            session.add(row)
            session.flush()
            token = self._links.add(session, id_of(row), "invite")
        return user_of(row), token

    def reset(self, user_id: int) -> str:
        """End an account's password and sessions; return the token of a link to a new one.

        Raises:
            NotFound: There is no such account.
            InvalidInput: `cannot_sign_in`; the account holds keys only.
        """
        with self._database.write() as session:
            row = find_user(session, user_id)
            if row.role == "api-only":
                raise InvalidInput(
                    f"{row.name} holds keys only and has no password", code="cannot_sign_in"
                )
            row.password_hash, row.password_set_at = "", None
            token = self._links.add(session, user_id, "reset")
            self._sessions.close_all(session, user_id)
        return token

    def find_link(self, token: str) -> OneTimeLink:
        """Return the invitation or reset that a token stands for.

        Raises:
            NotFound: Unknown, used, expired, or the account is disabled.
        """
        with self._database.read() as session:
            link, row = self._links.find(session, token)
        values = {"kind": link.kind, "user": user_of(row), "expires_at": link.expires_at}
        return OneTimeLink.model_validate(values)

    def redeem_link(self, token: str, password: str) -> User:
        """Set the account's password; the link is used up and every session ends.

        Raises:
            NotFound: Unknown, used, expired, or the account is disabled.
            InvalidInput: The password is refused; the link still works.
        """
        check_new_password(self.find_link(token).user.name, password)
        hashed = hash_password(password, PASSWORD_ROUNDS)
        with self._database.write() as session:
            _, row = self._links.find(session, token)
            self._links.use(session, token)
            row.password_hash, row.password_set_at = hashed, self._now()
            self._sessions.close_all(session, id_of(row))
        self._throttle.forgive(of_account(row.name))
        return user_of(row)

    def change_password(self, user_id: int, old: str, new: str, *, token: str | None) -> None:
        """Change one's own password; every session but that of `token` ends.

        Raises:
            NotAuthenticated: The old password is wrong, or was tried too often.
            InvalidInput: The new password is refused.
        """
        check_new_password(self.by_id(user_id).name, new)
        self.confirm_password(user_id, old)
        hashed = hash_password(new, PASSWORD_ROUNDS)
        with self._database.write() as session:
            row = find_user(session, user_id)
            row.password_hash, row.password_set_at = hashed, self._now()
            self._links.end(session, user_id)
            self._sessions.close_all(session, user_id, but=token)

    def confirm_password(self, user_id: int, password: str) -> None:
        """Check the password that somebody who is signed in enters again.

        Raises:
            NotAuthenticated: It is wrong, or was tried too often.
        """
        with self._database.read() as session:
            row = find_user(session, user_id)
        self._throttle.admit(of_owner(row.name))
        if not matches(password, row.password_hash or decoy(PASSWORD_ROUNDS)):
            raise NotAuthenticated("the current password is wrong", code="wrong_credentials")
        self._throttle.forgive(of_owner(row.name))

    def password_ends_at(self, user_id: int) -> datetime | None:
        """Return until when the password that was generated for an account works; None: always."""
        with self._database.read() as session:
            return self._links.password_ends_at(session, user_id)

    def check_password(
        self, name: str, password: str, *, address: str, device: str | None = None
    ) -> User:
        """Return the account that the name and password belong to.

        Args:
            name: As typed; capitals and surrounding blanks do not matter.
            password: As typed.
            address: Network address of the caller.
            device: What the browser keeps from an earlier sign-in to the account.

        Raises:
            NotAuthenticated: `throttled`; `wrong_credentials` in the same words and after the
                same time for an unknown name, a wrong password and a disabled account; or
                `password_ended`, for the right password alone.
        """
        account = name.strip().lower()
        if not NAME.fullmatch(account):
            account = ""
        subjects = self._throttle.of_signin(account, address, device)
        self._throttle.admit(subjects)
        with self._database.read() as session:
            row = session.exec(select(UserRow).where(col(UserRow.name) == account)).first()
            ends_at = self._links.password_ends_at(session, id_of(row) if row else 0)
        hashed = (row.password_hash if row else "") or decoy(PASSWORD_ROUNDS)
        is_right = matches_typed(password, hashed)
        if row is None or not is_right or row.disabled_at or row.role == "api-only":
            raise NotAuthenticated("the name or the password is wrong", code="wrong_credentials")
        if ends_at is not None and ends_at <= self._now():
            raise NotAuthenticated(
                "the generated password of this account has expired; ask an administrator for a "
                f"reset link (users reset {row.name})",
                code="password_ended",
            )
        self._throttle.forgive(subjects)
        return user_of(row)

    def sign_on(self, person: SignOn) -> tuple[User, Role | None]:
        """Return the account of a person at an identity provider, made at first sight.

        The only administrator keeps that role.

        Args:
            person: As the provider describes them; an account follows issuer and subject, never
                the name, which a provider may give to somebody else.

        Returns:
            The account, and its former role; None for an account that was made now.

        Raises:
            InvalidInput: `name_taken` by an account that is not linked, or a malformed name.
            NotAuthenticated: The account is disabled or holds keys only.
        """
        user = self._find_linked(person)
        if user is not None:
            return user
        check_name(person.name)
        row = UserRow(name=person.name, role=person.role, created_at=self._now(), password_hash="")
        try:
            with taking_name(), self._database.write() as session:
                session.add(row)
                session.flush()
                self._add_link(session, id_of(row), person.issuer, person.subject)
        except InvalidInput:
            user = self._find_linked(person)  # by a second sign-in at the same moment
            if user is None:
                raise
            return user
        return user_of(row, is_linked=True), None

    def _find_linked(self, person: SignOn) -> tuple[User, Role | None] | None:
        """Return the linked account with its new role, and the former one; None for none."""
        with self._callers.changing(), self._database.write() as session:
            link = session.get(SingleSignOnRow, (person.issuer, person.subject))
            if link is None:
                return None
            row = find_user(session, link.user_id)
            if row.disabled_at is not None or row.role == "api-only":
                raise NotAuthenticated("this account cannot sign in", code="wrong_credentials")
            former: Role = user_of(row).role
            if former != person.role:
                others = select(UserRow.id).where(
                    col(UserRow.role) == "admin",
                    col(UserRow.id) != row.id,
                    col(UserRow.disabled_at).is_(None),
                )
                if former != "admin" or session.exec(others).first() is not None:
                    row.role = person.role
        return user_of(row, is_linked=True), former

    def link(self, user_id: int, issuer: str, subject: str) -> None:
        """Let a person at an identity provider sign in to an account.

        Raises:
            NotFound: There is no such account.
            InvalidInput: `already_linked`; the account or the person is.
        """
        try:
            with self._database.write() as session:
                find_user(session, user_id)
                self._add_link(session, user_id, issuer, subject)
        except IntegrityError as error:
            raise InvalidInput(
                "this account, or this person, is linked already", code="already_linked"
            ) from error

    def unlink(self, user_id: int) -> None:
        """End single sign-on of an account, and its sessions.

        Raises:
            NotFound: The account is not linked.
            InvalidInput: Nobody could administer afterwards.
        """
        query = select(SingleSignOnRow).where(col(SingleSignOnRow.user_id) == user_id)
        with self._database.write() as session:
            link = session.exec(query).first()
            if link is None:
                raise NotFound("this account has no single sign-on")
            user = find_user(session, user_id)
            if user.password_set_at is None:
                keep_an_administrator(session, user)
            session.delete(link)
            self._sessions.close_all(session, user_id)

    def _add_link(self, session: Session, user_id: int, issuer: str, subject: str) -> None:
        session.add(
            SingleSignOnRow(issuer=issuer, subject=subject, user_id=user_id, created_at=self._now())
        )

    def device_token(self, name: str) -> str:
        """Return what a browser keeps in which somebody has signed in to an account."""
        return self._throttle.device_token(name)

    def by_name(self, name: str) -> User:
        """Return an account by its name.

        Raises:
            NotFound: There is none.
        """
        if not NAME.fullmatch(name):
            raise NotFound("account not found")
        with self._database.read() as session:
            row = session.exec(select(UserRow).where(col(UserRow.name) == name)).first()
        if row is None:
            raise NotFound("account not found")
        return user_of(row)

    def by_id(self, user_id: int) -> User:
        """Return an account by its id.

        Raises:
            NotFound: There is none.
        """
        with self._database.read() as session:
            return user_of(find_user(session, user_id))

    def list(self) -> Sequence[User]:
        """Return all accounts by name."""
        with self._database.read() as session:
            linked = set(session.exec(select(SingleSignOnRow.user_id)))
            rows = session.exec(
                select(UserRow)
                .where(col(UserRow.name).not_like(f"{DELETED}%"))
                .order_by(UserRow.name)
            )
            return [user_of(row, is_linked=row.id in linked) for row in rows]

    def disable(self, user_id: int) -> None:
        """Shut an account: its sessions end, its keys stop working, its runs stay.

        Raises:
            NotFound: There is none.
            InvalidInput: `last_administrator`.
        """
        with self._callers.changing(), self._database.write() as session:
            row = find_user(session, user_id)
            keep_an_administrator(session, row)
            row.disabled_at = row.disabled_at or self._now()
            self._sessions.close_all(session, user_id)

    def delete(self, user_id: int) -> None:
        """Delete a disabled account with all that belongs to it.

        Projects of several people stay, and so do comments, with their author's name. The row
        stays without its name, so that no later account gets its number.

        Raises:
            NotFound: There is none.
            InvalidInput: `not_disabled`, or `runs_in_progress`.
        """
        with self._callers.changing(), self._database.write(essential=True) as session:
            row = find_user(session, user_id, is_changing=True)
            if row.disabled_at is None:
                raise InvalidInput("disable the account first", code="not_disabled")
            unfinished = select(RunRow.id).where(
                col(RunRow.owner_id) == user_id, col(RunRow.status).not_in(FINAL)
            )
            if session.exec(unfinished).first() is not None:
                raise InvalidInput(
                    "runs of this account are in progress; try again in some minutes",
                    code="runs_in_progress",
                )
            leave_projects(session, user_id)
            for table in METADATA.sorted_tables:
                for key in table.foreign_keys:
                    if key.column.table.name == UserRow.__tablename__:
                        session.execute(_release(table, key, user_id))
            row.name, row.password_hash, row.role = f"{DELETED}{user_id}", "", "analyst"

    def enable(self, user_id: int) -> None:
        """Open a disabled account again; its keys work again.

        Raises:
            NotFound: There is none.
        """
        with self._callers.changing(), self._database.write() as session:
            find_user(session, user_id, is_changing=True).disabled_at = None

    def set_role(self, user_id: int, role: Role) -> None:
        """Give an account another role; an `api-only` account's sessions end.

        Raises:
            NotFound: There is none.
            InvalidInput: `last_administrator`.
        """
        with self._callers.changing(), self._database.write() as session:
            row = find_user(session, user_id)
            if role != "admin":
                keep_an_administrator(session, row)
            row.role = role
            if role == "api-only":
                self._sessions.close_all(session, user_id)

    def set_quota(self, user_id: int, runs: int | None) -> None:
        """Give an account its own number of runs a month (None: the instance's).

        Raises:
            NotFound: There is none.
            InvalidInput: The number is negative or over a million.
        """
        if runs is not None and not 0 <= runs <= MOST_RUNS:
            raise InvalidInput(f"a quota has 0 to {MOST_RUNS:,} runs a month", field="quota_runs")
        with self._database.write() as session:
            find_user(session, user_id).quota_runs = runs

    def open_session(self, user_id: int, *, address: str, agent: str) -> str:
        """Begin a session and return its random token (only its hash is stored)."""
        return self._sessions.open(user_id, address=address, agent=agent)

    def find_session(self, token: str, *, is_seen: bool = True) -> Caller:
        """Return who is signed in; without `is_seen` it still counts as idle (sessions.py)."""
        return self._sessions.find(token, is_seen=is_seen)

    def close_session(self, token: str) -> None:
        """End the session; its token no longer works."""
        self._sessions.close(token)

    def sessions(self, user_id: int, *, token: str | None = None) -> Sequence[SignIn]:
        """Return the sessions of an account, newest first; that of `token` is marked."""
        return self._sessions.list(user_id, token=token)

    def end_session(self, user_id: int, session_id: int) -> None:
        """End one session of an account.

        Raises:
            NotFound: The account has no such session.
        """
        self._sessions.end(user_id, session_id)

    def end_sessions(self, user_id: int, *, but: str | None = None) -> int:
        """End every session of an account but that of a token; return how many ended."""
        with self._database.write() as session:
            return self._sessions.close_all(session, user_id, but=but)
