"""The border: what every request must be before anything looks at it, and every answer carries.

It stands around the whole application, pages and API alike: the first to see a request, the
last to see its answer.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import error_response, exchange_of
from api.origins import SAFE_METHODS, is_known_host, is_own_fetch, is_own_origin
from api.telemetry import Watch, operation_of
from core.errors import InvalidInput, NotFound, StorageUnavailable, WorkbenchError
from core.workbench import settings_in_use

FOREIGN = 4403
"""Close code of a websocket that a page of another site opens."""
SAFETY = {
    "Content-Security-Policy": "base-uri 'self'; object-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer that does not set them itself."""
TLS_ALONE = "max-age=31536000; includeSubDomains"
"""Strict-Transport-Security where the instance is behind TLS (BPW_SECURE_COOKIE)."""
_SAFETY = [(name.lower().encode(), value.encode()) for name, value in SAFETY.items()]
_TLS_ALONE = (b"strict-transport-security", TLS_ALONE.encode())
_NO_STORE = (b"cache-control", b"no-store")
_AS_FILE = (b"content-disposition", b'attachment; filename="api.json"')
_API = "/v1/"
_SHOWN = "/v1/docs"


def is_plain(path: str) -> bool:
    """Return whether a path means the same to everybody who reads it.

    >>> is_plain("/v1/runs"), is_plain("/v1/../media/a.csv"), is_plain("/v1//runs")
    (True, False, False)
    """
    is_local = "/." not in path and "//" not in path and "\\" not in path
    return is_local and "\x00" not in path


class Border:
    """ASGI middleware around the pages and the API."""

    def __init__(self, app: ASGIApp, api: ASGIApp | None = None) -> None:
        """Keep the application.

        Args:
            app: What is behind; it never sees an `Origin`.
            api: What answers below `/v1`; the application where left out.
        """
        self.app = app
        self._api = api or app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] == "http":
            await self._answer_watched(scope, receive, send)
        elif scope["type"] != "websocket":
            await self.app(scope, receive, send)
        elif (refusal := find_refusal(scope)) is None:
            await self.app(without_origin(scope), receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": FOREIGN, "reason": refusal.message})

    async def _answer_watched(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; every answer is safe, those to programs are counted and logged."""
        operation = operation_of(scope["path"])
        watch = Watch(scope, operation) if operation else None

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                if watch is not None:
                    watch.status = message["status"]
                headers = dict(message.get("headers", ()))
                safety = safety_of(scope["path"], headers.get(b"content-type", b""))
                added = [header for header in safety if header[0] not in headers]
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        try:
            if is_shared(scope):
                await self._answer_shared(scope, receive, send_safely)
            else:
                await self._answer(find_refusal(scope), scope, receive, send_safely)
        finally:
            if watch is not None:
                watch.end()

    async def _answer_shared(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a page of a named other origin; it has a key of its own and no cookie."""
        headers = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
        inside = CORSMiddleware(
            self._pass_on,
            allow_origins=settings_in_use().cors_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match"],
            expose_headers=["X-Request-ID", "X-Total-Count", "Retry-After", "ETag"],
        )
        await inside({**scope, "headers": headers}, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(find_refusal(scope, is_shared=True), scope, receive, send)

    async def _answer(
        self, refusal: WorkbenchError | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a request; a database that is away is said in plain words."""
        if refusal is None:
            app = self._api if scope["path"].startswith(_API) else self.app
            try:
                await app(without_origin(scope), receive, send)
            except StorageUnavailable as failure:
                refusal = failure
        if refusal is not None and refusal.word == "ambiguous_length":
            send = with_header(send, "connection", "close")  # what follows may be smuggled
        if refusal is not None:
            await _answer(refusal, scope)(scope, receive, send)


async def answer_failure(request: Request, failure: Exception) -> Response:
    """Answer a failure that nobody foresaw; the web server logs it."""
    return PlainTextResponse("Internal Server Error", status_code=500, headers=SAFETY)


def is_shared(scope: Scope) -> bool:
    """Return whether a request is a call of the API by a page of an origin in the settings."""
    origin = Headers(scope=scope).get("origin")
    is_call = scope["type"] == "http" and scope["path"].startswith(_API)
    return is_call and origin is not None and origin in settings_in_use().cors_origins


def find_refusal(scope: Scope, *, is_shared: bool = False) -> WorkbenchError | None:
    """Return why a request may not pass; None when it may.

    Args:
        scope: ASGI scope.
        is_shared: The page that asks is of another origin, which may.
    """
    headers, settings = Headers(scope=scope), settings_in_use()
    if not is_known_host(headers, scope, settings):
        return InvalidInput(
            "this instance is not known by the name in the header Host; an administrator can "
            "name it in BPW_ALLOWED_HOSTS",
            code="unknown_host",
        )
    if "content-length" in headers and "transfer-encoding" in headers:
        return InvalidInput(
            "send either Content-Length or Transfer-Encoding, not both", code="ambiguous_length"
        )
    method = scope.get("method", "GET")
    is_acting = scope["type"] == "websocket" or method not in SAFE_METHODS
    is_own = not is_acting or is_own_origin(headers, scope, settings)
    if not is_shared and not (is_own and is_own_fetch(headers, method)):
        return InvalidInput("this request was sent from another site", code="foreign_origin")
    path = scope["path"]
    if path.startswith(_API) and not is_plain(path):
        return NotFound("there is nothing at this address")
    return None


def without_origin(scope: Scope) -> Scope:
    """Return the scope without its `Origin`.

    The page that asks is known to be ours, and no other shall read an answer. Streamlit would
    compare the header with the addresses that it believes to have, and ask services on the
    internet for one of them.
    """
    headers = [(name, value) for name, value in scope["headers"] if name != b"origin"]
    return scope if len(headers) == len(scope["headers"]) else {**scope, "headers": headers}


def with_header(send: Send, name: str, value: str) -> Send:
    """Return a way to answer that sets one header."""

    async def send_with(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)[name] = value
        await send(message)

    return send_with


def safety_of(path: str, media_type: bytes) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer that does not set them.

    What a key reads is not kept by browsers, and its JSON is never shown as a page.
    """
    is_data = path.startswith(_API) and not path.startswith(_SHOWN)
    is_behind_tls = settings_in_use().secure_cookie
    is_json = is_data and media_type.startswith(b"application/json")
    added = [*[_TLS_ALONE] * is_behind_tls, *[_NO_STORE] * is_data, *[_AS_FILE] * is_json]
    return [*_SAFETY, *added]


def _answer(refusal: WorkbenchError, scope: Scope) -> Response:
    """Return a refusal in the API's form below `/v1`, else in plain words."""
    if scope["path"].startswith(_API) or scope["path"] in {_API.rstrip("/"), "/mcp"}:
        return error_response(refusal.record(), exchange_of(Request(scope)))
    statuses = {"foreign_origin": 403, "storage_unavailable": 503}
    status = statuses.get(refusal.word, refusal.status)
    headers = {"Cache-Control": "no-store"}
    return PlainTextResponse(refusal.message, status_code=status, headers=headers)
