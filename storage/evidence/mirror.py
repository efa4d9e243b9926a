"""The mirror of a live source: every state of its records as sent, searchable, beside the pack.

One SQLite file a source (`evidence/mirror/<source>.db`), changed in place. A portion of records
and the cursor of the sync are written in one transaction, so that a sync that is killed goes on
where it was. Nothing is erased: a record that the source no longer lists is marked with the day.
"""

import gzip
import hashlib
import json
import os.path
import re
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

from core.errors import EvidenceDamaged, InvalidInput, StorageFull
from core.records.mirrors import MirrorCount, MirrorHit, SourceCopy, SyncCursor
from storage.locks import locked_file

_TABLES = """
CREATE TABLE IF NOT EXISTS bodies(
    digest TEXT PRIMARY KEY, body BLOB NOT NULL, base TEXT NOT NULL DEFAULT '');
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
_WINDOW = 32_768  # bytes by which zlib looks back
_FORMAT = 2
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

    def keep(self, copies: Sequence[SourceCopy], cursor: SyncCursor, file: bytes = b"") -> int:
        """Write copies, their file and the cursor at once; return how many are new or changed.

        Raises:
            StorageFull: The disk is full; the mirror stays as it was.
        """
        with self._opened() as database:
            changed = 0
            for copy in copies:
                digest = copy.mark or hashlib.sha256(copy.body).hexdigest()
                state = (copy.source_id, digest, copy.as_of)
                added = database.execute("INSERT OR IGNORE INTO states VALUES (?, ?, ?)", state)
                if added.rowcount > 0:
                    changed += 1
                    if copy.body:
                        _keep_body(database, copy.body, copy.source_id)
                cells = [getattr(copy, cell) for cell in _CELLS]
                database.execute(_UPSERT, [copy.source_id, digest, *cells])
            if file:
                _keep_body(database, file)
            self._note(database, cursor)
            return changed

    def file(self, digest: str) -> bytes:
        """Return a kept file by its digest; b"" where it is not held."""
        if not self.path.exists():
            return b""
        with self._opened() as database:
            return _read_body(database, digest)

    def due(self, limit: int) -> Sequence[tuple[SourceCopy, str]]:
        """Return current states that the pack has not been offered, each with its digest."""
        if not self.path.exists():
            return []
        query = (
            f"SELECT source_id, digest, {', '.join(_CELLS)} "  # noqa: S608 - our columns
            "FROM records WHERE digest <> promoted ORDER BY pk LIMIT ?"
        )
        with self._opened() as database:
            return [
                (SourceCopy(source_id, _read_body(database, digest), *cells), digest)
                for source_id, digest, *cells in database.execute(query, [limit]).fetchall()
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

    def numbers(self) -> Mapping[str, tuple[str, bool]]:
        """Return the identifiers of all records, with digest and whether each is withdrawn."""
        if not self.path.exists():
            return {}
        query = "SELECT source_id, digest, withdrawn_on <> '' FROM records ORDER BY source_id"
        with self._opened() as database:
            return {
                number: (digest, bool(gone)) for number, digest, gone in database.execute(query)
            }

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
        with locked_file(self.path.with_suffix(".lock"), wait=False) as is_alone:
            if not is_alone:
                raise InvalidInput(f"a sync of {self.path.stem} is already running")
            yield

    def is_syncing(self) -> bool:
        """Return whether a sync of this source is running on this machine."""
        lock_file = self.path.with_suffix(".lock")
        if not lock_file.exists():
            return False
        with locked_file(lock_file, shared=True, wait=False) as is_free:
            return not is_free

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
                (version,) = database.execute("PRAGMA user_version").fetchone()
                if version != _FORMAT:
                    self.path.chmod(0o600)
                    database.execute("PRAGMA page_size = 32768")  # of a new file
                    if version == 1:  # of a release that kept every body whole
                        database.execute("ALTER TABLE bodies ADD COLUMN base TEXT DEFAULT ''")
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


def _keep_body(database: sqlite3.Connection, body: bytes, source_id: str = "") -> None:
    """Keep a body as its difference to the record's first one, or else to the mirror's first."""
    first = database.execute("SELECT digest FROM bodies ORDER BY rowid LIMIT 1").fetchone()
    query = "SELECT digest, base FROM records JOIN bodies USING (digest) WHERE source_id = ?"
    before = database.execute(query, [source_id]).fetchone()
    base, packed = first[0] if first else "", b"" if first else gzip.compress(body, 6, mtime=0)
    if before:
        base = before[0] if before[1] in {"", base} else before[1]
    if base:
        start, middle, end = _difference(_read_body(database, base), body)
        packed = b"%d %d\n%b" % (start, end, middle)
    digest = hashlib.sha256(body).hexdigest()
    database.execute("INSERT OR IGNORE INTO bodies VALUES (?, ?, ?)", [digest, packed, base])


def _difference(base: bytes, body: bytes) -> tuple[int, bytes, int]:
    """Return how many bytes two bodies share at both ends, and what the second has between."""
    start = len(os.path.commonprefix([base, body]))
    end = len(os.path.commonprefix([base[start:][::-1], body[start:][::-1]]))
    packer = zlib.compressobj(6, zdict=base[start : len(base) - end][-_WINDOW:])
    return start, packer.compress(body[start : len(body) - end]) + packer.flush(), end


def _read_body(database: sqlite3.Connection, digest: str) -> bytes:
    """Return a kept body; b"" where it is not held."""
    query = "SELECT body, base FROM bodies WHERE digest = ?"
    packed, base = database.execute(query, [digest]).fetchone() or (gzip.compress(b""), "")
    if not base:
        return gzip.decompress(packed)
    whole = _read_body(database, base)
    ends, _, middle = packed.partition(b"\n")
    start, end = map(int, ends.split())
    unpacker = zlib.decompressobj(zdict=whole[start : len(whole) - end][-_WINDOW:])
    return whole[:start] + unpacker.decompress(middle) + whole[len(whole) - end :]
