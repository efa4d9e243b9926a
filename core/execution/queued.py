"""Runs of an instance on several hosts: put into a queue here, executed by workers anywhere.

A run that waits has no worker; the one that takes it writes its name and renews a lease. What was
left by a worker that is gone is queued again once, by whichever process looks first.
"""

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

import structlog

from core.agent import Agent
from core.errors import WorkbenchError
from core.execution.endings import over_allowance
from core.execution.identity import is_gone
from core.execution.pool import LocalExecutor
from core.execution.recovery import LEASE_S, find_owner, finish_worn, is_worn
from core.ports import RunQueue, Stores
from core.records.runs import Caller, RunRecord
from core.settings import Settings

_LOOK_S = 0.15
_AWAY_S = 1.0


class QueuedExecutor:
    """Hands runs to workers; reports and looks are made in children of this process."""

    holder: str | None = None

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        opener: str,
        agents: Mapping[str, Agent],
        queue: RunQueue,
    ) -> None:
        """Start the fork server, and the thread that looks for ends of runs.

        Args:
            settings: Of the instance.
            stores: Of this process.
            opener: Import path by which a child opens its own stores.
            agents: By name.
            queue: Of the instance.
        """
        tend = partial(tend_queue, stores, agents, settings, queue)
        self._local = LocalExecutor(settings, stores, opener, agents, places={}, tend=tend)
        self.worker = self._local.worker
        self._stores, self._queue = stores, queue
        self._lock = threading.Condition()
        self._waiting: dict[str, list[Callable[[], None]]] = {}
        self._closing = False
        self._thread = threading.Thread(target=self._look, daemon=True, name="queue-ends")
        self._thread.start()

    def submit(self, run: RunRecord, agent: Agent, caller: Caller) -> None:
        """Put a run into the queue; where that fails, the next look at lost runs does it."""
        try:
            self._queue.put(run, agent.lane)
        except WorkbenchError as failure:
            structlog.get_logger("queue").error(
                "not queued", run_id=run.run_uuid, reason=failure.message
            )

    def cancel(self, run_uuid: str) -> bool:
        """Return False: a worker sees that its run has ended, and ends its child."""
        return False

    def wait(self, run_uuid: str, timeout_s: float | None = None) -> None:
        """Block until the run has ended or the time is over."""
        ended = threading.Event()
        self.on_done(run_uuid, ended.set)
        ended.wait(timeout_s)

    def rescue(self, run: RunRecord) -> None:
        """Do nothing: runs without a worker are looked for all the time."""

    def is_left(self, run: RunRecord) -> bool:
        """Return whether this process shuts down before the run has ended."""
        return self._closing

    def on_done(self, run_uuid: str, call: Callable[[], None]) -> None:
        """Call back when the run has ended, whoever executes it."""
        with self._lock:
            if not self._closing:
                self._waiting.setdefault(run_uuid, []).append(call)
                self._lock.notify_all()
                return
        call()

    def call(
        self,
        target: Callable[..., Any],
        *arguments: object,
        timeout_s: float = 60,
        memory_mb: int | None = None,
    ) -> Any:
        """Run a function in a confined child of this process and return its value."""
        return self._local.call(target, *arguments, timeout_s=timeout_s, memory_mb=memory_mb)

    def close(self, drain_s: float = 30) -> None:
        """Wake whoever waits; workers go on with the runs."""
        with self._lock:
            self._closing = True
            calls = [call for calls in self._waiting.values() for call in calls]
            self._waiting.clear()
            self._lock.notify_all()
        for call in calls:
            call()
        self._thread.join(2)
        self._local.close(0)
        self._queue.close()

    def _look(self) -> None:
        pause_s = _LOOK_S
        while not self._closing:
            with self._lock:
                self._lock.wait(None if not self._waiting else pause_s)
                names = tuple(self._waiting)
            try:
                ended = self._stores.runs.ended(names) if names else frozenset()
                pause_s = _LOOK_S
            except Exception as failure:  # noqa: BLE001 - whoever waits must be woken all the same
                ended, pause_s = frozenset(), _AWAY_S
                structlog.get_logger("queue").error("ends not read", reason=str(failure))
            with self._lock:
                calls = [call for name in ended for call in self._waiting.pop(name, ())]
            for call in calls:
                call()


def tend_queue(
    stores: Stores, agents: Mapping[str, Agent], settings: Settings, queue: RunQueue
) -> None:
    """Queue again, or end, what nobody answers for; any number of processes may do so at once."""
    log = structlog.get_logger("run")
    for run in stores.leases.abandoned(LEASE_S, is_gone):
        agent = agents.get(run.agent)
        if agent is not None and run.worker is None:
            _end_late(stores, run, settings.allowance_for(agent.name, agent.allowance_s))
        elif agent is None or is_worn(run) or find_owner(stores, run) is None:
            finish_worn(stores, run)
            log.warning("run ended", run_id=run.run_uuid, attempt=run.attempt)
        elif (taken := stores.leases.take_over(run, None)) is not None:
            log.warning("run queued again", run_id=run.run_uuid, attempt=taken.attempt)
            queue.put(taken, agent.lane)
    for run in queue.lost():
        queue.put(run, agents[run.agent].lane)


def _end_late(stores: Stores, run: RunRecord, allowance_s: float) -> None:
    """End a run that has waited for a worker for longer than it may take."""
    now = datetime.now(UTC)
    if (now - (run.heartbeat_at or run.created_at)).total_seconds() > allowance_s:
        error = over_allowance(allowance_s, code="timed_out_in_queue").record()
        stores.runs.finish(run.run_uuid, "timed_out", at=now, error=error, attempt=run.attempt)
