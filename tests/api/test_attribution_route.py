"""The attribution engine through the real service: answer, errors, tables, reports."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.agents.attribution_engine import AGENT

PATH = "/v1/agents/attribution-engine"
BODY: dict[str, Any] = dict(AGENT.examples[0].request)


def test_answer_reports_and_tables(client: TestClient) -> None:
    response = client.post(PATH, json=BODY)
    assert response.status_code == 200
    found = response.json()
    assert (found["ok"], found["agent"]) == (True, "attribution-engine")
    assert AGENT.data.model_validate_json(json.dumps(found["data"])).summary.n_moves == 5
    assert len(found["data"]["daily"]) == 520
    run = f"/v1/runs/{found['run_id']}"
    table = client.get(f"{run}/tables/moves?sort=-car&limit=2").text.splitlines()
    assert len(table) == 3
    starts = {"md": b"# ", "pdf": b"%PDF", "xlsx": b"PK", "json": b'{"ok":true'}
    for form, start in starts.items():
        report = client.get(f"{run}/report.{form}")
        assert report.status_code == 200, form
        assert report.content.startswith(start), form


def test_equal_requests_give_equal_data(client: TestClient) -> None:
    shuffled = {**BODY, "returns": list(reversed(BODY["returns"]))}
    first, second = (client.post(PATH, json=body).json()["data"] for body in (BODY, shuffled))
    assert first == second


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        (lambda body: body["events"][3].update(date="2020-02-30"), "events[3].date", None),
        (lambda body: body["returns"][7].update(stock=-2), "returns[7].stock", None),
        (lambda body: body["config"].update(sig_z=-1), "config.sig_z", "value_out_of_range"),
        (
            lambda body: [row.update(stock=row["stock"] * 100) for row in body["returns"]],
            "returns",
            "looks_like_percent",
        ),
    ],
)
def test_bad_input_is_400_with_its_path(
    client: TestClient, change: Any, field: str, code: str | None
) -> None:
    body = json.loads(json.dumps({**BODY, "config": {}}))
    change(body)
    response = client.post(PATH, json=body)
    assert response.status_code == 400
    (detail,) = response.json()["error"]["details"]
    assert detail["field"] == field
    assert code is None or detail["code"] == code


@pytest.mark.parametrize("case", ["no rows", "few rows", "no events"])
def test_little_input_is_answered(client: TestClient, case: str) -> None:
    rows = {"no rows": 0, "few rows": 30}.get(case, 520)
    body = {
        "returns": BODY["returns"][:rows],
        "events": [] if case == "no events" else BODY["events"],
    }
    response = client.post(PATH, json=body)
    assert response.status_code == 200
    assert bool(response.json()["data"]["attributions"]) == (case == "no events")
