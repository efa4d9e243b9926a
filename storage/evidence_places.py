"""Where a pack lies and how it changes: a SQLite file, or a PostgreSQL schema.

Readers see one whole generation. What brings little is written into the live pack within one
transaction; what brings much is written beside it, and the file is exchanged by a rename, the
schema within one transaction. Whatever ends an import before that moment leaves the old pack as
it was.
"""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Protocol

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from core.errors import StorageFull
from storage.engine import is_disk_full, is_locked
from storage.evidence_tables import NAMES, PACK, create_tables

SCHEMA = "evidence"
_FULL = "the disk that holds the evidence is full; free space and try again"
_LOCK = 0x62707765
"""Key of the lock that one import at a time holds on PostgreSQL."""
PATIENCE_MS = 2_000
"""How long a small import waits for readers before it goes the way of a large one."""
READERS_PATIENCE_MS = 60_000
"""How long a reader waits while a small import is made part of the file."""


class PackInUse(Exception):
    """Somebody reads the live pack for so long that nothing can be written into it now."""


class Place(Protocol):
    """Where the live pack is read and the next one is written."""

    def exists(self) -> bool:
        """Return whether there is a pack."""
        ...

    def read(self) -> Connection:
        """Open the live pack for reading; the caller closes it."""
        ...

    @contextmanager
    def replace(self, *, keep: bool) -> Iterator[tuple[Connection, bool]]:
        """Give a connection to the next pack and whether it already has its indexes.

        Args:
            keep: Begin with the rows of the live pack.
        """
        ...

    @contextmanager
    def amend(self) -> Iterator[Connection]:
        """Give a connection that writes into the live pack; all of it counts on leaving, or none.

        Raises:
            PackInUse: Readers do not let go of it; nothing was written.
        """
        ...


Use = Literal["carried", "fresh", "live", "amended"]
_PRAGMAS: Mapping[Use, tuple[str, ...]] = {
    "carried": ("query_only = ON", "mmap_size = 1073741824"),
    "fresh": ("journal_mode = OFF", "synchronous = OFF"),
    "live": (
        "query_only = ON",
        "mmap_size = 1073741824",
        f"busy_timeout = {READERS_PATIENCE_MS}",
    ),
    "amended": (
        "journal_mode = DELETE",
        "synchronous = FULL",
        "cache_spill = OFF",
        f"busy_timeout = {PATIENCE_MS}",
    ),
}
"""A file from elsewhere never changes while it is read. One that is written next to the live pack
is worth nothing until its rename and needs no journal. Pages of an amended pack stay in memory
until the end, so that readers wait for that moment only."""
_MODES: Mapping[Use, str] = {"carried": "ro&immutable=1", "fresh": "rwc"}


