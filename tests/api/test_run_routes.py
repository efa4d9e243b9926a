"""Runs through the API: start, read back, tables, files, reports, events, rename, cancel."""

import io
import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.records.runs import Caller
from core.workbench import Workbench

PATH = "/v1/agents/fault-probe"
ExpectError = Callable[[Response, int], dict[str, Any]]
NOBODYS = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def run_id(client: TestClient) -> str:
    """Return the id of a completed run of anna with seven squares."""
    answer = client.post(PATH, json={"count": 7})
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["run_id"]
    return found


def begin(client: TestClient, **fields: object) -> str:
    """Start a run without waiting and return its id."""
    answer = client.post("/v1/runs", json={"agent": "fault-probe", "input": fields})
    assert answer.status_code == 202, answer.text
    found: str = answer.json()["run_id"]
    return found


def test_envelope_carries_agent_data_time_and_run(client: TestClient) -> None:
    answer = client.post(PATH, json={"count": 2})
    body = answer.json()
    assert set(body) == {"ok", "agent", "data", "elapsed_s", "run_id"}
    assert (body["ok"], body["agent"]) == (True, "fault-probe")
    assert body["data"]["status"] == "completed"
    assert body["data"]["run_uuid"] == body["run_id"]
    assert isinstance(body["data"]["query_id"], int)
    assert answer.headers["x-request-id"]


def test_equal_request_with_use_cache_is_marked(client: TestClient, run_id: str) -> None:
    body = client.post(PATH, json={"count": 7, "use_cache": True}).json()
    assert body["data"]["cached"] is True
    assert body["run_id"] == run_id
    assert len(body["data"]["squares"]) == 7


@pytest.mark.parametrize(
    ("action", "status", "kind", "code"),
    [
        ("raise", 500, "agent_failed", "agent_failed"),
        ("exit", 500, "agent_failed", "worker_crashed"),
        ("refuse", 400, "invalid_request", "value_not_allowed"),
    ],
)
def test_failed_run_answers_in_the_error_form_with_its_run(
    action: str, status: int, kind: str, code: str, client: TestClient, expect_error: ExpectError
) -> None:
    response = client.post(PATH, json={"action": action})
    error = expect_error(response, status)
    assert (error["type"], error["code"]) == (kind, code)
    assert response.json()["agent"] == "fault-probe"
    assert client.get(f"/v1/runs/{response.json()['run_id']}").json()["run"]["status"] == "failed"
    assert "secret" not in response.text


def test_used_up_quota_is_402_with_its_numbers(
    client: TestClient,
    workbench: Workbench,
    anna: Caller,
    expect_error: ExpectError,
) -> None:
    limit = workbench.settings.quota_runs
    for _ in range(limit):
        workbench.stores.quotas.charge(anna.user_id, limit=limit, at=workbench.now())
    error = expect_error(client.post(PATH, json={}), 402)
    assert error["type"] == "quota_exceeded"
    told = {detail["field"]: detail["message"] for detail in error["details"]}
    assert set(told) == {"quota.name", "quota.limit", "quota.used", "quota.resets_at"}
    assert told["quota.used"] == str(limit)


def test_wrong_fields_come_before_the_quota(
    client: TestClient, workbench: Workbench, expect_error: ExpectError
) -> None:
    object.__setattr__(workbench.settings, "quota_runs", 0)
    expect_error(client.post(PATH, json={"count": 0}), 400)
    expect_error(client.post(PATH, json={}), 402)


def test_started_run_is_accepted_and_read_back(client: TestClient) -> None:
    answer = client.post("/v1/runs", json={"agent": "fault-probe", "input": {"count": 2}}).json()
    assert set(answer) == {"ok", "run_id", "status", "url"}
    assert answer["url"] == f"/v1/runs/{answer['run_id']}"
    client.get(f"{answer['url']}/events")
    body = client.get(answer["url"]).json()
    assert body["run"]["status"] == "completed"
    assert body["data"]["squares"] == []
    assert body["steps"] == [{"step": "Work", "done": 1, "total": 1, "note": "done"}]
    url = f"/v1/runs/{answer['run_id']}"
    assert body["tables"] == [{"name": "squares", "rows": 2, "url": f"{url}/tables/squares"}]
    assert [file["url"] for file in body["files"]] == [f"{url}/files/notes.txt"]


