"""Restore: a backup is copied beside the instance, checked there, and takes its place whole.

The manifest comes with the backup, so its sums say only that nothing was damaged on the way.
What the content is held against is the content itself: a blob is named by its own hash, a
database passes SQLite's integrity check and holds no view or trigger, its version is one that
this program knows. Nothing of the instance changes before all of that is known.
"""

import hashlib
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core.errors import EvidenceDamaged, InvalidInput
from core.records.runs import Blob
from core.records.upkeep import CopiedFile, Manifest
from storage import postgres_tools
from storage.backup import (
    BLOBS,
    DATABASE,
    EVIDENCE,
    EVIDENCE_FILES,
    MANIFEST,
    PACK,
    kind_of,
    write_parts,
)
from storage.blobs import BlobStore
from storage.engine import Database
from storage.evidence.guard import check_file, guard
from storage.evidence.pack_file import open_file
from storage.secret import FILE_NAME as SECRET
from storage.tables import METADATA

_STAGE = ".restored"
_BLOB = re.compile(rf"{BLOBS}/(?P<start>[0-9a-f]{{2}})/(?P<name>(?P=start)[0-9a-f]{{62}})")
_FORMER = ".stamp-identity"
"""In backups of earlier releases; it means nothing any more."""
_PART = 1 << 20


def restore(database: Database, blobs: BlobStore, home: Path, source: Path) -> Manifest:
    """Bring a backup into an instance that has no account yet, and update its schema.

    Stores that were opened before know the former secret: open them anew.

    Args:
        database: Of the new instance.
        blobs: Of the new instance.
        home: Folder of the new instance.
        source: Folder of the backup.

    Raises:
        InvalidInput: There is no whole backup, it is of PostgreSQL and the instance is of
            SQLite, or the instance is in use. Nothing was changed.
    """
    manifest = read_manifest(source)
    if (manifest.database, kind_of(database)) == ("postgresql", "sqlite"):
        raise InvalidInput(
            f"this backup is of {manifest.database}, the instance uses {kind_of(database)}"
        )
    if is_in_use(database):
        raise InvalidInput("this instance has accounts; restore into a new BPW_HOME")
    with _checked(manifest, home, source) as stage:
        _publish(manifest, stage, database, blobs, home)
    return manifest


def check(home: Path, source: Path) -> Manifest:
    """Read a backup as a restore would, up to where an instance would change.

    Args:
        home: Folder of the instance; a copy lies in it meanwhile.
        source: Folder of the backup.

    Raises:
        InvalidInput: It could not be restored.
    """
    manifest = read_manifest(source)
    with _checked(manifest, home, source):
        return manifest


def read_manifest(source: Path) -> Manifest:
    """Return what a backup says it holds.

    Raises:
        InvalidInput: There is no manifest.
    """
    try:
        return Manifest.model_validate_json((source / MANIFEST).read_bytes())
    except (OSError, ValidationError):
        raise InvalidInput(f"{source} is not a complete backup: it has no {MANIFEST}") from None


def is_in_use(database: Database) -> bool:
    """Return whether the database holds an account."""
    try:
        with database.read() as session:
            return session.execute(text('SELECT 1 FROM "user" LIMIT 1')).first() is not None
    except DBAPIError:  # there is no table yet
        return False


def _check_list(manifest: Manifest, *, needs_secret: bool) -> None:
    """Refuse a list with a file that no backup has, or without one that it needs."""
    paths = [file.path for file in manifest.files]
    needed = {DATABASE} | ({SECRET} if needs_secret else set())
    expected = {DATABASE, SECRET} | {f"{EVIDENCE}/{name}" for name in (*EVIDENCE_FILES, _FORMER)}
    if missing := sorted(needed - set(paths)):
        raise InvalidInput(f"this is not a complete backup: its list has no {missing[0]}")
    if len(set(paths)) < len(paths):
        raise InvalidInput("the list of the backup names a file twice")
    for file in manifest.files:
        blob = _BLOB.fullmatch(file.path)
        if blob is None and file.path not in expected:
            raise InvalidInput(f"the file {file.path[:200]} belongs to no backup")
        if blob is not None and blob["name"] != file.sha256:
            raise InvalidInput(f"the file {file.path} of the backup does not match its name")
    from storage import schema  # Alembic is needed at set-up and here alone

    if manifest.revision not in schema.revisions():
        raise InvalidInput(
            f"this backup has schema version {manifest.revision[:40]}, which this program does "
            "not know; restore it with the version that made it, or a later one"
        )


@contextmanager
def _checked(manifest: Manifest, home: Path, source: Path) -> Iterator[Path]:
    """Give a folder with a copy of a backup in which everything is right."""
    _check_list(manifest, needs_secret=(home / SECRET).exists())
    with _stage(home / _STAGE) as stage:
        for file in manifest.files:
            _copy_checked(file, source, stage)
        _check_databases(manifest, stage)
        yield stage


