"""Streams and files of pages belong to one person, and end with the session."""

import json
import re
import time
from collections.abc import Callable

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from tests.api.edge.conftest import SLACK_S, Visitor
from tests.live import LiveApp

SESSION_ENDED = 4401
pytestmark = pytest.mark.xdist_group("edge")


def test_a_stream_is_gone_on_with_by_its_own_person_only(anna: Visitor, boris: Visitor) -> None:
    with anna.open_stream() as socket:
        own, _ = anna.show_page(socket, "keys")
        with boris.open_stream(own) as other:
            assert boris.show_page(other, "keys")[0] != own
    with boris.open_stream(own) as other:
        assert boris.show_page(other, "keys")[0] != own
    with anna.open_stream(own) as socket:
        assert anna.show_page(socket, "keys")[0] == own


@pytest.fixture(scope="module")
def run_of_anna(anna: Visitor) -> str:
    """Return the query of the page of a run that anna made by the API."""
    app = anna.app
    made = app.cli("keys", "create", "--name", "test", "--user", "anna")
    key = made.stdout.decode().strip()
    body = app.cli("example", "attribution-engine").stdout
    kind = {"Content_Type": "application/json", "Authorization": f"Bearer {key}"}
    answer = anna.send("POST", "/v1/agents/attribution-engine", body, **kind)
    return f"run={json.loads(answer.text)['run_id']}"


def test_a_file_opens_for_whoever_was_shown_it(
    anna: Visitor, boris: Visitor, run_of_anna: str
) -> None:
    with anna.open_stream() as socket:
        stream, sent = anna.show_page(socket, "attribution-engine", run_of_anna)
        shown = re.findall(r"/media/[0-9a-f]+\.[a-z]+", sent)[0]
        assert anna.send("GET", shown).status == 200
        assert boris.send("GET", shown).status == 404
        button = re.findall(r'deferred_file_id: "([0-9a-f]+)"', sent)[0]
        made = anna.make_file(socket, stream, button)
        assert made
        assert anna.send("GET", made).status == 200
        assert boris.send("GET", made).status == 404
        upload = f"/_stcore/upload_file/{stream}/x"
        assert "nothing at this address" in boris.send("PUT", upload, b"x").text
        assert "nothing at this address" not in anna.send("PUT", upload, b"x").text


def read_on(socket: ClientConnection) -> None:
    while True:
        socket.recv(timeout=5)


def test_a_page_left_open_ends_with_the_account(
    make_visitor: Callable[[str], Visitor], app: LiveApp
) -> None:
    dora = make_visitor("dora")
    with dora.open_stream() as socket:
        dora.show_page(socket, "keys")
        assert app.cli("users", "disable", "dora").returncode == 0
        began = time.monotonic()
        with pytest.raises(ConnectionClosed) as closed:
            read_on(socket)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == SESSION_ENDED
        assert time.monotonic() - began < SLACK_S  # two seconds on a free machine
