"""Keys, people and the audit log through the API: never more than the key has."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from httpx import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.errors import NotAuthenticated
from core.records.runs import Caller, User
from core.workbench import Workbench

Expect = Callable[[Response, int], dict[str, Any]]
Connect = Callable[..., TestClient]


@pytest.fixture
def chief(workbench: Workbench) -> User:
    return workbench.stores.users.create("chief", "correct horse battery", "admin")


@pytest.fixture
def connect(service: Starlette, workbench: Workbench, chief: User) -> Connect:
    """Return what gives a client with a key of the administrator."""

    def make(*scopes: str, **options: Any) -> TestClient:
        _, key = workbench.stores.keys.create(chief.user_id, "k", scopes=scopes, **options)
        return TestClient(service, headers={"Authorization": f"Bearer {key}"})

    return make


def test_a_key_is_made_shown_once_rotated_and_revoked(
    client: TestClient, workbench: Workbench, anna: Caller
) -> None:
    made = client.post("/v1/keys", json={"name": "notebook", "scopes": ["read"], "days": 30})
    assert made.status_code == 201
    key_id, secret = made.json()["key"]["key_id"], made.json()["secret"]
    assert workbench.stores.keys.find_caller(secret).scopes == ("read",)
    listed = client.get("/v1/keys")
    assert secret not in listed.text
    assert listed.json()["keys"][0]["last4"] == secret[-4:]
    rotated = client.post(f"/v1/keys/{key_id}/rotate", json={"grace_hours": 0}).json()
    assert (rotated["key"]["replaces_id"], rotated["key"]["scopes"]) == (key_id, ["read"])
    with pytest.raises(NotAuthenticated):
        workbench.stores.keys.find_caller(secret)
    assert client.delete(f"/v1/keys/{rotated['key']['key_id']}").json()["status"] == "revoked"
    account = client.get("/v1/account").json()
    assert (account["name"], account["scopes"], account["quota"]["used"]) == ("anna", [], 0)


@pytest.mark.parametrize(
    ("scopes", "body"),
    [
        (["admin"], {"name": "wide"}),
        (["admin"], {"name": "wide", "scopes": ["read"]}),
        (["admin", "read"], {"name": "wide", "scopes": ["admin", "fault-probe"]}),
        (["admin", "read"], {"name": "of anna", "scopes": ["read"], "user": "anna"}),
    ],
)
def test_a_restricted_key_makes_no_wider_key(
    connect: Connect, anna: Caller, expect_error: Expect, scopes: list[str], body: dict[str, Any]
) -> None:
    assert expect_error(connect(*scopes).post("/v1/keys", json=body), 400)["code"] == "not_allowed"


def test_a_restricted_key_rotates_no_wider_key_but_itself(
    connect: Connect, workbench: Workbench, anna: Caller, chief: User, expect_error: Expect
) -> None:
    wide, _ = workbench.stores.keys.create(chief.user_id, "wide")
    others, _ = workbench.stores.keys.create(anna.user_id, "of anna", scopes=["admin"])
    for key in (wide, others):
        answer = connect("admin").post(f"/v1/keys/{key.key_id}/rotate", json={})
        assert expect_error(answer, 400)["code"] == "not_allowed"
    reader = connect("read")
    own = reader.get("/v1/keys").json()["keys"][0]["key_id"]
    assert reader.post(f"/v1/keys/{wide.key_id}/rotate", json={}).status_code == 401
    assert reader.post("/v1/keys", json={"name": "x", "scopes": ["read"]}).status_code == 401
    assert reader.post(f"/v1/keys/{own}/rotate", json={}).status_code == 201
    assert reader.delete(f"/v1/keys/{own}").status_code == 200


def test_a_key_that_expires_makes_none_that_lasts_longer(
    connect: Connect, workbench: Workbench, chief: User, expect_error: Expect
) -> None:
    client = connect(expires_at=datetime.now(UTC) + timedelta(days=2))
    for body in ({"name": "x"}, {"name": "x", "days": 3}):
        assert expect_error(client.post("/v1/keys", json=body), 400)["code"] == "not_allowed"
    assert client.post("/v1/keys", json={"name": "x", "days": 1}).status_code == 201
    lasting, _ = workbench.stores.keys.create(chief.user_id, "lasting")
    answer = client.post(f"/v1/keys/{lasting.key_id}/rotate", json={})
    assert expect_error(answer, 400)["code"] == "not_allowed"


def test_administration_needs_an_administrator_and_the_right(
    connect: Connect, client: TestClient, service: Starlette, workbench: Workbench, anna: Caller
) -> None:
    made = client.post("/v1/keys", json={"name": "x", "scopes": ["admin"]})
    assert made.status_code == 400
    _, key = workbench.stores.keys.create(anna.user_id, "x", scopes=["admin"])
    analyst = TestClient(service, headers={"Authorization": f"Bearer {key}"})
    clients = {connect(): 200, connect("admin"): 200, connect("read"): 401, client: 404}
    for each, status in (clients | {analyst: 404}).items():
        for path in ("/v1/users", "/v1/audit", "/v1/keys?everybody=true"):
            assert each.get(path).status_code == status
    assert connect("admin").post("/v1/files", files={"file": ("a", b"b")}).status_code == 401
    assert connect("admin").get("/v1/lists").status_code == 401


def test_an_account_from_invitation_to_its_end(
    connect: Connect, workbench: Workbench, expect_error: Expect
) -> None:
    client, users = connect(), workbench.stores.users
    made = client.post("/v1/users", json={"name": "carla", "role": "analyst"})
    assert made.status_code == 201
    assert users.find_link(made.json()["link"].partition("token=")[2]).kind == "invite"
    robot = client.post("/v1/users", json={"name": "robot", "role": "api-only"}).json()
    assert (robot["link"], robot["user"]["status"]) == (None, "active")
    again = client.post("/v1/users", json={"name": "carla"})
    assert expect_error(again, 400)["code"] == "name_taken"
    body = {"role": "admin", "quota_runs": 7, "is_disabled": True}
    changed = client.patch("/v1/users/carla", json=body).json()["user"]
    assert (changed["role"], changed["quota_runs"], changed["status"]) == ("admin", 7, "disabled")
    client.patch("/v1/users/carla", json={"is_disabled": False, "quota_runs": None})
    assert users.by_name("carla").quota_runs is None
    link = client.post("/v1/users/carla/reset", json={}).json()["link"]
    assert users.find_link(link.partition("token=")[2]).kind == "reset"
    for path in ("sessions", "factor"):
        assert client.delete(f"/v1/users/carla/{path}").status_code == 200
    assert expect_error(client.delete("/v1/users/carla"), 400)["code"] == "not_disabled"
    client.patch("/v1/users/carla", json={"is_disabled": True})
    assert client.delete("/v1/users/carla").json()["status"] == "deleted"
    for address in ("/v1/users/nobody", "/v1/users/carla", "/v1/users/%00"):
        assert client.patch(address, json={}).status_code == 404
    assert expect_error(client.patch("/v1/users/chief", json={"role": "analyst"}), 400)


def test_a_restricted_administrator_opens_nobody_s_sign_in(
    connect: Connect, anna: Caller, workbench: Workbench, expect_error: Expect
) -> None:
    client = connect("admin")
    attempts = [
        client.post("/v1/users", json={"name": "carla", "role": "admin"}),
        client.patch("/v1/users/anna", json={"role": "admin"}),
        client.post("/v1/users/anna/reset", json={}),
        client.put("/v1/users/anna/sign-on", json={"subject": "1"}),
        client.delete("/v1/users/anna/factor"),
    ]
    assert {expect_error(answer, 400)["code"] for answer in attempts} == {"not_allowed"}
    assert workbench.stores.users.by_name("anna").role == "analyst"
    assert client.post("/v1/users", json={"name": "dora"}).status_code == 201


def test_single_sign_on_is_linked_and_unlinked(
    connect: Connect, anna: Caller, workbench: Workbench, expect_error: Expect
) -> None:
    client, address = connect(), "/v1/users/anna/sign-on"
    assert expect_error(client.put(address, json={"subject": "1"}), 400)  # not set up
    workbench.stores.users.link(anna.user_id, "https://login.example.org", "1")
    assert client.get("/v1/users").json()["users"][0]["is_linked"] is True
    assert client.delete(address).json()["user"]["is_linked"] is False
    assert expect_error(client.delete(address), 404)


def test_the_audit_log_is_read_in_pages_and_forms(connect: Connect) -> None:
    client = connect()
    for name in ("carla", "dora"):
        client.post("/v1/users", json={"name": name})
    lines = client.get("/v1/audit", params={"action": "user.invite"}).json()["lines"]
    assert [line["subject"] for line in lines] == ["dora", "carla"]
    page = client.get("/v1/audit", params={"limit": 1, "offset": 1}).json()["lines"]
    assert page == lines[1:]
    rows = client.get("/v1/audit", params={"format": "jsonl", "text": "dora"})
    assert [json.loads(line) for line in rows.text.splitlines()] == lines[:1]
    table = client.get("/v1/audit", params={"format": "csv"})
    assert table.headers["content-type"].startswith("text/csv")
    assert table.text.splitlines()[0] == "at,actor,action,subject,note"
    assert len(table.text.splitlines()) == 3
