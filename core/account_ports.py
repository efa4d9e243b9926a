"""What the stores of people must offer: accounts, keys, quota, the audit log."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from core.records.runs import (
    ApiKey,
    AuditEntry,
    Caller,
    Enrollment,
    OneTimeLink,
    QuotaState,
    Role,
    SignIn,
    SignOn,
    User,
)


class Keys(Protocol):
    """API keys: only a keyed hash is stored."""

    def create(
        self,
        owner_id: int,
        name: str,
        *,
        scopes: Sequence[str] = (),
        expires_at: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """Make a key; the second value is the key itself, shown once and never stored."""
        ...

    def find_caller(self, key: str) -> Caller:
        """Return who holds the key. Raises NotAuthenticated, always the same way."""
        ...

    def recall_caller(self, key: str) -> Caller | None:
        """Return who held the key a moment ago, at once; None where `find_caller` must look.

        Raises NotAuthenticated where it was refused a moment ago.
        """
        ...

    def list(self, owner_id: int | None = None) -> Sequence[ApiKey]:
        """Return the keys of an owner (all owners: None), newest first."""
        ...

    def get(self, key_id: int, *, owner_id: int | None = None) -> ApiKey:
        """Return a key (of this owner). Raises NotFound."""
        ...

    def revoke(self, key_id: int, *, owner_id: int | None = None) -> None:
        """Revoke a key (of this owner). Raises NotFound."""
        ...

    def revoke_all(self, owner_id: int) -> int:
        """Revoke every key of an owner that still works; return how many those were."""
        ...

    def rotate(
        self, key_id: int, *, grace: timedelta, owner_id: int | None = None
    ) -> tuple[ApiKey, str]:
        """Make the key's successor; the old one works until the grace is over.

        The successor has the name, the scopes and the lifetime of the old key. Raises NotFound
        and InvalidInput (`key_ended`).
        """
        ...


class Users(Protocol):
    """People and programs, and their sessions."""

    def create(
        self, name: str, password: str, role: Role = "analyst", *, is_generated: bool = False
    ) -> User:
        """Add an account; a generated password works for seven days.

        Raises InvalidInput (name taken, password weak or over 72 bytes).
        """
        ...

    def check_password(
        self, name: str, password: str, *, address: str, device: str | None = None
    ) -> User:
        """Return the account.

        Raises NotAuthenticated (also while throttled, or disabled; `password_ended`).
        """
        ...

    def sign_on(self, person: SignOn) -> tuple[User, Role | None]:
        """Return the account of a person at an identity provider, made at first sight.

        Its role becomes that of the person; the second value is the former one, None for an
        account that was made now. Raises InvalidInput (`name_taken`, a malformed name)
        and NotAuthenticated (disabled, or keys only).
        """
        ...

    def link(self, user_id: int, issuer: str, subject: str) -> None:
        """Let a person at an identity provider sign in to an account.

        Raises NotFound and InvalidInput (`already_linked`).
        """
        ...

    def unlink(self, user_id: int) -> None:
        """End single sign-on of an account and its sessions. Raises NotFound: it has none."""
        ...

    def device_token(self, name: str) -> str:
        """Return what a browser keeps in which somebody has signed in to an account."""
        ...

    def invite(self, name: str, role: Role = "analyst") -> tuple[User, str]:
        """Add an account without a password; the second value is its link's token."""
        ...

    def reset(self, user_id: int) -> str:
        """End an account's password and sessions; return the token of a link to a new one."""
        ...

    def find_link(self, token: str) -> OneTimeLink:
        """Return the invitation or reset that a token stands for. Raises NotFound."""
        ...

    def redeem_link(self, token: str, password: str) -> User:
        """Set the password, once; every session ends. Raises NotFound, InvalidInput."""
        ...

    def change_password(self, user_id: int, old: str, new: str, *, token: str | None) -> None:
        """Change one's own password; sessions but that of `token` end.

        Raises NotAuthenticated (wrong or throttled) and InvalidInput (refused).
        """
        ...

    def confirm_password(self, user_id: int, password: str) -> None:
        """Check the password that somebody who is signed in enters again.

        Raises NotAuthenticated (wrong or throttled).
        """
        ...

    def password_ends_at(self, user_id: int) -> datetime | None:
        """Return until when the password that was generated for an account works; None: always."""
        ...

    def by_id(self, user_id: int) -> User:
        """Return an account by its id. Raises NotFound."""
        ...

    def by_name(self, name: str) -> User:
        """Return an account by its name. Raises NotFound."""
        ...

    def list(self) -> Sequence[User]:
        """Return all accounts by name."""
        ...

    def disable(self, user_id: int) -> None:
        """Shut an account: its sessions end, its keys stop working.

        Raises NotFound and InvalidInput (`last_administrator`).
        """
        ...

    def enable(self, user_id: int) -> None:
        """Open a disabled account again; its keys work again. Raises NotFound."""
        ...

    def delete(self, user_id: int) -> None:
        """Delete a disabled account with all that belongs to it.

        Raises NotFound and InvalidInput (`not_disabled`, `runs_in_progress`).
        """
        ...

    def set_role(self, user_id: int, role: Role) -> None:
        """Give another role. Raises NotFound, InvalidInput (`last_administrator`)."""
        ...

    def set_quota(self, user_id: int, runs: int | None) -> None:
        """Give an account its own runs a month (None: the instance's). Raises NotFound."""
        ...

    def open_session(self, user_id: int, *, address: str, agent: str) -> str:
        """Begin a session and return its random token (only its hash is stored)."""
        ...

    def find_session(self, token: str, *, is_seen: bool = True) -> Caller:
        """Return who is signed in with the token; unless `is_seen`, it still counts as idle.

        Raises NotAuthenticated.
        """
        ...

    def close_session(self, token: str) -> None:
        """End the session; its token no longer works."""
        ...

    def sessions(self, user_id: int, *, token: str | None = None) -> Sequence[SignIn]:
        """Return the sessions of an account, newest first; that of `token` is marked."""
        ...

    def end_session(self, user_id: int, session_id: int) -> None:
        """End one session of an account. Raises NotFound."""
        ...

    def end_sessions(self, user_id: int, *, but: str | None = None) -> int:
        """End every session of an account but that of a token; return how many ended."""
        ...


