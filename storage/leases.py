"""Leases: which process answers for an unfinished run, and what happens when it is gone.

A run is held by one worker, which renews its lease by the database's clock. A run whose worker
is gone is taken over by whoever asks first: the statement names the attempt it saw.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta

from sqlalchemy import delete, update
from sqlmodel import col, select

from core.records.runs import RunRecord
from storage.base import Store
from storage.instants import database_now
from storage.run_records import as_record
from storage.runs import UNFINISHED
from storage.tables import RunRow, RunStepRow


class LeaseStore(Store):
    """Leases of all unfinished runs (core.ports.Leases)."""

    def renew(self, worker: str) -> frozenset[str]:
        """Renew the lease of every unfinished run of a worker and return their ids."""
        own_runs = (col(RunRow.worker) == worker, col(RunRow.status).in_(UNFINISHED))
        with self._database.read() as session:
            renewed = frozenset(session.exec(select(RunRow.run_uuid).where(*own_runs)))
        if renewed:
            with self._database.write() as session:
                session.exec(
                    update(RunRow).where(*own_runs).values(heartbeat_at=database_now(session))
                )
        return renewed

    def abandoned(self, lease_s: float, is_gone: Callable[[str], bool]) -> Sequence[RunRecord]:
        """Return the unfinished runs that nobody answers for, oldest first.

        Args:
            lease_s: Seconds after which a lease that was not renewed is over.
            is_gone: Says of a worker whether it is known to be gone.
        """
        query = select(RunRow).where(col(RunRow.status).in_(UNFINISHED)).order_by(col(RunRow.id))
        with self._database.read() as session:
            over = database_now(session) - timedelta(seconds=lease_s)
            return [
                as_record(row)
                for row in session.exec(query)
                if row.worker is None
                or (row.heartbeat_at or row.created_at) < over
                or is_gone(row.worker)
            ]

    def waiting(self, run_uuid: str) -> RunRecord | None:
        """Return a run that waits for a worker; None when it does not."""
        query = select(RunRow).where(
            col(RunRow.run_uuid) == run_uuid,
            col(RunRow.status) == "queued",
            col(RunRow.worker).is_(None),
        )
        with self._database.read() as session:
            row = session.exec(query).first()
            return as_record(row) if row else None

    def take_over(self, run: RunRecord, worker: str | None) -> RunRecord | None:
        """Queue an abandoned run again under another worker; None when somebody was quicker.

        A run that was released counts as the same attempt, one whose worker died as the next.

        Args:
            run: As it was seen.
            worker: Who takes it; None lets it wait for one.
        """
        attempt = run.attempt + (run.worker is not None)
        with self._database.write() as session:
            taken = session.exec(
                update(RunRow)
                .where(
                    col(RunRow.run_uuid) == run.run_uuid,
                    col(RunRow.status).in_(UNFINISHED),
                    col(RunRow.attempt) == run.attempt,
                    col(RunRow.worker).is_not_distinct_from(run.worker),
                )
                .values(
                    status="queued",
                    attempt=attempt,
                    worker=worker,
                    worker_pid=None,
                    started_at=None,
                    heartbeat_at=database_now(session),
                )
            )
            if taken.rowcount == 0:
                return None
            row = session.exec(select(RunRow).where(col(RunRow.run_uuid) == run.run_uuid)).one()
            session.exec(delete(RunStepRow).where(col(RunStepRow.run_id) == row.id))
            return as_record(row)

    def release(self, run_uuid: str, worker: str) -> bool:
        """Put an unfinished run back for whoever comes next; False when it was not this one's."""
        with self._database.write() as session:
            released = session.exec(
                update(RunRow)
                .where(
                    col(RunRow.run_uuid) == run_uuid,
                    col(RunRow.worker) == worker,
                    col(RunRow.status).in_(UNFINISHED),
                )
                .values(
                    status="queued",
                    worker=None,
                    worker_pid=None,
                    started_at=None,
                    heartbeat_at=database_now(session),
                )
            )
            return released.rowcount == 1
