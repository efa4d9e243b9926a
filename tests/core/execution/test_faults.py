"""Runs that come to grief reach a final state, leave no process, and harm no other run."""

import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.agent import Agent
from core.records.runs import Caller, RunRecord
from core.runner import start_run
from core.settings import Settings
from core.workbench import Workbench

Run = Callable[..., RunRecord]


def used(workbench: Workbench, caller: Caller) -> int:
    """Return the runs that the caller's quota counts."""
    return workbench.stores.quotas.state(caller.user_id, limit=9, at=workbench.now()).used


@pytest.mark.parametrize("action", ["exit", "kill"])
def test_crash_is_a_failed_run_and_the_next_one_is_fine(action: str, run_probe: Run) -> None:
    run = run_probe(action)
    assert run.status == "failed"
    assert run.error is not None
    assert (run.error.status, run.error.code) == (500, "worker_crashed")
    assert run_probe().status == "completed"


@pytest.mark.parametrize("action", ["leave", "raise"])
def test_unexpected_failure_is_told_without_its_inside(action: str, run_probe: Run) -> None:
    run = run_probe(action)
    assert run.status == "failed"
    assert run.error is not None
    assert (run.error.status, run.error.code) == (500, "agent_failed")
    assert "secret" not in run.error.message


def test_input_refused_in_the_run_is_the_callers_fault(run_probe: Run) -> None:
    run = run_probe("refuse")
    assert run.error is not None
    assert (run.status, run.error.status, run.error.code) == ("failed", 400, "value_not_allowed")
    assert [detail.field for detail in run.error.details] == ["count"]


def test_full_disk_is_named(run_probe: Run) -> None:
    run = run_probe("fill_disk")
    assert run.error is not None
    assert (run.error.status, run.error.code) == (500, "storage_full")


class TestMemory:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"memory_limit_mb": 3072})

    def test_allocation_over_the_limit_is_out_of_memory(self, run_probe: Run) -> None:
        run = run_probe("allocate")
        assert run.error is not None
        assert (run.error.status, run.error.code) == (500, "out_of_memory")
        assert run_probe().status == "completed"


class TestAllowance:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"allowance_s": 1.0})

    @pytest.mark.parametrize("action", ["spin", "spin_stubborn"])
    def test_run_over_its_allowance_is_ended_within_two_seconds(
        self,
        action: str,
        run_probe: Run,
        ends: Callable[[int], bool],
    ) -> None:
        run_probe()
        began = time.monotonic()
        run = run_probe(action)
        assert time.monotonic() - began < 2
        assert run.error is not None
        assert (run.status, run.error.status, run.error.code) == ("timed_out", 504, "timed_out")
        assert run.worker_pid is not None
        assert ends(run.worker_pid)

    def test_program_started_by_a_run_ends_with_it(
        self, run_probe: Run, settings: Settings, ends: Callable[[int], bool]
    ) -> None:
        assert run_probe("spawn").status == "timed_out"
        assert ends(int((settings.home / "grandchild").read_text()))


class TestQueue:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        no_place = {"allowance_s": 1.0, "computing_workers": 0, "waiting_workers": 0}
        return settings.model_copy(update=no_place)

    def test_run_that_finds_no_place_times_out_in_the_queue(self, run_probe: Run) -> None:
        run = run_probe()
        assert run.error is not None
        assert (run.status, run.error.status) == ("timed_out", 504)
        assert run.error.code == "timed_out_in_queue"
        assert run.worker_pid is None


