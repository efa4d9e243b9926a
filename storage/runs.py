"""The run table: every run is a row before its work starts and ends in a final state once.

States change by conditional statements, so two processes that end the same run agree on one
end: whoever comes second is told so.
"""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, true, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from core.errors import InvalidInput, NotFound
from core.logs import elapsed_ms, work_for
from core.records.failure import ErrorRecord
from core.records.runs import (
    ANY_RUN,
    FINAL,
    Artifact,
    FailedRun,
    NewRun,
    RunRecord,
    RunSearch,
    RunStatus,
)
from storage.columns import record_of
from storage.engine import Database
from storage.freeing import Freeing
from storage.instants import database_now
from storage.queries import find_or_create_query
from storage.quotas import charge, refund
from storage.run_records import RUN_QUERY, RUNS, WHOLE_QUERY, RunReader, as_record, whole_record
from storage.tables import RunArtifactRow, RunRow, RunStepRow

_REPORT = "report"


def write_step(session: Session, run_uuid: str, step: str, values: dict[str, Any]) -> None:
    """Write how far a step has come, unless the run has ended.

    Args:
        session: A writing one.
        run_uuid: The run.
        step: Name of the step.
        values: `done`, `total`, `note`, `at`.
    """
    run_id = session.exec(
        select(RunRow.id).where(
            col(RunRow.run_uuid) == run_uuid, col(RunRow.status).not_in(tuple(FINAL))
        )
    ).first()
    if run_id is None:
        return
    changed = session.exec(
        update(RunStepRow)
        .where(col(RunStepRow.run_id) == run_id, col(RunStepRow.step) == step)
        .values(**values)
    )
    if changed.rowcount == 0:
        session.add(RunStepRow(run_id=run_id, step=step, **values))


def keep_part(session: Session, run_uuid: str, artifact: Artifact) -> None:
    """Keep a document of a run; older versions of it go. A run that is gone keeps nothing.

    Args:
        session: A writing one.
        run_uuid: The run.
        artifact: Its name ends in a hyphen and the mark of its version.
    """
    run_id = session.exec(select(RunRow.id).where(col(RunRow.run_uuid) == run_uuid)).first()
    if run_id is None:
        return
    stem = artifact.name.rpartition("-")[0]
    stored_rows = session.exec(
        select(RunArtifactRow).where(
            col(RunArtifactRow.run_id) == run_id, col(RunArtifactRow.kind) == _REPORT
        )
    )
    for row in stored_rows:
        if row.name.rpartition("-")[0] == stem:
            session.delete(row)
    session.flush()
    session.add(RunArtifactRow(run_id=run_id, **artifact.model_dump()))


UNFINISHED: tuple[RunStatus, ...] = ("queued", "running")
_OWN_RUN = WHOLE_QUERY.where(
    *(RUNS.c[name] == bindparam(name) for name in ("owner_id", "run_uuid")),
)
_EQUAL_RUN = (
    WHOLE_QUERY.where(
        *(
            RUNS.c[name] == bindparam(name)
            for name in ("owner_id", "agent", "fingerprint", "data_version")
        ),
        RUNS.c.status == "completed",
    )
    .order_by(RUNS.c.id.desc())
    .limit(1)
)
_MOST_ROWS = 1000
_REPORT_WAIT_MS = 1_000


