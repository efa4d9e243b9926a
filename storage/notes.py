"""Short texts by key in a file of their own: what can be computed anew, kept to save the time.

Whatever goes wrong with the file (damaged, locked, full), reading finds nothing and writing keeps
nothing; no run fails for it.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

LARGEST_FILE = 500_000_000
"""Bytes; a larger file is begun anew."""
_CHUNK = 500
_WAIT_S = 1.0
_TABLE = "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value TEXT) WITHOUT ROWID"


class NoteStore:
    """The notes of one instance."""

    def __init__(self, path: Path, largest: int = LARGEST_FILE) -> None:
        """Open nothing yet.

        Args:
            path: The file; its folder is made when it is first needed.
            largest: Bytes.
        """
        self._path = path
        self._largest = largest

    def read(self, keys: Collection[bytes]) -> Mapping[bytes, str]:
        """Return what is kept of keys."""
        found: dict[bytes, str] = {}
        ordered = list(keys)
        with self._guarded():
            if not self._path.exists():
                return {}
            with self._open() as database:
                for start in range(0, len(ordered), _CHUNK):
                    some = ordered[start : start + _CHUNK]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT key, value FROM kept WHERE key IN ({marks})"  # noqa: S608
                    found.update(database.execute(query, some).fetchall())
        return found

    def write(self, values: Mapping[bytes, str]) -> None:
        """Keep texts by key."""
        with self._guarded():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._path.exists() and self._path.stat().st_size > self._largest:
                self._forget()
            with self._open() as database, database:
                database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", values.items())

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=_WAIT_S)) as database:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=NORMAL")
            database.execute(_TABLE)
            yield database

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Go on without the file; one that is no database is forgotten."""
        try:
            yield
        except sqlite3.OperationalError:  # locked, or the disk is full
            return
        except sqlite3.DatabaseError:
            with suppress(OSError):
                self._forget()
        except OSError:
            return

    def _forget(self) -> None:
        for ending in ("", "-wal", "-shm"):
            Path(f"{self._path}{ending}").unlink(missing_ok=True)
