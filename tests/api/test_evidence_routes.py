"""Evidence through the API: imported by an administrator, read by everybody, carried elsewhere."""

import hashlib
import time
from collections.abc import Callable
from typing import Any

import pytest
from httpx import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.workbench import Workbench

Expect = Callable[[Response, int], dict[str, Any]]
TRIALS = (
    "nct_id,brief_title,phase,overall_status,lead_sponsor,conditions,interventions,"
    "last_update,snapshot_date\n"
    "NCT00000001,Drug A in Asthma,PHASE2,RECRUITING,Acme,Asthma,DRUG:A-101,2025-06-01,2025\n"
    "nobody,Drug A,PHASE2,RECRUITING,Acme,Asthma,DRUG:A-101,2025-06-01,2025\n"
)


@pytest.fixture
def admin(service: Starlette, workbench: Workbench) -> TestClient:
    chief = workbench.stores.users.create("chief", "correct horse battery", "admin")
    _, key = workbench.stores.keys.create(chief.user_id, "k", scopes=["admin"])
    return TestClient(service, headers={"Authorization": f"Bearer {key}"})


def follow(client: TestClient) -> dict[str, Any]:
    end = time.monotonic() + 30
    while (state := client.get("/v1/evidence/imports").json())["status"] == "running":
        assert time.monotonic() < end
        time.sleep(0.05)
    return state


def test_files_are_imported_read_exported_and_imported_again(
    admin: TestClient, client: TestClient
) -> None:
    files = [("file", ("trials.csv", TRIALS.encode())), ("file", ("notes.txt", b"hello"))]
    started = admin.post("/v1/evidence/imports", files=files)
    assert (started.status_code, started.json()["by"]) == (202, "chief")
    state = follow(client)
    assert (state["status"], state["skipped"]) == ("done", ["notes.txt"])
    assert state["files"][0]["records"] == 1
    assert client.get("/v1/evidence").json()["records"] == 1
    assert [row["line"] for row in client.get("/v1/evidence/damages").json()["rows"]] == [3]
    record = client.get("/v1/evidence/records/ctgov:NCT00000001").json()
    assert record["title"] == "Drug A in Asthma"
    assert ("trial_status", "RECRUITING") in {
        (fact["predicate"], fact["value"]) for fact in record["facts"]
    }
    made = admin.post("/v1/evidence/exports").json()
    content = admin.get(made["url"]).content
    assert hashlib.sha256(content).hexdigest() == made["sha256"]
    assert client.get(made["url"]).status_code == 404
    admin.post("/v1/evidence/imports", files={"file": ("pack.db", content)})
    assert follow(admin)["files"][0]["kind"] == "carried pack"


def test_what_cannot_be_imported_is_refused_or_fails_whole(
    admin: TestClient, workbench: Workbench, expect_error: Expect
) -> None:
    form = {"data": {"kind": "x"}, "files": {"file": ("a.csv", b"b")}}
    assert expect_error(admin.post("/v1/evidence/imports", **form), 400)["code"] == "unknown_field"
    assert expect_error(admin.post("/v1/evidence/imports", json={}), 400)
    admin.post("/v1/evidence/imports", files={"file": ("notes.txt", b"hello")})
    assert follow(admin)["status"] == "failed"
    for name in ("evidence-1.db", "..%2fpack.db", "state.json"):
        assert admin.get(f"/v1/evidence/exports/{name}").status_code == 404
    assert expect_error(admin.post("/v1/evidence/syncs", json={"sources": ["nothing"]}), 400)
    assert {source["status"] for source in admin.get("/v1/evidence/syncs").json()["sources"]} == {
        ""
    }
