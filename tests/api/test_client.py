"""The Python client against the service, through a network that loses and refuses requests."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.client import ApiError, Client


class Rough:
    """Loses answers, or replaces them, before it lets the rest through."""

    def __init__(self, inner: TestClient, faults: list[str]) -> None:
        self._inner = inner
        self._faults = faults
        self.sent: list[tuple[str, str]] = []

    def request(self, method: str, url: str, *, timeout: float, **options: Any) -> Any:
        """Send a request; a fault hits the answer, so that the service may have acted."""
        self.sent.append((method, url))
        reply = self._inner.request(method, url, **options)
        fault = self._faults.pop(0) if self._faults else ""
        if fault == "lost":
            raise ConnectionResetError("lost")
        if fault:
            reply.status_code = int(fault)
            reply.headers["retry-after"] = "0"
        return reply


def bench(inner: TestClient, key: str, *faults: str) -> tuple[Client, Rough]:
    """Return a client on a rough network."""
    rough = Rough(inner, list(faults))
    return Client("http://testserver/", key, http=rough), rough


@pytest.mark.parametrize("faults", [(), ("lost",), ("503",), ("", "lost", "502"), ("lost", "503")])
def test_a_run_begins_once_whatever_is_lost(
    anonymous: TestClient, key: str, faults: tuple[str, ...]
) -> None:
    client, _ = bench(anonymous, key, *faults)
    steps: list[tuple[str, int, int]] = []
    answer = client.run("fault-probe", {"count": 3}, on_progress=lambda *step: steps.append(step))
    assert len(answer.data["squares"]) == 3
    assert [run["run_id"] for run in client.get("/runs")["runs"]] == [answer.run_id]
    assert steps
    assert b"square" in client.table(answer.run_id, "squares")
    assert client.report(answer.run_id, "md").startswith(b"#")


def test_a_failed_run_is_an_error_in_its_own_words(anonymous: TestClient, key: str) -> None:
    client, _ = bench(anonymous, key)
    with pytest.raises(ApiError) as failed:
        client.run("fault-probe", {"action": "exit"})
    assert failed.value.error.code == "worker_crashed"
    with pytest.raises(ApiError) as refused:
        client.run("fault-probe", {"count": "many"})
    assert (refused.value.status, refused.value.error.type) == (400, "invalid_request")
    assert refused.value.request_id


def test_what_is_not_safe_is_sent_once(anonymous: TestClient, key: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("gene,a\nx,1\n")
    client, rough = bench(anonymous, key, "lost")
    with pytest.raises(ConnectionResetError):
        client.upload(path)
    assert len(rough.sent) == 1
    assert client.upload(path) in {file["file_id"] for file in client.get("/files")["files"]}


def test_a_page_instead_of_an_answer_is_an_error_with_its_status(
    anonymous: TestClient, key: str
) -> None:
    for faults, status in (([], 200), (["403"], 403), (["502"] * 4, 502)):
        with pytest.raises(ApiError) as refused:
            bench(anonymous, key, *faults)[0].get("/docs")
        assert (refused.value.status, refused.value.error.code) == (status, "no_answer")


def test_it_gives_up_after_its_tries(anonymous: TestClient, key: str) -> None:
    client, rough = bench(anonymous, key, *["503"] * 9)
    with pytest.raises(ApiError) as refused:
        client.get("/runs")
    assert (refused.value.status, len(rough.sent)) == (503, 4)
    wrong, rough = bench(anonymous, "bpw_live_" + "0" * 32)
    with pytest.raises(ApiError) as refused:
        wrong.get("/runs")
    assert (refused.value.status, len(rough.sent)) == (401, 1)
