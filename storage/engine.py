"""The database connection: read and write transactions, for SQLite and PostgreSQL alike.

On SQLite every writer begins with `BEGIN IMMEDIATE` and waits up to ten seconds for its turn:
a transaction that starts as a reader and writes later fails with "locked" whatever the
timeout. Readers never take the write lock (write-ahead log).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, Row, Select, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlmodel import Session

from core.errors import StorageDamaged, StorageFull, StorageUnavailable
from storage.reserve import Reserve

if TYPE_CHECKING:
    from storage.queue import RunQueue

BUSY_TIMEOUT_MS = 10_000
WRITES = "bpw_writes"
WAIT_MS = "bpw_wait_ms"
ALONE = "bpw_alone"
_SQLITE_AWAY = ("unable to open database file", "database is locked", "table is locked")
_SQLITE_FULL = ("database or disk is full", "disk quota exceeded")
_SQLITE_DAMAGED = ("malformed", "file is not a database")
_POSTGRES_DISK_FULL = "53100"
_PROBE_WAIT_MS = 2_000
_FULL = "the disk that holds the instance is full; free space and try again"


def read_address(url: str) -> URL:
    """Return the address of a database; PostgreSQL is reached by the driver psycopg.

    >>> read_address("postgresql://host/bpw").drivername
    'postgresql+psycopg'
    """
    address = make_url(url)
    if address.drivername in ("postgresql", "postgres"):
        return address.set(drivername="postgresql+psycopg")
    return address


def make_engine(url: str, *, foreign_keys: bool = True) -> Engine:
    """Return an engine whose transactions are really transactions.

    Args:
        url: SQLAlchemy address of the database.
        foreign_keys: False only while the schema is changed: SQLite rebuilds a table by
            dropping it, and the drop would delete the rows that refer to it.
    """
    address = read_address(url)
    is_sqlite = address.get_backend_name() == "sqlite"
    if is_sqlite and address.database not in (None, "", ":memory:"):
        Path(str(address.database)).parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # opening it says later what is wrong
            Path(str(address.database)).touch(mode=0o600, exist_ok=True)
        arguments: dict[str, Any] = {"timeout": BUSY_TIMEOUT_MS / 1000}
    else:
        arguments = {}
    engine = create_engine(
        address,
        connect_args=arguments,
        hide_parameters=True,  # they hold what people wrote
        pool_pre_ping=not is_sqlite,  # a file does not go away as a server does
        pool_size=5,
        max_overflow=35,
        pool_timeout=10,
    )
    event.listen(engine, "before_cursor_execute", _make_storable, retval=True)
    if is_sqlite:
        _prepare_sqlite(engine, foreign_keys)
    return engine


def _make_storable(  # noqa: PLR0913, PLR0917 - the event's own signature
    _connection: Connection,
    _cursor: object,
    statement: str,
    parameters: Any,
    _context: object,
    _many: bool,
) -> tuple[str, Any]:
    """Replace what PostgreSQL's text cannot hold: NUL, and halves of surrogate pairs.

    Callers' words reach statements as parameters only; one that holds such a sign is stored
    with a replacement character and, as an id, finds nothing.
    """
    if isinstance(parameters, list):
        return statement, [_clean(each) for each in parameters]
    return statement, _clean(parameters)


def _clean(parameters: Any) -> Any:
    if isinstance(parameters, dict):
        return {name: _clean_value(value) for name, value in parameters.items()}
    return tuple(_clean_value(value) for value in parameters)


def _clean_value(value: object) -> object:
    if not isinstance(value, str) or (value.isascii() and "\x00" not in value):
        return value
    return value.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")


def _prepare_sqlite(engine: Engine, foreign_keys: bool) -> None:
    """Set the pragmas of every connection and take over its BEGIN."""

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get(ALONE):
            return
        wait_ms = options.get(WAIT_MS)
        if wait_ms is None:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITES) else "BEGIN")
            return
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(wait_ms)}")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")


def keep_alive(connection: Connection) -> None:
    """Let PostgreSQL notice within a minute that the host of a connection is gone."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(
            "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; "
            "SET tcp_keepalives_count = 3"
        )


def is_disk_full(error: DBAPIError) -> bool:
    """Return whether the database says that its disk is full."""
    message = str(error.orig).lower()
    code = getattr(error.orig, "sqlstate", None)
    return code == _POSTGRES_DISK_FULL or any(words in message for words in _SQLITE_FULL)


def is_damaged(error: DBAPIError) -> bool:
    """Return whether SQLite says that its file is damaged."""
    message = str(error.orig)
    return isinstance(error.orig, sqlite3.Error) and any(w in message for w in _SQLITE_DAMAGED)


def is_locked(error: DBAPIError) -> bool:
    """Return whether SQLite waited in vain for others to let go of the file."""
    return isinstance(error.orig, sqlite3.Error) and "locked" in str(error.orig)


def is_unreachable(error: DBAPIError) -> bool:
    """Return whether the database cannot be reached, went away, or is locked for too long."""
    if isinstance(error.orig, sqlite3.Error):
        return any(words in str(error.orig) for words in _SQLITE_AWAY)
    return isinstance(error, OperationalError | InterfaceError)


def _in_plain_words(error: DBAPIError | NoConnection) -> Exception:
    """Return what a caller is told; an error of another kind stays as it is."""
    if isinstance(error, NoConnection):
        return StorageUnavailable("the database does not answer; try again in a moment")
    if is_disk_full(error):
        return StorageFull(_FULL)
    if is_damaged(error):
        return StorageDamaged(
            "the database file workbench.db is damaged; restore the last backup into a new "
            "instance folder with `python -m api restore FOLDER`"
        )
    if is_unreachable(error):
        return StorageUnavailable("the database does not answer; try again in a moment")
    return error


