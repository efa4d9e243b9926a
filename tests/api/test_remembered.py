"""What is remembered between requests is forgotten in time, and stored results are sent as such."""

import gzip
import json
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.ports import Stores
from core.records.evidence_pack import ImportedFile
from core.records.runs import Caller
from core.workbench import Workbench
from storage.callers import REMEMBERED_S
from storage.stores import open_stores
from tests.core.agents.company_asset_searcher import conftest as portfolio

RUNS = "/v1/runs"
PROBE = "/v1/agents/fault-probe"


@pytest.fixture
def elsewhere(workbench: Workbench) -> Iterator[Stores]:
    """Return the stores of another process on the same instance."""
    stores = open_stores(workbench.settings)
    yield stores
    stores.engine.close()


def status_of(service: Starlette, key: str) -> int:
    return TestClient(service).get(RUNS, headers={"Authorization": f"Bearer {key}"}).status_code


def end_key(stores: Stores, way: str, caller: Caller, key_id: int) -> None:
    if way == "revoked":
        stores.keys.revoke(key_id)
    elif way == "rotated":
        stores.keys.rotate(key_id, grace=timedelta(0))
    elif way == "all revoked":
        stores.keys.revoke_all(caller.user_id)
    else:
        stores.users.disable(caller.user_id)


@pytest.mark.parametrize("way", ["revoked", "rotated", "all revoked", "disabled"])
def test_a_key_that_ends_here_is_refused_at_once(
    service: Starlette, workbench: Workbench, anna: Caller, way: str
) -> None:
    record, key = workbench.stores.keys.create(anna.user_id, "remembered")
    assert status_of(service, key) == 200
    end_key(workbench.stores, way, anna, record.key_id)
    assert status_of(service, key) == 401


def test_an_enabled_account_and_a_new_role_count_at_once(
    service: Starlette, workbench: Workbench, boris: Caller, other_key: str
) -> None:
    users, keys = workbench.stores.users, workbench.stores.keys
    users.disable(boris.user_id)
    assert status_of(service, other_key) == 401
    users.enable(boris.user_id)
    assert status_of(service, other_key) == 200
    assert keys.recall_caller(other_key) == keys.find_caller(other_key)
    users.set_role(boris.user_id, "admin")
    assert keys.recall_caller(other_key) is None
    assert keys.find_caller(other_key).role == "admin"


def test_a_key_that_ends_elsewhere_is_refused_within_seconds(
    service: Starlette, workbench: Workbench, elsewhere: Stores, anna: Caller, boris: Caller
) -> None:
    revoked_record, revoked = workbench.stores.keys.create(anna.user_id, "revoked")
    _, disabled = workbench.stores.keys.create(boris.user_id, "disabled")
    assert [status_of(service, key) for key in (revoked, disabled)] == [200, 200]
    elsewhere.keys.revoke(revoked_record.key_id)
    elsewhere.users.disable(boris.user_id)
    time.sleep(REMEMBERED_S + 0.1)
    assert [status_of(service, key) for key in (revoked, disabled)] == [401, 401]


def test_new_evidence_counts_at_once_wherever_it_was_imported(
    client: TestClient, workbench: Workbench, elsewhere: Stores
) -> None:
    def is_cached() -> bool:
        answer = client.post("/v1/agents/competitive-landscaping", json=body)
        assert answer.status_code == 200, answer.text
        return bool(answer.json()["data"]["cached"])

    body = {"query": "asthma", "use_cache": True}
    workbench.stores.identity.build(portfolio.identity_rows(), (), "test names")

    assert [is_cached(), is_cached()] == [False, True]
    (first, *others) = portfolio.records()
    for stores, records in ((workbench.stores, [first]), (elsewhere, others)):
        with stores.evidence.next_generation() as writer:
            writer.add(records)
            file = ImportedFile("a.json", "test", "0" * 64, "2026-11-21T12:00:00", 1, 0)
            writer.finish_file(file)
        assert [is_cached(), is_cached()] == [False, True]


def test_a_run_that_is_known_is_not_sent_again(client: TestClient, stranger: TestClient) -> None:
    run = f"{RUNS}/{client.post(PROBE, json={'count': 7}).json()['run_id']}"
    answer = client.get(run, headers={"Accept-Encoding": "identity"})
    known = {"If-None-Match": answer.headers["etag"], "Accept-Encoding": "identity"}
    again = client.get(run, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == answer.headers["etag"]
    assert stranger.get(run, headers=known).status_code == 404
    client.patch(run, json={"title": "Another name"})
    renamed = client.get(run, headers=known)
    assert (renamed.status_code, renamed.json()["run"]["title"]) == (200, "Another name")
    assert renamed.headers["etag"] != answer.headers["etag"]


def test_results_are_compressed_for_those_who_ask(client: TestClient) -> None:
    body = {"count": 30, "word": "β", "use_cache": True}
    run = f"{RUNS}/{client.post(PROBE, json=body).json()['run_id']}"

    def read(coding: str, method: str, path: str, **fields: object) -> tuple[str, bytes]:
        with client.stream(method, path, headers={"Accept-Encoding": coding}, **fields) as answer:
            assert answer.headers["vary"] == "Accept-Encoding"
            return answer.headers.get("content-encoding", ""), b"".join(answer.iter_raw())

    calls = [
        ("GET", run, {}),
        ("GET", f"{run}/tables/squares", {}),
        ("POST", PROBE, {"json": body}),
    ]
    for method, path, fields in calls:
        coding, plain = read("identity, gzip;q=0", method, path, **fields)
        assert coding == ""
        for _ in range(2):  # the second time from memory
            coding, packed = read("br, gzip", method, path, **fields)
            unpacked = gzip.decompress(packed)
            assert (coding, len(packed) < len(plain)) == ("gzip", True)
            if method == "GET":
                assert unpacked == plain
            else:
                assert json.loads(unpacked)["data"] == json.loads(plain)["data"]
    refused = client.get(f"{RUNS}/nobodys", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in refused.headers
