"""Whether a server uses a database, so that no other release changes the schema below it.

On SQLite the server holds a lock on a file beside the database, on PostgreSQL a shared lock of
the database itself. Both end with the server, however it ends.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import text

from storage.engine import make_engine, read_address

_LOCK = 0x62707722
"""Key of the lock that every server holds on PostgreSQL."""


@contextmanager
def serving(url: str) -> Iterator[None]:
    """Mark a database as used by a server for the length of a block.

    Args:
        url: SQLAlchemy address of the database.
    """
    file = _lock_file(url)
    if file is None:
        engine = make_engine(url)
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock_shared(:key)"), {"key": _LOCK})
            connection.commit()
            yield
        engine.dispose()
        return
    with file.open("a") as lock:
        with suppress(BlockingIOError):  # a command looks whether a server is there
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield


def is_serving(url: str) -> bool:
    """Return whether a server uses the database now."""
    file = _lock_file(url)
    if file is None:
        engine = make_engine(url)
        with engine.begin() as connection:
            query = text("SELECT pg_try_advisory_xact_lock(:key)")
            is_free = bool(connection.execute(query, {"key": _LOCK}).scalar_one())
        engine.dispose()
        return not is_free
    if not file.exists():
        return False
    with file.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _lock_file(url: str) -> Path | None:
    address = read_address(url)
    if address.get_backend_name() != "sqlite" or not address.database:
        return None
    return Path(address.database).resolve().with_suffix(".serving")
