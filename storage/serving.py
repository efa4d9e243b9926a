"""Whether a server uses a database, so that no other release changes the schema below it.

On SQLite the server holds a lock on a file beside the database, on PostgreSQL a shared lock of
the database itself. Both end with the server, however it ends. On PostgreSQL a second lock names
the instance folder: results, evidence and names lie there, so that two servers with a folder each
would answer differently.
"""

import fcntl
import platform
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import text

from core.errors import StorageUnavailable
from storage.engine import make_engine, read_address

_LOCK = 0x62707722
"""Key of the lock that every server holds on PostgreSQL."""
_FOLDERS = 0x62707723
"""First key of the locks that name folders; the second one is of the folder."""
_OTHERS = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 "
    "AND classid = :family AND objid <> :folder AND database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database())"
)


@contextmanager
def serving(url: str, home: Path) -> Iterator[None]:
    """Mark a database as used by a server for the length of a block.

    Args:
        url: SQLAlchemy address of the database.
        home: The server's instance folder.

    Raises:
        StorageUnavailable: A server with another folder uses the database (PostgreSQL).
    """
    file = _lock_file(url)
    if file is None:
        engine = make_engine(url)
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock_shared(:key)"), {"key": _LOCK})
            keys = {"family": _FOLDERS, "folder": _folder_key(home)}
            take = text("SELECT pg_advisory_lock_shared(:family, :folder)")
            connection.execute(take, keys)
            has_others = bool(connection.execute(_OTHERS, keys).scalar_one())
            connection.commit()
            if not has_others:
                yield
        engine.dispose()
        if has_others:
            raise StorageUnavailable(
                "another server uses this database with an instance folder of its own; results "
                "and evidence lie in the folder, so the two would answer differently. Stop that "
                "server, or give this one a database of its own"
            )
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


def _folder_key(home: Path) -> int:
    """Return the number of a folder on this host, as PostgreSQL's locks take it."""
    return zlib.crc32(f"{platform.node()}:{home.resolve()}".encode()) & 0x7FFFFFFF


def _lock_file(url: str) -> Path | None:
    address = read_address(url)
    if address.get_backend_name() != "sqlite" or not address.database:
        return None
    return Path(address.database).resolve().with_suffix(".serving")
