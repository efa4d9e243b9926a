"""`POST /v1/ask` on the starter pack: answer, rights, quota, refusals."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from api.service import make_service
from api.startup import open_workbench
from core.records.runs import READ
from core.settings import Settings
from core.workbench import Workbench
from tests.instances import link, starter_home

pytestmark = pytest.mark.xdist_group("starter")
QUESTION = "Which PD-1 x VEGF bispecifics are in phase 3?"
Expect = Callable[[Response, int], dict[str, Any]]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = link(starter_home(), tmp_path_factory.mktemp("ask") / "home")
    with open_workbench(Settings(home=home, offline=True)) as workbench:
        yield workbench


@pytest.fixture
def make_client(opened: Workbench) -> Callable[..., TestClient]:
    """Return what gives a client of a new person."""

    def make(scopes: tuple[str, ...] = (), quota: int | None = None) -> TestClient:
        users = opened.stores.users
        user = users.create(f"ask-{time.monotonic_ns()}", "correct horse battery")
        if quota is not None:
            users.set_quota(user.user_id, quota)
        _, key = opened.stores.keys.create(user.user_id, "ask", scopes=scopes)
        return TestClient(make_service(), headers={"Authorization": f"Bearer {key}"})

    return make


def ask(client: TestClient, query: str = QUESTION, **fields: Any) -> Response:
    return client.post("/v1/ask", json={"query": query, **fields})


def test_every_line_and_row_is_of_a_stored_run(make_client) -> None:
    client = make_client()
    answer = ask(client)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    (run,) = body["runs"]
    stored = client.get(f"/v1/runs/{run['run_id']}").json()["data"]
    told = {claim["text"] for section in stored["memo"] for claim in section["claims"]}
    assert body["lines"]
    for line in body["lines"]:
        assert line["text"] in told
        assert line["run_id"] == run["run_id"]
        assert all(source["url"] for source in line["sources"])
    (table,) = body["tables"]
    names = {row["drug_name"] for row in stored["drugs"]}
    assert {row[table["columns"].index("Drug")] for row in table["rows"]} <= names
    assert len(body["next"]) == 3
    assert all(form["url"].startswith(f"/{form['agent']}?ask.") for form in body["next"])
    assert body["about"][0]["name"] == "PD-1 x VEGF"
    assert (body["cannot"], body["help"]) == ("", "")
    assert body["narrative"] == {"mode": "rules", "provider": None, "model": None}
    assert body["usage"]["runs_charged"] == 1


def test_the_same_question_again_costs_nothing(make_client) -> None:
    client = make_client(quota=1)
    first, second = ask(client).json(), ask(client).json()
    assert second["usage"]["runs_charged"] == 0
    assert second["runs"][0]["cached"]
    assert second["lines"] == first["lines"]
    assert second["tables"] == first["tables"]


def test_a_used_up_quota_is_402_and_half_a_quota_half_an_answer(
    make_client, expect_error: Expect
) -> None:
    client = make_client(quota=1)
    body = ask(client, "Compare Akeso and RemeGen").json()
    assert [run["title"] for run in body["runs"]] == ["Akeso"]
    assert body["warnings"][0].startswith("quota_exceeded: 1 of 2 runs")
    assert body["next"][0]["request"] == {"company": "RemeGen"}
    error = expect_error(ask(client, "What assets does Vertex own?"), 402)
    assert error["code"] == "quota_exceeded"


def test_rights_of_the_key_hold(make_client, expect_error: Expect) -> None:
    expect_error(ask(make_client((READ,))), 401)
    body = ask(make_client(("deal-sourcing",))).json()
    assert body["cannot"] == "not_an_agents"
    assert not body["runs"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "missing_field"),
        ({"query": "???"}, "value_malformed"),
        ({"query": "a" * 1001}, "value_too_long"),
        ({"query": QUESTION, "colour": 1}, "unknown_field"),
        ({"query": QUESTION, "model": "gpt"}, "value_not_allowed"),
    ],
)
def test_wrong_requests_are_400(make_client, expect_error: Expect, body, code: str) -> None:
    assert expect_error(make_client().post("/v1/ask", json=body), 400)["code"] == code


def test_what_is_not_answered_costs_nothing(make_client) -> None:
    body = ask(make_client(quota=0), "Should I take warfarin with ibuprofen?").json()
    assert (body["cannot"], body["runs"], body["lines"]) == ("not_an_agents", [], [])
    assert body["help"]


def test_the_audit_log_notes_how_many_runs_and_no_words(opened: Workbench, make_client) -> None:
    ask(make_client())
    line = next(line for line in opened.stores.audit.list() if line.action == "ask")
    assert (line.subject, line.note) == ("", "1 run")
