"""Wire forms of the routes beside the agents: files, runs, tables, keys of the menu."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.exports import list_files
from core.records.failure import ErrorBody
from core.records.runs import RunRecord, RunStatus, UploadedFile


class Wire(BaseModel):
    """Base of the wire forms: complete, and without unknown fields."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )


class OkAnswer(Wire):
    """Base of the answers of successful operations."""

    ok: Literal[True] = True


class FileAnswer(OkAnswer):
    """An upload."""

    file_id: str = Field(description="Identifies the file in requests.")
    name: str = Field(description="The client's name for it.")
    size: int = Field(description="Bytes.")
    sha256: str = Field(description="Hash of the content.")

    @classmethod
    def of(cls, file: UploadedFile) -> "FileAnswer":
        """Return the wire form of an upload."""
        return cls(file_id=file.file_id, name=file.name, size=file.size, sha256=file.sha256)


class FileList(OkAnswer):
    """The caller's uploads."""

    files: list[FileAnswer]


class StepState(Wire):
    """How far a step has come."""

    step: str
    done: int
    total: int
    note: str


class TableLink(Wire):
    """A table of a run, served in pages."""

    name: str
    rows: int
    url: str


class FileLink(Wire):
    """A file of a run."""

    name: str
    size: int | None = Field(description="Bytes; null for a file that is generated on download.")
    media_type: str
    url: str


class RunRow(Wire):
    """A run in a list."""

    run_id: str
    agent: str
    title: str
    status: RunStatus
    cached: bool = Field(description="True when it answered with an earlier result.")
    created_at: datetime
    started_at: datetime | None
    elapsed_s: float | None

    @classmethod
    def of(cls, run: RunRecord) -> "RunRow":
        """Return the wire form of a run."""
        return cls(
            run_id=run.run_uuid,
            agent=run.agent,
            title=run.title,
            status=run.status,
            cached=run.cached,
            created_at=run.created_at,
            started_at=run.started_at,
            elapsed_s=run.elapsed_s,
        )


class RunList(OkAnswer):
    """The caller's runs, newest first."""

    runs: list[RunRow]


class RunAnswer(OkAnswer):
    """A run whole: state, progress, the result with its large tables by reference."""

    run: RunRow
    query_id: int | None = Field(description="The saved query; null where the agent saves none.")
    steps: list[StepState]
    error: ErrorBody | None = Field(description="Why the run failed, or null.")
    data: dict[str, Any] | None = Field(
        description="The agent's result with empty tables, or null while there is none."
    )
    tables: list[TableLink]
    files: list[FileLink]

    @classmethod
    def of(cls, run: RunRecord) -> "RunAnswer":
        """Return the wire form of a run without its data, which are stored apart."""
        base = f"/v1/runs/{run.run_uuid}"
        return cls(
            run=RunRow.of(run),
            query_id=run.query_id,
            steps=[
                StepState(step=step.step, done=step.done, total=step.total, note=step.note)
                for step in run.steps
            ],
            error=ErrorBody(**run.error.model_dump(exclude={"status"})) if run.error else None,
            data=None,
            tables=[
                TableLink(
                    name=artifact.name,
                    rows=artifact.rows or 0,
                    url=f"{base}/tables/{artifact.name}",
                )
                for artifact in run.artifacts
                if artifact.kind == "table"
            ],
            files=[
                FileLink(
                    name=file.name,
                    size=file.size,
                    media_type=file.media_type,
                    url=f"{base}/files/{file.name}",
                )
                for file in list_files(run)
            ],
        )


class StartRun(Wire):
    """Body of `POST /v1/runs`."""

    agent: str = Field(description="Agent name.")
    input: dict[str, Any] = Field(description="The agent's request body.")


class StartedRun(OkAnswer):
    """Answer of `POST /v1/runs`."""

    run_id: str
    status: RunStatus
    url: str


class RenameRun(Wire):
    """Body of `PATCH /v1/runs/{run_id}`."""

    title: str = Field(min_length=1, max_length=200, description="The run's new name.")


class Done(OkAnswer):
    """Answer of an operation that has nothing else to say."""

    status: str


class AgentCard(Wire):
    """An agent in the list."""

    name: str
    title: str
    summary: str
    url: str


class AgentList(OkAnswer):
    """The agents of this instance."""

    agents: list[AgentCard]


class Health(Wire):
    """State of the service."""

    ok: bool
    status: Literal["ok", "degraded"]
    version: str
    database: Literal["ok", "full", "unreachable"]
