"""Locks that every process of an instance shares, whichever host it runs on.

On PostgreSQL they are locks of the database, on SQLite locks of files in the instance folder. Both
end with the process that has them, however it ends.
"""

import fcntl
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from storage.engine import Database

_FAMILY = 0x62707724
"""First key of these locks on PostgreSQL; the second one is of the name."""


@contextmanager
def locked(
    database: Database, home: Path, name: str, *, shared: bool = False, wait: bool = True
) -> Iterator[bool]:
    """Hold a lock for the length of a block.

    Args:
        database: Of the instance.
        home: Instance folder; the file of the lock lies there on SQLite.
        name: What is locked; on SQLite its first word alone counts.
        shared: Others may share it.
        wait: Wait for whoever has it.

    Yields:
        Whether the lock was taken; always true with `wait`.
    """
    if database.engine.dialect.name == "postgresql":
        keys = _keys(name)
        with database.connect_alone() as connection:
            is_taken = _lock(connection, keys, shared=shared, wait=wait)
            try:
                yield is_taken
            finally:
                if is_taken:
                    unlock = f"SELECT pg_advisory_unlock{'_shared' * shared}(:family, :name)"
                    with suppress(DBAPIError):  # its connection is gone, and the lock with it
                        connection.execute(text(unlock), keys)
        return
    with locked_file(home / f"{name.partition(' ')[0]}.lock", shared=shared, wait=wait) as taken:
        yield taken


@contextmanager
def locked_file(path: Path, *, shared: bool = False, wait: bool = True) -> Iterator[bool]:
    """Hold a lock that the processes of one host share; see `locked`."""
    with path.open("a") as file:
        try:
            fcntl.flock(
                file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
            )
        except BlockingIOError:
            yield False
        else:
            yield True


def is_locked(database: Database, name: str) -> bool:
    """Return whether a process has a lock that it does not share (PostgreSQL)."""
    with database.connect_alone() as connection:
        return bool(connection.execute(_TAKEN, _keys(name)).scalar_one())


_TAKEN = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 "
    "AND mode = 'ExclusiveLock' AND classid = :family AND objid = :name AND database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database())"
)


def _keys(name: str) -> dict[str, int]:
    return {"family": _FAMILY, "name": zlib.crc32(name.encode()) & 0x7FFFFFFF}


def _lock(connection: Connection, keys: dict[str, int], *, shared: bool, wait: bool) -> bool:
    call = f"pg_{'' if wait else 'try_'}advisory_lock{'_shared' * shared}"
    return connection.execute(text(f"SELECT {call}(:family, :name)"), keys).scalar() is not False
