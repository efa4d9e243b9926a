"""Throttled sign-in: counts failures by account and by network address.

An attempt is counted before the password is looked at, so that many guesses at the same time
cannot slip through together; a right password gives the attempt back.
"""

import ipaddress
import math
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.errors import NotAuthenticated
from core.records.failure import ErrorDetail
from storage.engine import Database
from storage.instants import Clock
from storage.tables import SigninThrottleRow

ACCOUNT_FAILURES = 5
ADDRESS_FAILURES = 20
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(minutes=15)
FORGET_AFTER = timedelta(hours=1)
THROTTLED = "throttled"
_IPV6_NETWORK = 64


class Throttle:
    """Counters of failed sign-ins, shared by all processes of an instance."""

    def __init__(self, database: Database, now: Clock) -> None:
        """Keep the database and the clock.

        Args:
            database: Where the counters lie.
            now: Tells how long a wait still lasts.
        """
        self._database = database
        self._now = now

    def admit(self, account: str, address: str | None = None) -> None:
        """Count an attempt, or refuse it while a wait lasts.

        Args:
            account: Name of the account.
            address: Network address; None where somebody is signed in already.

        Raises:
            NotAuthenticated: `throttled`; the detail `wait_s` holds the seconds left to wait.
        """
        now = self._now()
        with self._database.write() as session:
            session.exec(
                delete(SigninThrottleRow).where(
                    col(SigninThrottleRow.failed_at) < now - FORGET_AFTER
                )
            )
            subjects = _subjects(account, address)
            rows = {subject: _lock_row(session, subject, now) for subject in subjects}
            for subject, most in subjects.items():
                _follow_clock(rows[subject], most, now)
            until = max(row.locked_until or now for row in rows.values())
            if until <= now:
                for subject, most in subjects.items():
                    _count(rows[subject], most, now)
        if until > now:
            raise _refused(until - now)

    def forgive(self, account: str, address: str | None = None) -> None:
        """Forget the account's failures; the address only gets this one attempt back."""
        by_account, *by_address = _subjects(account, address)
        with self._database.write() as session:
            session.exec(
                delete(SigninThrottleRow).where(col(SigninThrottleRow.subject) == by_account)
            )
            session.exec(
                update(SigninThrottleRow)
                .where(
                    col(SigninThrottleRow.subject).in_(by_address),
                    col(SigninThrottleRow.failures) > 0,
                )
                .values(failures=col(SigninThrottleRow.failures) - 1, locked_until=None)
            )


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


def _subjects(account: str, address: str | None) -> dict[str, int]:
    subjects = {f"account:{account[:100]}": ACCOUNT_FAILURES}
    if address is not None:
        subjects[f"address:{_network(address)}"] = ADDRESS_FAILURES
    return subjects


def _network(address: str) -> str:
    """Return the address; of IPv6 the network that one household or office gets."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if parsed.version == 4:  # noqa: PLR2004 - the number of the protocol
        return str(parsed)
    return str(ipaddress.ip_network((parsed, _IPV6_NETWORK), strict=False))


def _lock_row(session: Session, subject: str, now: datetime) -> SigninThrottleRow:
    """Return a subject's row, made now if there was none; nobody else counts meanwhile."""
    wanted = (
        select(SigninThrottleRow).where(col(SigninThrottleRow.subject) == subject).with_for_update()
    )
    row = session.exec(wanted).first()
    if row is not None:
        return row
    with suppress(IntegrityError), session.begin_nested():
        session.add(SigninThrottleRow(subject=subject, failures=0, failed_at=now))
    return session.exec(wanted).one()


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
