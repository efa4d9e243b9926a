"""Rows of runs as the records that leave this package.

Reading a run is what callers do most, so its queries are written once and read plain rows: to
build them anew and to make an object of each row costs ten times as much.
"""

import threading
from collections import OrderedDict
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Row, Select, Table, bindparam, select
from sqlalchemy.sql.functions import aggregate_strings
from sqlmodel import Session

from core.records.failure import ErrorRecord
from core.records.runs import Artifact, RunRecord, StepProgress
from storage.engine import Database
from storage.tables import METADATA, RunRow

_MOST_ENDED = 1_000
RUNS = METADATA.tables["run"]
_STEPS = METADATA.tables["run_step"]
_ARTIFACTS = METADATA.tables["run_artifact"]


def _columns(table: Table, record: type[BaseModel]) -> "Select[Any]":
    """Return the query for the columns that a record has under the same name."""
    return select(*(table.c[name] for name in record.model_fields if name in table.c))


RUN_QUERY = _columns(RUNS, RunRecord).add_columns(RUNS.c.is_cached.label("cached"), RUNS.c.id)
"""Rows for `as_record` and `whole_record`."""
WHOLE_QUERY = RUN_QUERY.add_columns(
    select(aggregate_strings(_ARTIFACTS.c.name + _ARTIFACTS.c.sha256, " "))
    .where(_ARTIFACTS.c.run_id == RUNS.c.id)
    .scalar_subquery()
    .label("mark")
)
"""Rows for `RunReader`: with a mark that changes with every artifact."""
_STEP_QUERY = (
    _columns(_STEPS, StepProgress).where(_STEPS.c.run_id == bindparam("run")).order_by(_STEPS.c.id)
)
_ARTIFACT_QUERY = (
    _columns(_ARTIFACTS, Artifact)
    .where(_ARTIFACTS.c.run_id == bindparam("run"))
    .order_by(_ARTIFACTS.c.id)
)
_STEP, _ARTIFACT = tuple(StepProgress.model_fields), tuple(Artifact.model_fields)


def whole_record(reader: Connection | Session, row: RunRow | Row[Any]) -> RunRecord:
    """Return a run with its steps and artifacts, both in the order in which they came."""
    of_run = {"run": row.id}
    steps = reader.execute(_STEP_QUERY, of_run)
    artifacts = reader.execute(_ARTIFACT_QUERY, of_run)
    return as_record(
        row,
        steps=tuple(StepProgress(**dict(zip(_STEP, step, strict=True))) for step in steps),
        artifacts=tuple(Artifact(**dict(zip(_ARTIFACT, part, strict=True))) for part in artifacts),
    )


class RunReader:
    """Reads whole runs; steps and artifacts of those that have ended are remembered."""

    def __init__(self, database: Database) -> None:
        """Remember nothing yet.

        Args:
            database: Where the rows lie.
        """
        self._database = database
        self._lock = threading.Lock()
        self._ended: OrderedDict[int, tuple[str, RunRecord]] = OrderedDict()

    def find(self, query: "Select[Any]", parameters: dict[str, object]) -> RunRecord | None:
        """Return the first run of a query (`WHOLE_QUERY`), if there is one."""
        row = self._database.row(query, parameters)
        if row is None:
            return None
        mark, parts = self._ended.get(row.id, (None, None))
        if parts is not None and mark == row.mark and row.run_uuid == parts.run_uuid:
            return as_record(row, steps=parts.steps, artifacts=parts.artifacts)
        with self._database.rows() as connection:
            row = connection.execute(query, parameters).first()
            if row is None:
                return None
            run = whole_record(connection, row)
        if run.is_final:
            with self._lock:
                self._ended[row.id] = row.mark, run
                self._ended.move_to_end(row.id)
                if len(self._ended) > _MOST_ENDED:
                    self._ended.popitem(last=False)
        return run


def as_record(
    row: RunRow | Row[Any],
    *,
    steps: tuple[StepProgress, ...] = (),
    artifacts: tuple[Artifact, ...] = (),
) -> RunRecord:
    """Return a row as the record that leaves this package.

    Args:
        row: A whole row, or one of `RUN_QUERY`.
        steps: Of the run.
        artifacts: Of the run.
    """
    if isinstance(row, RunRow):
        names = (column.name for column in RUNS.columns)
        values = {name: getattr(row, name) for name in names if name in _FIELDS}
        values["cached"] = row.is_cached
    else:
        values = row._asdict()
        del values["id"]
        values.pop("mark", None)
    error = values.pop("error")
    return RunRecord(
        **values,
        steps=steps,
        artifacts=artifacts,
        error=None if error is None else ErrorRecord.model_validate(error),
    )


_FIELDS = frozenset(RunRecord.model_fields)
