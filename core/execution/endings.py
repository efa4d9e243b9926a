"""Final states on their way to the store: written once, and again when the store was away."""

from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from pebble import ProcessExpired

from core.errors import AgentTimeout, StorageFull, WorkbenchError, WorkerCrashed
from core.execution.child import ChildReport
from core.execution.limits import kill_group, wait_for_end
from core.execution.scratch import clear_scratch
from core.ports import Stores
from core.records.failure import ErrorRecord
from core.records.runs import Artifact, RunRecord, RunStatus

_DYING_S = 1.0


@dataclass(frozen=True)
class _End:
    run: RunRecord
    status: RunStatus
    error: ErrorRecord | None
    artifacts: tuple[Artifact, ...]
    elapsed_s: float | None


class Endings:
    """Writes how runs ended, and keeps what could not be written for another attempt."""

    def __init__(self, stores: Stores) -> None:
        """Keep the stores of this process."""
        self._stores = stores
        self._unwritten: deque[_End] = deque()

    def settle(
        self,
        run: RunRecord,
        status: RunStatus,
        failure: WorkbenchError | None = None,
        report: ChildReport | None = None,
        elapsed_s: float | None = None,
    ) -> None:
        """Write the final state."""
        error = failure.record() if failure else report.error if report else None
        end = _End(run, status, error, report.artifacts if report else (), elapsed_s)
        structlog.get_logger("run").info(
            "run ended",
            run_id=run.run_uuid,
            agent=run.agent,
            status=status,
            code=error.code if error else None,
            elapsed_ms=None if elapsed_s is None else round(elapsed_s * 1000, 1),
        )
        try:
            self._write(end)
        except Exception as unsettled:  # noqa: BLE001 - whoever waits must be woken all the same
            log = structlog.get_logger("run")
            log.error("not settled", run_id=run.run_uuid, exc_info=unsettled)
            self._unwritten.append(end)

    def write_again(self) -> None:
        """Write the final states that could not be written, oldest first, until one fails."""
        while self._unwritten:
            try:
                self._write(self._unwritten[0])
            except Exception:  # noqa: BLE001 - it was logged; the next sweep tries again
                return
            self._unwritten.popleft()

    def _write(self, end: _End) -> None:
        status, run_uuid, at = end.status, end.run.run_uuid, datetime.now(UTC)
        finish, attempt = self._stores.runs.finish, end.run.attempt
        try:
            is_first = finish(
                run_uuid,
                status,
                at=at,
                error=end.error,
                artifacts=end.artifacts,
                attempt=attempt,
                elapsed_s=end.elapsed_s,
            )
            if status == "completed" and not is_first:  # it was canceled, or taken for dead
                log = structlog.get_logger("run")
                log.warning("an answer came too late", run_id=run_uuid, attempt=attempt)
        except StorageFull as full:
            error, elapsed_s = full.record(), end.elapsed_s
            finish(run_uuid, "failed", at=at, error=error, attempt=attempt, elapsed_s=elapsed_s)

    def end_children(self, run: RunRecord) -> None:
        """End what the child of a settled run had started."""
        try:
            settled = self._stores.runs.get(run.owner_id, run.run_uuid)
        except Exception as unread:  # noqa: BLE001 - the place in the lane outlives every failure
            log = structlog.get_logger("run")
            log.error("children not ended", run_id=run.run_uuid, exc_info=unread)
            return
        is_own = (settled.worker, settled.attempt) == (run.worker, run.attempt)
        if settled.worker_pid and is_own:
            wait_for_end(settled.worker_pid, _DYING_S)
            kill_group(settled.worker_pid)
        clear_scratch()


def over_allowance(allowance_s: float, code: str = "timed_out") -> AgentTimeout:
    """Return the error of a run that took too long, at work or in its queue."""
    waiting = " while it waited for a free worker" if code == "timed_out_in_queue" else ""
    return AgentTimeout(
        f"the run exceeded its allowance of {allowance_s:g} s{waiting}; try again, send a "
        "smaller input, or raise BPW_ALLOWANCE_S",
        code=code,
    )


def crashed(failure: ProcessExpired) -> WorkerCrashed:
    """Return the error of a run whose child died."""
    cause = f" (exit code {failure.exitcode})" if failure.exitcode is not None else ""
    return WorkerCrashed(f"the worker process ended without an answer{cause}; try the run again")
