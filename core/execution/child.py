"""What runs inside a child: load the agent, run it, keep the result, report.

The result is written as blobs by the child itself, so that the app's process never holds it:
`data` (whole JSON), `view` (the same with empty tables), one parquet file a table, and files.
"""

import errno
import gc
import importlib
import io
import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, BinaryIO, TypeVar, cast

import structlog
from pydantic import BaseModel, ConfigDict

from core.drafting.drafter import PART, Drafter
from core.drafting.ledger import Payer
from core.drafting.opening import open_drafter
from core.drafting.web.fetch import PART as WEB
from core.drafting.web.visits import MOST_SEARCHES, open_web
from core.errors import (
    InvalidInput,
    NotFound,
    OutOfMemory,
    RunCancelled,
    StorageFull,
    StorageUnavailable,
    WorkbenchError,
)
from core.evidence.names.identity.resolver import Resolver, keep_resolver
from core.evidence.preparing import evidence_version
from core.evidence.sources.live.replies import RunReplies, damaged_answer, read_stored
from core.execution.limits import confine
from core.execution.scratch import use_own_scratch
from core.ports import Stores
from core.records.failure import ErrorRecord
from core.records.runs import Artifact, Caller, RunRecord, UploadedFile
from core.records.table import Table, find_tables
from core.records.wire import AgentData
from core.registry import all_agents, watchable
from core.settings import Settings, forget_model_variables
from core.workbench import RunContext

OPENER = "storage.stores:open_stores"
"""Import path by which a child opens its stores; core itself knows no storage."""
CONDITIONS = "conditions"
"""Name of the part of a run that has its `LiveConditions`."""
_PROGRESS_INTERVAL_S = 0.25
_PATIENCE_S = 60.0
T = TypeVar("T")


@dataclass(frozen=True)
class Job:
    """One run as it is handed to a child.

    Attributes:
        run: The stored row.
        caller: Who asked.
        opener: Import path `module:function` that opens the stores from the settings.
        settings: Settings of the instance.
    """

    run: RunRecord
    caller: Caller
    opener: str
    settings: Settings


@dataclass(frozen=True)
class ChildReport:
    """What a child sends back: where the result lies, or why there is none."""

    artifacts: tuple[Artifact, ...] = ()
    error: ErrorRecord | None = None


def open_child_stores(opener: str, settings: Settings) -> Stores:
    """Open the stores inside a child."""
    module, _, name = opener.partition(":")
    return cast("Stores", getattr(importlib.import_module(module), name)(settings))


def execute(job: Job) -> ChildReport:
    """Run a job to its end and turn every failure into a record."""
    gc.freeze()  # what the fork server has imported stays shared: a look through it would copy it
    confine(job.settings.memory_limit_mb)
    forget_model_variables()
    scratch = use_own_scratch()
    try:
        stores = open_child_stores(job.opener, job.settings)
        began_at = datetime.now(UTC)
        begun = patiently(
            lambda: stores.runs.start(
                job.run.run_uuid, worker_pid=os.getpid(), at=began_at, attempt=job.run.attempt
            )
        )
        if not begun:
            raise RunCancelled("the run was cancelled")
        return ChildReport(artifacts=compute(job, stores))
    except WorkbenchError as failure:
        return ChildReport(error=failure.record())
    except BaseException as failure:  # noqa: BLE001 - the one place that records what nobody foresaw
        return ChildReport(error=foresee(failure, job).record())
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def foresee(failure: BaseException, job: Job) -> WorkbenchError:
    """Return the error of the tree that stands for any other failure of a run."""
    if isinstance(failure, MemoryError):
        return _out_of_memory(job.settings)
    if isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull("the disk that holds results is full")
    if isinstance(failure, OSError) and failure.errno == errno.ENOMEM:
        return _out_of_memory(job.settings)
    log = structlog.get_logger("run")
    log.error("agent failed", run_id=job.run.run_uuid, agent=job.run.agent, exc_info=failure)
    return WorkbenchError(
        "the agent failed unexpectedly; the log of the instance names the cause by run id"
    )


def _out_of_memory(settings: Settings) -> OutOfMemory:
    return OutOfMemory(
        f"the run needed more than the {settings.memory_limit_mb} MB of memory that one run may "
        "use; send a smaller input or raise BPW_MEMORY_LIMIT_MB"
    )