@contextmanager
def _stage(folder: Path) -> Iterator[Path]:
    """Give an empty folder on the disk of the instance, gone afterwards whatever happened."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_checked(file: CopiedFile, source: Path, stage: Path) -> None:
    """Copy a file and compare the bytes that were copied with the list."""
    digest = hashlib.sha256()
    target = stage / file.path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    broken = InvalidInput(f"the file {file.path} of the backup is missing or damaged")
    path = source / file.path
    if not path.resolve().is_relative_to(source.resolve()):
        raise broken

    def take(read: Callable[[int], bytes]) -> Iterator[bytes]:
        while chunk := read(_PART):
            digest.update(chunk)
            yield chunk

    try:
        with path.open("rb") as content:
            write_parts(target, take(content.read))
    except FileNotFoundError:
        raise broken from None
    if digest.hexdigest() != file.sha256 or target.stat().st_size != file.size:
        raise broken


def _check_databases(manifest: Manifest, stage: Path) -> None:
    """Refuse a database that is damaged, or that would do more than hold rows."""
    own_tables = {*METADATA.tables, "alembic_version"}
    if (stage / SECRET).exists() and not (stage / SECRET).read_bytes().strip():
        raise InvalidInput(f"the file {SECRET} of the backup is empty")
    if manifest.database == "sqlite":
        _check_database(stage / DATABASE)
        _check_tables(stage / DATABASE, manifest.revision, own_tables)
    else:
        postgres_tools.check_dump(stage / DATABASE, own_tables)
    for path in (stage / EVIDENCE / name for name in EVIDENCE_FILES):
        if path.name == PACK and path.exists():
            _check_pack(path)
        elif path.suffix == ".db" and path.exists():
            _check_database(path)


def _check_tables(path: Path, revision: str, own_tables: set[str]) -> None:
    """Refuse a database of another version, or with other tables than ours."""
    from storage import schema  # Alembic is needed at set-up and here alone

    with closing(_open_read_only(path)) as connection:
        names = "SELECT name FROM sqlite_master WHERE type = 'table'"
        tables = {row[0] for row in connection.execute(names)} - {"sqlite_sequence"}
        version = "SELECT version_num FROM alembic_version"
        is_ours = "alembic_version" in tables
        rows = connection.execute(version).fetchall() if is_ours else []
    if rows != [(revision,)]:
        raise InvalidInput("the database version of the backup differs from its list")
    if foreign := sorted(tables - own_tables):
        raise InvalidInput(f"the database of the backup holds {foreign[0]!r}, which is not ours")
    missing = sorted(own_tables - tables)
    if missing and (revision == max(schema.revisions()) or "user" in missing):
        raise InvalidInput(f"the database of the backup lacks the table {missing[0]!r}")


def _check_pack(path: Path) -> None:
    engine = open_file(path)
    guard(engine, path)
    try:
        with engine.connect() as carried:
            check_file(carried, path.name)
    except (DBAPIError, EvidenceDamaged) as failure:
        raise InvalidInput("the evidence pack of the backup is damaged") from failure
    finally:
        engine.dispose()


def _check_database(path: Path) -> None:
    damaged = InvalidInput(f"{path.name} of the backup is damaged")
    try:
        with closing(_open_read_only(path)) as connection:
            answer = connection.execute("PRAGMA integrity_check(1)").fetchone()
            strange = connection.execute(
                "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index') "
                "OR sql LIKE '%VIRTUAL%'"
            ).fetchone()
    except sqlite3.DatabaseError as failure:
        raise damaged from failure
    if answer != ("ok",):
        raise damaged
    if strange is not None:
        raise InvalidInput(f"{path.name} of the backup holds {strange[0]!r}, which is no table")


def _open_read_only(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF").close()
    connection.execute("PRAGMA cell_size_check = ON").close()
    return connection


def _publish(
    manifest: Manifest, stage: Path, database: Database, blobs: BlobStore, home: Path
) -> None:
    """Put the checked files into their places; the database, by which they count, comes last."""
    from storage import schema  # Alembic is needed at set-up and here alone

    copied = f"sqlite:///{(stage / DATABASE).resolve()}"
    is_file = kind_of(database) == "sqlite"
    for file in manifest.files:
        if file.path.startswith(f"{BLOBS}/"):
            blobs.take_over(stage / file.path, Blob(sha256=file.sha256, size=file.size))
    database.close()
    if manifest.database == "sqlite":
        schema.upgrade(copied)
    else:
        postgres_tools.load(database.engine.url, stage / DATABASE)
    if not is_file:
        database.upgrade()
    if not is_file and manifest.database == "sqlite":
        postgres_tools.take_over(copied, database.engine)
    for file in manifest.files:
        if file.path != DATABASE and not file.path.startswith(f"{BLOBS}/"):
            (home / file.path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            (stage / file.path).replace(home / file.path)
    if is_file:
        path = Path(str(database.engine.url.database))
        for former in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            former.unlink(missing_ok=True)
        _settle(stage / DATABASE)
        (stage / DATABASE).replace(path)


def _settle(path: Path) -> None:
    """Bring everything that the change of the schema wrote into the one file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").close()
