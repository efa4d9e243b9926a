"""Throttled sign-in: counts failures by account, by network address and by network.

Strangers who guess at an account lock it for browsers that are not known, never for its owner: a
browser in which somebody signed in to the account before has a counter of its own, and so has the
owner who is signed in already (a device cookie, as OWASP describes it).

An attempt is counted before the password is looked at, so that many guesses at the same time
cannot slip through together; a right password gives the attempt back.
"""

import ipaddress
import math
import secrets
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.errors import NotAuthenticated
from core.records.failure import ErrorDetail
from storage.base import SecretStore
from storage.tables import SigninThrottleRow

ACCOUNT_FAILURES = 5
ADDRESS_FAILURES = 20
NETWORK_FAILURES = 60
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(minutes=15)
FORGET_AFTER = timedelta(hours=1)
THROTTLED = "throttled"
_LONGEST_DEVICE = 100
_HOUSEHOLD = {4: 32, 6: 64}
"""Bits of an address that one household or office gets, by the number of the protocol."""
_NETWORK = {4: 24, 6: 48}
"""Bits of the network that somebody who has many addresses usually has."""

Subjects = dict[str, int]
"""What an attempt counts against, and how many failures each may have; its own comes first."""


class Throttle(SecretStore):
    """Counters of failed sign-ins, shared by all processes of an instance."""

    def device_token(self, account: str) -> str:
        """Return what a browser keeps in which somebody has signed in to an account."""
        mark = secrets.token_hex(16)
        return f"{mark}.{self._sign(account, mark)}"

    def of_signin(self, account: str, address: str, device: str | None) -> Subjects:
        """Return what a sign-in counts against.

        Args:
            account: Name of the account.
            address: Network address.
            device: What the browser keeps from an earlier sign-in.
        """
        mark, _, signature = (device or "")[:_LONGEST_DEVICE].partition(".")
        expected = self._sign(account, mark).encode()
        if mark and secrets.compare_digest(signature.encode("utf-8", "replace"), expected):
            return {f"device:{mark}": ACCOUNT_FAILURES}
        return {
            f"account:{account[:100]}": ACCOUNT_FAILURES,
            f"address:{_network(address, _HOUSEHOLD)}": ADDRESS_FAILURES,
            f"network:{_network(address, _NETWORK)}": NETWORK_FAILURES,
        }

    def _sign(self, account: str, mark: str) -> str:
        return self._pepper.digest(f"{mark} {account}")

    def admit(self, subjects: Subjects) -> None:
        """Count an attempt, or refuse it while a wait lasts.

        Args:
            subjects: What it counts against.

        Raises:
            NotAuthenticated: `throttled`; the detail `wait_s` holds the seconds left to wait.
        """
        now = self._now()
        with self._database.write(essential=True) as session:
            session.exec(
                delete(SigninThrottleRow).where(
                    col(SigninThrottleRow.failed_at) < now - FORGET_AFTER
                )
            )
            rows = {subject: _lock_row(session, subject, now) for subject in subjects}
            for subject, most in subjects.items():
                _follow_clock(rows[subject], most, now)
            until = max(row.locked_until or now for row in rows.values())
            if until <= now:
                for subject, most in subjects.items():
                    _count(rows[subject], most, now)
        if until > now:
            raise _refused(until - now)

    def forgive(self, subjects: Subjects) -> None:
        """Forget the failures of the first subject; others only get this one attempt back."""
        first_subject, *others = subjects
        with self._database.write(essential=True) as session:
            session.exec(
                delete(SigninThrottleRow).where(col(SigninThrottleRow.subject) == first_subject)
            )
            session.exec(
                update(SigninThrottleRow)
                .where(
                    col(SigninThrottleRow.subject).in_(others),
                    col(SigninThrottleRow.failures) > 0,
                )
                .values(failures=col(SigninThrottleRow.failures) - 1, locked_until=None)
            )


def of_owner(account: str) -> Subjects:
    """Return what counts against somebody who is signed in and gives the password again."""
    return {f"owner:{account[:100]}": ACCOUNT_FAILURES}


def of_account(account: str) -> Subjects:
    """Return what counts against an account whoever it is that tries."""
    return {f"account:{account[:100]}": ACCOUNT_FAILURES}


def wait_after(failures: int, most: int) -> timedelta | None:
    """Return how long to wait after a number of failures; None while more are allowed.

    Args:
        failures: Failures in a row.
        most: Failures from which on there is a wait; it doubles with each further one.
    """
    if failures < most:
        return None
    doublings = min(failures - most, 10)
    wait: timedelta = FIRST_WAIT * 2**doublings
    return min(wait, LONGEST_WAIT)


def _network(address: str, bits: dict[int, int]) -> str:
    """Return the network of an address.

    Args:
        address: As the connection tells it.
        bits: Length of the network's prefix by protocol.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    return str(ipaddress.ip_network((parsed, bits[parsed.version]), strict=False))


def _lock_row(session: Session, subject: str, now: datetime) -> SigninThrottleRow:
    """Return a subject's row, made now if there was none; nobody else counts meanwhile."""
    query = (
        select(SigninThrottleRow).where(col(SigninThrottleRow.subject) == subject).with_for_update()
    )
    row = session.exec(query).first()
    if row is not None:
        return row
    with suppress(IntegrityError), session.begin_nested():
        session.add(SigninThrottleRow(subject=subject, failures=0, failed_at=now))
    return session.exec(query).one()


def _count(row: SigninThrottleRow, most: int, now: datetime) -> None:
    """Count one attempt and set the wait that follows from it."""
    row.failures += 1
    row.failed_at = now
    wait = wait_after(row.failures, most)
    row.locked_until = now + wait if wait else None


def _follow_clock(row: SigninThrottleRow, most: int, now: datetime) -> None:
    """Begin a wait anew when the clock was set back: it must not last until the old hour."""
    if row.failed_at <= now:
        return
    row.failed_at = now
    wait = wait_after(row.failures, most)
    row.locked_until = now + wait if wait else None


def _refused(wait: timedelta) -> NotAuthenticated:
    seconds = math.ceil(wait.total_seconds())
    return NotAuthenticated(
        f"too many failed sign-ins; try again in {seconds} seconds",
        code=THROTTLED,
        details=[ErrorDetail(field="wait_s", code=THROTTLED, message=str(seconds))],
    )