def replay(job: Job) -> Artifact:
    """Compute a run again from the answers that live sources gave it; return where its data lie.

    No connection is opened, and nothing of the run is changed.

    Raises:
        ExecutionError: `stored_answer_damaged`: an answer is not there as it was stored.
    """
    stores = open_child_stores(job.opener, job.settings)
    replies = _stored_replies(job, stores)
    sources = replies.conditions.live_sources
    settings = job.settings.model_copy(update={"offline": True, "live_sources": sources})
    return compute(replace(job, settings=settings), stores, replies)[0]


class LiveConditions(BaseModel):
    """What decided which live sources a run asked; stored with the run.

    Attributes:
        live_sources: Sources that the instance allowed.
        offline: Whether it opened no connections.
    """

    model_config = ConfigDict(extra="forbid")
    live_sources: tuple[str, ...]
    offline: bool


@dataclass(frozen=True)
class StoredReplies:
    """What live sources gave a run that is replayed.

    Attributes:
        conditions: What decided which sources were asked.
        digests: Answers by their names.
    """

    conditions: LiveConditions
    digests: Mapping[str, str]


def _stored_replies(job: Job, stores: Stores) -> StoredReplies:
    """Return what live sources gave a run. Raises ExecutionError."""
    digests = {part.name: part.sha256 for part in job.run.artifacts if part.kind == "reply"}
    digest = digests.pop(CONDITIONS, "")
    if not digest:  # a run without live sources, or of an earlier version
        sources = tuple(
            source
            for source in dict.fromkeys(name.partition(" ")[0] for name in digests)
            if source not in {PART, WEB}
        )
        return StoredReplies(LiveConditions(live_sources=sources, offline=False), digests)
    try:
        content = read_stored(stores.blobs, digest)
        return StoredReplies(LiveConditions.model_validate_json(content), digests)
    except ValueError:
        raise damaged_answer(CONDITIONS, digest) from None


def compute(job: Job, stores: Stores, stored: StoredReplies | None = None) -> tuple[Artifact, ...]:
    """Run the agent and keep its result; return where the parts lie, its data first.

    Args:
        job: The run.
        stores: The stores of this child.
        stored: What live sources gave the run that is replayed; None in a run.
    """
    agent = all_agents()[job.run.agent]
    saved: list[Artifact] = []
    with stores.blobs.open(job.run.input_sha256) as body:
        request = agent.request.model_validate_json(body.read())
    context = make_context(job, stores, saved, stored)
    if agent.searches_web:
        context = _with_web(context, job, stores, getattr(request, "max_searches", MOST_SEARCHES))
    data = agent.load()(request, context)
    if agent.reads_evidence and job.settings.live_sources and stored is None:
        saved.append(_keep_conditions(job.settings, stores))
    return (*keep_data(data, stores), *saved)


def _keep_conditions(settings: Settings, stores: Stores) -> Artifact:
    conditions = LiveConditions(live_sources=settings.live_sources, offline=settings.offline)
    blob = stores.blobs.put(conditions.model_dump_json().encode())
    media_type = "application/json"
    return Artifact(kind="reply", name=CONDITIONS, media_type=media_type, **blob.model_dump())


def make_context(
    job: Job, stores: Stores, saved: list[Artifact], stored: StoredReplies | None = None
) -> RunContext:
    """Return what the pipeline may reach.

    Args:
        job: The run.
        stores: The stores of this child.
        saved: Files and answers of live sources that the run keeps are appended to it.
        stored: What live sources gave the run that is replayed; None in a run.
    """

    def save_file(name: str, content: bytes, media_type: str) -> None:
        blob = stores.blobs.put(content)
        saved.append(
            Artifact(
                kind="file", name=name, sha256=blob.sha256, size=blob.size, media_type=media_type
            )
        )

    replies = RunReplies(
        stores.replies,
        stores.blobs,
        f"{job.run.created_at:%Y-%m-%d}",
        saved,
        stored.digests if stored else None,
        was_offline=bool(stored and stored.conditions.offline),
    )
    return RunContext(
        run_uuid=job.run.run_uuid,
        query_id=job.run.query_id or 0,
        caller=job.caller,
        now=job.run.created_at,
        seed=int(job.run.fingerprint[:8], 16),
        settings=job.settings,
        files=OwnFiles(stores, job.caller.user_id),
        progress=throttled(job.run.run_uuid, stores),
        save_file=save_file,
        evidence=stores.evidence,
        resolver=_resolver(job, stores),
        notes=stores.notes,
        rates=stores.rates,
        replies=replies,
        subscriptions=stores.watches.of(
            job.caller.user_id, watchable(all_agents()), job.settings.max_alerts
        ),
        model=_open_drafter(job, stores, replies),
    )


