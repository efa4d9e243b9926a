"""What a server does right after its start, while it answers: compiling, reading files again."""

import sys
import threading
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

import structlog

from core.accounts import local_administrator
from core.code_digest import code_digest
from core.errors import NotFound, WorkbenchError
from core.evidence.sources.kept_files import find_kept
from core.execution.importing import reread_kept_files
from core.records.runs import Caller
from core.runner import run_agent
from core.workbench import Workbench

_FIRST_S = 1.0
_REREAD_S = 6 * 3_600.0


class Finishing:
    """Finishes the set-up in a thread; a failure is logged and ends nothing."""

    def __init__(self, workbench: Workbench) -> None:
        """Begin soon after the start.

        Args:
            workbench: Of the serving process.
        """
        self._workbench = workbench
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="finishing")
        self._thread.start()

    def stop(self) -> None:
        """Begin nothing more; what is under way ends with the executor."""
        self._stopped.set()

    def _work(self) -> None:
        log = structlog.get_logger("setup")
        if self._stopped.wait(_FIRST_S):
            return
        try:
            compile_quietly(self._workbench, local_administrator(self._workbench.stores))
            settings, evidence = self._workbench.settings, self._workbench.stores.evidence
            if not self._stopped.is_set() and find_kept(settings.home, evidence.info()):
                call = self._workbench.executor.call
                count = call(reread_kept_files, settings, timeout_s=_REREAD_S)
                log.info("imported files read again", files=count)
        except NotFound:  # no administrator yet
            return
        except (WorkbenchError, OSError, CancelledError) as failure:
            log.error("set-up not finished", reason=str(failure))


def is_compiled() -> bool:
    """Return whether this environment has compiled the present code."""
    return _stamp().exists()


def compile_numeric_code(workbench: Workbench, caller: Caller) -> list[str]:
    """Run the first example of every computing agent and remove the runs.

    Args:
        workbench: Of this process.
        caller: Whose runs they are; the quota is given back.

    Returns:
        One line for each agent that failed; the next start tries again.
    """
    failures = []
    for agent in workbench.agents.values():
        if agent.lane != "computing" or not agent.examples:
            continue
        request = agent.request.model_validate(agent.examples[0].request)
        run = run_agent(agent, request, caller, workbench)
        if run.status != "completed":
            failures.append(f"{agent.name}: {run.error.message if run.error else run.status}")
        workbench.stores.runs.delete(caller.user_id, run.run_uuid)
        workbench.stores.quotas.refund(caller.user_id, at=workbench.now())
    if not failures:
        with suppress(OSError):  # an environment that cannot be written compiles at each start
            _stamp().touch()
    return failures


def compile_quietly(workbench: Workbench, caller: Caller) -> None:
    """Compile where that is due and note a failure in the log; nothing depends on it."""
    if is_compiled():
        return
    log = structlog.get_logger("warm")
    try:
        for line in compile_numeric_code(workbench, caller):
            log.warning("not compiled", reason=line)
    except WorkbenchError as failure:
        log.warning("not compiled", reason=failure.message)


def _stamp() -> Path:
    code = code_digest("stats", "chemistry", "agents/differential_expression")
    return Path(sys.prefix) / f".compiled-{code}"
