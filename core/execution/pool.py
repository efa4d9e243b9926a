"""The local executor: lanes of killable children.

A run waits in its lane inside its own allowance; callers take turns, so that many runs of one
delay another's by one place. Then a child is forked for it and ended at the
allowance, on cancel, or when it crashes; in every case the row reaches a final state. The process
holds a lease on its runs: another one takes them over when it is gone.
"""

import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog
from pebble import ProcessExpired

from core.agent import Agent
from core.errors import RunCancelled, WorkbenchError, WorkerCrashed
from core.execution.child import ChildReport, Job, execute
from core.execution.endings import Endings, crashed, over_allowance
from core.execution.forking import (
    WaitingChild,
    call_in_child,
    ensure_fork_server,
    start_fork_server,
)
from core.execution.identity import worker_name
from core.execution.recovery import BEAT_S, keep_leases, recover
from core.execution.turns import Turns
from core.ports import Stores
from core.records.runs import Caller, RunRecord, RunStatus
from core.registry import all_agents
from core.settings import Settings


@dataclass(eq=False)
class Held:
    """A run that this process holds, from submission to its final state."""

    job: Job
    allowance_s: float
    deadline: float
    ended: threading.Event = field(default_factory=threading.Event)
    calls: list[Callable[[], None]] = field(default_factory=list)
    future: Any = None
    began: float | None = None
    """When its child was forked, by a clock that nobody sets."""
    cancelled: bool = False
    interrupted: bool = False
    """Ended because the process shuts down; whoever comes next goes on with it."""

    def elapsed_s(self) -> float | None:
        """Return for how long it has been at work; None while it waits."""
        return None if self.began is None else time.monotonic() - self.began


_SWEEP_S = 0.2