def _with_web(context: RunContext, job: Job, stores: Stores, most_searches: int) -> RunContext:
    """Return the context of an agent that may search the web."""
    web = open_web(
        job.settings,
        context.model,
        context.replies,
        _left_s(job),
        most_searches,
        rates=stores.rates,
    )
    return replace(context, web=web)


def _left_s(job: Job) -> float:
    """Return the seconds that are left of the run's allowance."""
    run, settings = job.run, job.settings
    allowance_s = settings.allowance_for(run.agent, all_agents()[run.agent].allowance_s)
    return allowance_s - max(0.0, (datetime.now(UTC) - run.created_at).total_seconds())


def _open_drafter(job: Job, stores: Stores, replies: RunReplies) -> Drafter | None:
    """Return what the run may ask of a language model within what is left of its allowance."""
    run, settings = job.run, job.settings
    payer = Payer(job.caller.user_id, run.run_uuid, settings.model_tokens_month)
    return open_drafter(
        settings,
        payer,
        _left_s(job),
        calls=stores.model_calls,
        notes=stores.notes,
        replies=replies,
    )


def _resolver(job: Job, stores: Stores) -> Resolver:
    """Return the names of the instance, with what this child remembers of them."""
    version = evidence_version(stores.evidence, stores.identity, stores.learned_names)
    home = str(job.settings.home.resolve())
    return keep_resolver(home, version, stores.identity, stores.learned_names)


def throttled(run_uuid: str, stores: Stores) -> Callable[[str, int, int, str], None]:
    """Return a progress function: it writes every change of step and four rows a second."""
    last: dict[str, float] = {}

    def progress(step: str, done: int, total: int, note: str = "") -> None:
        now = time.monotonic()
        if step in last and done < total and now - last[step] < _PROGRESS_INTERVAL_S:
            return
        last[step] = now
        with suppress(StorageUnavailable):  # the next report tells more; the work goes on
            stores.runs.report(run_uuid, step, done, total, note, datetime.now(UTC))

    return progress


def patiently(call: Callable[[], T]) -> T:
    """Call the store, again and again for a while when the database is away."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return call()
        except StorageUnavailable:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


@dataclass(frozen=True)
class OwnFiles:
    """The caller's uploads."""

    stores: Stores
    owner_id: int

    def get(self, file_id: str) -> UploadedFile:
        """Return the caller's own upload, or say that there is none of this id."""
        try:
            return patiently(lambda: self.stores.files.get(self.owner_id, file_id))
        except NotFound:
            raise InvalidInput(
                f"upload {file_id[:64]!r} not found; upload the file again and use the new id",
                code="unknown_file",
            ) from None

    def open(self, file_id: str) -> BinaryIO:
        """Open the caller's own upload."""
        return self.stores.blobs.open(self.get(file_id).sha256)


def keep_data(data: AgentData, stores: Stores) -> tuple[Artifact, ...]:
    """Write data, view and tables as blobs.

    `cached` is left out: it is said when the answer is put together.
    """
    data_json = data.model_dump_json(by_alias=True, exclude={"cached"}).encode()
    view = data.model_dump_json(
        by_alias=True, exclude={"cached"}, context={"tables": "reference"}
    ).encode()
    parts: list[tuple[Any, str, bytes]] = [("data", "data", data_json), ("view", "view", view)]
    kept_artifacts = []
    for kind, name, content in parts:
        blob = stores.blobs.put(content)
        kept_artifacts.append(
            Artifact(
                kind=kind,
                name=name,
                sha256=blob.sha256,
                size=blob.size,
                media_type="application/json",
            )
        )
    return (*kept_artifacts, *(_keep_table(table, stores) for table in find_tables(data)))


def _keep_table(table: Table, stores: Stores) -> Artifact:
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    columns = pa.Table.from_pandas(table.frame, preserve_index=False)
    words = [name for name, kind in table.frame.dtypes.items() if kind.kind == "O"]
    # Numbers hardly repeat: a dictionary of them costs more time and space than it saves.
    pq.write_table(columns, buffer, use_dictionary=words)
    blob = stores.blobs.put(buffer.getvalue())
    return Artifact(
        kind="table",
        name=table.name,
        sha256=blob.sha256,
        size=blob.size,
        media_type="application/vnd.apache.parquet",
        rows=len(table),
    )
