"""The run table: every run is a row before its work starts and ends in a final state once.

States change by conditional statements, so two processes that end the same run agree on one
end: whoever comes second is told so.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel
from sqlalchemy import update
from sqlmodel import Session, col, select

from core.errors import InvalidInput, NotFound
from core.records.failure import ErrorRecord
from core.records.runs import FINAL, Artifact, NewRun, RunRecord, RunStatus, StepProgress
from storage.engine import Database
from storage.queries import find_or_create_query
from storage.tables import RunArtifactRow, RunRow, RunStepRow

UNFINISHED: tuple[RunStatus, ...] = ("queued", "running")
_MOST_ROWS = 1000


class RunStore:
    """Runs of all callers (core.ports.Runs)."""

    def __init__(self, database: Database) -> None:
        """Keep the database.

        Args:
            database: Where the rows lie.
        """
        self._database = database

    def open(self, run: NewRun) -> RunRecord:
        """Write the row as `queued`, find or make its saved query, and return it."""
        with self._database.write() as session:
            query = find_or_create_query(session, run)
            row = RunRow(**run.model_dump(), query_id=_known(query.id), status="queued")
            session.add(row)
        return _record(row)

    def find_cached(
        self, owner_id: int, agent: str, fingerprint: str, data_version: str
    ) -> RunRecord | None:
        """Return the caller's newest completed equal run, if there is one."""
        wanted = (
            select(RunRow)
            .where(
                col(RunRow.owner_id) == owner_id,
                col(RunRow.agent) == agent,
                col(RunRow.fingerprint) == fingerprint,
                col(RunRow.data_version) == data_version,
                col(RunRow.status) == "completed",
            )
            .order_by(col(RunRow.id).desc())
            .limit(1)
        )
        with self._database.read() as session:
            row = session.exec(wanted).first()
            return _whole_record(session, row) if row else None

    def start(self, run_uuid: str, *, worker_pid: int, at: datetime) -> bool:
        """Turn `queued` into `running`; False when the run is no longer queued."""
        begin = (
            update(RunRow)
            .where(col(RunRow.run_uuid) == run_uuid, col(RunRow.status) == "queued")
            .values(status="running", worker_pid=worker_pid, started_at=at, heartbeat_at=at)
        )
        with self._database.write() as session:
            return session.exec(begin).rowcount == 1

    def report(
        self, run_uuid: str, step: str, done: int, total: int, note: str, at: datetime
    ) -> None:
        """Write how far a step has come; a run that has ended takes no more reports."""
        with self._database.write() as session:
            run_id = session.exec(
                select(RunRow.id).where(
                    col(RunRow.run_uuid) == run_uuid, col(RunRow.status).in_(UNFINISHED)
                )
            ).first()
            if run_id is None:
                return
            values: dict[str, Any] = {"done": done, "total": total, "note": note, "at": at}
            changed = session.exec(
                update(RunStepRow)
                .where(col(RunStepRow.run_id) == run_id, col(RunStepRow.step) == step)
                .values(**values)
            )
            if changed.rowcount == 0:
                session.add(RunStepRow(run_id=run_id, step=step, **values))
            session.exec(update(RunRow).where(col(RunRow.id) == run_id).values(heartbeat_at=at))

    def finish(
        self,
        run_uuid: str,
        status: RunStatus,
        *,
        at: datetime,
        error: ErrorRecord | None = None,
        artifacts: Sequence[Artifact] = (),
    ) -> bool:
        """Write the final state with its artifacts once; False when the run had already ended.

        Raises:
            ValueError: The state is not a final one.
        """
        if status not in FINAL:
            raise ValueError(f"{status} is not a final state")
        with self._database.write() as session:
            ended = session.exec(
                update(RunRow)
                .where(col(RunRow.run_uuid) == run_uuid, col(RunRow.status).in_(UNFINISHED))
                .values(status=status, finished_at=at, error=error.model_dump() if error else None)
            )
            if ended.rowcount == 0:
                return False
            row = session.exec(select(RunRow).where(col(RunRow.run_uuid) == run_uuid)).one()
            row.elapsed_s = _elapsed(row.started_at, at)
            run_id = _known(row.id)
            for artifact in artifacts:
                session.add(RunArtifactRow(run_id=run_id, **artifact.model_dump()))
        return True

    def get(self, owner_id: int, run_uuid: str) -> RunRecord:
        """Return the caller's own run with steps and artifacts.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.read() as session:
            return _whole_record(session, _find(session, owner_id, run_uuid))

    def list(
        self, owner_id: int, *, agent: str | None = None, limit: int = 50, offset: int = 0
    ) -> Sequence[RunRecord]:
        """Return the caller's runs, newest first (without artifacts and steps)."""
        wanted = select(RunRow).where(col(RunRow.owner_id) == owner_id)
        if agent is not None:
            wanted = wanted.where(col(RunRow.agent) == agent)
        wanted = wanted.order_by(col(RunRow.id).desc()).offset(offset)
        with self._database.read() as session:
            return [_record(row) for row in session.exec(wanted.limit(min(limit, _MOST_ROWS)))]

    def rename(self, owner_id: int, run_uuid: str, title: str) -> RunRecord:
        """Give the caller's own run another title.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.write() as session:
            row = _find(session, owner_id, run_uuid)
            row.title = title
            session.flush()
            return _whole_record(session, row)

    def delete(self, owner_id: int, run_uuid: str) -> None:
        """Delete the caller's own finished run; its saved query stays.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
            InvalidInput: `run_unfinished`; cancel it first.
        """
        with self._database.write() as session:
            row = _find(session, owner_id, run_uuid)
            if row.status not in FINAL:
                raise InvalidInput(
                    f"the run is still {row.status}; cancel it first", code="run_unfinished"
                )
            session.delete(row)

    def unfinished(self) -> Sequence[RunRecord]:
        """Return every run that is queued or running (for start-up and shutdown)."""
        wanted = select(RunRow).where(col(RunRow.status).in_(UNFINISHED)).order_by(col(RunRow.id))
        with self._database.read() as session:
            return [_record(row) for row in session.exec(wanted)]


def _known(row_id: int | None) -> int:
    """Return the id of a row that the database has written."""
    assert row_id is not None
    return row_id


def _elapsed(started_at: datetime | None, at: datetime) -> float:
    """Return the seconds a run took; a clock that was set back counts as none."""
    return max(0.0, (at - started_at).total_seconds()) if started_at else 0.0


def _find(session: Session, owner_id: int, run_uuid: str) -> RunRow:
    row = session.exec(
        select(RunRow).where(col(RunRow.run_uuid) == run_uuid, col(RunRow.owner_id) == owner_id)
    ).first()
    if row is None:
        raise NotFound("there is no such run")
    return row


def _whole_record(session: Session, row: RunRow) -> RunRecord:
    """Return a run with its steps and artifacts, both in the order in which they came."""
    steps = session.exec(
        select(RunStepRow).where(col(RunStepRow.run_id) == row.id).order_by(col(RunStepRow.id))
    )
    artifacts = session.exec(
        select(RunArtifactRow)
        .where(col(RunArtifactRow.run_id) == row.id)
        .order_by(col(RunArtifactRow.id))
    )
    return _record(
        row,
        steps=tuple(StepProgress(**_picked(step, StepProgress)) for step in steps),
        artifacts=tuple(Artifact(**_picked(part, Artifact)) for part in artifacts),
    )


def _record(
    row: RunRow, *, steps: tuple[StepProgress, ...] = (), artifacts: tuple[Artifact, ...] = ()
) -> RunRecord:
    values = _picked(row, RunRecord)
    values |= {"cached": row.is_cached, "steps": steps, "artifacts": artifacts}
    if row.error is not None:
        values["error"] = ErrorRecord.model_validate(row.error)
    return RunRecord(**values)


def _picked(row: object, record: type[BaseModel]) -> dict[str, Any]:
    """Return the columns of a row that a record has under the same name."""
    return {name: getattr(row, name) for name in record.model_fields if hasattr(row, name)}
