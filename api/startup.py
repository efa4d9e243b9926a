"""Opens the one Workbench of a process: for the app, the service and the command line.

This is the only module that imports `storage`, and one name of it.
"""

import os
import platform
import secrets
import string
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import Any, TextIO

import structlog

from api.memory import MemoryCare
from api.upkeep import DailyUpkeep, Following, daily_work
from api.watching import Watching
from core.code_digest import program_digest
from core.drafting.opening import model_version
from core.errors import InvalidInput, WorkbenchError
from core.evidence.sources.kept_files import find_kept
from core.execution.child import OPENER
from core.execution.forking import end_fork_server
from core.execution.importing import reread_kept_files
from core.execution.pool import LocalExecutor
from core.execution.queued import QueuedExecutor, tend_queue
from core.execution.warming import compile_numeric_code, is_compiled
from core.logs import configure_logs
from core.ports import RunQueue, Stores
from core.registry import all_agents
from core.settings import Settings, forget_model_variables, read_settings
from core.workbench import Executor, Workbench, install
from storage.stores import open_stores

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
        from api.suggesting import warm_index

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
            if not self._stopped.is_set():
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
            if not self._stopped.is_set():
                log.error(f"not {words}", reason=str(failure))


__all__ = [
    "make_password",
    "open_stores",
    "open_workbench",
    "set_up",
    "set_up_aloud",
]

ADMINISTRATOR = "admin"


def _now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def open_workbench(settings: Settings | None = None, *, owner: bool = False) -> Iterator[Workbench]:
    """Open stores and executor, install the workbench, and close both at the end.

    Args:
        settings: Settings of the instance; read from the environment when left out.
        owner: True for the process that serves the instance: it takes over the runs that
            an earlier process left unfinished.

    Raises:
        StorageUnavailable: A server that does not fit uses the database.
    """
    chosen = settings or read_settings()
    with _opened(chosen, is_server=owner) as stores:
        executor: Executor
        if owner and chosen.is_shared:
            queue = _open_queue(stores, chosen)
            executor = QueuedExecutor(chosen, stores, OPENER, all_agents(), queue)
        else:
            executor = LocalExecutor(chosen, stores, OPENER, all_agents() if owner else None)
        with _installed(chosen, stores, executor) as workbench:
            threads = _care(workbench) if owner else ()
            try:
                yield workbench
            finally:
                for thread in threads:
                    thread.stop()


@contextmanager
def open_worker(settings: Settings) -> Iterator[tuple[Workbench, RunQueue]]:
    """Open the workbench of a process that executes the runs of a queue, and the queue.

    Args:
        settings: Of an instance that several hosts share.

    Raises:
        StorageUnavailable: A server that does not fit uses the database.
    """
    with _opened(settings, is_server=True) as stores:
        queue = _open_queue(stores, settings)
        tend = partial(tend_queue, stores, all_agents(), settings, queue)
        executor = LocalExecutor(settings, stores, OPENER, all_agents(), tend=tend)
        with _installed(settings, stores, executor) as workbench:
            threads = (Following(workbench), MemoryCare(), DailyUpkeep(stores))
            try:
                yield workbench, queue
            finally:
                for thread in threads:
                    thread.stop()
                queue.close()


def _open_queue(stores: Stores, settings: Settings) -> RunQueue:
    queue = stores.engine.queue(settings.home)
    queue.prepare()
    return queue


@contextmanager
def _opened(settings: Settings, *, is_server: bool) -> Iterator[Stores]:
    """Open the stores with the newest schema; mark the database as used by a server."""
    configure_logs()
    forget_model_variables()
    stores = open_stores(settings)
    try:
        stores.engine.upgrade()
        if is_server:
            stores.sharing.join()
        with stores.engine.serving(_kind_of(settings)) if is_server else nullcontext():
            yield stores
    finally:
        if is_server:
            end_fork_server()
        stores.engine.close()


def _kind_of(settings: Settings) -> str:
    """Return what all servers of one database must have in common."""
    if not settings.is_shared:
        return f"{platform.node()}:{settings.home.resolve()}"
    answering = (settings.offline, settings.live_sources, model_version(settings))
    common = (program_digest(), settings.blob_url, settings.secret_key, *answering)
    return " ".join(map(str, common))


@contextmanager
def _installed(settings: Settings, stores: Stores, executor: Executor) -> Iterator[Workbench]:
    """Install the workbench of this process, and close its executor at the end."""
    workbench = Workbench(
        settings=settings,
        stores=stores,
        agents=all_agents(),
        executor=executor,
        now=_now,
        new_id=lambda: str(uuid.uuid4()),
    )
    install(workbench)
    try:
        yield workbench
    finally:
        install(None)
        executor.close()


def _care(workbench: Workbench) -> tuple[Any, ...]:
    """Begin what a server does by itself."""
    return (
        *(DailyUpkeep(workbench.stores), *daily_work(workbench), Watching(workbench)),
        *(MemoryCare(), Finishing(workbench), Following(workbench)),
    )


FIRST_PASSWORD = "This password works for 7 days. Change it on the Account page before then.\n"
"""What is said about a generated password."""


def make_password() -> str:
    """Return a random password of 20 letters and digits."""
    alphabet = string.ascii_letters + string.digits
    return "".join(secrets.choice(alphabet) for _ in range(20))


def refuse_unwritable(settings: Settings) -> None:
    """End the program with one line when the instance cannot be written.

    Raises:
        SystemExit: The instance folder, or its database, is read-only for this account.
    """
    home = settings.home.resolve()
    nearest = next(parent for parent in (home, *home.parents) if parent.exists())
    database = home / "workbench.db"
    for path in (nearest, *([database] if database.exists() else [])):
        if not os.access(path, os.W_OK):
            raise SystemExit(f"{path} cannot be written; the instance folder (BPW_HOME) must be")


def refuse_misfit(settings: Settings) -> None:
    """End the program with one line when a server with other settings uses the database.

    Raises:
        SystemExit: It does, or the database or the store of results is not there.
    """
    if settings.database.startswith("sqlite"):
        return
    try:
        with _opened(settings, is_server=True):
            pass
    except WorkbenchError as failure:
        raise SystemExit(failure.message) from None


def set_up(settings: Settings | None = None) -> tuple[str, str] | None:
    """Bring the schema up to date and create the administrator of a new instance.

    Returns:
        Name and password of the administrator when it was created now, else None. The password
        is not stored anywhere: show it once.

    Raises:
        StorageUnavailable: The database or the store of results is not there.
    """
    stores = open_stores(settings or read_settings())
    try:
        stores.engine.upgrade()
        if stores.users.list():
            return None
        stores.sharing.join()
        password = make_password()
        try:
            stores.users.create(ADMINISTRATOR, password, "admin", is_generated=True)
        except InvalidInput:  # another process was first
            return None
        return ADMINISTRATOR, password
    finally:
        stores.engine.close()


def set_up_aloud(settings: Settings, target: TextIO) -> bool:
    """Set up, and tell name and password of an administrator; return whether one was created.

    Args:
        settings: Settings of the instance.
        target: Where to tell them; they are shown this once.
    """
    created = set_up(settings)
    if created:
        target.write(f"administrator: {created[0]}  password: {created[1]}\n")
        target.flush()
    return created is not None
