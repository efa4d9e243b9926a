"""Second factors: time-based codes of an authenticator app, and recovery codes for its loss.

A code is taken once: the time step of the newest one is kept, and only a later one counts
(RFC 6238, 5.2). Codes are counted apart from passwords, because a right password forgives failures.
"""

import json
import secrets
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from core.account_ports import Seals
from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.records.runs import Enrollment, User
from storage.engine import Database
from storage.instants import Clock
from storage.secret import Pepper
from storage.tables import SecondFactorRow, UserRow
from storage.throttle import ACCOUNT_FAILURES, Throttle
from storage.user_rows import user_of

ISSUER = "Biopharma Workbench"
STEP_S = 30
RECOVERY_CODES = 10
_RECOVERY_SIGNS = "abcdefghjkmnpqrstuvwxyz23456789"
_RECOVERY_LENGTH = 24
"""Signs of a recovery code: 118 bits."""
_SECRET, _OFFER = "second-factor", "second-factor-offer"
OFFER_S = 900
"""Seconds in which a set-up must see its first code."""


class FactorStore:
    """The second factors of all accounts (core.account_ports.Factors)."""

    def __init__(
        self, database: Database, *, seals: Seals, pepper: Pepper, throttle: Throttle, now: Clock
    ) -> None:
        """Keep what the factors need.

        Args:
            database: Where the rows lie.
            seals: Encrypts the secrets.
            pepper: Hashes recovery codes.
            throttle: Counts wrong codes.
            now: Decides which codes are right.
        """
        self._database = database
        self._seals = seals
        self._pepper = pepper
        self._throttle = throttle
        self._now = now

    def is_on(self, user_id: int) -> bool:
        """Return whether an account signs in with a code."""
        return self._find(user_id) is not None

    def count_recovery_codes(self, user_id: int) -> int:
        """Return how many recovery codes an account has left."""
        row = self._find(user_id)
        return len(row.recovery_digests) if row else 0

    def offer(self, user: User) -> Enrollment:
        """Return a new secret for an account; nothing is stored before its first code."""
        import pyotp

        secret = pyotp.random_base32()
        content = [user.user_id, user.name, secret, user.credential_mark]
        sealed = self._seals.seal(_OFFER, json.dumps(content))
        return _describe(user.user_id, user.name, secret, sealed)

    def find_offer(self, token: str) -> Enrollment:
        """Return what a token of `offer` stands for.

        Raises:
            NotFound: It is forged or expired, or the password has changed since.
        """
        content = self._seals.unseal(_OFFER, token, max_age_s=OFFER_S)
        user_id, name, secret, mark = json.loads(content) if content else (0, "", "", "")
        with self._database.read() as session:
            row = session.get(UserRow, user_id)
        if row is None or row.disabled_at or user_of(row).credential_mark != mark:
            raise NotFound("this set-up has expired; start again")
        return _describe(user_id, name, secret, token)

    def confirm(self, token: str, code: str) -> Sequence[str]:
        """Turn the factor on with a first code; return the recovery codes, shown once.

        Raises:
            NotFound: The token is forged or expired.
            NotAuthenticated: The code is wrong or was tried too often.
            InvalidInput: The account has a second factor.
        """
        offered = self.find_offer(token)
        self._throttle.admit(_of_factor(offered.user_id))
        step = self._match(offered.secret, code)
        if step is None:
            raise _wrong_code()
        codes = [_make_recovery_code() for _ in range(RECOVERY_CODES)]
        row = SecondFactorRow(
            user_id=offered.user_id,
            sealed_secret=self._seals.seal(_SECRET, offered.secret),
            created_at=self._now(),
            last_step=step,
            recovery_digests=[self._pepper.digest(_plain(made)) for made in codes],
        )
        try:
            with self._database.write() as session:
                session.add(row)
        except IntegrityError as error:
            raise InvalidInput("two-factor authentication is on; turn it off first") from error
        self._throttle.forgive(_of_factor(offered.user_id))
        return codes

    def check(self, user: User, code: str, *, device: str | None = None) -> None:
        """Take a code of the app or a recovery code, each once.

        Args:
            user: The account.
            code: As typed.
            device: What the browser keeps from an earlier sign-in to the account: strangers who
                know the password do not lock its owner out there.

        Raises:
            NotAuthenticated: `wrong_code`, or `throttled`.
        """
        user_id = user.user_id
        known = next(iter(self._throttle.of_signin(user.name, "", device)))
        counted = _of_factor(user_id)
        if known.startswith("device:"):
            counted = {f"factor-{known}": ACCOUNT_FAILURES}
        self._throttle.admit(counted)
        row = self._find(user_id)
        step = self._match(self._secret_of(row), code) if row is not None else None
        is_taken = self._take_step(user_id, step) if step else self._take_recovery(user_id, code)
        if not is_taken:
            raise _wrong_code()
        self._throttle.forgive(counted)

    def remove(self, user_id: int) -> bool:
        """Turn the factor off; return whether it was on."""
        with self._database.write() as session:
            ended = session.exec(
                delete(SecondFactorRow).where(col(SecondFactorRow.user_id) == user_id)
            )
        return ended.rowcount == 1

    def _find(self, user_id: int) -> SecondFactorRow | None:
        with self._database.read() as session:
            return session.get(SecondFactorRow, user_id)

    def _secret_of(self, row: SecondFactorRow) -> str:
        secret = self._seals.unseal(_SECRET, row.sealed_secret)
        if secret is None:
            raise NotAuthenticated(
                "this second factor was set up with another instance secret; an administrator "
                "can remove it (users remove-factor NAME)",
                code="wrong_code",
            )
        return secret

    def _match(self, secret: str, code: str) -> int | None:
        """Return the time step of a code: now, or one before or after for clocks that differ."""
        import pyotp

        digits = "".join(code.split())
        if not (digits.isascii() and digits.isdigit()):
            return None
        clock = pyotp.TOTP(secret, interval=STEP_S)
        for shift in (0, -1, 1):
            at = self._now() + timedelta(seconds=shift * STEP_S)
            if secrets.compare_digest(clock.at(at), digits):
                return clock.timecode(at)
        return None

    def _take_step(self, user_id: int, step: int) -> bool:
        with self._database.write(essential=True) as session:
            taken = session.exec(
                update(SecondFactorRow)
                .where(
                    col(SecondFactorRow.user_id) == user_id,
                    col(SecondFactorRow.last_step) < step,
                )
                .values(last_step=step)
            )
        return taken.rowcount == 1

    def _take_recovery(self, user_id: int, code: str) -> bool:
        digest = self._pepper.digest(_plain(code))
        query = select(SecondFactorRow).where(col(SecondFactorRow.user_id) == user_id)
        with self._database.write(essential=True) as session:
            row = session.exec(query.with_for_update()).first()
            if row is None or digest not in row.recovery_digests:
                return False
            row.recovery_digests = [kept for kept in row.recovery_digests if kept != digest]
            session.add(row)
        return True


def _describe(user_id: int, name: str, secret: str, token: str) -> Enrollment:
    import pyotp

    address = pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=ISSUER)
    return Enrollment(user_id=user_id, name=name, secret=secret, address=address, token=token)


def _make_recovery_code() -> str:
    signs = "".join(secrets.choice(_RECOVERY_SIGNS) for _ in range(_RECOVERY_LENGTH))
    return "-".join(signs[at : at + 6] for at in range(0, _RECOVERY_LENGTH, 6))


def _plain(code: str) -> str:
    """Return a recovery code as it is compared: hyphens, blanks and capitals do not matter."""
    return "".join(sign for sign in code.lower() if sign.isalnum())


def _of_factor(user_id: int) -> dict[str, int]:
    return {f"factor:{user_id}": ACCOUNT_FAILURES}


def _wrong_code() -> NotAuthenticated:
    return NotAuthenticated(
        "this code is wrong, has expired or was used; wait for the next one", code="wrong_code"
    )
