"""Errors as answers: the only place where the error tree becomes HTTP statuses."""

import time
import uuid

import structlog
from fastapi import FastAPI
from fastapi import Request as HttpRequest
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from core.errors import MethodNotAllowed, NotFound, WorkbenchError
from core.logs import elapsed_ms
from core.records.failure import ErrorBody, ErrorEnvelope, ErrorRecord

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")


class Exchange:
    """What every answer needs of its request: an id, a clock, the agent and the run."""

    def __init__(self) -> None:
        """Start the clock."""
        self.request_id = uuid.uuid4().hex
        self.started = time.monotonic()
        self.agent: str | None = None
        self.run_id: str | None = None
        self.close = False

    @property
    def elapsed_s(self) -> float:
        """Return the seconds since the request came in."""
        return round(time.monotonic() - self.started, 3)

    def ids(self) -> dict[str, object]:
        """Return what each line of the log says about the request."""
        elapsed = elapsed_ms(self.started)
        return {"request_id": self.request_id, "run_id": self.run_id, "elapsed_ms": elapsed}


def exchange_of(request: HttpRequest) -> Exchange:
    """Return the exchange of a request, begun on first use."""
    exchange = getattr(request.state, "exchange", None)
    if not isinstance(exchange, Exchange):
        exchange = Exchange()
        request.state.exchange = exchange
    return exchange


def envelope_of(record: ErrorRecord, exchange: Exchange) -> ErrorEnvelope:
    """Return the body of a failure."""
    return ErrorEnvelope(
        agent=exchange.agent,
        error=ErrorBody(**record.model_dump(exclude={"status"})),
        elapsed_s=exchange.elapsed_s,
        run_id=exchange.run_id,
        request_id=exchange.request_id,
    )


def error_response(record: ErrorRecord, exchange: Exchange) -> Response:
    """Return the answer for a failure."""
    envelope = envelope_of(record, exchange)
    headers = {"X-Request-ID": exchange.request_id, "Cache-Control": "no-store"}
    if record.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if exchange.close:
        headers["Connection"] = "close"
    return Response(
        envelope.model_dump_json(),
        status_code=record.status,
        headers=headers,
        media_type="application/json",
    )


async def answer_workbench_error(request: HttpRequest, failure: Exception) -> Response:
    """Answer an error of the tree."""
    if not isinstance(failure, WorkbenchError):
        raise failure
    return error_response(failure.record(), exchange_of(request))


async def answer_http_error(request: HttpRequest, failure: Exception) -> Response:
    """Answer what the framework refuses by itself: unknown address, wrong method."""
    if not isinstance(failure, HTTPException):
        raise failure
    if failure.status_code == 405:
        response = error_response(
            MethodNotAllowed("this address does not take this method").record(),
            exchange_of(request),
        )
        response.headers["Allow"] = ", ".join(sorted(allowed_methods(request)))
        return response
    record = NotFound("there is nothing at this address").record()
    return error_response(record, exchange_of(request))


def allowed_methods(request: HttpRequest) -> set[str]:
    """Return every method that some route at this address takes."""
    return {
        method
        for method in _METHODS
        for route in request.app.routes
        if route.matches({**request.scope, "method": method})[0] is Match.FULL
    }


async def answer_unexpected(request: HttpRequest, failure: Exception) -> Response:
    """Answer a failure that nobody foresaw, without telling its inside."""
    exchange = exchange_of(request)
    log = structlog.get_logger("api")
    log.error("request failed", request_id=exchange.request_id, exc_info=failure)
    exchange.close = True  # the web server closes the connection of a request that failed
    message = "the service failed unexpectedly; its log names the cause by request id"
    return error_response(WorkbenchError(message).record(), exchange)


def add_error_handlers(app: FastAPI) -> None:
    """Make every failure answer in the one JSON form."""
    app.add_exception_handler(WorkbenchError, answer_workbench_error)
    app.add_exception_handler(HTTPException, answer_http_error)
    app.add_exception_handler(Exception, answer_unexpected)
