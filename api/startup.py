"""Opens the one Workbench of a process: for the app, the service and the command line.

This is the only module that imports `storage`, and one name of it.
"""

import os
import secrets
import string
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import TextIO

from api.finishing import Finishing
from api.memory import MemoryCare
from api.upkeep import DailyUpkeep
from api.watching import Watching
from core.errors import InvalidInput
from core.execution.child import OPENER
from core.execution.forking import end_fork_server
from core.execution.pool import LocalExecutor
from core.logs import configure_logs
from core.registry import all_agents
from core.settings import Settings, read_settings
from core.workbench import Workbench, install
from storage.stores import open_stores

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
    """
    configure_logs()
    chosen = settings or read_settings()
    stores = open_stores(chosen)
    stores.engine.upgrade()
    executor = LocalExecutor(chosen, stores, OPENER, all_agents() if owner else None)
    workbench = Workbench(
        settings=chosen,
        stores=stores,
        agents=all_agents(),
        executor=executor,
        now=_now,
        new_id=lambda: str(uuid.uuid4()),
    )
    install(workbench)
    with stores.engine.serving() if owner else nullcontext():
        threads = (
            (DailyUpkeep(stores), Watching(workbench), MemoryCare(), Finishing(workbench))
            if owner
            else ()
        )
        try:
            yield workbench
        finally:
            install(None)
            for thread in threads:
                thread.stop()
            executor.close()
            if owner:
                end_fork_server()
            stores.engine.close()


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
    nearest = next(place for place in (home, *home.parents) if place.exists())
    database = home / "workbench.db"
    for place in (nearest, *([database] if database.exists() else [])):
        if not os.access(place, os.W_OK):
            raise SystemExit(f"{place} cannot be written; the instance folder (BPW_HOME) must be")


def set_up(settings: Settings | None = None) -> tuple[str, str] | None:
    """Bring the schema up to date and create the administrator of a new instance.

    Returns:
        Name and password of the administrator when it was created now, else None. The password
        is not stored anywhere: show it once.
    """
    stores = open_stores(settings or read_settings())
    try:
        stores.engine.upgrade()
        if stores.users.list():
            return None
        password = make_password()
        try:
            stores.users.create(ADMINISTRATOR, password, "admin")
        except InvalidInput:  # another process was first
            return None
        return ADMINISTRATOR, password
    finally:
        stores.engine.close()


def set_up_aloud(settings: Settings, target: TextIO) -> None:
    """Set up, and tell name and password of an administrator that was created now.

    Args:
        settings: Settings of the instance.
        target: Where to tell them; they are shown this once.
    """
    created = set_up(settings)
    if created:
        target.write(f"administrator: {created[0]}  password: {created[1]}\n")
        target.flush()
