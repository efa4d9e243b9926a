"""The gate: nobody gets behind it without a session."""

from collections.abc import Callable

import pytest
import structlog
from httpx import Response
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from structlog.testing import capture_logs

from api.gate import is_open
from api.streams import NO_SESSION
from core.ports import Stores

COOKIE = "bpw_session"
SignIn = Callable[..., Response]
PAGE = {"accept": "text/html"}


def test_a_disabled_account_is_out_at_once(
    client: TestClient, stores: Stores, sign_in: SignIn
) -> None:
    sign_in()
    stores.users.disable(stores.users.by_name("anna").user_id)
    assert client.get("/home").status_code == 401


def test_a_page_without_a_session_leads_to_the_form_and_back(client: TestClient) -> None:
    answer = client.get("/compound-map?run=7&x=a b", headers=PAGE)
    assert answer.status_code == 303
    form = client.get(answer.headers["location"])
    assert 'name="next" value="/compound-map?run=7&amp;x=a%20b"' in form.text


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/suggest?q=a"),
        ("GET", "/media/0123.csv"),
        ("GET", "/_stcore/upload_file/1"),
        ("POST", "/home"),
        ("GET", "/V1/runs"),
        ("GET", "/v1x"),
        ("GET", "/static/../media/0123.csv"),
        ("GET", "/static/%2e%2e/media/0123.csv"),
        ("GET", "/healthz/x"),
    ],
)
def test_all_else_without_a_session_is_a_401(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, path, headers={"accept": "*/*"}).status_code == 401


def test_a_post_without_a_session_is_not_redirected(client: TestClient) -> None:
    assert client.post("/home", headers=PAGE).status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/v1",
        "/v1/agents",
        "/auth/login",
        "/healthz",
        "/readyz",
        "/static/js/index.js",
        "/_stcore/health",
        "/_stcore/host-config",
        "/favicon.png",
    ],
)
def test_what_has_its_own_check_or_shows_nothing_is_open(client: TestClient, path: str) -> None:
    assert is_open(path)
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("token", ["", "x", "ä", "a" * 5000])
def test_a_made_up_cookie_opens_nothing(client: TestClient, token: str) -> None:
    cookie = f"{COOKIE}={token}".encode()
    assert client.get("/home", headers={"cookie": cookie}).status_code == 401


def test_a_websocket_without_a_session_is_closed(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect("/_stcore/stream"):
        pass
    assert closed.value.code == NO_SESSION


def test_a_websocket_with_a_session_knows_its_caller(client: TestClient, sign_in: SignIn) -> None:
    sign_in()
    with client.websocket_connect("/_stcore/stream") as websocket:
        assert websocket.receive_text() == "anna"


def test_what_is_refused_is_logged(client: TestClient, sign_in: SignIn) -> None:
    structlog.configure()
    try:
        with capture_logs() as lines:
            client.get("/runs?q=secret", headers={"accept": "text/html"})
            client.get("/media/a.csv")
            sign_in()
            client.get("/media/a.csv")
    finally:
        structlog.reset_defaults()
    assert [(line["page"], line["status"]) for line in lines if line["event"] == "refused"] == [
        ("/runs", 303),
        ("/media/a.csv", 401),
        ("/media/a.csv", 404),
    ]
