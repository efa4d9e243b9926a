"""Where a pack lies and how it changes: one SQLite file of the instance folder.

Readers see one whole generation. A small import is written into the live pack within one
transaction; a large one is written next to it, and the file is exchanged by a rename. Whatever
ends an import before that moment leaves the old pack as it was.
"""

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from core.errors import StorageFull
from storage.engine import is_disk_full, is_locked
from storage.evidence.schema import create_tables
from storage.locks import locked_file

_FULL = "the disk that holds the evidence is full; free space and try again"
PATIENCE_MS = 2_000
"""How long a small import waits for readers before it is written like a large one."""
READERS_PATIENCE_MS = 60_000
"""How long a reader waits while a small import becomes part of the file."""


class PackInUse(Exception):
    """Readers do not let go of the live pack; nothing was written."""


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


class PackFile:
    """The pack of one instance; nothing is opened before the first use."""

    def __init__(self, path: Path) -> None:
        """Set the path of the file."""
        self.path = path

    def exists(self) -> bool:
        """Return whether there is a pack."""
        return self.path.exists()

    def state(self) -> tuple[int, int, int] | None:
        """Return what changes whenever the file does; None where there is no pack."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open the live pack for reading, or an empty one; it stays whole when another takes over.

        Yields:
            A connection that sees one generation.
        """
        if self.exists():
            with open_file(self.path, "live").connect() as connection:
                yield connection
            return
        engine = create_engine("sqlite://")
        with engine.connect() as connection:
            create_tables(connection)
            yield connection
        engine.dispose()

    @contextmanager
    def replace(self, *, keep: bool) -> Iterator[tuple[Connection, bool]]:
        """Write next to the live file, then rename.

        Args:
            keep: Begin with the rows of the live pack.

        Yields:
            A connection to the next pack, and whether it already has its indexes.

        Raises:
            StorageFull: The disk is full; the old pack stays.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self.path.with_suffix(".next")
        with self._alone():
            draft.unlink(missing_ok=True)
            copied = keep and self.exists()
            try:
                if copied:
                    shutil.copyfile(self.path, draft)
                yield from self._written(draft, copied)
                self._take_over(draft)
            except OSError as failure:
                if failure.errno == errno.ENOSPC:
                    raise StorageFull(_FULL) from failure
                raise
            finally:
                draft.unlink(missing_ok=True)

    @contextmanager
    def amend(self) -> Iterator[Connection]:
        """Write into the live file; all of it counts on leaving, or none.

        Raises:
            PackInUse: Readers do not let go of it.
            StorageFull: The disk is full.
        """
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

    def _written(self, draft: Path, copied: bool) -> Iterator[tuple[Connection, bool]]:
        engine = open_file(draft, "fresh")
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

    def _take_over(self, draft: Path) -> None:
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.chmod(0o600)
        draft.replace(self.path)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of the one import that may run; others wait."""
        with locked_file(self.path.with_suffix(".lock")):
            yield
