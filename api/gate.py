"""The gate: nobody reaches a page, an upload, a download or a websocket without a session.

It looks the session up on every request (half a millisecond) instead of remembering it, so an
old cookie stops working the moment its session ends, in whichever process that happened.
"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.signin import COOKIE, find_caller, signin_address

OPEN_PATHS = frozenset({"/v1", "/healthz", "/readyz", "/_stcore/health", "/_stcore/host-config"})
OPEN_FOLDERS = ("/v1/", "/auth/", "/static/", "/favicon")
NO_SESSION = 4401
"""Close code of a websocket that comes without a session."""


def is_open(path: str) -> bool:
    """Return whether a path needs no session: it has its own check, or shows nothing.

    >>> is_open("/v1/runs"), is_open("/media/a.csv"), is_open("/static/../media/a.csv")
    (True, False, False)
    """
    if path in OPEN_PATHS:
        return True
    is_plain = "/." not in path and "//" not in path and "\\" not in path
    return is_plain and path.startswith(OPEN_FOLDERS)


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
        token = HTTPConnection(scope).cookies.get(COOKIE)
        caller = await run_in_threadpool(find_caller, token) if token else None
        if caller is not None:
            scope.setdefault("state", {})["caller"] = caller
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": NO_SESSION, "reason": "sign in first"})
        else:
            await _refusal(scope)(scope, receive, send)


def _refusal(scope: Scope) -> Response:
    """Return the way to the sign-in page for a page, and 401 for all else."""
    headers = {"Cache-Control": "no-store"}
    accepted = HTTPConnection(scope).headers.get("accept", "")
    if scope["method"] in {"GET", "HEAD"} and "text/html" in accepted:
        query = scope["query_string"].decode("latin-1")
        address = signin_address(scope["path"], query)
        return RedirectResponse(address, status_code=303, headers=headers)
    return PlainTextResponse("sign in first", status_code=401, headers=headers)
