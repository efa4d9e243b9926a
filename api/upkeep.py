"""The daily care of a served instance: what is past its time is cleared away."""

import threading
from datetime import UTC, datetime

import structlog

from core.errors import WorkbenchError
from core.ports import Stores

_DAY_S = 24 * 60 * 60.0
_FIRST_S = 10 * 60.0


class DailyUpkeep:
    """Clears away once a day, for the first time some minutes after the start."""

    def __init__(
        self, stores: Stores, *, first_s: float = _FIRST_S, every_s: float = _DAY_S
    ) -> None:
        """Begin to wait.

        Args:
            stores: Stores of the instance.
            first_s: Seconds until the first time.
            every_s: Seconds from one time to the next.
        """
        self._stores = stores
        self._stopped = threading.Event()
        self._waits = (first_s, every_s)
        self._thread = threading.Thread(target=self._work, daemon=True, name="upkeep")
        self._thread.start()

    def stop(self) -> None:
        """End it; a clearing under way is waited for."""
        self._stopped.set()
        self._thread.join()

    def _work(self) -> None:
        log = structlog.get_logger("upkeep")
        wait_s, every_s = self._waits
        while not self._stopped.wait(wait_s):
            wait_s = every_s
            try:
                cleared = self._stores.upkeep.retain(at=datetime.now(UTC))
            except (WorkbenchError, OSError) as failure:  # tomorrow is another day
                log.error("not cleared", exc_info=failure)
            else:
                log.info("cleared", **cleared.model_dump())
