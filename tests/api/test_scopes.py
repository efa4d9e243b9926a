"""A key runs the agents of its scopes and no other."""

from collections.abc import Callable

import pytest
from httpx import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.agent import Agent
from core.records.runs import Caller
from core.workbench import Workbench

Expect = Callable[[Response, int], dict[str, object]]


@pytest.fixture
def client_for(
    service: Starlette, workbench: Workbench, anna: Caller
) -> Callable[[list[str]], TestClient]:
    """Return what gives a client whose key has these scopes."""

    def make(scopes: list[str]) -> TestClient:
        _, key = workbench.stores.keys.create(anna.user_id, "scoped", scopes=scopes)
        return TestClient(service, headers={"Authorization": f"Bearer {key}"})

    return make


def test_an_agent_outside_the_scopes_answers_like_a_wrong_key(
    client_for: Callable[[list[str]], TestClient], probe: Agent, expect_error: Expect
) -> None:
    client = client_for(["differential-expression"])
    wrong = client.post(
        f"/v1/agents/{probe.name}", json={}, headers={"Authorization": "Bearer nothing"}
    )
    found = [
        client.post(f"/v1/agents/{probe.name}", json={"action": "answer"}),
        client.post("/v1/runs", json={"agent": probe.name, "input": {"action": "answer"}}),
        wrong,
    ]
    errors = [expect_error(answer, 401) for answer in found]
    assert errors[0] == errors[1] == errors[2]


def test_an_agent_inside_the_scopes_runs(
    client_for: Callable[[list[str]], TestClient], probe: Agent
) -> None:
    client = client_for([probe.name])
    assert client.post(f"/v1/agents/{probe.name}", json={"action": "answer"}).status_code == 200


@pytest.mark.parametrize("scopes", [["differential-expression"], []])
def test_the_scopes_are_checked_before_the_body(
    client_for: Callable[[list[str]], TestClient], probe: Agent, scopes: list[str]
) -> None:
    status = client_for(scopes).post(f"/v1/agents/{probe.name}", content=b"{").status_code
    assert status == (401 if scopes else 400)


def test_runs_of_agents_outside_the_scopes_are_not_seen(
    client: TestClient, client_for: Callable[[list[str]], TestClient], probe: Agent
) -> None:
    run_id = client.post(f"/v1/agents/{probe.name}", json={"action": "answer"}).json()["run_id"]
    narrow = client_for(["differential-expression"])
    assert client_for([probe.name]).get(f"/v1/runs/{run_id}").status_code == 200
    assert narrow.get("/v1/runs").json()["runs"] == []
    for path in ("", "/tables/squares", "/report.md", "/events"):
        assert narrow.get(f"/v1/runs/{run_id}{path}").status_code == 404
    assert narrow.delete(f"/v1/runs/{run_id}").status_code == 404


def test_a_key_bound_to_agents_checks_no_document(
    client_for: Callable[[list[str]], TestClient],
) -> None:
    for scopes, status in ((["differential-expression"], 401), ([], 200)):
        files = {"file": ("a.txt", b"A sentence.")}
        answer = client_for(scopes).post("/v1/documents/check", files=files)
        assert answer.status_code == status
