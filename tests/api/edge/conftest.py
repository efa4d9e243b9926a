"""A served instance as an attacker on the same machine meets it: sockets, cookies, raw bytes.

A watcher in the served process notes every connection that it tries to open to elsewhere, and
stops it; nothing of these tests leaves the machine.
"""

import http.client
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import urlencode

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from tests.live import LiveApp, serve

HEAD_LIMIT_S = 2.0
SLACK_S = 5.0
"""What a loaded machine may add; before, each of these waits had no end or took a minute."""
WATCHER = """
import os, socket
_connect, _resolve = socket.socket.connect, socket.getaddrinfo
_NEAR = ("127.", "::1", "localhost", "0.0.0.0")
def _note(place):
    if isinstance(place, str) and place and not place.startswith(_NEAR):
        with open(os.environ["BPW_HOME"] + "/outgoing", "a") as log:
            log.write(place + "\\n")
        raise OSError("watched")
def connect(self, address):
    if isinstance(address, tuple):
        _note(str(address[0]))
    return _connect(self, address)
def resolve(host, *arguments, **options):
    _note(host)
    return _resolve(host, *arguments, **options)
socket.socket.connect, socket.getaddrinfo = connect, resolve
"""


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str
    cookies: dict[str, str]


@dataclass
class Visitor:
    """Somebody with a browser's cookies, or without."""

    app: LiveApp
    cookie: str = ""

    @property
    def host(self) -> str:
        return self.app.url.removeprefix("http://")

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """Send a request as it stands; header names are written with underscores."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            given["Cookie"] = self.cookie
        with closing(http.client.HTTPConnection(self.host, timeout=20)) as connection:
            connection.request(method, path, body or None, given)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            planted = [value.partition(";")[0] for value in answer.msg.get_all("Set-Cookie") or []]
            cookies = dict(value.split("=", 1) for value in planted)
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, text, cookies)

    def sign_in(self, name: str, password: str, **headers: str) -> Answer:
        """Send the form."""
        form = urlencode({"name": name, "password": password}).encode()
        kind = "application/x-www-form-urlencoded"
        return self.send("POST", "/auth/login", form, Content_Type=kind, **headers)

    def open_stream(self, stream: str = "", origin: str | None = None) -> ClientConnection:
        """Open a page's websocket, going on with a stream when it is named."""
        offered = ["streamlit", "none", stream] if stream else ["streamlit", "none"]
        return connect(
            f"ws://{self.host}/_stcore/stream",
            origin=origin,
            subprotocols=offered,
            additional_headers={"Cookie": self.cookie} if self.cookie else {},
            proxy=None,
            max_size=None,
        )

    def show_page(self, socket: ClientConnection, page: str, query: str = "") -> tuple[str, str]:
        """Run a page; return the id of its stream and all that was sent."""
        wanted = BackMsg()
        wanted.rerun_script.page_name = page
        wanted.rerun_script.query_string = query
        socket.send(wanted.SerializeToString())
        stream, sent = "", []
        while True:
            message = ForwardMsg()
            message.ParseFromString(socket.recv(timeout=30))
            sent.append(str(message))
            if message.WhichOneof("type") == "new_session":
                stream = message.new_session.initialize.session_id
            if message.WhichOneof("type") == "script_finished" and stream:
                return stream, "\n".join(sent)

    def make_file(self, socket: ClientConnection, stream: str, button: str) -> str:
        """Click a button that makes its file when it is clicked; return the file's address."""
        wanted = BackMsg()
        wanted.backend_operation_request.request_id = "1"
        wanted.backend_operation_request.session_id = stream
        wanted.backend_operation_request.deferred_file.file_id = button
        socket.send(wanted.SerializeToString())
        while True:
            message = ForwardMsg()
            message.ParseFromString(socket.recv(timeout=30))
            if message.WhichOneof("type") == "backend_operation_response":
                return message.backend_operation_response.deferred_file.url


def read_rows(app: LiveApp, query: str) -> list[tuple[object, ...]]:
    """Return what the instance's database holds."""
    with closing(sqlite3.connect(app.folder / "workbench.db", timeout=10)) as database:
        return database.execute(query).fetchall()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveApp]:
    """Return a served instance without a network, with a watcher, and short limits."""
    watcher = tmp_path_factory.mktemp("watcher")
    (watcher / "sitecustomize.py").write_text(WATCHER)
    path = os.pathsep.join([str(watcher), os.environ.get("PYTHONPATH", "")])
    with serve(
        tmp_path_factory.mktemp("instance"),
        BPW_OFFLINE="1",
        BPW_HEADER_LIMIT_S=str(HEAD_LIMIT_S),
        PYTHONPATH=path,
    ) as served:
        yield served


@pytest.fixture(scope="session")
def make_visitor(app: LiveApp) -> Callable[[str], Visitor]:
    """Return what makes an analyst and signs them in."""

    def make(name: str) -> Visitor:
        visitor = Visitor(app)
        told = app.cli("users", "create", "--name", name).stdout.decode()
        password = told.partition("password: ")[2].strip()
        answer = visitor.sign_in(name, password)
        assert answer.status == 303, answer.text
        visitor.cookie = "; ".join(f"{key}={value}" for key, value in answer.cookies.items())
        return visitor

    return make


@pytest.fixture(scope="session")
def anna(make_visitor: Callable[[str], Visitor]) -> Visitor:
    """Return an analyst who is signed in."""
    return make_visitor("anna")


@pytest.fixture(scope="session")
def boris(make_visitor: Callable[[str], Visitor]) -> Visitor:
    """Return another one."""
    return make_visitor("boris")


@pytest.fixture(scope="session")
def stranger(app: LiveApp) -> Visitor:
    """Return somebody without cookies."""
    return Visitor(app)
