"""`/v1/runs`: start, read back, rename, cancel, delete; tables, files and reports of a run."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from concurrent.futures import Future
from typing import Any

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import BaseModel, ValidationError
from starlette.responses import FileResponse, Response, StreamingResponse

from api.agent_routes import begin, request_for
from api.auth import RECHECK_S, require_agent_caller, require_caller
from api.bodies import read_json
from api.models import Done, RenameRun, RunAnswer, RunList, RunRow, StartedRun, StartRun
from api.queries import MOST_ROWS, read_choice, read_number
from api.stored import Coding, StoredBody, coding_for, is_known
from api.threads import in_thread, look_up
from api.validation import describe
from core import exports, results
from core.agent import MEGABYTE
from core.errors import NotAuthenticated, NotFound
from core.records.runs import Caller, RunRecord
from core.runner import cancel_run
from core.workbench import current

router = APIRouter(prefix="/runs", tags=["runs"])
_POLL_S = 0.4


def read_model(model: type[BaseModel], body: dict[str, Any]) -> Any:
    """Return a small body as its model, or say which fields are wrong."""
    try:
        return model.model_validate(body, strict=True)
    except ValidationError as failure:
        raise describe(failure.errors(include_url=False), model) from None


async def own_run(
    request: HttpRequest, run_id: str, *, is_changing: bool = False
) -> tuple[Caller, RunRecord]:
    """Return the caller and the caller's own run; a key sees runs of its agents only.

    Raises:
        NotFound: There is none, or it is somebody else's, or out of the key's scope.
        NotAuthenticated: The key may read the run, not change it.
    """
    caller = await require_caller(request)
    run = await look_up(find_own_run, caller, run_id)
    if is_changing and not caller.may_run(run.agent):
        raise NotAuthenticated("missing or invalid API key")
    return caller, run


def find_own_run(caller: Caller, run_id: str) -> RunRecord:
    """Return the caller's own run, if the key may read it.

    Raises:
        NotFound: There is none, or it is somebody else's, or out of the key's scope.
    """
    run = current().stores.runs.get(caller.user_id, run_id)
    if not caller.may_read(run.agent):
        raise NotFound("run not found")
    return run


@router.post("", status_code=202, operation_id="start_run")
async def post_run(request: HttpRequest) -> StartedRun:
    """Start a run without waiting for it."""
    await require_caller(request)
    largest = max((agent.body_limit for agent in current().agents.values()), default=MEGABYTE)
    body = read_model(StartRun, await read_json(request, largest))
    agent, agent_request = request_for(body.agent, body.input)
    caller = await require_agent_caller(request, agent.name)
    run = await begin(request, agent, agent_request, caller)
    return StartedRun(run_id=run.run_uuid, status=run.status, url=f"/v1/runs/{run.run_uuid}")


@router.get("", operation_id="list_runs")
async def list_runs(request: HttpRequest) -> RunList:
    """List your runs, newest first."""
    caller = await require_caller(request)
    rows = await look_up(
        current().stores.runs.list,
        caller.user_id,
        agent=request.query_params.get("agent"),
        scopes=caller.readable,
        limit=read_number(request, "limit", 50, 1, 500),
        offset=read_number(request, "offset", 0, 0, MOST_ROWS),
    )
    return RunList(runs=[RunRow.of(run) for run in rows])


@router.get(
    "/{run_id}",
    operation_id="get_run",
    response_model=RunAnswer,
    responses={304: {"description": "Not modified since the ETag in If-None-Match"}},
)
async def get_run(request: HttpRequest, run_id: str) -> Response:
    """Read a run back; large tables are empty here and served by `/tables`."""
    caller = await require_caller(request)
    known = request.headers.get("if-none-match", "")
    read = in_thread if current().settings.is_shared else look_up  # it may be fetched first
    return await read(read_run, caller, run_id, coding_for(request), known)


def read_run(caller: Caller, run_id: str, coding: Coding, known: str) -> Response:
    """Return a run as it is sent, or 304 where the caller has it already."""
    run = find_own_run(caller, run_id)
    answer = RunAnswer.of(run)
    body = StoredBody(answer.model_dump_json().encode(), "", b"")
    if run.status == "completed":
        view = results.find_part(run, "view", "view")
        before = answer.model_dump_json(exclude={"data", "tables", "files"})[:-1]
        after = answer.model_dump_json(include={"tables", "files"})[1:]
        head = f'{before},"data":{results.open_data(run)}'
        body = StoredBody(head.encode(), view.sha256, f",{after}".encode())
    etag = body.etag(coding)
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    if is_known(etag, known):
        return Response(status_code=304, headers=headers)
    content = body.read(current(), coding)
    headers |= coding.headers
    return Response(content, headers=headers, media_type="application/json")


@router.patch("/{run_id}", operation_id="rename_run")
async def rename_run(request: HttpRequest, run_id: str) -> RunRow:
    """Give one of your runs another name."""
    caller, _ = await own_run(request, run_id, is_changing=True)
    body = read_model(RenameRun, await read_json(request, MEGABYTE))
    run = await in_thread(current().stores.runs.rename, caller.user_id, run_id, body.title)
    return RunRow.of(run)


@router.delete("/{run_id}", operation_id="cancel_or_delete_run")
async def delete_run(request: HttpRequest, run_id: str) -> Done:
    """Cancel a run that is under way; delete one that has ended."""
    caller, run = await own_run(request, run_id, is_changing=True)
    if not run.is_final:
        ended = await in_thread(cancel_run, run_id, caller, current())
        return Done(status=ended.status)
    await in_thread(current().stores.runs.delete, caller.user_id, run_id)
    return Done(status="deleted")


@router.get("/{run_id}/events", operation_id="watch_run", response_class=StreamingResponse)
async def watch_run(request: HttpRequest, run_id: str) -> StreamingResponse:
    """Stream progress as server-sent events: `progress` and, at the end, `done`."""
    caller, _ = await own_run(request, run_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    events = stream_events(request, caller, run_id)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def stream_events(request: HttpRequest, caller: Caller, run_id: str) -> AsyncIterator[str]:
    """Yield each change of progress once, then the final state; end with the key."""
    sent: dict[str, tuple[int, str]] = {}
    checked_at = time.monotonic()
    while True:
        if time.monotonic() - checked_at >= RECHECK_S:
            try:
                await require_caller(request)
            except NotAuthenticated as failure:
                yield f"event: error\ndata: {json.dumps({'code': failure.word})}\n\n"
                return
            checked_at = time.monotonic()
        run = await look_up(current().stores.runs.get, caller.user_id, run_id)
        for step in run.steps:
            if sent.get(step.step) != (step.done, step.note):
                sent[step.step] = (step.done, step.note)
                plain = step.model_dump(mode="json", exclude={"at"})
                yield f"event: progress\ndata: {json.dumps(plain)}\n\n"
        if run.is_final:
            yield f"event: done\ndata: {json.dumps({'status': run.status})}\n\n"
            return
        await asyncio.sleep(_POLL_S)


@router.get("/{run_id}/tables/{name}", operation_id="get_table", response_class=Response)
async def get_table(request: HttpRequest, run_id: str, name: str) -> Response:
    """Serve a table: format csv, json or parquet; offset, limit, sort, filter."""
    _, run = await own_run(request, run_id)
    form = read_choice(request, "format", ("csv", "parquet", "json"), "csv")
    page = 1000 if form == "json" else MOST_ROWS
    selection = results.Selection(
        offset=read_number(request, "offset", 0, 0, MOST_ROWS),
        limit=read_number(request, "limit", page, 1, MOST_ROWS),
        sort=request.query_params.get("sort"),
        filters=tuple(request.query_params.getlist("filter")),
    )
    coding = Coding.PLAIN if form == "parquet" else coding_for(request)
    content, total = await in_thread(table_content, run, name, selection, form, coding)
    media = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
    headers = {"X-Total-Count": str(total), "Cache-Control": "no-store", **coding.headers}
    if form != "json":
        headers["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    return Response(
        content,
        headers=headers,
        media_type=media.get(form, "application/vnd.apache.parquet"),
    )


def table_content(
    run: RunRecord,
    name: str,
    selection: results.Selection,
    form: str,
    coding: Coding = Coding.PLAIN,
) -> tuple[bytes, int]:
    """Return the chosen rows as they are sent, and how many rows pass the filters."""
    rows, total = results.select_rows(results.read_table(run, name, current()), selection)
    if form == "json":
        plain = {"ok": True, "name": name, "total": total, "offset": selection.offset}
        content = json.dumps(plain | {"rows": results.rows_as_json(rows)}).encode()
    else:
        content = results.table_as_bytes(rows, "csv" if form == "csv" else "parquet")
    return b"".join(coding.encode(iter([content]))), total


@router.get("/{run_id}/files/{name}", operation_id="get_run_file", response_class=Response)
async def get_run_file(request: HttpRequest, run_id: str, name: str) -> Response:
    """Serve a file that the run made."""
    _, run = await own_run(request, run_id)
    artifact = run.artifact("file", name)
    if artifact is not None:
        path = current().stores.blobs.path(artifact.sha256)
        return FileResponse(path, media_type=artifact.media_type, filename=artifact.name)
    response = serve_kept(run, name, name)
    if response is not None:
        return response
    content = await made(exports.order_file(run, name, current()))
    media = next(file.media_type for file in exports.list_files(run) if file.name == name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=media)


def serve_kept(run: RunRecord, key: str, name: str) -> Response | None:
    """Serve a document that is kept with its run; None where there is none.

    Args:
        run: A completed run.
        key: The report's format, or the file's name.
        name: Name under which it is saved.
    """
    artifact = exports.find_kept(run, key)
    if artifact is None:
        return None
    try:
        path = current().stores.blobs.path(artifact.sha256)
    except NotFound:  # it is made anew
        return None
    return FileResponse(path, media_type=artifact.media_type, filename=name)


async def made(ordered: "Future[bytes]") -> bytes:
    """Await a document without holding a thread; others may await the same one."""
    return await asyncio.shield(asyncio.wrap_future(ordered))


@router.get("/{run_id}/report.{fmt}", operation_id="get_report", response_class=Response)
async def get_report(request: HttpRequest, run_id: str, fmt: str) -> Response:
    """Serve the report of a completed run as md, pdf, json, xlsx or pptx."""
    caller, run = await own_run(request, run_id)
    if fmt not in exports.MEDIA:
        raise NotFound("reports come as md, pdf, json, xlsx or pptx")
    await in_thread(current().stores.audit.note, caller.name, "export", run.run_uuid, fmt)
    name = results.report_name(run, fmt)
    response = serve_kept(run, fmt, name)
    if response is not None:
        return response
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if fmt == "json":
        results.find_part(run, "data", "data")
        chunks = results.answer_body(run, run.elapsed_s or 0.0, current())
        return StreamingResponse(chunks, headers=headers, media_type=exports.MEDIA[fmt])
    content = await made(exports.order_report(run, fmt, current()))  # type: ignore[arg-type]
    return Response(content, headers=headers, media_type=exports.MEDIA[fmt])
