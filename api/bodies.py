"""Reading a request body within its limits, in the order that the contract fixes."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TypeVar
from weakref import WeakKeyDictionary

import structlog
from fastapi import Request as HttpRequest
from starlette.requests import ClientDisconnect

from api.errors import exchange_of
from api.strict_json import read_object
from api.threads import in_thread
from core.errors import InvalidInput
from core.records.wire import JsonObject

SILENCE_S = 30.0
PATIENCE_S = 60.0
SLOWEST = 64 * 1024
"""Bytes a second that a body must come with, after the first minute."""
MOST_LARGE = 4
"""Large bodies of one caller that are read at the same time; others wait unread."""
_OFF_LOOP = 1 << 20
T = TypeVar("T")


class Pace:
    """How long a body may take: a minute, and longer the more of it has come."""

    def __init__(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()

    def left_s(self, received: int) -> float:
        """Return the seconds that are left after so many bytes."""
        return max(0.0, PATIENCE_S + received / SLOWEST - (time.monotonic() - self._began))


_Places = dict[int, asyncio.Semaphore]
_places: WeakKeyDictionary[asyncio.AbstractEventLoop, _Places] = WeakKeyDictionary()


def place_for(request: HttpRequest) -> AbstractAsyncContextManager[object]:
    """Return the place in which a body is read: a large one takes one of the caller's few."""
    declared = request.headers.get("content-length", "")
    caller_id = getattr(request.state, "caller_id", None)
    is_small = declared.isdigit() and int(declared) <= _OFF_LOOP
    if is_small or caller_id is None:
        return nullcontext()
    places = _places.setdefault(asyncio.get_running_loop(), {})
    return places.setdefault(caller_id, asyncio.Semaphore(MOST_LARGE))


def check_content_type(request: HttpRequest, media_type: str = "application/json") -> None:
    """Refuse another content type, two of them, and another charset than UTF-8.

    Raises:
        InvalidInput: `wrong_content_type`.
    """
    given = request.headers.getlist("content-type")
    kind, *parameters = (given[0] if len(given) == 1 else "").lower().split(";")
    pairs = (parameter.partition("=") for parameter in parameters)
    charsets = {value.strip(' "') for name, _, value in pairs if name.strip() == "charset"}
    if kind.strip() != media_type or not charsets <= {"utf-8", "utf8"}:
        raise InvalidInput(
            f"send the header Content-Type: {media_type} and a body in UTF-8",
            code="wrong_content_type",
        )


def too_large(limit: int) -> InvalidInput:
    """Return the error for a body over its limit."""
    return InvalidInput(
        f"the body is larger than the {limit:,} bytes that this operation takes",
        code="body_too_large",
    )


def check_length(request: HttpRequest, limit: int) -> None:
    """Refuse a declared length over the limit before anything is read."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > limit:
        exchange_of(request).close = True
        raise too_large(limit)


async def bounded_chunks(request: HttpRequest, limit: int) -> AsyncIterator[bytes]:
    """Yield the body's chunks; stop at the limit, after a silence and when it comes too slowly.

    Raises:
        InvalidInput: `body_too_large` or `body_incomplete`.
    """
    check_length(request, limit)
    async with place_for(request):
        async for chunk in _paced_chunks(request, limit):
            yield chunk


async def _paced_chunks(request: HttpRequest, limit: int) -> AsyncIterator[bytes]:
    exchange, pace = exchange_of(request), Pace()
    size, stream = 0, request.stream()
    while True:
        patience_s = min(SILENCE_S, pace.left_s(size))
        try:
            async with asyncio.timeout(patience_s):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except ClientDisconnect:
            structlog.get_logger("api").info("client left", request_id=exchange.request_id)
            raise InvalidInput(
                "the connection closed before the whole body arrived", code="body_incomplete"
            ) from None
        except TimeoutError:
            exchange.close = True
            raise InvalidInput(
                f"the body stopped for {SILENCE_S:g} s before its end, or came with less than "
                f"{SLOWEST // 1024} kB a second; send it again",
                code="body_incomplete",
            ) from None
        size += len(chunk)
        if size > limit:
            exchange.close = True
            raise too_large(limit)
        yield chunk


async def read_json(request: HttpRequest, limit: int) -> JsonObject:
    """Return the JSON object of a request: content type, size, strict form.

    Raises:
        InvalidInput: `wrong_content_type`, `body_too_large`, `malformed_json`.
    """
    check_content_type(request)
    body = b"".join([chunk async for chunk in bounded_chunks(request, limit)])
    return await weigh(len(body), read_object, body)


async def weigh(size: int, call: Callable[..., T], *arguments: object) -> T:
    """Call at once when the input is small, on a thread when it is large."""
    if size > _OFF_LOOP:
        return await in_thread(call, *arguments)
    return call(*arguments)
