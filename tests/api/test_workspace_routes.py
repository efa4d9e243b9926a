"""Lists, projects, links, comparisons and alert hits through the API."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from httpx import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.records.alerts import NewHit
from core.records.runs import Caller, NewRun, WatchQuestion
from core.workbench import Workbench

Expect = Callable[[Response, int], dict[str, Any]]
NEW_LIST = {"name": "KRAS", "kind": "drug", "entries": ["sotorasib"]}


def test_a_list_from_its_beginning_to_its_end(client: TestClient) -> None:
    made = client.post("/v1/lists", json=NEW_LIST)
    assert made.status_code == 201
    assert made.json()["list"]["entries"] == ["sotorasib"]
    address = f"/v1/lists/{made.json()['list']['list_id']}"
    body = {"name": "RAS", "add": ["adagrasib"], "remove": ["sotorasib"]}
    changed = client.patch(address, json=body).json()["list"]
    assert (changed["name"], changed["entries"]) == ("RAS", ["adagrasib"])
    assert client.patch(address, json={}).json()["list"] == changed
    assert client.get("/v1/lists").json()["lists"] == [changed]
    client.post("/v1/lists", json=NEW_LIST)
    taken = client.patch(address, json={"name": "kras", "add": ["divarasib"]})
    assert (taken.status_code, taken.json()["error"]["code"]) == (400, "name_taken")
    assert client.get("/v1/lists").json()["lists"][-1] == changed
    assert client.delete(address).json() == {"ok": True, "status": "deleted"}
    assert client.delete(address).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("POST", "/v1/lists", {"name": "x"}, "missing_field"),
        ("POST", "/v1/lists", {"name": "x", "kind": "gene"}, "value_not_allowed"),
        ("POST", "/v1/lists", {"name": "x", "kind": "drug", "entries": "y"}, None),
        ("POST", "/v1/lists", {"name": "x", "kind": "drug", "entries": [" "]}, None),
        ("POST", "/v1/projects", {"name": ""}, "value_malformed"),
        ("POST", "/v1/projects", {"title": "x"}, None),
        ("POST", "/v1/alerts/hits/seen", {"hit_ids": ["1"]}, None),
        ("POST", "/v1/alerts/hits/seen", {"hit_ids": [2**63]}, "value_out_of_range"),
        ("POST", "/v1/lists", {"name": "x", "kind": "drug", "entries": ["y"] * 501}, None),
        ("POST", "/v1/lists", {"name": "\ufb03" * 80, "kind": "drug"}, None),
        ("GET", "/v1/alerts/hits?limit=0", None, "value_out_of_range"),
        ("GET", "/v1/alerts/hits?only_unseen=1", None, "value_not_allowed"),
        ("GET", "/v1/alerts/digest?days=400", None, "value_out_of_range"),
    ],
)
def test_what_is_wrong_is_named(
    client: TestClient,
    expect_error: Expect,
    method: str,
    path: str,
    body: dict[str, Any] | None,
    code: str | None,
) -> None:
    error = expect_error(client.request(method, path, json=body), 400)
    assert error["details"]
    assert code in {None, error["code"]}


@pytest.mark.parametrize("number", ["0", "-1", "1e3", "99999999999", "%00", "abc"])
def test_an_address_that_names_nothing_is_404(client: TestClient, number: str) -> None:
    for path in ("/v1/projects/{}", "/v1/alerts/{}/preview"):
        assert client.get(path.format(number)).status_code == 404


def test_a_link_opens_until_it_is_ended(client: TestClient, workbench: Workbench) -> None:
    run_id = client.post("/v1/agents/fault-probe", json={"count": 2}).json()["run_id"]
    made = client.post(f"/v1/runs/{run_id}/shares", json={"hides_inputs": True})
    assert made.status_code == 201
    address = urlsplit(made.json()["url"])
    assert address.path == "/fault-probe"
    token = parse_qs(address.query)["shared"][0]
    run, share = workbench.stores.shares.open(token)
    assert (run.run_uuid, share.hides_inputs) == (run_id, True)
    listed = client.get(f"/v1/runs/{run_id}/shares")
    assert token not in listed.text
    number = listed.json()["shares"][0]["share_id"]
    other = client.post("/v1/agents/fault-probe", json={"count": 3}).json()["run_id"]
    assert client.delete(f"/v1/runs/{other}/shares/{number}").status_code == 404
    assert client.delete(f"/v1/runs/{run_id}/shares/{number}").status_code == 200
    assert client.get(f"/v1/runs/{run_id}/shares").json()["shares"] == []


def test_runs_without_comparable_lines_are_refused(
    client: TestClient, expect_error: Expect
) -> None:
    pair = [
        client.post("/v1/agents/fault-probe", json={"count": count}).json()["run_id"]
        for count in (2, 3)
    ]
    answer = client.get(f"/v1/runs/{pair[0]}/compare/{pair[1]}")
    assert expect_error(answer, 400)["code"] == "not_comparable"


def test_a_project_is_read_written_and_exported(client: TestClient) -> None:
    made = client.post("/v1/projects", json={"name": "KRAS"}).json()["project"]
    address = f"/v1/projects/{made['project_id']}"
    note = {"title": "Next", "text": "Ask for *data*."}
    assert client.post(f"{address}/notes", json=note).status_code == 201
    read = client.get(address).json()["project"]
    assert [block["content"]["title"] for block in read["blocks"]] == ["Next"]
    exported = client.get(f"{address}/export.md")
    assert exported.headers["content-type"].startswith("text/markdown")
    assert "KRAS" in exported.text
    assert client.get(f"{address}/export.json").status_code == 404
    assert client.get("/v1/projects").json()["projects"][0]["n_blocks"] == 1
    assert client.delete(address).status_code == 200
    assert client.get(address).status_code == 404


def test_blocks_are_written_changed_moved_and_commented(
    client: TestClient, expect_error: Expect
) -> None:
    made = client.post("/v1/projects", json={"name": "KRAS"}).json()["project"]
    address = f"/v1/projects/{made['project_id']}"
    run_id = client.post("/v1/agents/fault-probe", json={"count": 2}).json()["run_id"]
    table = {"caption": "Doses", "columns": ["drug", "mg"], "rows": [["a", 1.5], ["b", None]]}
    bodies = [
        {"title": "Go", "text": "Phase 2.", "decided_on": "2026-11-02"},
        {"title": "Doses", "table": table},
        {"run_id": run_id},
    ]
    for body in bodies:
        added = client.post(f"{address}/blocks", json=body)
        assert added.status_code == 201, added.text
    blocks = added.json()["project"]["blocks"]
    kinds = [block["content"]["kind"] for block in blocks]
    assert kinds == ["decision", "table", "answer"]
    assert blocks[2]["content"]["run_uuid"] == run_id
    first = f"{address}/blocks/{blocks[0]['block_id']}"
    change = {"version": 1, "text": "Phase 2b.", "decided_on": "2026-11-03"}
    changed = client.patch(first, json=change).json()["project"]["blocks"][0]
    assert (changed["version"], changed["content"]["decided_on"]) == (2, "2026-11-03")
    assert expect_error(client.patch(first, json=change), 400)["code"] == "changed_meanwhile"
    moved = client.post(f"{first}/move", json={"by": 5}).json()["project"]["blocks"]
    assert [block["content"]["kind"] for block in moved] == ["table", "answer", "decision"]
    said = client.post(f"{first}/comments", json={"text": "Yes."}).json()["project"]
    comment = said["blocks"][2]["comments"][0]["comment_id"]
    assert client.delete(f"{address}/comments/{comment}").status_code == 200
    assert client.delete(first).status_code == 200
    assert client.delete(first).status_code == 404
    for body in ({"text": "x"}, {"run_id": run_id, "title": "x"}, {"title": "x", "decided_on": 5}):
        assert expect_error(client.post(f"{address}/blocks", json=body), 400)
    wide = {"title": "x", "table": {"caption": "", "columns": ["a"], "rows": [[1, 2]]}}
    assert expect_error(client.post(f"{address}/blocks", json=wide), 400)


def test_members_come_write_by_their_role_and_leave(
    client: TestClient, stranger: TestClient, expect_error: Expect
) -> None:
    made = client.post("/v1/projects", json={"name": "KRAS"}).json()["project"]
    address = f"/v1/projects/{made['project_id']}"
    role = {"role": "reader"}
    shared = client.put(f"{address}/members/boris", json=role).json()["project"]
    assert shared["members"] == [["anna", "owner"], ["boris", "reader"]]
    refused = stranger.post(f"{address}/blocks", json={"title": "x"})
    assert expect_error(refused, 400)["code"] == "not_allowed"
    assert expect_error(stranger.patch(address, json={"name": "x"}), 400)["code"] == "not_allowed"
    assert client.patch(address, json={"name": "RAS"}).json()["project"]["name"] == "RAS"
    assert stranger.delete(f"{address}/members/boris").status_code == 200
    assert stranger.get(address).status_code == 404
    assert client.delete(f"{address}/members/boris").status_code == 404


@pytest.fixture
def hit_id(workbench: Workbench, anna: Caller) -> int:
    """Return a hit of a question that anna watches."""
    stores, now = workbench.stores, workbench.now()
    stores.runs.open(
        NewRun(
            run_uuid="00000000-0000-4000-8000-000000000001",
            agent="competitive-landscaping",
            owner_id=anna.user_id,
            key_id=None,
            title="KRAS inhibitors",
            fingerprint="f" * 64,
            data_version="1",
            input_sha256="a" * 64,
            use_cache=False,
            created_at=now,
            question=WatchQuestion(query="KRAS inhibitors"),
        )
    )
    watched = stores.watches.of(anna.user_id, ["competitive-landscaping"], 25)
    query_id = watched.list()[0].query_id
    watched.enable(query_id, "medium", generation=0)
    hit = NewHit(
        identity="1" * 64,
        title="Sotorasib approved",
        catalyst_type="regulatory_decision",
        score=80,
        event_day="2026-11",
    )
    stores.watches.fire(stores.watches.due(1)[0], [hit], 1, now)
    return watched.hits()[0].hit_id


def test_hits_are_listed_digested_and_marked(client: TestClient, hit_id: int) -> None:
    found = client.get("/v1/alerts/hits", params={"only_unseen": "true", "days": 1}).json()
    assert (found["unseen"], [hit["hit_id"] for hit in found["hits"]]) == (1, [hit_id])
    assert "Sotorasib approved" in client.get("/v1/alerts/digest").text
    for nothing in ({"least_score": 90}, {"catalyst_type": "patent"}):
        assert client.get("/v1/alerts/hits", params=nothing).json()["hits"] == []
    seen = client.post("/v1/alerts/hits/seen", json={"hit_ids": [hit_id]}).json()
    assert (seen["unseen"], seen["hits"]) == (0, [])
    query_id = found["hits"][0]["query_id"]
    preview = client.get(f"/v1/alerts/{query_id}/preview").json()
    assert (preview["days"], preview["hits"]) == (90, [])
    address = f"/v1/alerts/{query_id}"
    assert client.patch(address, json={"days": 30}).json()["query"]["muted_until"]
    assert client.get("/v1/alerts/hits").json()["hits"] == []
    assert client.get("/v1/alerts/hits?with_muted=true").json()["hits"]
    assert client.patch(address, json={"days": None}).json()["query"]["muted_until"] is None
    assert client.patch(f"/v1/alerts/hits/{hit_id}", json={"days": 7}).status_code == 200
    assert client.get("/v1/alerts/hits").json()["hits"] == []
    for path in ("/v1/alerts/99", "/v1/alerts/hits/99"):
        assert client.patch(path, json={"days": 1}).status_code == 404
    assert client.get("/v1/alerts/calendar").text.startswith("BEGIN:VCALENDAR")


def test_the_evidence_is_described(client: TestClient) -> None:
    assert client.get("/v1/evidence").json()["sources"] == []


@pytest.mark.parametrize(
    ("scopes", "reads", "writes"), [(["fault-probe"], 401, 401), (["read"], 200, 401)]
)
def test_a_restricted_key_writes_nothing(
    service: Starlette,
    workbench: Workbench,
    anna: Caller,
    scopes: list[str],
    reads: int,
    writes: int,
) -> None:
    _, key = workbench.stores.keys.create(anna.user_id, "narrow", scopes=scopes)
    narrow = TestClient(service, headers={"Authorization": f"Bearer {key}"})
    for path in ("/v1/lists", "/v1/projects", "/v1/alerts/hits", "/v1/evidence"):
        assert narrow.get(path).status_code == reads
    assert narrow.post("/v1/lists", json=NEW_LIST).status_code == writes
    assert narrow.post("/v1/projects", json={"name": "x"}).status_code == writes
    assert narrow.post("/v1/alerts/hits/seen", json={}).status_code == writes
