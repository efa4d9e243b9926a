"""The attacks of another origin and a one-time link, in a real browser."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.api.edge.conftest import Visitor
from tests.live import LiveApp

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ATTACK = """async (target) => {
  const outcome = {};
  outcome.socket = await new Promise((done) => {
    const socket = new WebSocket(target.replace("http", "ws") + "/_stcore/stream", ["streamlit"]);
    socket.onopen = () => done("open");
    socket.onerror = () => done("refused");
  });
  outcome.picture = await new Promise((done) => {
    const picture = new Image();
    picture.onload = () => done("loaded");
    picture.onerror = () => done("refused");
    picture.src = target + "/favicon.png";
  });
  outcome.answer = await fetch(target + "/v1/agents", {credentials: "include"})
    .then(() => "read", () => "refused");
  await new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.onload = () => setTimeout(done, 500);
    frame.src = target + "/keys";
    document.body.append(frame);
  });
  return outcome;
}"""
NEW_PASSWORD = "four quiet owls dancing"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("edge"),
    pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium"),
]


@pytest.fixture
def page() -> Iterator:
    """Return a page of a new browser."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser.new_page()
        browser.close()


@pytest.fixture
def other_origin() -> Iterator[str]:
    """Return the address of an empty page on another port of this machine."""

    class Empty(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><body></body>")

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Empty)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def fill_in(page, name: str, password: str) -> None:
    page.fill("#name", name)
    page.fill("#password", password)
    page.click("button[type=submit]")


def test_a_page_on_another_port_reaches_nothing_of_a_signed_in_browser(
    page, app: LiveApp, other_origin: str
) -> None:
    page.goto(app.url)
    fill_in(page, app.name, app.password)
    page.wait_for_selector("[data-testid=stApp]")
    page.goto(other_origin)
    assert page.evaluate(ATTACK, app.url) == {
        "socket": "refused",
        "picture": "refused",
        "answer": "refused",
    }
    assert not [frame.url for frame in page.frames if frame.url.startswith(app.url)]


def test_the_token_of_a_link_leaves_the_address_and_sets_a_password(page, app: LiveApp) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    link = app.cli("users", "invite", "--name", "emil").stdout.decode().strip()
    token = link.partition("#token=")[2]
    assert token
    page.goto(link.replace(link.partition("/auth")[0], app.url))
    page.get_by_text("For the account").wait_for()
    assert page.inner_text("strong") == "emil"
    assert token not in page.url
    page.fill("#password", NEW_PASSWORD)
    page.fill("#again", NEW_PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_url("**/auth/login")
    assert not [url for url in asked if token in url.partition("#")[0]]
    assert Visitor(app).sign_in("emil", NEW_PASSWORD).status == 303
