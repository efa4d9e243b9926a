"""Looking at processes from outside."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.records.runs import Caller, RunRecord
from core.workbench import Workbench


def process_state(pid: int) -> str:
    """Return the state letter of a process, or "gone"; a zombie is Z and no longer alive."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "gone"
    return stat.rpartition(")")[2].split()[0]


@pytest.fixture
def light_fork_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a fork server that starts now import little: the test ends it with its workbench."""
    monkeypatch.setenv("BPW_PRELOAD", "0")


@pytest.fixture
def ends() -> Callable[[int], bool]:
    """Return what tells whether a process is gone within a second."""

    def ends_soon(pid: int, within_s: float = 1.0) -> bool:
        end = time.monotonic() + within_s
        while process_state(pid) not in ("gone", "Z", "X"):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    return ends_soon


@pytest.fixture
def wait_for() -> Callable[..., None]:
    """Return what waits until a condition holds."""

    def wait(condition: Callable[[], object], within_s: float = 20.0) -> None:
        end = time.monotonic() + within_s
        while not condition():
            assert time.monotonic() < end, "it did not come to pass in time"
            time.sleep(0.02)

    return wait


@pytest.fixture
def running_pid(
    workbench: Workbench, anna: Caller, wait_for: Callable[..., None]
) -> Callable[[RunRecord], int]:
    """Return what waits until a run has a child that works, and gives the child's id."""

    def find(run: RunRecord) -> int:
        def steps() -> tuple[object, ...]:
            return workbench.stores.runs.get(anna.user_id, run.run_uuid).steps

        wait_for(steps, 60)
        pid = workbench.stores.runs.get(anna.user_id, run.run_uuid).worker_pid
        assert pid is not None
        return pid

    return find
