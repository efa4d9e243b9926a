"""Reports and files of a run: made once, in a child, and kept with the run.

Two are made at a time, whoever asks for how many; callers take turns. Whoever asks for what is
being made already gets that one.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from core.agent import Agent
from core.code_digest import answer_digest, code_digest
from core.errors import NotFound, StorageFull, StorageUnavailable
from core.execution import rendering
from core.execution.turns import Turns
from core.records.projects import BlockContent
from core.records.runs import Artifact, RunRecord
from core.registry import agent_of, find_agent
from core.reports.document import About
from core.reports.projects import freeze_answer
from core.results import answer_body, find_part
from core.workbench import Workbench

ReportFormat = Literal["md", "pdf", "json", "xlsx", "pptx"]
MEDIA = {
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
EXPORT_S = 180.0
"""Seconds in which a file is made."""
_PLACES = 2
Make = Callable[[], bytes]


class _Wanted(NamedTuple):
    key: tuple[str, str]
    make: Make
    answer: "Future[bytes]"


class Desk:
    """Takes orders for documents and has a few made at a time, each once."""

    def __init__(self, places: int = _PLACES) -> None:
        """Begin without orders.

        Args:
            places: Documents made at the same time.
        """
        self._lock = threading.Lock()
        self._turns = Turns[_Wanted]()
        self._open: dict[tuple[str, str], Future[bytes]] = {}
        self._threads = ThreadPoolExecutor(places, thread_name_prefix="export")

    def order(self, owner_id: int, key: tuple[str, str], make: Make) -> "Future[bytes]":
        """Return what will hold a document; the one under way where there is one.

        Args:
            owner_id: Whose turn it takes.
            key: Run and name of the document.
            make: Makes it.
        """
        with self._lock:
            pending = self._open.get(key)
            if pending is not None:
                return pending
            order = _Wanted(key, make, Future())
            order.answer.set_running_or_notify_cancel()  # who waits cannot cancel for others
            self._open[key] = order.answer
            self._turns.add(owner_id, order)
        self._threads.submit(self._make_next)
        return order.answer

    def _make_next(self) -> None:
        with self._lock:
            order = self._turns.take()
        try:
            content = order.make()
        except BaseException as failure:  # noqa: BLE001 - whoever waits is told
            self._close(order)
            order.answer.set_exception(failure)
        else:
            self._close(order)
            order.answer.set_result(content)

    def _close(self, order: _Wanted) -> None:
        with self._lock:
            self._open.pop(order.key, None)


_DESK = Desk()


def order_report(run: RunRecord, fmt: ReportFormat, workbench: Workbench) -> "Future[bytes]":
    """Return what will hold the report of a completed run in this format.

    Raises:
        NotFound: The run has no result.
    """
    find_part(run, "view", "view")
    make = partial(_make_report, run, fmt, workbench)
    return _DESK.order(run.owner_id, (run.run_uuid, _kept_name(run, fmt)), make)


def render_report(run: RunRecord, fmt: ReportFormat, workbench: Workbench) -> bytes:
    """Return the report of a completed run in this format: the kept one, or a new one.

    Raises:
        NotFound: The run has no result.
    """
    content = _read_kept(run, fmt, workbench)
    return content if content is not None else order_report(run, fmt, workbench).result()


def _read_kept(run: RunRecord, fmt: ReportFormat, workbench: Workbench) -> bytes | None:
    artifact = find_kept(run, fmt)
    with suppress(NotFound):
        if artifact is not None:
            return workbench.stores.blobs.path(artifact.sha256).read_bytes()
    return None


def _make_report(run: RunRecord, fmt: ReportFormat, workbench: Workbench) -> bytes:
    if fmt == "json":
        return b"".join(answer_body(run, run.elapsed_s or 0.0, workbench))
    made = _read_kept(workbench.stores.runs.get(run.owner_id, run.run_uuid), fmt, workbench)
    if made is not None:  # by an order that ended after this caller read the run
        return made
    task = _task_of(run, fmt, workbench)
    content: bytes = workbench.executor.call(rendering.render, task)
    _keep(run, fmt, content, MEDIA[fmt], workbench)
    return content


def _task_of(
    run: RunRecord, fmt: Literal["md", "pdf", "xlsx", "pptx"], workbench: Workbench
) -> rendering.RenderTask:
    blobs = workbench.stores.blobs
    return rendering.RenderTask(
        agent=run.agent,
        about=describe_run(run, agent_of(run.agent), workbench),
        view=str(blobs.path(find_part(run, "view", "view").sha256)),
        tables={
            artifact.name: str(blobs.path(artifact.sha256))
            for artifact in run.artifacts
            if artifact.kind == "table"
        },
        fmt=fmt,
    )


def freeze_run(run: RunRecord, workbench: Workbench) -> BlockContent:
    """Return a completed run as a block of a project; composed in a child.

    Raises:
        NotFound: The run has no result.
    """
    with workbench.stores.blobs.open(run.input_sha256) as body:
        request = agent_of(run.agent).request.model_validate_json(body.read())
    dumped = request.model_dump(mode="json", by_alias=True)
    content: BlockContent = workbench.executor.call(
        _freeze, _task_of(run, "md", workbench), dumped, timeout_s=EXPORT_S
    )
    return content


def _freeze(task: rendering.RenderTask, request: Mapping[str, Any]) -> BlockContent:
    tables = rendering.StoredTables(task.tables)
    view = Path(task.view).read_bytes()
    return freeze_answer(rendering.compose_report(task.agent, view, tables, task.about), request)


class RunFile(NamedTuple):
    """A file of a run; the size of one that is made when it is asked for is not known."""

    name: str
    media_type: str
    size: int | None


def list_files(run: RunRecord) -> list[RunFile]:
    """Return the files of a run: those that it saved, and those made when they are asked for."""
    saved = [
        RunFile(artifact.name, artifact.media_type, artifact.size)
        for artifact in run.artifacts
        if artifact.kind == "file"
    ]
    agent = find_agent(run.agent)
    if agent is None or run.artifact("view", "view") is None:
        return saved
    return saved + [RunFile(name, media, None) for name, media in agent.exports.items()]


def order_file(run: RunRecord, name: str, workbench: Workbench) -> "Future[bytes]":
    """Return what will hold a file that is made when it is asked for.

    Raises:
        NotFound: The agent makes no such file, or the run has no result.
    """
    if name not in agent_of(run.agent).exports:
        raise NotFound("the run has no file of this name")
    find_part(run, "view", "view")
    make = partial(_make_file, run, name, workbench)
    return _DESK.order(run.owner_id, (run.run_uuid, _kept_name(run, name)), make)


def export_file(run: RunRecord, name: str, workbench: Workbench) -> bytes:
    """Return a file that is made when it is asked for: the kept one, or a new one.

    Raises:
        NotFound: The agent makes no such file, or the run has no result.
    """
    artifact = find_kept(run, name)
    with suppress(NotFound):
        if artifact is not None:
            return workbench.stores.blobs.path(artifact.sha256).read_bytes()
    return order_file(run, name, workbench).result()


def _make_file(run: RunRecord, name: str, workbench: Workbench) -> bytes:
    view = find_part(run, "view", "view")
    path = str(workbench.stores.blobs.path(view.sha256))
    task = rendering.ExportTask(agent=run.agent, view=path, name=name)
    content: bytes = workbench.executor.call(rendering.export, task, timeout_s=EXPORT_S)
    _keep(run, name, content, agent_of(run.agent).exports[name], workbench)
    return content


def find_kept(run: RunRecord, name: str) -> Artifact | None:
    """Return a report (by its format) or a file (by its name) that is kept and still right."""
    return run.artifact("report", _kept_name(run, name))


def _kept_name(run: RunRecord, name: str) -> str:
    """Return under which name a document is kept: another code or title makes another one."""
    text = f"{code_digest()} {run.agent} {run.title} {run.finished_at} {run.elapsed_s}"
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _keep(run: RunRecord, name: str, content: bytes, media: str, workbench: Workbench) -> None:
    """Keep a document with its run, in the place of an older one; without room it is not kept."""
    with suppress(StorageFull, StorageUnavailable):
        blob = workbench.stores.blobs.put(content)
        artifact = Artifact(
            kind="report",
            name=_kept_name(run, name),
            sha256=blob.sha256,
            size=blob.size,
            media_type=media,
        )
        workbench.stores.runs.keep(run.run_uuid, artifact)


def is_current(run: RunRecord) -> bool:
    """Return whether the present code would answer the same; False after most upgrades."""
    return run.data_version.split("/")[:2] == [run.agent, answer_digest(agent_of(run.agent).slug)]


def describe_run(run: RunRecord, agent: Agent, workbench: Workbench) -> About:
    """Return what a document says of the run that it shows."""
    with workbench.stores.blobs.open(run.input_sha256) as body:
        request = json.loads(body.read())
    shown = {
        name: _short(value) for name, value in request.items() if value not in (None, [], {}, "")
    }
    return About(
        run_uuid=run.run_uuid,
        agent=run.agent,
        agent_title=agent.title,
        label=run.title,
        completed_at=run.finished_at or run.created_at,
        elapsed_s=run.elapsed_s or 0.0,
        request=shown,
        evidence=run.data_version,
        is_current=is_current(run),
    )


def _short(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"{len(value):,} rows"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    lines = text.splitlines()
    if len(lines) > 1:
        return f"inline text, {len(lines):,} lines, {len(text):,} characters"
    return text if len(text) <= 200 else text[:200] + "…"
