"""The mirror of a live source: every state of its records as sent, searchable, beside the pack.

One SQLite file a source (`evidence/mirror/<source>.db`), changed in place. A portion of records
and the cursor of the sync are written in one transaction, so that a sync that is killed goes on
where it was. Nothing is erased: a record that the source no longer lists is marked with the day.
"""

import fcntl
import gzip
import hashlib
import json
import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

from core.errors import EvidenceDamaged, InvalidInput, StorageFull
from core.records.mirrors import MirrorCount, MirrorHit, SourceCopy, SyncCursor

_TABLES = """
CREATE TABLE IF NOT EXISTS bodies(digest TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS records(
    pk INTEGER PRIMARY KEY, source_id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL,
    promoted TEXT NOT NULL DEFAULT '', changed_on TEXT NOT NULL, as_of TEXT NOT NULL,
    title TEXT NOT NULL, status TEXT NOT NULL, phase TEXT NOT NULL, drugs TEXT NOT NULL,
    diseases TEXT NOT NULL, companies TEXT NOT NULL,
    missed INTEGER NOT NULL DEFAULT 0, withdrawn_on TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS ix_due ON records(pk) WHERE digest <> promoted;
CREATE TABLE IF NOT EXISTS states(
    source_id TEXT NOT NULL, digest TEXT NOT NULL, as_of TEXT NOT NULL,
    PRIMARY KEY(source_id, digest)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    title, drugs, diseases, companies, content='records', content_rowid='pk',
    tokenize='porter unicode61');
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON records BEGIN
    INSERT INTO words(rowid, title, drugs, diseases, companies)
    VALUES (new.pk, new.title, new.drugs, new.diseases, new.companies);
END;
CREATE TRIGGER IF NOT EXISTS replaced
AFTER UPDATE OF title, drugs, diseases, companies ON records BEGIN
    INSERT INTO words(words, rowid, title, drugs, diseases, companies)
    VALUES ('delete', old.pk, old.title, old.drugs, old.diseases, old.companies);
    INSERT INTO words(rowid, title, drugs, diseases, companies)
    VALUES (new.pk, new.title, new.drugs, new.diseases, new.companies);
END;
"""
_CELLS = ("changed_on", "as_of", "title", "status", "phase", "drugs", "diseases", "companies")
_UPSERT = (
    f"INSERT INTO records(source_id, digest, {', '.join(_CELLS)}) "  # noqa: S608 - our columns
    f"VALUES (?, ?, {', '.join('?' * len(_CELLS))}) "
    "ON CONFLICT(source_id) DO UPDATE SET digest = excluded.digest, missed = 0, "
    f"withdrawn_on = '', {', '.join(f'{cell} = excluded.{cell}' for cell in _CELLS)} "
    "WHERE excluded.as_of >= records.as_of"
)
_CURSOR = "cursor"
_FORMAT = 1
_MISSED_TWICE = 2
_PATIENCE_S = 60.0


