"""How often hosts on the network may be asked: one slot after the other for all processes.

A request reserves the next free slot of its host and waits for it, so that ten processes together
keep one rate. A host that fails again and again is left alone for a while.
"""

from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from storage.base import Store
from storage.instants import database_now
from storage.tables import HostRateRow

MOST_FAILURES = 3
REST_S = 60.0
"""Seconds for which a host is left alone after that many failures in a row."""


class RateStore(Store):
    """The rates of all hosts (core.ports.Rates)."""

    def reserve(self, host: str, pause_s: float, longest_wait_s: float) -> float | None:
        """Reserve the next request to a host and return the seconds to wait for it.

        Returns None, and reserves nothing, when the wait would be longer than allowed.
        """
        with self._database.write() as session:
            row, now = self._row(session, host), database_now(session)
            slot = max(row.next_at or now, now)
            wait_s = (slot - now).total_seconds()
            if wait_s > longest_wait_s:
                return None
            row.next_at = slot + timedelta(seconds=pause_s)
            return wait_s

    def resting(self, host: str) -> float:
        """Return the seconds for which a failing host is left alone; 0 when it may be asked."""
        with self._database.read() as session:
            row, now = session.get(HostRateRow, host), database_now(session)
            until = row.rests_until if row else None
            return max(0.0, (until - now).total_seconds()) if until else 0.0

    def note(self, host: str, *, is_alive: bool) -> None:
        """Note whether a host answered; after repeated failures it is left alone for a while."""
        with self._database.write() as session:
            row = self._row(session, host)
            row.failures = 0 if is_alive else row.failures + 1
            is_dead = row.failures >= MOST_FAILURES
            row.rests_until = _later(database_now(session)) if is_dead else None

    def _row(self, session: Session, host: str) -> HostRateRow:
        """Return the locked row of a host, made now if there was none."""
        row = session.get(HostRateRow, host, with_for_update=True)
        if row is not None:
            return row
        try:
            with session.begin_nested():
                session.add(HostRateRow(host=host))
        except IntegrityError:
            """Another process was quicker; its row serves as well."""
        return session.get_one(HostRateRow, host, with_for_update=True)


def _later(now: datetime) -> datetime:
    return now + timedelta(seconds=REST_S)
