"""The evaluation of watched queries in a served instance: looked for often, done in a child."""

import threading
import time

import structlog

from core.workbench import Workbench

_EVERY_S = 20.0
_MAIL_EVERY_S = 600.0
"""A mail server that is away is asked so often, and no more."""
_ALLOWANCE_S = 1800.0


class Watching:
    """Evaluates after each import, whoever made it: this process or the command line."""

    def __init__(self, workbench: Workbench, *, every_s: float = _EVERY_S) -> None:
        """Begin to look.

        Args:
            workbench: Of this process.
            every_s: Seconds from one look to the next.
        """
        self._workbench = workbench
        self._every_s = every_s
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="alerts")
        self._thread.start()

    def stop(self) -> None:
        """End it; the child of an evaluation under way ends with this process."""
        self._stopped.set()
        self._thread.join(timeout=1)

    def _work(self) -> None:
        from core.execution.watching import is_due
        from core.mail import send_due, send_notices

        log, mailed = structlog.get_logger("alerts"), -_MAIL_EVERY_S
        while not self._stopped.wait(self._every_s):
            try:
                self._workbench.stores.sharing.follow()  # older evidence would be due again
                if is_due(self._workbench.stores):
                    log.info("evaluated", **vars(self._evaluate()))
                if time.monotonic() - mailed >= _MAIL_EVERY_S:
                    mailed = time.monotonic()
                    notices = send_notices(self._workbench)
                    if sent := send_due(self._workbench) + notices:
                        log.info("mail sent", mails=sent, notices=notices)
            except Exception as failure:  # noqa: BLE001 - the next look tries again
                if not self._stopped.is_set():
                    log.error("not evaluated", exc_info=failure)

    def _evaluate(self) -> object:
        from core.execution.watching import evaluate_in_child

        bench = self._workbench
        return bench.executor.call(
            evaluate_in_child,
            bench.settings,
            bench.executor.worker,
            bench.now(),
            timeout_s=_ALLOWANCE_S,
        )