class LocalExecutor:
    """Executes runs in children of this machine."""

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        opener: str,
        takes_over: Mapping[str, Agent] | None = None,
        *,
        places: Mapping[str, int] | None = None,
        tend: Callable[[], None] | None = None,
    ) -> None:
        """Start the fork server and one dispatching thread per place in a lane.

        Call it from the thread that lives as long as the process (the lifespan): the fork server
        dies with the thread that started it.

        Args:
            settings: Sizes of the lanes, allowances, memory.
            stores: Stores of this process, to settle runs.
            opener: Import path by which a child opens its own stores.
            takes_over: Agents by name, in the process that serves the instance: it takes over
                runs whose process is gone, and leaves its own to its successor when it shuts down.
            places: Runs at once in each lane; by default as the settings say.
            tend: Done at each beat instead of taking runs over, where a queue brings them.
        """
        self.worker = worker_name()
        self.holder: str | None = self.worker
        self._tend = tend or self._recover
        self._takes_over = takes_over
        self._stores = stores
        self._settings = settings
        self._opener = opener
        self._context = start_fork_server(opener)
        self._is_warm = False
        self._lock = threading.Condition()
        self._held: dict[str, Held] = {}
        self._ahead: WaitingChild | None = None
        self._lanes = {name: Turns[Held]() for name in ("computing", "waiting")}
        self._endings = Endings(stores)
        self._closing = False
        if places is None:
            places = {"computing": settings.computing_workers, "waiting": settings.waiting_workers}
        self._has_places = bool(places)
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
        run_held = Held(job=job, allowance_s=allowance_s, deadline=math.inf)
        with self._lock:
            if self._is_warm:
                run_held.deadline = time.monotonic() + allowance_s
            self._held[run.run_uuid] = run_held
            is_late = self._closing
            if not is_late:
                self._lanes[agent.lane].add(caller.user_id, run_held)
                self._lock.notify_all()
        if is_late:
            self._interrupt(run_held)

    def cancel(self, run_uuid: str) -> bool:
        """End a run that this process holds."""
        with self._lock:
            job = self._held.get(run_uuid)
            if job is None or job.interrupted:
                return False
            job.cancelled = True
            is_queued = any(lane.remove(job) for lane in self._lanes.values())
            future = job.future
        if is_queued:
            self._settle(job, "cancelled", RunCancelled("the run was cancelled"))
        elif future is not None:
            future.cancel()
        return True

    def wait(self, run_uuid: str, timeout_s: float | None = None) -> None:
        """Block until the run has ended or the time is over."""
        with self._lock:
            job = self._held.get(run_uuid)
        if job is not None:
            job.ended.wait(timeout_s)

    def rescue(self, run: RunRecord) -> None:
        """Take over an unfinished run whose process is gone; do nothing for any other."""
        with self._lock:
            is_ours = self._closing or run.run_uuid in self._held
        if not is_ours:
            recover(self._stores, all_agents(), self.worker, self.submit, only=run.run_uuid)

    def is_left(self, run: RunRecord) -> bool:
        """Return whether an unfinished run was left to whoever serves the instance next."""
        return run.worker is None

    def on_done(self, run_uuid: str, call: Callable[[], None]) -> None:
        """Call back when the run has ended, at once if it already has."""
        with self._lock:
            job = self._held.get(run_uuid)
            if job is not None and not job.ended.is_set():
                job.calls.append(call)
                return
        call()

    def call(
        self,
        target: Callable[..., Any],
        *arguments: object,
        timeout_s: float = 60,
        memory_mb: int | None = None,
    ) -> Any:
        """Run a function in a confined child and return its value (reports are rendered so)."""
        bound = memory_mb or self._settings.memory_limit_mb
        return call_in_child(self._context, partial(target, *arguments), timeout_s, bound)

    def close(self, drain_s: float = 30) -> None:
        """Let running runs end for `drain_s` seconds, then leave the rest to a successor."""
        end = time.monotonic() + drain_s
        with self._lock:
            self._closing = True
            waiting = [job for lane in self._lanes.values() for job in lane.clear()]
            running = [job for job in self._held.values() if job not in waiting]
            ahead, self._ahead = self._ahead, None
            self._lock.notify_all()
        if ahead is not None:
            ahead.dismiss()
        for job in waiting:
            self._interrupt(job)
        for job in running:
            job.ended.wait(max(0.0, end - time.monotonic()))
        for job in running:
            if not job.ended.is_set():
                self._interrupt(job)
        for thread in self._threads:  # they may hold a connection of the store
            thread.join(2)

    def _interrupt(self, job: Held) -> None:
        """End a run because the process shuts down."""
        with self._lock:
            job.interrupted = True
            future = job.future
        if future is None:
            self._give_up(job)
        else:
            future.cancel()

    def _give_up(self, job: Held) -> None:
        """Leave an interrupted run to a successor, or end it where none is to come."""
        if self._takes_over is None or job.cancelled:
            self._settle(job, "cancelled", RunCancelled("the run was cancelled"))
            return
        try:
            self._stores.leases.release(job.job.run.run_uuid, self.worker)
        except WorkbenchError as failure:  # its lease runs out by itself
            structlog.get_logger("run").error("not released", exc_info=failure)
        finally:
            self._forget(job)

    def _warm(self) -> None:
        """Wait for the fork server's imports: no run's allowance begins before."""
        with suppress(OSError, EOFError, RuntimeError):  # the last one while the program ends
            ensure_fork_server()
            first: Any = self._context
            process = first.Process(target=os.getpid, daemon=True)
            process.start()  # returns when the fork server has forked
            process.join()
        self._fork_ahead()
        with self._lock:
            self._is_warm = True
            for job in self._held.values():
                job.deadline = time.monotonic() + job.allowance_s
            self._lock.notify_all()

    def _dispatch(self, lane: str) -> None:
        while (job := self._next(lane)) is not None:
            try:
                self._execute(job)
            except Exception as failure:  # noqa: BLE001 - a place in a lane outlives every failure
                structlog.get_logger("run").error("not executed", exc_info=failure)
                self._settle(job, "failed", WorkerCrashed("the run could not be executed"))

    def _next(self, lane: str) -> Held | None:
        """Wait for the lane's next run; None when the executor closes."""
        with self._lock:
            while not self._closing and not (self._is_warm and self._lanes[lane]):
                self._lock.wait()
            return None if self._closing else self._lanes[lane].take()

    def _execute(self, job: Held) -> None:
        left_s = job.deadline - time.monotonic()
        if left_s <= 0 or job.cancelled:
            self._settle_late(job)
            return
        if job.interrupted:
            return
        job.began = time.monotonic()
        child = self._take_child()
        with self._lock:
            job.future = child.future
            is_ended = job.cancelled or job.interrupted
        if is_ended:
            child.future.cancel()
        child.begin(partial(execute, job.job))
        self._follow(job, child, left_s)
        self._fork_ahead()

    def _take_child(self) -> WaitingChild:
        """Return the child that waits for a run, or a new one."""
        with self._lock:
            child, self._ahead = self._ahead, None
        return child if child is not None and child.is_alive else WaitingChild(self._context)

    def _fork_ahead(self) -> None:
        """Let a child wait for the next run, unless one does."""
        with self._lock:
            is_needed = self._has_places and self._ahead is None and not self._closing
        if not is_needed:
            return
        try:
            child = WaitingChild(self._context)
        except (OSError, EOFError, RuntimeError):  # the next run forks its own
            return
        with self._lock:
            if self._ahead is None and not self._closing:
                self._ahead = child
                return
        child.dismiss()

    def _follow(self, job: Held, child: WaitingChild, left_s: float) -> None:
        """Wait for a child and settle its run."""
        try:
            report: ChildReport = child.result(left_s)
        except CancelledError:
            self._give_up(job)
        except FutureTimeout:
            self._settle(job, "timed_out", over_allowance(job.allowance_s))
        except ProcessExpired as failure:
            self._settle(job, "failed", crashed(failure))
        else:
            self._settle_report(job, report)

    def _settle_late(self, job: Held) -> None:
        if job.cancelled:
            self._settle(job, "cancelled", RunCancelled("the run was cancelled"))
        else:
            self._settle(
                job, "timed_out", over_allowance(job.allowance_s, code="timed_out_in_queue")
            )

    def _settle_report(self, job: Held, report: ChildReport) -> None:
        self._settle(job, "failed" if report.error else "completed", report=report)

    def _settle(
        self,
        job: Held,
        status: RunStatus,
        failure: WorkbenchError | None = None,
        report: ChildReport | None = None,
    ) -> None:
        """Bring a run to its final state and wake those who wait."""
        try:
            self._endings.settle(job.job.run, status, failure, report, job.elapsed_s())
            if status != "completed":
                self._endings.end_children(job.job.run)
        finally:
            self._forget(job)
        if status == "completed":  # its child has nothing left to do: nobody waits for its end
            self._endings.end_children(job.job.run)

    def _forget(self, job: Held) -> None:
        with self._lock:
            self._held.pop(job.job.run.run_uuid, None)
            job.ended.set()
            calls = tuple(job.calls)
        for call in calls:
            call()

    def _sweep(self) -> None:
        """Time out runs whose allowance ends while they wait for a place; keep the leases."""
        beat_at = 0.0
        while not self._closing:
            if time.monotonic() >= beat_at:
                self._beat()
                beat_at = time.monotonic() + BEAT_S
            with self._lock:
                self._lock.wait(_SWEEP_S)
                now = time.monotonic()
                late = [h for lane in self._lanes.values() for h in lane if h.deadline <= now]
                for job in late:
                    any(lane.remove(job) for lane in self._lanes.values())
            for job in late:
                self._settle_late(job)
            self._endings.write_again()

    def _beat(self) -> None:
        """Renew the leases, end what was ended elsewhere, take over what nobody answers for."""
        with self._lock:
            runs = tuple(self._held)
            tends = self._takes_over is not None and self._is_warm
        try:
            keep_leases(self._stores, self.worker, runs, self.cancel)
            if tends:
                self._tend()
        except Exception as failure:  # noqa: BLE001 - the next beat tries again
            structlog.get_logger("run").error("leases not renewed", exc_info=failure)

    def _recover(self) -> None:
        """Take over what nobody answers for."""
        recover(self._stores, self._takes_over or {}, self.worker, self.submit)