def test_file_made_on_request_is_listed_and_served(client: TestClient) -> None:
    answer = client.post("/v1/agents/compound-map", json={"target": "KRAS"}).json()
    url = f"/v1/runs/{answer['run_id']}"
    files = {file["name"]: file for file in client.get(url).json()["files"]}
    assert set(files) == {"compounds.sdf", "compounds.smi", "compounds_drawn.xlsx"}
    assert files["compounds.smi"]["size"] is None
    served = client.get(files["compounds.smi"]["url"])
    assert served.status_code == 200
    assert served.text.splitlines() == ["smiles\tid\tmethod\tconfidence_score"]
    assert served.headers["content-type"].startswith("chemical/x-daylight-smiles")
    assert client.get(files["compounds_drawn.xlsx"]["url"]).content.startswith(b"PK")


def test_file_that_no_agent_makes_is_not_found(client: TestClient, run_id: str) -> None:
    assert client.get(f"/v1/runs/{run_id}/files/compounds.sdf").status_code == 404


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"agent": "no-such", "input": {}}, "agent", "value_not_allowed"),
        ({"agent": "fault-probe"}, "input", "missing_field"),
        ({"agent": "fault-probe", "input": 3}, "input", "wrong_type"),
        ({"agent": "fault-probe", "input": {"count": 0}}, "count", "value_out_of_range"),
        ({"agent": "fault-probe", "input": {}, "more": 1}, "more", "unknown_field"),
    ],
)
def test_run_that_cannot_be_started_says_why(
    body: dict[str, Any], field: str, code: str, client: TestClient, expect_error: ExpectError
) -> None:
    error = expect_error(client.post("/v1/runs", json=body), 400)
    assert [(detail["field"], detail["code"]) for detail in error["details"]] == [(field, code)]


def test_list_shows_the_newest_first(client: TestClient, run_id: str) -> None:
    later = client.post(PATH, json={"count": 1}).json()["run_id"]
    rows = client.get("/v1/runs").json()["runs"]
    assert [row["run_id"] for row in rows] == [later, run_id]
    assert {"run_id", "agent", "status", "cached", "started_at", "elapsed_s"} <= set(rows[0])


def test_list_is_cut_and_kept_to_an_agent(client: TestClient, run_id: str) -> None:
    assert client.get("/v1/runs?agent=no-such").json()["runs"] == []
    assert client.get("/v1/runs?offset=1").json()["runs"] == []
    assert len(client.get("/v1/runs?limit=1&agent=fault-probe").json()["runs"]) == 1


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=501", "limit=x", "offset=-1", "limit=٣", "offset=" + "9" * 5000]
)
def test_wrong_page_of_the_list_is_refused(
    query: str, client: TestClient, expect_error: ExpectError
) -> None:
    assert expect_error(client.get(f"/v1/runs?{query}"), 400)["code"] == "value_out_of_range"


def test_table_is_served_whole_as_csv(client: TestClient, run_id: str) -> None:
    answer = client.get(f"/v1/runs/{run_id}/tables/squares")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["x-total-count"] == "7"
    assert pd.read_csv(io.StringIO(answer.text))["number"].tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_table_is_served_as_parquet(client: TestClient, run_id: str) -> None:
    answer = client.get(f"/v1/runs/{run_id}/tables/squares?format=parquet&limit=2&sort=-number")
    assert pd.read_parquet(io.BytesIO(answer.content))["number"].tolist() == [7, 6]


def test_table_is_served_in_pages_sorted_and_filtered(client: TestClient, run_id: str) -> None:
    query = {"format": "json", "offset": 1, "limit": 2, "sort": "-number", "filter": "number<7"}
    body = client.get(f"/v1/runs/{run_id}/tables/squares", params=query).json()
    assert (body["total"], body["offset"]) == (6, 1)
    assert body["rows"] == [
        {"number": 5, "square": None, "word": "none"},
        {"number": 4, "square": 16.0, "word": "none"},
    ]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("format=xml", "value_not_allowed"),
        ("limit=0", "value_out_of_range"),
        ("sort=nothing", "missing_column"),
        ("filter=nothing=1", "missing_column"),
        ("filter=number<many", "invalid_filter"),
        ("filter=number", "invalid_filter"),
    ],
)
def test_wrong_selection_of_a_table_is_refused(
    query: str, code: str, client: TestClient, run_id: str, expect_error: ExpectError
) -> None:
    response = client.get(f"/v1/runs/{run_id}/tables/squares?{query}")
    assert expect_error(response, 400)["code"] == code


