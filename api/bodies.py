"""Reading a request body within its limits, in the order that the contract fixes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from fastapi import Request as HttpRequest

from api.errors import exchange_of
from api.strict_json import read_object
from api.threads import in_thread
from core.errors import InvalidInput
from core.records.wire import JsonObject

SILENCE_S = 30.0
_OFF_LOOP = 1 << 20
T = TypeVar("T")


def check_content_type(request: HttpRequest, wanted: str = "application/json") -> None:
    """Refuse another content type, two of them, and another charset than UTF-8.

    Raises:
        InvalidInput: `wrong_content_type`.
    """
    given = request.headers.getlist("content-type")
    kind, *parameters = (given[0] if len(given) == 1 else "").lower().split(";")
    pairs = (parameter.partition("=") for parameter in parameters)
    charsets = {value.strip(' "') for name, _, value in pairs if name.strip() == "charset"}
    if kind.strip() != wanted or not charsets <= {"utf-8", "utf8"}:
        raise InvalidInput(
            f"send the header Content-Type: {wanted} and a body in UTF-8",
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
    """Yield the body's chunks; stop at the limit and after a silence.

    Raises:
        InvalidInput: `body_too_large` or `body_incomplete`.
    """
    check_length(request, limit)
    exchange = exchange_of(request)
    size, stream = 0, request.stream()
    while True:
        try:
            chunk = await asyncio.wait_for(anext(stream), SILENCE_S)
        except StopAsyncIteration:
            return
        except TimeoutError:
            exchange.close = True
            raise InvalidInput(
                f"the body stopped for {SILENCE_S:g} s before its end", code="body_incomplete"
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