class RunStore:
    """Runs of all callers (core.ports.Runs)."""

    def __init__(self, database: Database, freeing: Freeing) -> None:
        """Keep the database.

        Args:
            database: Where the rows lie.
            freeing: Removes the files of a deleted run.
        """
        self._database = database
        self._freeing = freeing
        self._reader = RunReader(database)

    def open(self, run: NewRun, *, quota: int | None = None) -> RunRecord:
        """Write the row as `queued`, find or make its saved query, and return it.

        Row and charge are one transaction: no run is charged that does not exist.

        Args:
            run: The run. With `use_cache` it shares the execution of the caller's equal run
                that is under way, if there is one.
            quota: Runs a month of an account without a limit of its own; None charges nothing.

        Returns:
            The run, or the equal one that is under way already (nothing was charged).

        Raises:
            QuotaExceeded: Nothing is left.
        """
        try:
            with self._database.write() as session:
                twin = _find_twin(session, run)
                if twin is not None:
                    return as_record(twin)
                return as_record(_add(session, run, quota))
        except IntegrityError:  # another process was quicker (PostgreSQL)
            with self._database.read() as session:
                twin = _find_twin(session, run)
            if twin is None:
                return self.open(run, quota=quota)
            return as_record(twin)

    def find_cached(
        self, owner_id: int, agent: str, fingerprint: str, data_version: str
    ) -> RunRecord | None:
        """Return the caller's newest completed equal run, if there is one."""
        equal = {
            "owner_id": owner_id,
            "agent": agent,
            "fingerprint": fingerprint,
            "data_version": data_version,
        }
        return self._reader.find(_EQUAL_RUN, equal)

    def start(self, run_uuid: str, *, worker_pid: int, at: datetime, attempt: int = 1) -> bool:
        """Turn `queued` into `running`; False when this attempt is no longer queued.

        From now on, lines that the worker logs name the run and the time since its start.
        """
        if worker_pid == os.getpid():
            began = time.monotonic()
            work_for(lambda: {"run_id": run_uuid, "elapsed_ms": elapsed_ms(began)}, is_all=True)
        begin = (
            update(RunRow)
            .where(
                col(RunRow.run_uuid) == run_uuid,
                col(RunRow.status) == "queued",
                col(RunRow.attempt) == attempt,
            )
            .values(status="running", worker_pid=worker_pid, started_at=at)
        )
        with self._database.write() as session:
            return session.exec(begin).rowcount == 1

    def report(
        self, run_uuid: str, step: str, done: int, total: int, note: str, at: datetime
    ) -> None:
        """Write how far a step has come; a run that has ended takes no more reports.

        Raises:
            StorageUnavailable: At once when the database is busy: the work does not wait for it.
        """
        with self._database.write(wait_ms=_REPORT_WAIT_MS) as session:
            values = {"done": done, "total": total, "note": note, "at": at}
            write_step(session, run_uuid, step, values)

    def keep(self, run_uuid: str, artifact: Artifact) -> None:
        """Keep a document that was made of a run, in the place of its older version."""
        with suppress(IntegrityError), self._database.write() as session:  # another was quicker
            keep_part(session, run_uuid, artifact)

    def finish(
        self,
        run_uuid: str,
        status: RunStatus,
        *,
        at: datetime,
        error: ErrorRecord | None = None,
        artifacts: Sequence[Artifact] = (),
        attempt: int | None = None,
        elapsed_s: float | None = None,
    ) -> bool:
        """Write the final state with its artifacts once; False when the run had already ended.

        What did not complete is given back to the caller's month in the same transaction.

        Args:
            run_uuid: The run.
            status: A final state.
            at: When it ended.
            error: Why it did not complete.
            artifacts: Where the parts of its result lie.
            attempt: The attempt that ended; a later one keeps its state. None ends any.
            elapsed_s: Seconds it took, by a clock that nobody sets; None is told by the instants.

        Raises:
            ValueError: The state is not a final one.
        """
        if status not in FINAL:
            raise ValueError(f"{status} is not a final state")
        with self._database.write() as session:
            ended = session.exec(
                update(RunRow)
                .where(
                    col(RunRow.run_uuid) == run_uuid,
                    col(RunRow.status).in_(UNFINISHED),
                    true() if attempt is None else col(RunRow.attempt) == attempt,
                )
                .values(status=status, finished_at=at, error=error.model_dump() if error else None)
            )
            if ended.rowcount == 0:
                return False
            row = session.exec(select(RunRow).where(col(RunRow.run_uuid) == run_uuid)).one()
            row.elapsed_s = _elapsed(row.started_at, at, elapsed_s)
            if row.is_charged and status != "completed":
                refund(session, row.owner_id, at=row.created_at)
                row.is_charged = False
            run_id = _known(row.id)
            for artifact in artifacts:
                session.add(RunArtifactRow(run_id=run_id, **artifact.model_dump()))
        return True

    def get(self, owner_id: int, run_uuid: str) -> RunRecord:
        """Return the caller's own run with steps and artifacts.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        run = self._reader.find(_OWN_RUN, {"owner_id": owner_id, "run_uuid": run_uuid})
        if run is None:
            raise NotFound("run not found")
        return run

    def ended(self, run_uuids: Sequence[str]) -> frozenset[str]:
        """Return which of these runs, of all callers, have ended or are gone."""
        query = select(RunRow.run_uuid).where(
            col(RunRow.run_uuid).in_(run_uuids), col(RunRow.status).in_(UNFINISHED)
        )
        with self._database.read() as session:
            unfinished = set(session.exec(query))
        return frozenset(run_uuids) - unfinished

    def list(
        self,
        owner_id: int,
        *,
        agent: str | None = None,
        scopes: Sequence[str] = (),
        search: RunSearch = ANY_RUN,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[RunRecord]:
        """Return the caller's runs, newest first (without artifacts and steps).

        Args:
            owner_id: The caller.
            agent: Of this agent alone.
            scopes: Of these agents alone; empty means all.
            search: By title, state and day.
            limit: Most rows.
            offset: Rows to pass over.
        """
        query = RUN_QUERY.where(RUNS.c.owner_id == owner_id)
        if agent is not None:
            query = query.where(RUNS.c.agent == agent)
        else:  # calls that leave no trace are no runs to come back to
            query = query.where(RUNS.c.query_id.is_not(None))
        if scopes:
            query = query.where(RUNS.c.agent.in_(scopes))
        if search.title:
            query = query.where(RUNS.c.title.icontains(search.title, autoescape=True))
        if search.status is not None:
            query = query.where(RUNS.c.status == search.status)
        if search.since is not None:
            query = query.where(RUNS.c.created_at >= search.since)
        query = query.order_by(RUNS.c.id.desc()).offset(offset).limit(min(limit, _MOST_ROWS))
        with self._database.rows() as connection:
            return [as_record(row) for row in connection.execute(query)]

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return how many runs of all callers there are, by agent and state."""
        query = select(RunRow.agent, RunRow.status, func.count()).group_by(
            col(RunRow.agent), col(RunRow.status)
        )
        with self._database.read() as session:
            return {(agent, status): number for agent, status, number in session.exec(query)}

    def errors(self) -> Mapping[tuple[str, str], int]:
        """Return how many kept runs of all callers failed, by agent and code of the error."""
        code = func.coalesce(col(RunRow.error)["code"].as_string(), "")
        query = (
            select(RunRow.agent, code, func.count())
            .where(col(RunRow.status).in_({"failed", "timed_out"}))
            .group_by(col(RunRow.agent), code)
        )
        with self._database.read() as session:
            return {(agent, word): number for agent, word, number in session.exec(query)}

    def failures(self, limit: int) -> Sequence[FailedRun]:
        """Return the newest runs of all callers that came to no answer."""
        last = (
            select(RunStepRow.step)
            .where(col(RunStepRow.run_id) == col(RunRow.id))
            .order_by(col(RunStepRow.id).desc())
            .limit(1)
            .correlate(RunRow)
            .scalar_subquery()
        )
        query = (
            select(RunRow, last)
            .where(col(RunRow.status).in_(FINAL - {"completed"}))
            .order_by(col(RunRow.id).desc())
            .limit(limit)
        )
        with self._database.read() as session:
            return [
                record_of(row, FailedRun, code=(row.error or {}).get("code", ""), step=step or "")
                for row, step in session.exec(query)
            ]

    def rename(self, owner_id: int, run_uuid: str, title: str) -> RunRecord:
        """Give the caller's own run another title.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.write() as session:
            row = _find(session, owner_id, run_uuid)
            row.title = title
            session.flush()
            return whole_record(session, row)

    def delete(self, owner_id: int, run_uuid: str) -> None:
        """Delete the caller's own finished run; its saved query stays.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
            InvalidInput: `run_unfinished`; cancel it first.
        """
        with self._database.write(essential=True) as session:
            row = _find(session, owner_id, run_uuid)
            if row.status not in FINAL:
                raise InvalidInput(
                    f"the run is still {row.status}; cancel it first", code="run_unfinished"
                )
            parts = select(RunArtifactRow.sha256).where(col(RunArtifactRow.run_id) == row.id)
            files = {row.input_sha256, *session.exec(parts)}
            session.delete(row)
        for sha256 in sorted(files):
            self._freeing.add(sha256)


def _add(session: Session, run: NewRun, quota: int | None) -> RunRow:
    """Charge a run and write its row."""
    if quota is not None:
        charge(session, run.owner_id, limit=quota, at=run.created_at)
    query_id = _known(find_or_create_query(session, run).id) if run.saves_query else None
    row = RunRow(
        **run.model_dump(exclude={"saves_query", "question"}),
        query_id=query_id,
        status="queued",
        heartbeat_at=database_now(session),
        is_charged=quota is not None,
    )
    session.add(row)
    session.flush()
    return row


def _find_twin(session: Session, run: NewRun) -> RunRow | None:
    """Return the equal run under way whose answer this one may take."""
    if not run.use_cache:
        return None
    return session.exec(
        select(RunRow).where(
            col(RunRow.owner_id) == run.owner_id,
            col(RunRow.agent) == run.agent,
            col(RunRow.fingerprint) == run.fingerprint,
            col(RunRow.data_version) == run.data_version,
            col(RunRow.status).in_(UNFINISHED),
            col(RunRow.use_cache),
        )
    ).first()


def _known(row_id: int | None) -> int:
    """Return the id of a row that the database has written."""
    assert row_id is not None
    return row_id


def _elapsed(started_at: datetime | None, at: datetime, measured_s: float | None) -> float:
    """Return the seconds a run took; where nobody measured, a clock set back counts as none."""
    if started_at is None:
        return 0.0
    told_s = (at - started_at).total_seconds() if measured_s is None else measured_s
    return max(0.0, told_s)


def _find(session: Session, owner_id: int, run_uuid: str) -> RunRow:
    row = session.exec(
        select(RunRow).where(col(RunRow.run_uuid) == run_uuid, col(RunRow.owner_id) == owner_id)
    ).first()
    if row is None:
        raise NotFound("run not found")
    return row
