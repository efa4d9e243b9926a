"""The gate: nobody reaches a page, an upload, a download or a websocket without a session.

It looks the session up on every request (half a millisecond) instead of remembering it, so an
old cookie stops working the moment its session ends, in whichever process that happened; an open
websocket follows within a second. Streams and files of pages open for their own person only.
"""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.border import is_plain
from api.browser_sessions import find_caller, signin_address
from api.streams import close_unheard, offered_stream, serve_while, without_stream
from core.errors import ExecutionError
from core.logs import log_refusal
from core.records.runs import Caller
from core.workbench import current

OPEN_PATHS = frozenset(
    {"/v1", "/mcp", "/healthz", "/readyz", "/metrics", "/docs"}
    | {"/_stcore/health", "/_stcore/host-config"}
)
OPEN_FOLDERS = ("/v1/", "/docs/", "/auth/", "/static/", "/favicon")
_MEDIA = "/media/"
_UPLOADS = "/_stcore/upload_file/"


def is_open(path: str) -> bool:
    """Return whether a path needs no session: it has its own check, or shows nothing.

    >>> is_open("/v1/runs"), is_open("/media/a.csv"), is_open("/static/../media/a.csv")
    (True, False, False)
    """
    return path in OPEN_PATHS or (is_plain(path) and path.startswith(OPEN_FOLDERS))


def is_foreign(path: str, caller: Caller) -> bool:
    """Return whether a path leads to a file or a stream of somebody else's pages."""
    streams = current().streams
    if path.startswith(_MEDIA):
        return not streams.may_fetch(caller.user_id, path.removeprefix(_MEDIA))
    if path.startswith(_UPLOADS):
        return not streams.is_own(path.removeprefix(_UPLOADS).partition("/")[0], caller.user_id)
    return False


class Gate:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        """Keep the application.

        Args:
            app: What is behind the gate; it finds the Caller in `scope["state"]["caller"]`.
        """
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or send it to the sign-in page."""
        if scope["type"] not in {"http", "websocket"} or is_open(scope["path"]):
            await self.app(scope, receive, send)
            return
        token = HTTPConnection(scope).cookies.get(current().settings.session_cookie)
        caller = await run_in_threadpool(find_caller, token) if token else None
        if token is None or caller is None:
            if scope["type"] == "websocket":
                log_refusal(scope["path"], status=401)
                await close_unheard(receive, send)
            else:
                refusal = _refusal(scope)
                log_refusal(scope["path"], status=refusal.status_code)
                await refusal(scope, receive, send)
            return
        scope.setdefault("state", {})["caller"] = caller
        if scope["type"] == "websocket":
            stream = offered_stream(scope)
            if stream is not None and not current().streams.is_own(stream, caller.user_id):
                scope = without_stream(scope)
            await serve_while(partial(_counts, token), self.app, scope, receive, send)
        elif is_foreign(scope["path"], caller):
            log_refusal(scope["path"], status=404, user_id=caller.user_id)
            await PlainTextResponse("there is nothing at this address", 404)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


async def _counts(token: str) -> bool:
    """Return whether a session still counts; a database that is away ends none."""
    try:
        return await run_in_threadpool(find_caller, token, is_seen=False) is not None
    except ExecutionError:
        return True


def _refusal(scope: Scope) -> Response:
    """Return the way to the sign-in page for a page, and 401 for all else."""
    headers = {"Cache-Control": "no-store"}
    accepted = HTTPConnection(scope).headers.get("accept", "")
    if scope["method"] in {"GET", "HEAD"} and "text/html" in accepted:
        query = scope["query_string"].decode("latin-1")
        address = signin_address(scope["path"], query)
        return RedirectResponse(address, status_code=303, headers=headers)
    return PlainTextResponse("sign in first", status_code=401, headers=headers)
