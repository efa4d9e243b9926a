"""Backup and restore: the database at one instant, every blob, the secret, and a manifest.

The database is copied first and the blobs after it: a row is written after its blob, so every
blob that the copied rows refer to is there. Then the evidence: a pack never changes under its
name, so the file that was opened is one whole generation whatever an import does meanwhile. What
the names were built from (evidence/packages) is left out. The manifest is written last.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core.errors import InvalidInput
from core.records.upkeep import CopiedFile, Manifest
from storage import postgres_tools
from storage.blobs import BlobStore
from storage.engine import Database
from storage.secret import FILE_NAME as SECRET

MANIFEST = "manifest.json"
DATABASE = "database"
BLOBS = "blobs"
EVIDENCE = "evidence"
EVIDENCE_FILES = ("pack.db", "identity.db", "learned.db", ".stamp-identity")
"""With PostgreSQL the first lies in the database and is part of its dump."""
_PART = 1 << 20


def back_up(
    database: Database, blobs: BlobStore, home: Path, target: Path, *, at: datetime
) -> Manifest:
    """Copy an instance into a new folder while it goes on working.

    Args:
        database: Rows.
        blobs: Files.
        home: The instance folder, with its secret (left out of the copy where the settings hold
            it) and its evidence.
        target: Folder to make; it must not exist or be empty.
        at: The present instant.

    Raises:
        InvalidInput: The folder holds something, or a stored file is damaged.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InvalidInput(f"{target} holds something already; name a new folder")
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = [_copy_database(database, target / DATABASE)]
    if (home / SECRET).exists():
        files.append(_copy(home / SECRET, target / SECRET, target))
        (target / SECRET).chmod(0o600)
    for place in blobs.places():
        copied = _copy(place, target / BLOBS / place.name[:2] / place.name, target)
        if copied.sha256 != place.name:
            raise InvalidInput(f"the stored file {place.name} is damaged; restore it first")
        files.append(copied)
    files += _copy_evidence(home, target)
    manifest = Manifest(
        created_at=at, database=kind_of(database), revision=_revision(database), files=files
    )
    draft = target / f".{MANIFEST}"
    _write(draft, [manifest.model_dump_json(indent=1).encode()])
    draft.rename(target / MANIFEST)
    return manifest


def _copy_evidence(home: Path, target: Path) -> Iterator[CopiedFile]:
    for name in EVIDENCE_FILES:
        with suppress(FileNotFoundError):  # not every instance has all of them
            yield _copy(home / EVIDENCE / name, target / EVIDENCE / name, target)


def restore(database: Database, blobs: BlobStore, home: Path, source: Path) -> Manifest:
    """Bring a backup into an instance that has no account yet, and update its schema.

    Stores that were opened before know the former secret: open them anew.

    Args:
        database: Of the new instance.
        blobs: Of the new instance.
        home: Folder of the new instance.
        source: Folder of the backup.

    Raises:
        InvalidInput: There is no whole backup, it is of the other kind of database, or the
            instance is in use.
    """
    manifest = read_manifest(source)
    if manifest.database != kind_of(database):
        raise InvalidInput(
            f"this backup is of {manifest.database}, the instance uses {kind_of(database)}"
        )
    if is_in_use(database):
        raise InvalidInput("this instance has accounts; restore into a new BPW_HOME")
    for file in manifest.files:
        if file.path.startswith(f"{BLOBS}/"):
            with (source / file.path).open("rb") as stored:
                blobs.put_stream(_parts(stored.read), limit=file.size)
        elif file.path == SECRET or file.path.removeprefix(f"{EVIDENCE}/") in EVIDENCE_FILES:
            _put_back(source / file.path, home / file.path)
    _restore_database(database, source / DATABASE)
    database.upgrade()
    return manifest


def _put_back(kept: Path, place: Path) -> None:
    """Bring a file to its place in the instance folder, whole or not at all."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = place.with_name(f".{place.name}.restored")
    with kept.open("rb") as stored:
        _write(draft, _parts(stored.read))
    draft.replace(place)


def read_manifest(source: Path) -> Manifest:
    """Return what a backup holds after comparing every file with it.

    Raises:
        InvalidInput: There is no manifest, or a file is missing or differs.
    """
    try:
        manifest = Manifest.model_validate_json((source / MANIFEST).read_bytes())
    except (OSError, ValidationError):
        raise InvalidInput(f"{source} is no whole backup: it has no {MANIFEST}") from None
    for file in manifest.files:
        place = (source / file.path).resolve()
        is_inside = place.is_relative_to(source.resolve())
        if not is_inside or not place.is_file() or _hash(place) != file.sha256:
            raise InvalidInput(f"the file {file.path} of the backup is missing or damaged")
    return manifest


def kind_of(database: Database) -> Literal["sqlite", "postgresql"]:
    """Return which database an instance uses."""
    return "sqlite" if database.engine.dialect.name == "sqlite" else "postgresql"


def is_in_use(database: Database) -> bool:
    """Return whether the database holds an account."""
    try:
        with database.read() as session:
            return session.execute(text('SELECT 1 FROM "user" LIMIT 1')).first() is not None
    except DBAPIError:  # there is no table yet
        return False


def _revision(database: Database) -> str:
    with database.read() as session:
        return str(session.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


def _copy_database(database: Database, target: Path) -> CopiedFile:
    if kind_of(database) == "postgresql":
        postgres_tools.dump(database.engine.url, target)
    else:
        with (
            closing(sqlite3.connect(str(database.engine.url.database))) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    target.chmod(0o600)
    _sync(target)
    return CopiedFile(path=DATABASE, size=target.stat().st_size, sha256=_hash(target))


def _restore_database(database: Database, source: Path) -> None:
    database.close()
    if kind_of(database) == "postgresql":
        postgres_tools.load(database.engine.url, source)
        return
    place = Path(str(database.engine.url.database))
    for former in (place, Path(f"{place}-wal"), Path(f"{place}-shm")):
        former.unlink(missing_ok=True)
    draft = place.with_name(f".{place.name}.restored")
    shutil.copyfile(source, draft)
    _sync(draft)
    draft.rename(place)


def _copy(source: Path, target: Path, root: Path) -> CopiedFile:
    """Copy a file and return its hash, taken of the bytes that were copied."""
    digest = hashlib.sha256()
    target.parent.mkdir(parents=True, exist_ok=True)

    def read(size: int) -> bytes:
        part = file.read(size)
        digest.update(part)
        return part

    with source.open("rb") as file:
        _write(target, _parts(read))
    return CopiedFile(
        path=target.relative_to(root).as_posix(),
        size=target.stat().st_size,
        sha256=digest.hexdigest(),
    )


def _parts(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while part := read(_PART):
        yield part


def _write(target: Path, parts: Iterable[bytes], *, mode: int = 0o600) -> None:
    """Write a file and force it to the disk."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
