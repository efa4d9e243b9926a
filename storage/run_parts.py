"""Rows that belong to a run: its steps, and the documents that were made of it."""

from typing import Any

from sqlalchemy import update
from sqlmodel import Session, col, select

from core.records.runs import FINAL, Artifact
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


def keep_part(session: Session, run_uuid: str, part: Artifact) -> None:
    """Keep a document of a run; older versions of it go. A run that is gone keeps nothing.

    Args:
        session: A writing one.
        run_uuid: The run.
        part: Its name ends in a hyphen and the mark of its version.
    """
    run_id = session.exec(select(RunRow.id).where(col(RunRow.run_uuid) == run_uuid)).first()
    if run_id is None:
        return
    stem = part.name.rpartition("-")[0]
    held = session.exec(
        select(RunArtifactRow).where(
            col(RunArtifactRow.run_id) == run_id, col(RunArtifactRow.kind) == _REPORT
        )
    )
    for row in held:
        if row.name.rpartition("-")[0] == stem:
            session.delete(row)
    session.flush()
    session.add(RunArtifactRow(run_id=run_id, **part.model_dump()))
