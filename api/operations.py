"""Calls the operations of the API without the layers of the framework.

Every operation takes the request and the parts of its path as text, and returns a response or a
model: nothing has to be solved, validated or converted on the way. FastAPI describes them, and
answers what is none of them: an unknown address, a wrong method, the pages of the description.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from api.errors import answer_http_error, answer_unexpected, answer_workbench_error
from core.errors import WorkbenchError

PREFIX = "/v1"


class _Operation(NamedTuple):
    methods: frozenset[str]
    path: re.Pattern[str]
    call: Callable[..., Awaitable[Any]]
    status: int


class Operations:
    """The API below `/v1` as an ASGI application."""

    def __init__(self, app: FastAPI, routers: Iterable[APIRouter]) -> None:
        """Take over the operations that take nothing but the request and its path.

        Args:
            app: Describes them, and answers everything else.
            routers: Where they are declared, in the order in which a path is looked for.
        """
        self._app = app
        self._rooms: dict[str, list[_Operation]] = {}
        for route in (route for router in routers for route in router.routes):
            if isinstance(route, APIRoute) and _is_plain(route):
                operation = _Operation(
                    frozenset(route.methods or ()),
                    route.path_regex,
                    route.endpoint,
                    route.status_code or 200,
                )
                self._rooms.setdefault(_room(route.path), []).append(operation)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose path begins with `/v1/`."""
        outer = scope.get("root_path", "")
        root = outer + PREFIX
        scope = {**scope, "app": self._app, "root_path": root, "app_root_path": outer}
        path, method = scope["path"].removeprefix(root), scope["method"]
        for operation in self._rooms.get(_room(path), ()):
            if method in operation.methods and (match := operation.path.match(path)):
                await self._answer(operation, match.groupdict(), scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _answer(
        self,
        operation: _Operation,
        parts: dict[str, str],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Call an operation; a failure is answered as long as no answer has begun."""
        request = Request(scope, receive)
        has_begun = False

        async def note(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            answer = await operation.call(request, **parts)
            if not isinstance(answer, Response):
                content = answer.model_dump_json(by_alias=True)
                answer = Response(content, operation.status, media_type="application/json")
            await answer(scope, receive, note)
        except Exception as failure:
            if has_begun:
                raise
            if isinstance(failure, WorkbenchError):
                answer = await answer_workbench_error(request, failure)
            elif isinstance(failure, HTTPException):
                answer = await answer_http_error(request, failure)
            else:
                answer = await answer_unexpected(request, failure)
                await answer(scope, receive, send)
                raise
            await answer(scope, receive, send)


def _room(path: str) -> str:
    """Return the first part of a path, by which operations are grouped; an agent's own is whole."""
    return path[1:].partition("/")[0] if not path.startswith("/agents/") else path


def _is_plain(route: APIRoute) -> bool:
    """Return whether an operation takes nothing but the request and its path."""
    parameters = inspect.signature(route.endpoint).parameters
    return (
        inspect.iscoroutinefunction(route.endpoint)
        and list(parameters) == ["request", *route.param_convertors]
        and all(parameters[name].annotation is str for name in route.param_convertors)
        and not route.dependencies
    )
