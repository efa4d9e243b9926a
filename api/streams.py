"""Sockets of pages, held open only as long as the session that opened them goes on."""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.auth import RECHECK_S

NO_SESSION = 4401
"""Close code of a websocket without a session, or whose session has ended."""
_PROTOCOLS = "sec-websocket-protocol"
_STREAM_PLACE = 2


async def close_unheard(receive: Receive, send: Send) -> None:
    """Refuse a websocket that nobody is signed in for."""
    await receive()
    await send({"type": "websocket.close", "code": NO_SESSION, "reason": "sign in first"})


async def serve_while(
    counts: Callable[[], Awaitable[bool]], app: ASGIApp, scope: Scope, receive: Receive, send: Send
) -> None:
    """Serve a websocket until it ends or its session does; then nothing more is sent.

    Args:
        counts: Says whether the session still counts; asked once a second.
        app: What answers.
        scope: ASGI scope.
        receive: What the browser sends.
        send: What the browser gets.
    """
    has_ended = False

    async def send_until_end(message: Message) -> None:
        if not has_ended:
            await send(message)

    serving = asyncio.ensure_future(app(scope, receive, send_until_end))
    try:
        while not serving.done():
            await asyncio.wait({serving}, timeout=RECHECK_S)
            if not serving.done() and not has_ended and not await counts():
                has_ended = True
                reason = "your session has ended"
                await send({"type": "websocket.close", "code": NO_SESSION, "reason": reason})
        await serving
    finally:
        serving.cancel()


def offered_stream(scope: Scope) -> str | None:
    """Return the stream that a browser wants to go on with, if it names one.

    Streamlit's pages name it as the third of the subprotocols that they offer.
    """
    offered = Headers(scope=scope).get(_PROTOCOLS, "").split(",")
    return offered[_STREAM_PLACE].strip() or None if len(offered) > _STREAM_PLACE else None


def without_stream(scope: Scope) -> Scope:
    """Return the scope of a browser that begins a stream of its own."""
    headers = MutableHeaders(raw=list(scope["headers"]))
    protocols = headers[_PROTOCOLS].split(",")[:_STREAM_PLACE]
    headers[_PROTOCOLS] = ",".join(protocols)
    return {**scope, "headers": headers.raw, "subprotocols": [name.strip() for name in protocols]}
