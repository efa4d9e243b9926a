"""Another program holds the database for longer than writers wait: nothing is lost or hangs."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from core.agent import Agent
from core.errors import StorageUnavailable
from core.execution import endings
from core.execution.child import patiently, throttled
from core.records.runs import Caller, RunRecord
from core.runner import start_run
from core.workbench import Workbench

Run = Callable[..., RunRecord]
LOCKED_S = 11.5
"""Longer than the ten seconds that a writer waits."""


@contextmanager
def locked(workbench: Workbench) -> Iterator[None]:
    """Hold the write lock of the database as another program would."""
    place = workbench.settings.home / "workbench.db"
    connection = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.rollback()
        connection.close()


def test_run_under_way_completes_and_reads_answer_while_the_database_is_locked(
    workbench: Workbench, anna: Caller, probe: Agent, run_probe: Run, client: TestClient
) -> None:
    before = run_probe()
    request = probe.request.model_validate({"action": "sleep", "seconds": 0.5})
    run = start_run(probe, request, anna, workbench)
    with locked(workbench):
        began = time.monotonic()
        statuses = [
            client.get("/v1/runs").status_code,
            client.get(f"/v1/runs/{before.run_uuid}").status_code,
            client.get(f"/v1/runs/{before.run_uuid}/report.json").status_code,
            client.get("/readyz").status_code,
        ]
        elapsed_s = time.monotonic() - began
        refused = client.post("/v1/agents/fault-probe", json={"action": "answer"})
        time.sleep(max(0.0, LOCKED_S - (time.monotonic() - began)))
    assert statuses == [200, 200, 200, 503]  # it reads, and says that it cannot write
    assert elapsed_s < 8  # ten and more before
    assert (refused.status_code, refused.json()["error"]["code"]) == (500, "storage_unavailable")
    end = time.monotonic() + 30
    while not (ended := workbench.stores.runs.get(anna.user_id, run.run_uuid)).is_final:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert (ended.status, ended.error) == ("completed", None)
    workbench.stores.audit.add("anna", "test", "next line")
    lines = workbench.stores.audit.list(limit=5)
    assert [line.action for line in lines[:2]] == ["test", "export"]


def test_child_waits_for_the_store_and_goes_on_without_progress(
    monkeypatch: pytest.MonkeyPatch, workbench: Workbench
) -> None:
    away = threading.Event()
    threading.Timer(0.7, away.set).start()

    def write(*_: object) -> str:
        if not away.is_set():
            raise StorageUnavailable("the database does not answer")
        return "written"

    monkeypatch.setattr(type(workbench.stores.runs), "report", write)
    throttled("run", workbench.stores)("Work", 0, 1)
    assert patiently(write) == "written"


@pytest.mark.parametrize("hours", [4, -1])
def test_step_of_the_clock_does_not_show_in_the_time_that_a_run_took(
    hours: int, run_probe: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stepped(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return datetime.now(UTC) + timedelta(hours=hours)

    monkeypatch.setattr(endings, "datetime", Stepped)
    run = run_probe("sleep", seconds=0.4)
    assert run.elapsed_s is not None
    assert 0.4 <= run.elapsed_s < 20
