"""Imports that come to grief end with their reason, and the next one begins."""

import io
import time

import pytest

from core.evidence.sources.import_state import ImportState, read_state
from core.execution.importing import start_import
from core.records.runs import Caller
from core.settings import Settings
from core.workbench import Workbench

GREEDY = b'[{"protocolSection": {}}, ' + b"[]," * 20_000_000 + b"[]]"
"""A file of 60 MB that takes more than a gigabyte to read."""


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"memory_limit_mb": 1024})


@pytest.fixture
def admin(workbench: Workbench) -> Caller:
    user = workbench.stores.users.create("root", "correct horse battery", "admin")
    return Caller(user_id=user.user_id, name=user.name, role=user.role)


def bring(workbench: Workbench, admin: Caller, content: bytes) -> ImportState:
    """Import a file and wait for the end."""
    start_import(workbench, admin, [("studies.json", io.BytesIO(content))])
    end = time.monotonic() + 60
    stores, worker = workbench.stores, workbench.executor.worker
    while (state := read_state(stores, worker)).status == "running" and time.monotonic() < end:
        time.sleep(0.05)
    return state


def test_import_that_needs_too_much_memory_says_so_and_the_next_begins(
    workbench: Workbench, admin: Caller
) -> None:
    state = bring(workbench, admin, GREEDY)
    assert (state.status, state.finished_at > "") == ("failed", True)
    assert "1,024 MB of memory" in state.error
    assert "no file of a known kind" in bring(workbench, admin, b"hello").error


@pytest.mark.parametrize("failure", [MemoryError(), RuntimeError("x"), OSError(28, "no space")])
def test_import_ends_after_a_failure_that_nobody_foresaw(
    failure: Exception, workbench: Workbench, admin: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise failure

    monkeypatch.setattr(workbench.executor, "call", fail)
    state = bring(workbench, admin, b"hello")
    assert state.status == "failed"
    assert "the log of the instance names the cause" in state.error
