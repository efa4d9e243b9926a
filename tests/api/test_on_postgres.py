"""The whole road on PostgreSQL: key, upload, run in a child, result, cache, quota, crash."""

from collections.abc import Callable
from pathlib import Path

import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.records.runs import Caller
from core.settings import Settings
from core.workbench import Workbench
from tests.postgres import Cluster, postgres  # noqa: F401 - a fixture

PATH = "/v1/agents/fault-probe"


@pytest.fixture
def settings(tmp_path: Path, postgres: Cluster) -> Settings:  # noqa: F811
    """Return settings of an instance whose rows lie in PostgreSQL."""
    return Settings(
        home=tmp_path / "instance", database_url=postgres.clean_database(), computing_workers=2
    )


def test_a_run_is_answered_read_back_and_taken_from_the_cache(client: TestClient) -> None:
    sent = client.post("/v1/files", files={"file": ("counts.csv", b"counts")}).json()
    body = {"action": "answer", "word": "β", "upload_id": sent["file_id"], "use_cache": True}
    first = client.post(PATH, json=body).json()
    assert (first["ok"], first["data"]["cached"]) == (True, False)
    second = client.post(PATH, json=body).json()
    assert (second["run_id"], second["data"]["cached"]) == (first["run_id"], True)
    kept = client.get(f"/v1/runs/{first['run_id']}").json()
    assert kept["run"]["status"] == "completed"
    assert len(client.get("/v1/runs").json()["runs"]) == 1
    assert client.get(f"/v1/runs/{first['run_id']}/tables/squares").status_code == 200


def test_a_crashed_child_costs_nothing_and_the_quota_ends_at_its_limit(
    client: TestClient,
    workbench: Workbench,
    anna: Caller,
    expect_error: Callable[[Response, int], dict[str, object]],
) -> None:
    workbench.stores.users.set_quota(anna.user_id, 2)
    crashed = client.post(PATH, json={"action": "kill"})
    assert expect_error(crashed, 500)["code"] == "worker_crashed"
    for number in (1, 2):
        assert client.post(PATH, json={"action": "answer", "count": number}).status_code == 200
    error = expect_error(client.post(PATH, json={"action": "answer", "count": 3}), 402)
    details = {each["field"]: each["message"] for each in error["details"]}
    assert (details["quota.limit"], details["quota.used"]) == ("2", "2")


def test_signs_that_postgresql_does_not_hold_are_no_failure(client: TestClient) -> None:
    assert client.get("/v1/runs/a%00b").status_code == 404
    assert client.get("/v1/runs", params={"agent": "\x00"}).json()["runs"] == []
    assert client.delete("/v1/files/a%00b").status_code == 404
    name = client.post("/v1/files", files={"file": ("a\x00b.csv", b"x")}).json()["name"]
    assert "\x00" not in name
