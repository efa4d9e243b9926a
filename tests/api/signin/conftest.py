"""A small application behind the gate, with the real sign-in routes and stores."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from httpx import Response
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from api.border import Border
from api.gate import Gate
from api.signin import ROUTES
from core.page_streams import PageStreams
from core.ports import Stores
from core.settings import Settings
from core.workbench import install
from storage.stores import open_stores
from tests.instances import give_schema

PASSWORD = "correct horse battery"


async def tell_caller(request: Request) -> PlainTextResponse:
    """Answer with the name of who is signed in."""
    caller = getattr(request.state, "caller", None)
    return PlainTextResponse(caller.name if caller else "nobody")


async def greet(websocket: WebSocket) -> None:
    """Accept a websocket and send the name of who is signed in."""
    await websocket.accept()
    await websocket.send_text(websocket.state.caller.name)
    await websocket.close()


APP = Starlette(
    routes=[
        *ROUTES,
        WebSocketRoute("/_stcore/stream", greet),
        Route("/{path:path}", tell_caller, methods=["GET", "POST"]),
    ],
    middleware=[Middleware(Border), Middleware(Gate)],
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings of an instance in an empty folder."""
    return Settings(home=tmp_path, database_url=f"sqlite:///{tmp_path / 'workbench.db'}")


@pytest.fixture
def stores(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stores]:
    """Return the stores of an instance in which anna has an account."""
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    give_schema(settings.home)
    opened = open_stores(settings)
    opened.users.create("anna", PASSWORD)
    install(SimpleNamespace(settings=settings, stores=opened, streams=PageStreams()))
    yield opened
    install(None)
    opened.engine.close()


@pytest.fixture
def client(stores: Stores) -> Iterator[TestClient]:
    """Return a browser that follows no redirect by itself."""
    with TestClient(APP, follow_redirects=False) as browser:
        yield browser


@pytest.fixture
def sign_in(client: TestClient) -> Callable[..., Response]:
    """Return what sends the form as anna; a field given by name differs."""

    def post(**changes: str) -> Response:
        fields = {"name": "anna", "password": PASSWORD, "next": "/"} | changes
        return client.post("/auth/login", data=fields)

    return post
