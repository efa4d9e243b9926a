"""What a server does right after its start, while it answers: compiling, reading files again."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import structlog

from api.suggesting import warm_index
from core.errors import WorkbenchError
from core.evidence.sources.kept_files import find_kept
from core.execution.importing import reread_kept_files
from core.execution.warming import compile_numeric_code, is_compiled
from core.workbench import Workbench

_FIRST_S = 10.0
_LONGEST_S = 6 * 3_600.0


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
        if self._stopped.wait(_FIRST_S):
            return
        self._call_here("names indexed", warm_index)
        if not is_compiled():
            self._call("numeric code compiled", compile_numeric_code)
        settings, evidence = self._workbench.settings, self._workbench.stores.evidence
        if not self._stopped.is_set() and find_kept(settings.home, evidence.info()):
            self._call("imported files read again", reread_kept_files)

    def _call_here(self, words: str, work: Callable[[Workbench], Any]) -> None:
        """Do one piece of work that takes care of its own child."""
        log = structlog.get_logger("setup")
        try:
            log.info(words, result=work(self._workbench))
        except (WorkbenchError, OSError, CancelledError) as failure:
            log.error(f"not {words}", reason=str(failure))

    def _call(self, words: str, work: Callable[..., Any]) -> None:
        """Do one piece of work in a child that gives way to answers and runs."""
        log = structlog.get_logger("setup")
        try:
            result = self._workbench.executor.call(
                work, self._workbench.settings, timeout_s=_LONGEST_S
            )
            log.info(words, result=result)
        except (WorkbenchError, OSError, CancelledError) as failure:
            log.error(f"not {words}", reason=str(failure))
