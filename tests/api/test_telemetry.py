"""Figures for Prometheus, the log of requests, and pages of other origins."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from api.telemetry import operation_of
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import Workbench, install
from tests.instances import give_schema

TOKEN = "a token of sixteen signs"
INTRANET = "https://intranet.example.org"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings with a token and another origin."""
    home = tmp_path / "instance"
    give_schema(home)
    return Settings(
        home=home,
        database_url=f"sqlite:///{home / 'workbench.db'}",
        computing_workers=2,
        metrics_token=TOKEN,
        cors_origins=INTRANET,
    )


def read_metrics(client: TestClient) -> dict[tuple[str, ...], float]:
    """Return each figure by its name and labels."""
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    return {
        (sample.name, *(sample.labels[label] for label in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_requests_and_runs_are_counted(client: TestClient) -> None:
    operation = ("bpw_requests_total", "POST", "/v1/agents/fault-probe", "200")
    before = read_metrics(client).get(operation, 0)
    client.post("/v1/agents/fault-probe", json={"count": 2})
    client.get("/v1/nothing/of/this/name")
    after = read_metrics(client)
    assert after[operation] == before + 1
    assert after["bpw_runs", "fault-probe", "completed"] == 1
    assert after["bpw_disk_free_bytes",] > 0
    assert ("bpw_backup_failing",) not in after
    assert not [labels for labels in after if "nothing" in str(labels)]
    assert [operation_of(path) for path in ("*", "foo", "")] == ["", "", ""]


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer wrong"}])
def test_without_its_token_nothing_is_told(
    anonymous: TestClient, client: TestClient, header: dict[str, str]
) -> None:
    for visitor in (anonymous, client):
        answer = visitor.get("/metrics", headers=header)
        assert answer.status_code == 401
        assert "bpw_" not in answer.text


def test_a_request_is_one_line_of_the_log(
    client: TestClient, anna: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = client.post("/v1/agents/fault-probe", json={"count": 2})
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (line,) = [line for line in lines if line["event"] == "request"]
    (ended,) = [line for line in lines if line["event"] == "run ended"]
    assert (ended["run_id"], ended["status"]) == (line["run_id"], "completed")
    assert line["request_id"] == answer.headers["x-request-id"]
    assert line["run_id"] == answer.json()["run_id"]
    assert (line["method"], line["status"]) == ("POST", 200)
    assert line["elapsed_ms"] > 0
    assert line["user_id"] == anna.user_id


def test_data_is_not_cached_and_tls_is_kept(client: TestClient, workbench: Workbench) -> None:
    headers = client.get("/v1/lists").headers
    assert headers["cache-control"] == "no-store"
    assert headers["content-disposition"] == 'attachment; filename="api.json"'
    assert "strict-transport-security" not in headers
    settings = workbench.settings.model_copy(update={"secure_cookie": True})
    install(replace(workbench, settings=settings))
    assert "max-age" in client.get("/v1/lists").headers["strict-transport-security"]


def test_a_named_origin_calls_with_its_own_key(client: TestClient, anonymous: TestClient) -> None:
    headers = {"Origin": INTRANET, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    asked = headers | {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    allowed = anonymous.options("/v1/agents/fault-probe", headers=asked)
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == INTRANET
    answer = client.post("/v1/agents/fault-probe", json={"count": 2}, headers=headers)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == INTRANET
    assert "access-control-allow-credentials" not in answer.headers
    assert anonymous.post("/v1/runs", json={}, headers=headers).status_code == 401


@pytest.mark.parametrize("origin", ["https://evil.example", "null", INTRANET + ".evil.example"])
@pytest.mark.parametrize("call", [TestClient.options, TestClient.post])
def test_any_other_origin_is_refused(
    client: TestClient, origin: str, call: Callable[..., object]
) -> None:
    answer = call(client, "/v1/agents/fault-probe", headers={"Origin": origin})
    assert answer.status_code in {400, 405}  # type: ignore[attr-defined]
    assert "access-control-allow-origin" not in answer.headers  # type: ignore[attr-defined]


def test_probes_answer_head(client: TestClient) -> None:
    for path in ("/healthz", "/readyz", "/v1/health"):
        answer = client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")