def open_file(path: Path, use: Use = "carried") -> Engine:
    """Return an engine on a pack file.

    Args:
        path: The file.
        use: What is done with it. A live pack is opened so that what an import left unfinished
            when the machine went down can be taken back by whoever comes first.
    """
    mode = _MODES.get(use, "rw")
    address = f"sqlite:///file:{path.resolve()}?mode={mode}&uri=true"
    engine = create_engine(address, poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def prepare(connection, _record) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        cursor = connection.cursor()
        for pragma in ("trusted_schema = OFF", "cache_size = -65536", *_PRAGMAS[use]):
            cursor.execute(f"PRAGMA {pragma}").fetchall()
        if use == "live":
            cursor.execute("BEGIN")  # all that is read until it is closed is of one generation
        elif use == "amended":
            cursor.execute("BEGIN IMMEDIATE")
        cursor.close()

    return engine


class FilePlace:
    """A pack in a SQLite file of the instance folder."""

    def __init__(self, path: Path) -> None:
        """Prepare; nothing is opened before the first use.

        Args:
            path: The pack file.
        """
        self.path = path

    def exists(self) -> bool:
        """Return whether there is a pack."""
        return self.path.exists()

    def read(self) -> Connection:
        """Open the live pack for reading; an open one stays whole when another takes over."""
        return open_file(self.path, "live").connect()

    @contextmanager
    def replace(self, *, keep: bool) -> Iterator[tuple[Connection, bool]]:
        """Write beside the live file, then rename."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = self.path.with_suffix(".next")
        with self._alone():
            beside.unlink(missing_ok=True)
            copied = keep and self.exists()
            try:
                if copied:
                    shutil.copyfile(self.path, beside)
                yield from self._written(beside, copied)
                self._take_over(beside)
            except OSError as failure:
                if failure.errno == errno.ENOSPC:
                    raise StorageFull(_FULL) from failure
                raise
            finally:
                beside.unlink(missing_ok=True)

    @contextmanager
    def amend(self) -> Iterator[Connection]:
        """Write into the live file; readers wait while its changed pages are written."""
        with self._alone():
            self.path.with_suffix(".next").unlink(missing_ok=True)  # of an import that was killed
            engine = open_file(self.path, "amended")
            try:
                with engine.begin() as connection:
                    yield connection
            except DBAPIError as failure:
                if is_locked(failure):
                    raise PackInUse from failure
                if is_disk_full(failure):
                    raise StorageFull(_FULL) from failure
                raise
            finally:
                engine.dispose()

    def _written(self, beside: Path, copied: bool) -> Iterator[tuple[Connection, bool]]:
        engine = open_file(beside, "fresh")
        try:
            with engine.begin() as connection:
                if not copied:
                    create_tables(connection)
                yield connection, copied
        except DBAPIError as failure:
            if is_disk_full(failure):
                raise StorageFull(_FULL) from failure
            raise
        finally:
            engine.dispose()

    def _take_over(self, beside: Path) -> None:
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.chmod(0o600)
        beside.replace(self.path)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock that one import at a time has; the others wait."""
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class SchemaPlace:
    """A pack in a schema of the instance's PostgreSQL database."""

    def __init__(self, engine: Engine) -> None:
        """Prepare; nothing is opened before the first use.

        Args:
            engine: The instance's database.
        """
        self._engine = engine

    def exists(self) -> bool:
        """Return whether there is a pack."""
        with self._engine.connect() as connection:
            return _has_schema(connection)

    def read(self) -> Connection:
        """Open the live pack for reading; all that is read belongs to one generation."""
        connection = self._engine.execution_options(isolation_level="REPEATABLE READ").connect()
        connection.execute(text(f"SET LOCAL search_path TO {SCHEMA}"))
        return connection

    @contextmanager
    def replace(self, *, keep: bool) -> Iterator[tuple[Connection, bool]]:
        """Write a second schema and rename it, all within one transaction."""
        try:
            with self._engine.begin() as connection:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
                is_kept = keep and _has_schema(connection)
                connection.execute(text(f"CREATE SCHEMA {SCHEMA}_next"))
                connection.execute(text(f"SET LOCAL search_path TO {SCHEMA}_next"))
                create_tables(connection)
                if is_kept:
                    _copy_rows(connection)
                yield connection, False
                connection.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))
                connection.execute(text(f"ALTER SCHEMA {SCHEMA}_next RENAME TO {SCHEMA}"))
        except DBAPIError as failure:
            if is_disk_full(failure):
                raise StorageFull(_FULL) from failure
            raise

    @contextmanager
    def amend(self) -> Iterator[Connection]:
        """Write into the live schema; readers keep what they see until their question is over."""
        try:
            with self._engine.begin() as connection:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
                connection.execute(text(f"SET LOCAL search_path TO {SCHEMA}"))
                yield connection
        except DBAPIError as failure:
            if is_disk_full(failure):
                raise StorageFull(_FULL) from failure
            raise


def _has_schema(connection: Connection) -> bool:
    table_name = connection.scalar(text("SELECT to_regclass(:name)"), {"name": f"{SCHEMA}.records"})
    return table_name is not None


def _copy_rows(connection: Connection) -> None:
    """Bring the rows of the live schema into the next one; numbering goes on after them."""
    connection.execute(text("DELETE FROM meta"))
    for name in [table.name for table in PACK.sorted_tables if table is not NAMES] + ["texts"]:
        connection.execute(text(f"INSERT INTO {name} SELECT * FROM {SCHEMA}.{name}"))
    continue_numbering(connection)


def continue_numbering(connection: Connection) -> None:
    """Let PostgreSQL number further rows after the ones that came with their numbers."""
    for table in PACK.sorted_tables:
        if "pk" in table.c:
            sequence = f"pg_get_serial_sequence('{table.name}', 'pk')"
            highest = f"(SELECT coalesce(max(pk), 0) + 1 FROM {table.name})"
            connection.execute(text(f"SELECT setval({sequence}, {highest}, false)"))
