"""The daily care of a served instance: expired data are cleared away, sources are synced."""

import secrets
import threading
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta

import structlog

from core.ports import Stores
from core.settings import Settings
from core.workbench import Workbench

_DAY_S = 24 * 60 * 60.0
_FIRST_S = 10 * 60.0
_FOLLOW_S = 5.0
GONE_AFTER = timedelta(days=3)
"""A host that did not do its daily work for so long is taken for gone."""
ELSEWHERE = "another host of the instance does it"


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
                self._stores.sharing.join()  # nothing is cleared by a store that is not mounted
                cleared = self._stores.upkeep.retain(at=datetime.now(UTC))
            except Exception as failure:  # noqa: BLE001 - tomorrow is another day
                log.error("not cleared", exc_info=failure)
            else:
                log.info("cleared", **cleared.model_dump())


class Following:
    """Brings this host to evidence that another one has published, also where nobody asks."""

    def __init__(self, workbench: Workbench, *, every_s: float = _FOLLOW_S) -> None:
        """Begin to look; nothing is shared on a single host.

        Args:
            workbench: Of this process.
            every_s: Seconds from one look to the next.
        """
        self._sharing, self._every_s = workbench.stores.sharing, every_s
        self._stopped = threading.Event()
        if workbench.settings.is_shared:
            threading.Thread(target=self._work, daemon=True, name="following").start()

    def stop(self) -> None:
        """End it."""
        self._stopped.set()

    def _work(self) -> None:
        log = structlog.get_logger("evidence")
        while not self._stopped.is_set():
            try:
                self._sharing.follow(is_strict=True)
            except Exception as failure:  # noqa: BLE001 - the next look tries again
                log.error("not followed", exc_info=failure)
            self._stopped.wait(self._every_s)


class Daily:
    """Does something at a set time of day; does nothing where none is set."""

    def __init__(self, name: str, at: str | None, work: Callable[[], object]) -> None:
        """Begin to wait for the time.

        Args:
            name: Of the work, in the log.
            at: Time of day (UTC), as 04:30; None: never.
            work: What is done; a failure is logged, and tried again the next day.
        """
        self._name, self._work = name, work
        self._stopped = threading.Event()
        if at:
            arguments = (time.fromisoformat(at),)
            threading.Thread(target=self._wait, args=arguments, daemon=True, name=name).start()

    def stop(self) -> None:
        """End the waiting; work under way ends with its child."""
        self._stopped.set()

    def _wait(self, at: time) -> None:
        log = structlog.get_logger("upkeep")
        while not self._stopped.wait(seconds_until(at, datetime.now(UTC))):
            try:
                log.info(self._name, result=self._work())
            except Exception as failure:  # noqa: BLE001 - tomorrow is another day
                log.error(f"no {self._name}", exc_info=failure)


def daily_work(workbench: Workbench) -> tuple[Daily, Daily]:
    """Return the daily sync (`BPW_SYNC_AT`) and the daily backup (`BPW_BACKUP_AT`)."""
    settings = workbench.settings

    def sync() -> str:
        from core.execution.syncing import sync_in_child

        if not takes_turn(workbench, "sync"):
            return ELSEWHERE
        sync_in_child(workbench, "daily sync")
        return "done"

    def back_up() -> object:
        if not takes_turn(workbench, "backup"):
            return ELSEWHERE
        from core.execution.backups import ALLOWANCE_S, NOT_BACKED_UP, back_up_in_child

        audit, began = workbench.stores.audit, workbench.now()
        try:
            made = workbench.executor.call(back_up_in_child, settings, began, timeout_s=ALLOWANCE_S)
        except Exception as failure:  # whatever it is, an administrator must see it
            audit.add("daily backup", NOT_BACKED_UP, "instance", str(failure))
            raise
        audit.add("daily backup", "backup", "instance", str(made))
        return made

    return (
        Daily("sync", None if settings.offline else settings.sync_at, sync),
        Daily("backup", settings.backup_at, back_up),
    )


def host_of(settings: Settings) -> str:
    """Return the name of this host, which stays with its instance folder."""
    path = settings.home / "host"
    if not path.exists():
        path.write_text(secrets.token_hex(8))
    return path.read_text().strip()


def takes_turn(workbench: Workbench, work: str) -> bool:
    """Return whether this host does a daily work of an instance that several hosts share.

    The host that did it last goes on, since what it has fetched lies in its folder. Another one
    begins when that host has not come for some days.

    Args:
        workbench: Of this process.
        work: Name of the work.
    """
    settings, states, name = workbench.settings, workbench.stores.states, f"daily {work}"
    if not settings.is_shared:
        return True
    former, now = states.read(name), workbench.now()
    host, _, day = former.rpartition(" ")
    own = host_of(settings)
    if former and host != own and datetime.fromisoformat(day) > now - GONE_AFTER:
        return False
    return states.write(name, f"{own} {now.isoformat()}", expected=former)


def seconds_until(at: time, now: datetime) -> float:
    """Return the seconds until a time of day comes next.

    >>> seconds_until(time(4, 30), datetime(2026, 11, 27, 4, 30, tzinfo=UTC))
    86400.0
    """
    following = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    if following <= now:
        following += timedelta(days=1)
    return (following - now).total_seconds()