class Database:
    """The database of one process (core.ports.Engine)."""

    def __init__(self, url: str) -> None:
        """Prepare connections; none is opened before the first use.

        Args:
            url: SQLAlchemy address of the database.
        """
        self.url = url
        self.engine = make_engine(url)
        self._writer = self.engine.execution_options(**{WRITES: True})
        self._reader = self.engine
        self._alone = self.engine.execution_options(**{ALONE: True})
        self._reserve: Reserve | None = None
        if self.engine.dialect.name == "sqlite" and self.engine.url.database:
            self._reserve = Reserve(Path(self.engine.url.database).resolve().parent)
        if self.engine.dialect.name == "postgresql":
            self._reader = self.engine.execution_options(isolation_level="REPEATABLE READ")
            self._alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Give a session that sees one state of the database and takes no write lock.

        Raises:
            StorageUnavailable: The database does not answer.
        """
        try:
            with Session(self._reader, expire_on_commit=False, autoflush=False) as session:
                yield session
        except (DBAPIError, NoConnection) as error:
            raise _in_plain_words(error) from getattr(error, "orig", None)

    @contextmanager
    def rows(self) -> Iterator[Connection]:
        """Give a connection that reads plain rows of one state of the database.

        Raises:
            StorageUnavailable: The database does not answer.
        """
        try:
            with self._reader.connect() as connection:
                yield connection
        except (DBAPIError, NoConnection) as error:
            raise _in_plain_words(error) from getattr(error, "orig", None)

    def row(self, query: Select[Any], parameters: dict[str, object]) -> Row[Any] | None:
        """Return the first row of a query that needs no transaction around it.

        Raises:
            StorageUnavailable: The database does not answer.
        """
        try:
            with self._alone.connect() as connection:
                return connection.execute(query, parameters).first()
        except (DBAPIError, NoConnection) as error:
            raise _in_plain_words(error) from getattr(error, "orig", None)

    @contextmanager
    def write(self, *, wait_ms: int | None = None, essential: bool = False) -> Iterator[Session]:
        """Give a session that commits at the end of the block and rolls back on an error.

        Args:
            wait_ms: How long to wait for another writer (SQLite), where what is written is not
                worth the usual ten seconds.
            essential: Write even on a full disk, from the space set aside: signing in, deleting.

        Raises:
            StorageFull: The disk of the database is full.
            StorageUnavailable: The database does not answer, or another writer holds it.
        """
        writer = self._writer
        if wait_ms is not None:
            writer = writer.execution_options(**{WAIT_MS: wait_ms})
        if self._reserve is not None and essential:
            self._reserve.release()
        elif self._reserve is not None and self._reserve.is_disk_full():
            raise StorageFull(_FULL)
        try:
            with Session(writer, expire_on_commit=False) as session, session.begin():
                yield session
        except (DBAPIError, NoConnection) as error:
            raise _in_plain_words(error) from getattr(error, "orig", None)
        finally:
            if essential and self._reserve is not None:
                self._reserve.restore()

    @contextmanager
    def connect_alone(self) -> Iterator[Connection]:
        """Give a connection without a transaction, for locks that last longer than one.

        Raises:
            StorageUnavailable: The database does not answer.
        """
        try:
            alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")
            with alone.connect() as connection:
                connection.detach()  # closed at the end, with every lock, whatever the pool is then
                keep_alive(connection)
                yield connection
        except (DBAPIError, NoConnection) as error:
            raise _in_plain_words(error) from getattr(error, "orig", None)

    def ping(self) -> None:
        """Check that the database can be written.

        Raises:
            StorageFull: The disk of the database is full.
            StorageUnavailable: The database does not answer, or another writer holds it.
        """
        if self._reserve is not None and self._reserve.is_disk_full():
            raise StorageFull(_FULL)
        writer = self._writer.execution_options(**{WAIT_MS: _PROBE_WAIT_MS})
        try:
            with writer.begin() as connection:
                connection.exec_driver_sql(
                    "SELECT count(*) FROM sqlite_master" if self._reserve else "SELECT 1"
                )
        except (DBAPIError, NoConnection) as error:
            raise _in_plain_words(error) from getattr(error, "orig", None)

    def upgrade(self) -> None:
        """Bring the schema to the newest version.

        Raises:
            StorageDamaged: The database file is damaged.
            StorageUnavailable: A server of another version uses the instance.
        """
        from storage.schema import upgrade

        try:
            upgrade(self.url)
        except (DBAPIError, NoConnection) as error:
            raise _in_plain_words(error) from getattr(error, "orig", None)
        if self._reserve is not None:
            self._reserve.restore()

    def serving(self, kind: str) -> AbstractContextManager[None]:
        """Mark the database as used by a server for a block.

        Args:
            kind: What all servers of the database have in common.

        Raises:
            StorageUnavailable: A server of another kind uses it (PostgreSQL).
        """
        from storage.serving import serving

        return serving(self.url, kind)

    def queue(self, home: Path) -> "RunQueue":
        """Return the queue of runs (PostgreSQL).

        Args:
            home: Instance folder.
        """
        from storage.queue import RunQueue

        return RunQueue(self, home)

    def close(self) -> None:
        """Give back all connections."""
        self.engine.dispose()
