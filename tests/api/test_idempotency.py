"""A request that a program sends again with the same key runs once."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from core.records.runs import Caller
from core.workbench import Workbench

URL = "/v1/agents/fault-probe"


def post(client: TestClient, key: str, **body: Any) -> Any:
    return client.post(URL, json={"action": "answer", **body}, headers={"Idempotency-Key": key})


@pytest.fixture
def service(workbench: Workbench) -> Any:
    """Return a service that knows the throw-away agents."""
    from api.service import make_service

    return make_service()


def test_repeated_request_gets_the_stored_answer(
    client: TestClient, workbench: Workbench, anna: Caller
) -> None:
    first, second = (post(client, "k1", count=4) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["run_id"] == second.json()["run_id"]
    assert first.json()["data"] == second.json()["data"]
    assert workbench.stores.quotas.state(anna.user_id, limit=9, at=workbench.now()).used == 1


def test_another_body_under_the_same_key_is_refused(client: TestClient) -> None:
    post(client, "k1", count=4)
    refused = post(client, "k1", count=5)
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "idempotency_mismatch"


def test_keys_belong_to_their_caller(client: TestClient, stranger: TestClient) -> None:
    mine, other = post(client, "k1", count=4), post(stranger, "k1", count=5)
    assert other.status_code == 200
    assert mine.json()["run_id"] != other.json()["run_id"]


def test_refused_request_does_not_use_the_key_up(client: TestClient) -> None:
    assert post(client, "k1", count="no number").status_code == 400
    assert post(client, "k1", count=4).status_code == 200


def test_failed_run_is_answered_alike(client: TestClient) -> None:
    answers = [
        client.post(URL, json={"action": "raise"}, headers={"Idempotency-Key": "k1"})
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [500, 500]
    assert answers[0].json()["error"]["code"] == answers[1].json()["error"]["code"]


def test_deleted_run_frees_the_key(client: TestClient) -> None:
    first = post(client, "k1", count=4).json()["run_id"]
    client.delete(f"/v1/runs/{first}")
    assert post(client, "k1", count=4).json()["run_id"] != first


def test_key_may_stand_for_a_stored_answer(client: TestClient) -> None:
    first = post(client, "k1", count=4).json()["run_id"]
    stored = post(client, "k2", count=4, use_cache=True)
    assert stored.json()["run_id"] == first
    assert post(client, "k2", count=4, use_cache=True).json()["run_id"] == first


@pytest.mark.parametrize("sent", ["", "x" * 256, "tab\tinside"])
def test_key_of_another_form_is_refused(client: TestClient, sent: str) -> None:
    assert post(client, sent).status_code == 400


def test_asynchronous_run_starts_once(client: TestClient) -> None:
    body = {"agent": "fault-probe", "input": {"action": "answer", "count": 4}}
    runs = [
        client.post("/v1/runs", json=body, headers={"Idempotency-Key": "k1"}).json()["run_id"]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
