"""Whether a server uses a database, so that no other release changes the schema below it.

On SQLite the server holds a lock on a file beside the database, on PostgreSQL a shared lock of
the database itself. Both end with the server, however it ends. On PostgreSQL a second lock names
what servers of one database must have in common: the instance folder or, where several hosts share
the instance, program, secret and store of results. Others would answer differently.
"""

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StorageUnavailable
from storage.engine import keep_alive, make_engine, read_address
from storage.locks import locked_file

_LOCK = 0x62707722
"""Key of the lock that every server holds on PostgreSQL."""
_KINDS = 0x62707723
"""First key of the locks that name what servers have in common; the second one is of that."""
RENEW_S = 15.0
_SHARED = (
    "another server with a different setup uses this database. To share it, servers with their own "
    "instance folders need BPW_RUN_ENGINE=procrastinate and the same release, BPW_BLOB_URL, "
    "BPW_SECRET_KEY and settings of live sources and models; otherwise stop one of them, or give "
    "each its own database"
)
_OTHERS = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 "
    "AND classid = :family AND objid <> :kind AND database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database())"
)


@contextmanager
def serving(url: str, kind: str) -> Iterator[None]:
    """Mark a database as used by a server for the length of a block.

    Args:
        url: SQLAlchemy address of the database.
        kind: What all servers of the database have in common; it goes into a hash.

    Raises:
        StorageUnavailable: A server of another kind uses the database (PostgreSQL).
    """
    file = _lock_file(url)
    if file is None:
        mark = _PostgresMark(url, kind)
        try:
            mark.take()
            yield
        finally:
            mark.close()
        return
    with locked_file(file, shared=True, wait=False):  # false while a command looks for a server
        yield


class _PostgresMark:
    """The locks of a server; they end with their connection, so it is looked after."""

    def __init__(self, url: str, kind: str) -> None:
        self._engine = make_engine(url)
        self._keys = {"family": _KINDS, "kind": zlib.crc32(kind.encode()) & 0x7FFFFFFF}
        self._connection: Connection | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True, name="serving")

    def take(self) -> None:
        """Take the locks. Raises StorageUnavailable where a server of another kind has them."""
        if self._lock():
            raise StorageUnavailable(_SHARED)
        self._thread.start()

    def close(self) -> None:
        """Give the locks back."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self._drop()
        self._engine.dispose()

    def _lock(self) -> bool:
        """Take the locks on a new connection; return whether a server of another kind has some."""
        self._connection = connection = self._engine.connect()
        connection.detach()  # closing it ends its locks
        keep_alive(connection)
        connection.execute(text("SELECT pg_advisory_lock_shared(:key)"), {"key": _LOCK})
        connection.execute(text("SELECT pg_advisory_lock_shared(:family, :kind)"), self._keys)
        has_others = bool(connection.execute(_OTHERS, self._keys).scalar_one())
        connection.commit()
        return has_others

    def _keep(self) -> None:
        """Take the locks again after the database went away."""
        while not self._stopped.wait(RENEW_S):
            try:
                if self._connection is not None:
                    self._connection.execute(text("SELECT 1"))
                    self._connection.commit()
                elif self._lock():
                    structlog.get_logger("storage").error(_SHARED)
            except SQLAlchemyError:
                self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError):
                connection.rollback()
            with suppress(SQLAlchemyError):
                connection.close()


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
    with locked_file(file, wait=False) as is_free:
        return not is_free


def _lock_file(url: str) -> Path | None:
    address = read_address(url)
    if address.get_backend_name() != "sqlite" or not address.database:
        return None
    return Path(address.database).resolve().with_suffix(".serving")
