"""The local executor: lanes of killable children.

A run waits in its lane inside its own allowance. Then a child is forked for it and ended at the
allowance, on cancel, or when it crashes; in every case the row reaches a final state.
"""

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog
from pebble import ProcessExpired

from core.agent import Agent
from core.errors import AgentTimeout, RunCancelled, WorkbenchError, WorkerCrashed
from core.execution.child import ChildReport, Job, execute
from core.execution.endings import Endings
from core.execution.forking import fork, start_fork_server
from core.ports import Stores
from core.records.runs import Caller, RunRecord, RunStatus
from core.settings import Settings

_SWEEP_S = 0.2
_WARM_S = 120.0


@dataclass(eq=False)
class _Held:
    """A run that this process holds, from submission to its final state."""

    job: Job
    allowance_s: float
    deadline: float
    ended: threading.Event = field(default_factory=threading.Event)
    calls: list[Callable[[], None]] = field(default_factory=list)
    future: Any = None
    cancelled: bool = False


class LocalExecutor:
    """Executes runs in children of this machine."""

    def __init__(self, settings: Settings, stores: Stores, opener: str) -> None:
        """Start the fork server and one dispatching thread per place in a lane.

        Call it from the thread that lives as long as the process (the lifespan): the fork server
        dies with the thread that started it.

        Args:
            settings: Sizes of the lanes, allowances, memory.
            stores: Stores of this process, to settle runs.
            opener: Import path by which a child opens its own stores.
        """
        self._settings = settings
        self._opener = opener
        self._context = start_fork_server(opener)
        self._is_warm = False
        self._lock = threading.Condition()
        self._held: dict[str, _Held] = {}
        self._lanes: dict[str, deque[_Held]] = {"computing": deque(), "waiting": deque()}
        self._endings = Endings(stores)
        self._closing = False
        places = {"computing": settings.computing_workers, "waiting": settings.waiting_workers}
        self._threads = [
            threading.Thread(target=self._dispatch, args=(lane,), daemon=True, name=f"lane-{lane}")
            for lane, count in places.items()
            for _ in range(count)
        ]
        self._threads.append(threading.Thread(target=self._sweep, daemon=True, name="lane-sweep"))
        self._threads.append(threading.Thread(target=self._warm, daemon=True, name="lane-warm"))
        for thread in self._threads:
            thread.start()

    def submit(self, run: RunRecord, agent: Agent, caller: Caller) -> None:
        """Queue a run in its agent's lane."""
        allowance_s = self._settings.allowance_for(agent.name, agent.allowance_s)
        job = Job(run=run, caller=caller, opener=self._opener, settings=self._settings)
        held = _Held(job=job, allowance_s=allowance_s, deadline=math.inf)
        with self._lock:
            if self._is_warm:
                held.deadline = time.monotonic() + allowance_s
            self._held[run.run_uuid] = held
            is_late = self._closing
            if not is_late:
                self._lanes[agent.lane].append(held)
                self._lock.notify_all()
        if is_late:
            self._settle(held, "cancelled", RunCancelled("the instance was shut down"))

    def cancel(self, run_uuid: str) -> bool:
        """End a run that this process holds."""
        with self._lock:
            held = self._held.get(run_uuid)
            if held is None:
                return False
            held.cancelled = True
            is_queued = self._take_out(held)
            future = held.future
        if is_queued:
            self._settle(held, "cancelled", RunCancelled("the run was cancelled"))
        elif future is not None:
            future.cancel()
        return True

    def wait(self, run_uuid: str, timeout_s: float | None = None) -> None:
        """Block until the run has ended or the time is over."""
        with self._lock:
            held = self._held.get(run_uuid)
        if held is not None:
            held.ended.wait(timeout_s)

    def on_done(self, run_uuid: str, call: Callable[[], None]) -> None:
        """Call back when the run has ended, at once if it already has."""
        with self._lock:
            held = self._held.get(run_uuid)
            if held is not None and not held.ended.is_set():
                held.calls.append(call)
                return
        call()

    def call(self, target: Callable[..., Any], *arguments: object, timeout_s: float = 60) -> Any:
        """Run a function in a child and return its value (reports are rendered this way).

        Raises:
            AgentTimeout: It took longer than `timeout_s`.
            WorkerCrashed: The child died.
        """
        future = fork(self._context, partial(target, *arguments), timeout_s)
        try:
            return future.result()
        except FutureTimeout:
            raise AgentTimeout(f"not finished within {timeout_s:g} s") from None
        except ProcessExpired:
            raise WorkerCrashed("the process that was to answer ended without an answer") from None

    def close(self, drain_s: float = 30) -> None:
        """Let running runs end for `drain_s` seconds, then end the rest."""
        end = time.monotonic() + drain_s
        with self._lock:
            self._closing = True
            waiting = [held for lane in self._lanes.values() for held in lane]
            for lane in self._lanes.values():
                lane.clear()
            running = [held for held in self._held.values() if held not in waiting]
            self._lock.notify_all()
        for held in waiting:
            self._settle(held, "cancelled", RunCancelled("the instance was shut down"))
        for held in running:
            held.ended.wait(max(0.0, end - time.monotonic()))
        for held in running:
            if not held.ended.is_set():
                self.cancel(held.job.run.run_uuid)
        for held in running:
            held.ended.wait(2)

    def _take_out(self, held: _Held) -> bool:
        for lane in self._lanes.values():
            if held in lane:
                lane.remove(held)
                return True
        return False

    def _warm(self) -> None:
        """Wait for the fork server's imports: no run's allowance begins before."""
        with suppress(OSError, EOFError, ProcessExpired, FutureTimeout):
            fork(self._context, os.getpid, _WARM_S).result()
        with self._lock:
            self._is_warm = True
            for held in self._held.values():
                held.deadline = time.monotonic() + held.allowance_s
            self._lock.notify_all()

    def _dispatch(self, lane: str) -> None:
        while (held := self._next(lane)) is not None:
            try:
                self._execute(held)
            except Exception as failure:  # noqa: BLE001 - a place in a lane outlives every failure
                structlog.get_logger("run").error("not executed", exc_info=failure)
                self._settle(held, "failed", WorkerCrashed("the run could not be executed"))

    def _next(self, lane: str) -> _Held | None:
        """Wait for the lane's next run; None when the executor closes."""
        with self._lock:
            while not self._closing and not (self._is_warm and self._lanes[lane]):
                self._lock.wait()
            return None if self._closing else self._lanes[lane].popleft()

    def _execute(self, held: _Held) -> None:
        left_s = held.deadline - time.monotonic()
        if left_s <= 0 or held.cancelled:
            self._settle_late(held)
            return
        future = fork(self._context, partial(execute, held.job), left_s)
        with self._lock:
            held.future = future
            is_cancelled = held.cancelled
        if is_cancelled:
            future.cancel()
        self._follow(held, future)

    def _follow(self, held: _Held, future: Any) -> None:
        """Wait for a child and settle its run."""
        try:
            report: ChildReport = future.result()
        except CancelledError:
            self._settle(held, "cancelled", RunCancelled("the run was cancelled"))
        except FutureTimeout:
            self._settle(held, "timed_out", _over_allowance(held))
        except ProcessExpired as failure:
            self._settle(held, "failed", _crashed(failure))
        else:
            self._settle_report(held, report)

    def _settle_late(self, held: _Held) -> None:
        if held.cancelled:
            self._settle(held, "cancelled", RunCancelled("the run was cancelled"))
        else:
            self._settle(held, "timed_out", _over_allowance(held, code="timed_out_in_queue"))

    def _settle_report(self, held: _Held, report: ChildReport) -> None:
        if report.error is None:
            self._settle(held, "completed", report=report)
        else:
            self._settle(held, "failed", report=report)

    def _settle(
        self,
        held: _Held,
        status: RunStatus,
        failure: WorkbenchError | None = None,
        report: ChildReport | None = None,
    ) -> None:
        """Bring a run to its final state and wake those who wait."""
        try:
            self._endings.settle(held.job.run, status, failure, report)
        finally:
            self._forget(held)

    def _forget(self, held: _Held) -> None:
        with self._lock:
            self._held.pop(held.job.run.run_uuid, None)
            held.ended.set()
            calls = tuple(held.calls)
        for call in calls:
            call()

    def _sweep(self) -> None:
        """Time out runs whose allowance ends while they still wait for a place."""
        while not self._closing:
            time.sleep(_SWEEP_S)
            now = time.monotonic()
            with self._lock:
                late = [h for lane in self._lanes.values() for h in lane if h.deadline <= now]
                for held in late:
                    self._take_out(held)
            for held in late:
                self._settle_late(held)
            self._endings.write_again()


def _over_allowance(held: _Held, code: str = "timed_out") -> AgentTimeout:
    waiting = " while it waited for a free worker" if code == "timed_out_in_queue" else ""
    return AgentTimeout(
        f"the run exceeded its allowance of {held.allowance_s:g} s{waiting}; try again, send a "
        "smaller input, or raise BPW_ALLOWANCE_S",
        code=code,
    )


def _crashed(failure: ProcessExpired) -> WorkerCrashed:
    cause = f" (exit code {failure.exitcode})" if failure.exitcode is not None else ""
    return WorkerCrashed(f"the worker process ended without an answer{cause}; try the run again")