class TestCancel:
    def test_running_run_ends_at_once_with_its_child(
        self,
        start_probe: Run,
        running_pid: Callable[[RunRecord], int],
        workbench: Workbench,
        anna: Caller,
        ends: Callable[[int], bool],
    ) -> None:
        run = start_probe("spin_stubborn")
        pid = running_pid(run)
        assert workbench.executor.cancel(run.run_uuid)
        workbench.executor.wait(run.run_uuid, 2)
        ended = workbench.stores.runs.get(anna.user_id, run.run_uuid)
        assert ended.status == "cancelled"
        assert ends(pid)

    @pytest.mark.parametrize("by", ["cancel", "kill"])
    def test_tool_of_a_run_ends_with_its_children_and_its_folder_goes(
        self,
        by: str,
        start_probe: Run,
        running_pid: Callable[[RunRecord], int],
        workbench: Workbench,
        anna: Caller,
        ends: Callable[[int], bool],
        wait_for: Callable[..., None],
    ) -> None:
        home = workbench.settings.home
        run = start_probe("run_tool")
        pid = running_pid(run)
        wait_for(lambda: (home / "tool").exists() and (home / "tool").read_text().strip())
        folder = Path((home / "scratch").read_text())
        assert folder.is_dir()
        if by == "cancel":
            assert workbench.executor.cancel(run.run_uuid)
        else:
            os.kill(pid, signal.SIGKILL)
        workbench.executor.wait(run.run_uuid, 5)
        ended = workbench.stores.runs.get(anna.user_id, run.run_uuid)
        assert ended.status == ("cancelled" if by == "cancel" else "failed")
        assert ends(int((home / "tool").read_text()))
        assert ends(int((home / "below").read_text()))
        wait_for(lambda: not folder.exists(), 3)
        assert not folder.parent.exists()

    def test_run_that_ends_well_leaves_no_folder(self, run_probe: Run) -> None:
        run = run_probe()
        assert run.status == "completed"
        assert not list(Path(tempfile.gettempdir()).glob(f"bpw-run-*-{run.worker_pid}"))

    def test_queued_run_never_begins(
        self, start_probe: Run, workbench: Workbench, anna: Caller
    ) -> None:
        busy = [start_probe("sleep", seconds=20) for _ in range(2)]
        queued = start_probe()
        assert workbench.executor.cancel(queued.run_uuid)
        ended = workbench.stores.runs.get(anna.user_id, queued.run_uuid)
        assert (ended.status, ended.worker_pid) == ("cancelled", None)
        for run in busy:
            workbench.executor.cancel(run.run_uuid)

    def test_unknown_run_is_not_held(self, workbench: Workbench) -> None:
        assert not workbench.executor.cancel("00000000-0000-4000-8000-000000000000")


@pytest.mark.parametrize("action", ["exit", "raise", "refuse", "fill_disk"])
def test_run_that_failed_is_not_charged(
    action: str, run_probe: Run, workbench: Workbench, anna: Caller
) -> None:
    run_probe(action)
    assert used(workbench, anna) == 0


def test_run_that_completed_is_charged_once(
    run_probe: Run, workbench: Workbench, anna: Caller
) -> None:
    run_probe()
    assert used(workbench, anna) == 1


def test_cancelled_run_is_not_charged(start_probe: Run, workbench: Workbench, anna: Caller) -> None:
    run = start_probe("sleep", seconds=20)
    workbench.executor.cancel(run.run_uuid)
    workbench.executor.wait(run.run_uuid, 5)
    assert used(workbench, anna) == 0


def test_run_submitted_while_closing_is_cancelled(
    start_probe: Run, workbench: Workbench, anna: Caller
) -> None:
    workbench.executor.close(drain_s=0)
    run = start_probe()
    assert workbench.stores.runs.get(anna.user_id, run.run_uuid).status == "cancelled"


def test_closing_ends_what_runs_after_its_patience(
    start_probe: Run,
    running_pid: Callable[[RunRecord], int],
    workbench: Workbench,
    anna: Caller,
    ends: Callable[[int], bool],
) -> None:
    run = start_probe("spin")
    pid = running_pid(run)
    workbench.executor.close(drain_s=0.1)
    assert workbench.stores.runs.get(anna.user_id, run.run_uuid).status == "cancelled"
    assert ends(pid)


def test_queue_of_one_caller_costs_another_one_place(
    workbench: Workbench, anna: Caller, boris: Caller, probe: Agent
) -> None:
    def start(caller: Caller, seconds: float) -> RunRecord:
        request = probe.request.model_validate({"action": "sleep", "seconds": seconds})
        return start_run(probe, request, caller, workbench)

    hers = [start(anna, 0.5) for _ in range(16)]
    his = start(boris, 0.1)
    workbench.executor.wait(his.run_uuid, 60)
    states = [workbench.stores.runs.get(anna.user_id, run.run_uuid).status for run in hers]
    assert workbench.stores.runs.get(boris.user_id, his.run_uuid).status == "completed"
    assert states.count("completed") <= 4
    for run in hers:
        workbench.executor.cancel(run.run_uuid)