def test_file_of_a_run_is_served(client: TestClient, run_id: str) -> None:
    answer = client.get(f"/v1/runs/{run_id}/files/notes.txt")
    assert answer.content == b"written by the run\n"
    assert "attachment" in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    ("fmt", "beginning"), [("md", b"#"), ("pdf", b"%PDF-"), ("json", b"{"), ("xlsx", b"PK")]
)
def test_report_is_served_under_its_name(
    fmt: str, beginning: bytes, client: TestClient, run_id: str
) -> None:
    answer = client.get(f"/v1/runs/{run_id}/report.{fmt}")
    assert answer.status_code == 200
    assert answer.content.startswith(beginning)
    assert f'{run_id[:8]}.{fmt}"' in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    "rest", ["/report.docx", "/tables/cubes", "/files/no.txt", "/files/..%2F..%2Fworkbench.db"]
)
def test_part_that_is_not_there_is_404(
    rest: str, client: TestClient, run_id: str, expect_error: ExpectError
) -> None:
    expect_error(client.get(f"/v1/runs/{run_id}{rest}"), 404)


def test_events_tell_progress_and_the_end(client: TestClient) -> None:
    run_id = begin(client, action="sleep", seconds=1)
    with client.stream("GET", f"/v1/runs/{run_id}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [event.split("\n") for event in answer.read().decode().strip().split("\n\n")]
    kinds = [lines[0] for lines in events]
    assert kinds[-1] == "event: done"
    assert set(kinds[:-1]) == {"event: progress"}
    first = json.loads(events[0][1].removeprefix("data: "))
    assert set(first) == {"step", "done", "total", "note"}
    assert json.loads(events[-1][1].removeprefix("data: ")) == {"status": "completed"}


def test_run_is_renamed(client: TestClient, run_id: str) -> None:
    assert client.patch(f"/v1/runs/{run_id}", json={"title": "Mine"}).json()["title"] == "Mine"
    assert client.get(f"/v1/runs/{run_id}").json()["run"]["title"] == "Mine"


@pytest.mark.parametrize("body", [{}, {"title": ""}, {"title": "x" * 201}, {"title": 3}])
def test_wrong_name_is_refused(
    body: dict[str, Any], client: TestClient, run_id: str, expect_error: ExpectError
) -> None:
    expect_error(client.patch(f"/v1/runs/{run_id}", json=body), 400)


def test_run_under_way_is_cancelled_then_deleted(
    client: TestClient, expect_error: ExpectError
) -> None:
    run_id = begin(client, action="sleep", seconds=30)
    assert client.delete(f"/v1/runs/{run_id}").json() == {"ok": True, "status": "cancelled"}
    assert client.get(f"/v1/runs/{run_id}").json()["error"]["code"] == "cancelled"
    assert client.delete(f"/v1/runs/{run_id}").json() == {"ok": True, "status": "deleted"}
    expect_error(client.get(f"/v1/runs/{run_id}"), 404)


@pytest.mark.parametrize(
    ("method", "rest"),
    [
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/events"),
        ("GET", "/tables/squares"),
        ("GET", "/files/notes.txt"),
        ("GET", "/report.md"),
    ],
)
def test_somebody_elses_run_is_the_same_404_as_nobodys(
    method: str, rest: str, run_id: str, stranger: TestClient, expect_error: ExpectError
) -> None:
    errors = [
        expect_error(stranger.request(method, f"/v1/runs/{name}{rest}", json={"title": "x"}), 404)
        for name in (run_id, NOBODYS)
    ]
    assert errors[0] == errors[1]
    assert stranger.get("/v1/runs").json()["runs"] == []


@pytest.mark.parametrize("rest", ["", "/events", "/tables/squares", "/files/x", "/report.pdf"])
def test_reading_a_run_needs_a_key(
    rest: str, anonymous: TestClient, expect_error: ExpectError
) -> None:
    expect_error(anonymous.get(f"/v1/runs/{NOBODYS}{rest}"), 401)


def test_key_of_one_agent_does_not_read_runs_of_another(
    client: TestClient,
    run_id: str,
    workbench: Workbench,
    anna: Caller,
    anonymous: TestClient,
    expect_error: ExpectError,
) -> None:
    _, scoped = workbench.stores.keys.create(
        anna.user_id, "one agent", scopes=["differential-expression"]
    )
    headers = {"Authorization": f"Bearer {scoped}"}
    body = {"agent": "fault-probe", "input": {}}
    expect_error(anonymous.post("/v1/runs", json=body, headers=headers), 401)
