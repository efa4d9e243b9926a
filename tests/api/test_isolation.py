"""Every operation of the description, as somebody else: nothing is there, nothing leaks.

An operation that is new and names a thing of a caller is tested without a change here; one
that names nothing must be added to a list below, which is where somebody decides about it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.records.runs import Caller, RunRecord
from core.workbench import Workbench

SECRET = "zebra"
OPEN = {"get_health", "list_agents"}
LISTS = {
    "list_runs": "runs",
    "list_files": "files",
    "list_lists": "lists",
    "list_projects": "projects",
    "list_keys": "keys",
}
NOT_OF_THE_PROBE = {
    *("get_run_file", "compare_runs", "preview_alert", "get_record", "download_evidence"),
}
OWN_ALONE = {"list_hits", "get_digest", "get_calendar", "get_account"}
OF_THE_INSTANCE = {"get_evidence", "list_damages", "get_import", "list_syncs"}
OF_ADMINISTRATORS = {
    *(
        "import_evidence",
        "export_evidence",
        "start_sync",
        "list_users",
        "invite_user",
        "list_audit",
    ),
}
BODIES = {
    "rename_run": {"json": {"title": "taken over"}},
    "upload_file": {"files": {"file": ("own.csv", b"own")}},
    "check_document": {"files": {"file": ("own.md", b"own")}},
    "ask": {"json": {"query": "weather"}},
    "create_list": {"json": {"name": "own", "kind": "drug"}},
    "change_list": {"json": {"add": ["taken over"]}},
    "share_run": {"json": {}},
    "mark_hits_seen": {"json": {}},
    "create_project": {"json": {"name": "own"}},
    "add_note": {"json": {"title": "taken over", "text": "taken over"}},
    "rename_project": {"json": {"name": "taken over"}},
    "set_member": {"json": {"role": "owner"}},
    "add_block": {"json": {"title": "taken over"}},
    "change_block": {"json": {"version": 1, "title": "taken over"}},
    "move_block": {"json": {"by": 1}},
    "add_comment": {"json": {"text": "taken over"}},
    "snooze_hit": {"json": {"days": 1}},
    "mute_alert": {"json": {"days": 1}},
    "create_key": {"json": {"name": "own"}},
    "rotate_key": {"json": {}},
    "change_user": {"json": {"role": "admin"}},
    "reset_user": {"json": {}},
    "link_user": {"json": {"subject": "taken over"}},
}
NOBODY = {
    "run_id": "00000000-0000-4000-8000-000000000000",
    "other_id": "00000000-0000-4000-8000-000000000000",
    "file_id": "file_" + "0" * 32,
    "list_id": "99",
    "project_id": "99",
    "share_id": "99",
    "query_id": "99",
    "hit_id": "99",
    "block_id": "99",
    "comment_id": "99",
    "key_id": "99",
    "user_name": "nobody",
    "record_id": "nothing:1",
}


@dataclass
class Things:
    """What anna has."""

    run: RunRecord
    file_id: str
    name: str
    numbers: dict[str, str]

    def values(self) -> dict[str, str]:
        """Return what stands for each parameter of a path."""
        return {
            "run_id": self.run.run_uuid,
            "file_id": self.file_id,
            "name": self.name,
            "fmt": "md",
            "other_id": self.run.run_uuid,
            **self.numbers,
        }

    def marks(self) -> set[str]:
        """Return what must not be found in an answer to somebody else."""
        return {SECRET, self.run.run_uuid, self.run.fingerprint, self.run.input_sha256}


@pytest.fixture
def things(
    client: TestClient, workbench: Workbench, anna: Caller, run_probe: Callable[..., RunRecord]
) -> Things:
    run = run_probe(word=SECRET)
    client.patch(f"/v1/runs/{run.run_uuid}", json={"title": f"{SECRET} run"})
    sent = client.post("/v1/files", files={"file": (f"{SECRET}.csv", SECRET.encode())})
    key, _ = workbench.stores.keys.create(anna.user_id, f"{SECRET} key")
    whole = workbench.stores.runs.get(anna.user_id, run.run_uuid)
    made = client.post("/v1/lists", json={"name": f"{SECRET} list", "kind": "drug"})
    project = client.post("/v1/projects", json={"name": f"{SECRET} project"})
    address = f"/v1/projects/{project.json()['project']['project_id']}"
    block = client.post(f"{address}/blocks", json={"title": f"{SECRET} block"}).json()["project"]
    block_id = block["blocks"][0]["block_id"]
    said = client.post(f"{address}/blocks/{block_id}/comments", json={"text": SECRET}).json()
    share = client.post(f"/v1/runs/{run.run_uuid}/shares", json={})
    numbers = {
        "list_id": str(made.json()["list"]["list_id"]),
        "project_id": str(project.json()["project"]["project_id"]),
        "share_id": str(share.json()["share"]["share_id"]),
        "query_id": str(whole.query_id),
        "hit_id": "1",
        "block_id": str(block_id),
        "comment_id": str(said["project"]["blocks"][0]["comments"][0]["comment_id"]),
        "key_id": str(key.key_id),
        "user_name": anna.name,
        "record_id": "nothing:1",
    }
    return Things(whole, sent.json()["file_id"], "squares", numbers)


def operations(client: TestClient) -> list[tuple[str, str, str]]:
    """Return method, path and id of every operation that is described."""
    paths = client.get("/v1/openapi.json").json()["paths"]
    return [
        (method.upper(), path, operation["operationId"])
        for path, found in paths.items()
        for method, operation in found.items()
    ]


def call(
    client: TestClient, method: str, path: str, values: dict[str, str], operation: str
) -> Response:
    address = re.sub(r"\{(\w+)\}", lambda found: values[found[1]], path)
    return client.request(method, address, **BODIES.get(operation, {}))


def without_exchange(answer: Response) -> dict[str, Any]:
    """Return an answer without what differs between any two exchanges."""
    return {
        name: value
        for name, value in answer.json().items()
        if name not in ("request_id", "elapsed_s")
    }


def check_own_things_open(client: TestClient, things: Things) -> None:
    """The addresses are right: for anna each of them is there."""
    for method, path, operation in operations(client):
        if "{" in path and method == "GET" and operation not in NOT_OF_THE_PROBE:
            answer = call(client, method, path, things.values(), operation)
            assert answer.status_code == 200, (operation, answer.text)


def test_what_belongs_to_somebody_else_is_not_there(
    client: TestClient, stranger: TestClient, things: Things
) -> None:
    check_own_things_open(client, things)
    found = [each for each in operations(client) if "{" in each[1]]
    assert {"get_run", "watch_run", "get_report", "delete_file"} <= {each[2] for each in found}
    for method, path, operation in found:
        foreign = call(stranger, method, path, things.values(), operation)
        unknown = call(stranger, method, path, things.values() | NOBODY, operation)
        assert (foreign.status_code, unknown.status_code) == (404, 404), operation
        assert without_exchange(foreign) == without_exchange(unknown), operation
        assert not [mark for mark in things.marks() if mark in foreign.text], operation


def test_nothing_was_changed_by_the_attempts(
    client: TestClient, stranger: TestClient, things: Things, workbench: Workbench, anna: Caller
) -> None:
    for method, path, operation in operations(client):
        if "{" in path:
            call(stranger, method, path, things.values(), operation)
    assert workbench.stores.runs.get(anna.user_id, things.run.run_uuid) == things.run
    assert workbench.stores.files.get(anna.user_id, things.file_id).name == f"{SECRET}.csv"
    assert [each.entries for each in workbench.stores.lists.of(anna.user_id)] == [()]
    [line] = workbench.stores.projects.of(anna.user_id)
    project = workbench.stores.projects.get(anna.user_id, line.project_id)
    [block] = project.blocks
    assert (project.name, project.members) == (f"{SECRET} project", (("anna", "owner"),))
    assert (block.version, len(block.comments)) == (1, 1)
    assert {key.revoked_at for key in workbench.stores.keys.list(anna.user_id)} == {None}
    assert workbench.stores.users.by_name("anna").role == "analyst"
    assert len(workbench.stores.shares.list(anna.user_id, things.run.run_uuid)) == 1


def test_operations_without_an_id_show_their_caller_s_things_only(
    client: TestClient, stranger: TestClient, things: Things
) -> None:
    plain = [each for each in operations(client) if "{" not in each[1]]
    agents = {each[2] for each in plain if each[1].startswith("/v1/agents/")}
    decided = OPEN | OWN_ALONE | OF_THE_INSTANCE | OF_ADMINISTRATORS
    decided |= set(LISTS) | set(BODIES) | agents | {"start_run"}
    assert {each[2] for each in plain} <= decided
    for method, path, operation in plain:
        answer = call(stranger, method, path, {}, operation)
        assert not [mark for mark in things.marks() if mark in answer.text], operation
        assert (answer.status_code == 404) is (operation in OF_ADMINISTRATORS), operation
    for operation, member in LISTS.items():
        path = next(each[1] for each in plain if each[2] == operation)
        assert SECRET in client.get(path).text
        found = stranger.get(path).json()[member]
        names = {"own", "own.csv", "boris's programs"}
        assert [each for each in found if each.get("name") not in names] == []


def test_every_operation_but_the_open_ones_needs_a_key(
    client: TestClient, anonymous: TestClient, things: Things
) -> None:
    for method, path, operation in operations(client):
        answer = call(anonymous, method, path, things.values(), operation)
        assert answer.status_code == (200 if operation in OPEN else 401), operation
        assert not [mark for mark in things.marks() if mark in answer.text], operation


@pytest.mark.parametrize("door", ["wait", "start"])
def test_a_foreign_upload_is_as_unknown_as_an_invented_one(
    stranger: TestClient, things: Things, door: str
) -> None:
    def ask(file_id: str) -> Response:
        body = {"action": "answer", "upload_id": file_id}
        if door == "wait":
            return stranger.post("/v1/agents/fault-probe", json=body)
        return stranger.post("/v1/runs", json={"agent": "fault-probe", "input": body})

    foreign, invented = ask(things.file_id), ask(NOBODY["file_id"])
    assert foreign.status_code == 400
    assert foreign.json()["error"]["code"] == "unknown_file"
    assert without_exchange(foreign) == without_exchange(invented)


def test_the_cache_answers_its_own_caller_only(
    client: TestClient, stranger: TestClient, things: Things
) -> None:
    body = {"action": "answer", "word": SECRET, "use_cache": True}
    own = client.post("/v1/agents/fault-probe", json=body).json()
    other = stranger.post("/v1/agents/fault-probe", json=body).json()
    assert own["run_id"] == things.run.run_uuid
    assert own["data"]["cached"] is True
    assert other["run_id"] != things.run.run_uuid
    assert other["data"]["cached"] is False


def test_an_administrator_s_key_opens_no_run_of_others(
    things: Things, workbench: Workbench, service: Any
) -> None:
    chief = workbench.stores.users.create("chief", "correct horse battery", "admin")
    _, key = workbench.stores.keys.create(chief.user_id, "chief's")
    admin = TestClient(service, headers={"Authorization": f"Bearer {key}"})
    assert admin.get(f"/v1/runs/{things.run.run_uuid}").status_code == 404
    assert admin.get("/v1/files").json()["files"] == []
