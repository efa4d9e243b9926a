"""Rows of runs as the records that leave this package."""

from typing import Any

from pydantic import BaseModel
from sqlmodel import Session, col, select

from core.records.failure import ErrorRecord
from core.records.runs import Artifact, RunRecord, StepProgress
from storage.tables import RunArtifactRow, RunRow, RunStepRow


def whole_record(session: Session, row: RunRow) -> RunRecord:
    """Return a run with its steps and artifacts, both in the order in which they came."""
    steps = session.exec(
        select(RunStepRow).where(col(RunStepRow.run_id) == row.id).order_by(col(RunStepRow.id))
    )
    artifacts = session.exec(
        select(RunArtifactRow)
        .where(col(RunArtifactRow.run_id) == row.id)
        .order_by(col(RunArtifactRow.id))
    )
    return as_record(
        row,
        steps=tuple(StepProgress(**_picked(step, StepProgress)) for step in steps),
        artifacts=tuple(Artifact(**_picked(artifact, Artifact)) for artifact in artifacts),
    )


def as_record(
    row: RunRow, *, steps: tuple[StepProgress, ...] = (), artifacts: tuple[Artifact, ...] = ()
) -> RunRecord:
    """Return a row as the record that leaves this package."""
    values = _picked(row, RunRecord)
    values |= {"cached": row.is_cached, "steps": steps, "artifacts": artifacts}
    if row.error is not None:
        values["error"] = ErrorRecord.model_validate(row.error)
    return RunRecord(**values)


def _picked(row: object, record: type[BaseModel]) -> dict[str, Any]:
    """Return the columns of a row that a record has under the same name."""
    return {name: getattr(row, name) for name in record.model_fields if hasattr(row, name)}
