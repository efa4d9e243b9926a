"""`POST /v1/agents/<name>`: one operation for every declared agent.

The order is fixed: key (401), content type, size and JSON (400), fields (400), quota (402), run.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.responses import Response, StreamingResponse

from api.auth import RECHECK_S, require_agent_caller, require_caller
from api.bodies import read_json, weigh
from api.errors import Exchange, error_response, exchange_of
from api.stored import Coding, StoredBody, coding_for
from api.threads import in_thread, look_up
from api.validation import read_request
from core import results
from core.agent import Agent
from core.errors import ExecutionError, InvalidInput
from core.records.runs import Artifact, Caller, RunRecord
from core.records.wire import Envelope, JsonObject, Request
from core.registry import find_agent
from core.runner import read_progress, recall_run, start_once, start_run
from core.workbench import current

_WHOLE_BELOW = 1 << 20
_POLL_S = 0.25


def add_agent_routes(router: APIRouter, agents: dict[str, Agent]) -> None:
    """Mount the operation of every agent."""
    for agent in agents.values():
        router.add_api_route(
            f"/agents/{agent.name}",
            make_operation(agent),
            methods=["POST"],
            operation_id=f"run_{agent.slug}",
            summary=agent.title,
            description=agent.summary,
            tags=["agents"],
            response_model=Envelope[agent.data],  # type: ignore[name-defined]
            response_model_by_alias=True,
        )


def make_operation(agent: Agent) -> Callable[[HttpRequest], Awaitable[Response]]:
    """Return the endpoint of an agent."""

    async def operation(request: HttpRequest) -> Response:
        exchange = exchange_of(request)
        exchange.agent = agent.name
        caller = await require_agent_caller(request, agent.name)
        body = await read_json(request, agent.body_limit)
        size = int(request.headers.get("content-length", _WHOLE_BELOW + 1))
        agent_request = await weigh(size, read_request, agent.request, body)
        coding = coding_for(request)
        if size <= _WHOLE_BELOW and "idempotency-key" not in request.headers:
            read = in_thread if current().settings.is_shared else look_up
            stored = await read(_recall_answer, agent, agent_request, caller, exchange, coding)
            if stored is not None:
                return stored
        run = await begin(request, agent, agent_request, caller)
        exchange.run_id = run.run_uuid
        return await answer(await finished(request, run, caller), exchange, coding)

    operation.__name__ = f"run_{agent.slug}"
    return operation


async def begin(
    request: HttpRequest,
    agent: Agent,
    agent_request: Request,
    caller: Caller,
    title: str | None = None,
) -> RunRecord:
    """Begin a run, once for each `Idempotency-Key`."""
    key = request.headers.get("idempotency-key")
    return await in_thread(_begin, agent, agent_request, caller, key, title)


def _begin(
    agent: Agent, request: Request, caller: Caller, key: str | None, title: str | None = None
) -> RunRecord:
    if key is None:
        return start_run(agent, request, caller, current(), title)
    return start_once(agent, request, caller, current(), key, title)


def _recall_answer(
    agent: Agent, request: Request, caller: Caller, exchange: Exchange, coding: Coding
) -> Response | None:
    """Return the stored answer to a request where it is there and short."""
    run = recall_run(agent, request, caller, current())
    artifact = run.artifact("data") if run is not None else None
    if run is None or artifact is None or artifact.size > _WHOLE_BELOW:
        return None
    exchange.run_id = run.run_uuid
    return read_answer(run, artifact, exchange, coding)


async def finished(request: HttpRequest, run: RunRecord, caller: Caller) -> RunRecord:
    """Await the final state of a run without holding a thread.

    Raises:
        NotAuthenticated: The key was revoked meanwhile, or its owner's account disabled.
        ExecutionError: `interrupted`: the instance shuts down and the run was left to its
            successor.
    """
    while not run.is_final:
        await woken(request, run)
        run = await look_up(read_progress, run, caller, current())
        if not run.is_final and current().executor.is_left(run):
            raise ExecutionError(
                "the instance is shutting down and goes on with the run at its next start; read "
                f"it at /v1/runs/{run.run_uuid}",
                code="interrupted",
            )
        if not run.is_final:  # another process executes it
            await asyncio.sleep(_POLL_S)
    return run


async def woken(request: HttpRequest, run: RunRecord) -> None:
    """Await that this process is done with a run; return at once when it does not hold it.

    Raises:
        NotAuthenticated: The key no longer works.
    """
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # nobody waits any more and the service has ended
            loop.call_soon_threadsafe(ended.set)

    current().executor.on_done(run.run_uuid, wake)
    is_over = False
    while not is_over:
        with suppress(TimeoutError):
            is_over = await asyncio.wait_for(ended.wait(), RECHECK_S)
        await require_caller(request)


async def answer(run: RunRecord, exchange: Exchange, coding: Coding) -> Response:
    """Return the envelope of a run that has ended."""
    if run.error is not None:
        return error_response(run.error, exchange)
    artifact = run.artifact("data")
    if artifact is None:
        raise ExecutionError("the run finished but its result could not be saved; run it again")
    if artifact.size <= _WHOLE_BELOW:
        return await in_thread(read_answer, run, artifact, exchange, coding)
    chunks = results.answer_body(run, exchange.elapsed_s, current())
    headers = {**_headers(exchange), **coding.headers}
    content = coding.encode(chunks)
    return StreamingResponse(content, headers=headers, media_type="application/json")


def read_answer(run: RunRecord, artifact: Artifact, exchange: Exchange, coding: Coding) -> Response:
    """Return the envelope of a completed run; its stored part is passed on as it is."""
    head, tail = results.answer_ends(run, exchange.elapsed_s)
    content = StoredBody(head, artifact.sha256, tail).read(current(), coding)
    headers = {**_headers(exchange), **coding.headers}
    return Response(content, headers=headers, media_type="application/json")


def _headers(exchange: Exchange) -> dict[str, str]:
    return {"X-Request-ID": exchange.request_id, "Cache-Control": "no-store"}


def request_for(name: str, body: JsonObject) -> tuple[Agent, Request]:
    """Return agent and request for `POST /v1/runs`.

    Raises:
        InvalidInput: There is no such agent, or its input is wrong.
    """
    agent = find_agent(name)
    if agent is None:
        raise InvalidInput(
            f"there is no agent of this name; known: {', '.join(current().agents)}",
            field="agent",
            code="value_not_allowed",
        )
    return agent, read_request(agent.request, body)