class Factors(Protocol):
    """Second factors: codes of an authenticator app, and recovery codes."""

    def is_on(self, user_id: int) -> bool:
        """Return whether an account signs in with a code."""
        ...

    def count_recovery_codes(self, user_id: int) -> int:
        """Return how many recovery codes an account has left."""
        ...

    def offer(self, user: User) -> Enrollment:
        """Return a new secret for an account; nothing is stored before its first code."""
        ...

    def find_offer(self, token: str) -> Enrollment:
        """Return what a token of `offer` stands for. Raises NotFound."""
        ...

    def confirm(self, token: str, code: str) -> Sequence[str]:
        """Turn the factor on; return the recovery codes, shown once.

        Raises NotFound, NotAuthenticated (`wrong_code`, `throttled`) and InvalidInput.
        """
        ...

    def check(self, user: User, code: str, *, device: str | None = None) -> None:
        """Take a code, once; failures of known browsers (`device`) count apart.

        Raises NotAuthenticated (`wrong_code`, `throttled`).
        """
        ...

    def remove(self, user_id: int) -> bool:
        """Turn the factor off; return whether it was on."""
        ...


class Seals(Protocol):
    """Texts that come back through a browser: encrypted, signed, with their age."""

    def seal(self, purpose: str, text: str) -> str:
        """Return a text as a token that only this instance can read."""
        ...

    def unseal(self, purpose: str, token: str, *, max_age_s: int | None = None) -> str | None:
        """Return the text of a token; None when it is forged, expired or of another purpose."""
        ...


class Quotas(Protocol):
    """Runs per caller and calendar month (UTC), charged by one conditional statement."""

    def charge(self, owner_id: int, *, limit: int, at: datetime) -> None:
        """Use up one run. Raises QuotaExceeded with name, limit, used and reset time."""
        ...

    def state(self, owner_id: int, *, limit: int, at: datetime) -> QuotaState:
        """Return what is used this month."""
        ...


class Audit(Protocol):
    """The append-only audit log."""

    def note(self, actor: str, action: str, subject: str, note: str = "") -> None:
        """Write one line of an action that only reads; it never waits for the database."""
        ...

    def add(self, actor: str, action: str, subject: str, note: str = "") -> None:
        """Write one line."""
        ...

    def list(
        self,
        *,
        limit: int = 200,
        offset: int = 0,
        action: str | None = None,
        text: str | None = None,
    ) -> Sequence[AuditEntry]:
        """Return the newest lines (of one action, in which a text occurs)."""
        ...

    def actions(self) -> Sequence[str]:
        """Return every action that occurs."""
        ...
