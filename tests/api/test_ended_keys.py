"""A key that is revoked, or whose account is disabled, ends what it had open."""

import threading
import time
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from core.records.runs import Caller, RunRecord
from core.workbench import Workbench

PATH = "/v1/agents/fault-probe"
SOON_S = 5.0  # two seconds on a free machine; before, it went on


def end_access(workbench: Workbench, anna: Caller, way: str) -> None:
    if way == "revoked":
        workbench.stores.keys.revoke_all(anna.user_id)
    else:
        workbench.stores.users.disable(anna.user_id)


@pytest.mark.parametrize("way", ["revoked", "disabled"])
def test_a_waiting_request_is_refused_at_once(
    client: TestClient, workbench: Workbench, anna: Caller, way: str
) -> None:
    threading.Timer(0.7, end_access, [workbench, anna, way]).start()
    began = time.monotonic()
    answer = client.post(PATH, json={"action": "sleep", "seconds": 4})
    assert answer.status_code == 401
    assert time.monotonic() - began < 0.7 + SOON_S


@pytest.mark.parametrize("way", ["revoked", "disabled"])
def test_a_stream_of_events_ends_at_once(
    client: TestClient,
    workbench: Workbench,
    anna: Caller,
    start_probe: Callable[..., RunRecord],
    way: str,
) -> None:
    run = start_probe("sleep", seconds=4)
    threading.Timer(0.7, end_access, [workbench, anna, way]).start()
    began = time.monotonic()
    told = client.get(f"/v1/runs/{run.run_uuid}/events").text
    assert told.endswith('event: error\ndata: {"code": "invalid_api_key"}\n\n')
    assert time.monotonic() - began < 0.7 + SOON_S