class Mirror:
    """The mirror of one source (core.evidence_ports.Mirror); no file before the first use."""

    def __init__(self, path: Path) -> None:
        """Set the path of the file."""
        self.path = path

    def cursor(self) -> SyncCursor:
        """Return how far the source has been read."""
        if not self.path.exists():
            return SyncCursor()
        with self._opened() as database:
            row = database.execute("SELECT value FROM notes WHERE name = ?", [_CURSOR]).fetchone()
        return SyncCursor(**json.loads(row[0])) if row else SyncCursor()

    def keep(self, copies: Sequence[SourceCopy], cursor: SyncCursor) -> int:
        """Write copies and the cursor at once; return how many records are new or changed.

        Raises:
            StorageFull: The disk is full; the mirror stays as it was.
        """
        with self._opened() as database:
            changed = 0
            for copy in copies:
                digest = hashlib.sha256(copy.body).hexdigest()
                state = (copy.source_id, digest, copy.as_of)
                added = database.execute("INSERT OR IGNORE INTO states VALUES (?, ?, ?)", state)
                if added.rowcount > 0:
                    changed += 1
                    packed = gzip.compress(copy.body, 6, mtime=0)
                    database.execute("INSERT OR IGNORE INTO bodies VALUES (?, ?)", [digest, packed])
                cells = [getattr(copy, cell) for cell in _CELLS]
                database.execute(_UPSERT, [copy.source_id, digest, *cells])
            self._note(database, cursor)
            return changed

    def due(self, limit: int) -> Sequence[tuple[SourceCopy, str]]:
        """Return current states that the pack has not been offered, each with its digest."""
        if not self.path.exists():
            return []
        query = (
            f"SELECT source_id, records.digest, body, {', '.join(_CELLS)} "  # noqa: S608
            "FROM records JOIN bodies ON bodies.digest = records.digest "
            "WHERE records.digest <> promoted ORDER BY pk LIMIT ?"
        )
        with self._opened() as database:
            return [
                (SourceCopy(source_id, gzip.decompress(body), *cells), digest)
                for source_id, digest, body, *cells in database.execute(query, [limit])
            ]

    def mark_promoted(self, states: Sequence[tuple[str, str]]) -> None:
        """Note that these states (identifier and digest) were offered to the pack."""
        pairs = [(digest, source_id) for source_id, digest in states]
        with self._opened() as database:
            database.executemany("UPDATE records SET promoted = ? WHERE source_id = ?", pairs)

    def forget_promotions(self) -> None:
        """Offer the pack every current state anew, as after its loss."""
        if self.path.exists():
            with self._opened() as database:
                database.execute("UPDATE records SET promoted = ''")

    def numbers(self) -> Sequence[str]:
        """Return the identifiers of all records."""
        if not self.path.exists():
            return []
        query = "SELECT source_id FROM records ORDER BY source_id"
        with self._opened() as database:
            return [source_id for (source_id,) in database.execute(query)]

    def sweep(self, missing: Collection[str], cursor: SyncCursor) -> Sequence[str]:
        """Note which records the source no longer lists; return those missing twice in a row.

        What is listed again is no longer withdrawn.
        """
        ids = sorted(missing)
        with self._opened() as database:
            database.execute("CREATE TEMP TABLE gone(source_id TEXT PRIMARY KEY)")
            database.executemany("INSERT INTO gone VALUES (?)", [(each,) for each in ids])
            among = "source_id IN (SELECT source_id FROM gone)"
            listed = f"UPDATE records SET missed = 0, withdrawn_on = '' WHERE NOT {among}"  # noqa: S608
            database.execute(listed)
            database.execute(f"UPDATE records SET missed = missed + 1 WHERE {among}")  # noqa: S608
            rows = database.execute(
                "UPDATE records SET withdrawn_on = ? WHERE missed >= ? AND withdrawn_on = '' "
                "RETURNING source_id",
                [cursor.swept_on, _MISSED_TWICE],
            ).fetchall()
            self._note(database, cursor)
        return sorted(source_id for (source_id,) in rows)

    def search(self, words: str, *, limit: int = 200) -> Sequence[MirrorHit]:
        """Return records with all of the words in title, drugs, diseases or companies."""
        terms = " ".join(f'"{word}"' for word in re.findall(r"\w+", words))
        if not terms or not self.path.exists():
            return []
        query = (
            "SELECT source_id, records.title, status, phase, changed_on FROM words "
            "JOIN records ON records.pk = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ?"
        )
        with self._opened() as database:
            return [MirrorHit(*row) for row in database.execute(query, [terms, limit])]

    def count(self) -> MirrorCount:
        """Return what the mirror holds."""
        if not self.path.exists():
            return MirrorCount(0, 0, 0)
        query = (
            "SELECT count(*), (SELECT count(*) FROM states), "
            "count(CASE WHEN withdrawn_on <> '' THEN 1 END) FROM records"
        )
        with self._opened() as database:
            return MirrorCount(*database.execute(query).fetchone())

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the one sync of this source on this machine.

        Raises:
            InvalidInput: Another sync of it is running.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.path.with_suffix(".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                message = f"a sync of {self.path.stem} is already running"
                raise InvalidInput(message) from None
            yield

    def is_syncing(self) -> bool:
        """Return whether a sync of this source is running on this machine."""
        lock_file = self.path.with_suffix(".lock")
        if not lock_file.exists():
            return False
        with lock_file.open("r") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    @staticmethod
    def _note(database: sqlite3.Connection, cursor: SyncCursor) -> None:
        value = json.dumps(asdict(cursor))
        database.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", [_CURSOR, value])

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file; what is written counts on leaving without an error, or not at all."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE_S)) as database:
                if database.execute("PRAGMA user_version").fetchone() != (_FORMAT,):
                    self.path.chmod(0o600)
                    database.execute("PRAGMA journal_mode = WAL")
                    database.executescript(f"{_TABLES} PRAGMA user_version = {_FORMAT};")
                with database:
                    yield database
        except sqlite3.DatabaseError as failure:
            code = failure.sqlite_errorcode & 0xFF
            if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
                message = "the disk that holds the mirror is full; free space and sync again"
                raise StorageFull(message) from failure
            if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
                message = (
                    f"evidence/mirror/{self.path.name} is damaged: remove the file and sync again"
                )
                raise EvidenceDamaged(message) from failure
            raise
