"""Backup: the database at one instant, every blob, the secret, and a manifest.

The database is copied first and the blobs after it: a row is written after its blob, so every
blob that the copied rows refer to is there. Then the evidence: the pack is copied by SQLite as
one whole generation whatever an import does meanwhile, the packs of names never change under
their names. Files that can be made again and kept copies of imported files are left out.
Every database is checked before and after. The manifest is written last.
"""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Literal

from sqlalchemy import text

from core.errors import EvidenceDamaged, InvalidInput
from core.records.upkeep import CopiedFile, Manifest
from core.version import product_version
from storage import postgres_tools
from storage.blobs import BlobStore
from storage.engine import Database
from storage.freeing import referenced_files
from storage.integrity import find_fault, refuse_damaged
from storage.secret import FILE_NAME as SECRET

MANIFEST = "manifest.json"
DATABASE = "database"
BLOBS = "blobs"
EVIDENCE = "evidence"
PACK = "pack.db"
EVENTS = "events.db"
EVIDENCE_FILES = (PACK, EVENTS, "identity.db", "learned.db")
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
        EvidenceDamaged: A database file of the instance, or its copy, is damaged.
    """
    refuse_damaged(home)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InvalidInput(f"{target} holds something already; name a new folder")
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    with database.read() as session:
        needed = referenced_files(session)
    files = [_copy_database(database, target / DATABASE)]
    if (home / SECRET).exists():
        files.append(_copy(home / SECRET, target / SECRET, target))
        (target / SECRET).chmod(0o600)
    for path in blobs.places():
        copied = _copy(path, target / BLOBS / path.name[:2] / path.name, target)
        if copied.sha256 != path.name:
            raise InvalidInput(f"the stored file {path.name} is damaged; restore it first")
        files.append(copied)
    if missing := sorted(needed - {file.sha256 for file in files}):
        raise InvalidInput(
            f"{len(missing)} stored files that runs or uploads refer to are missing (the first: "
            f"{missing[0]}); bring them back from an earlier backup, or delete those runs"
        )
    files += _copy_evidence(home, target)
    databases = [file for file in files if file.path.endswith(".db")]
    if kind_of(database) == "sqlite":
        databases.append(files[0])
    for file in databases:
        if fault := find_fault(target / file.path):
            raise EvidenceDamaged(f"the copy {file.path} is damaged ({fault}); back up again")
    manifest = Manifest(
        created_at=at,
        database=kind_of(database),
        release=product_version(),
        revision=_revision(database),
        files=files,
    )
    draft = target / f".{MANIFEST}"
    write_parts(draft, [manifest.model_dump_json(indent=1).encode()])
    draft.rename(target / MANIFEST)
    return manifest


def _copy_evidence(home: Path, target: Path) -> Iterator[CopiedFile]:
    for name in EVIDENCE_FILES:
        if not (home / EVIDENCE / name).exists():  # not every instance has all of them
            continue
        copy = _copy_pack if name in {PACK, EVENTS} else _copy
        yield copy(home / EVIDENCE / name, target / EVIDENCE / name, target)


def kind_of(database: Database) -> Literal["sqlite", "postgresql"]:
    """Return which database an instance uses."""
    return "sqlite" if database.engine.dialect.name == "sqlite" else "postgresql"


def _revision(database: Database) -> str:
    with database.read() as session:
        return str(session.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


def _copy_database(database: Database, target: Path) -> CopiedFile:
    if kind_of(database) == "postgresql":
        postgres_tools.dump(database.engine.url, target)
    else:
        with closing(sqlite3.connect(str(database.engine.url.database))) as source:
            copy_rows(source, target)
    return _copied(target, target.parent)


def _copy_pack(source: Path, target: Path, root: Path) -> CopiedFile:
    target.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=rw", uri=True)) as opened:
        copy_rows(opened, target)
    return _copied(target, root)


def copy_rows(source: sqlite3.Connection, target: Path) -> None:
    """Copy a SQLite database as it is at one instant into a new file."""
    with closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE").close()


def _copied(target: Path, root: Path) -> CopiedFile:
    target.chmod(0o600)
    _sync(target)
    path = target.relative_to(root).as_posix()
    return CopiedFile(path=path, size=target.stat().st_size, sha256=_hash(target))


def _copy(source: Path, target: Path, root: Path) -> CopiedFile:
    """Copy a file and return its hash, taken of the bytes that were copied."""
    digest = hashlib.sha256()
    target.parent.mkdir(parents=True, exist_ok=True)

    def read(size: int) -> bytes:
        chunk = file.read(size)
        digest.update(chunk)
        return chunk

    with source.open("rb") as file:
        write_parts(target, _parts(read))
    return CopiedFile(
        path=target.relative_to(root).as_posix(),
        size=target.stat().st_size,
        sha256=digest.hexdigest(),
    )


def _parts(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while chunk := read(_PART):
        yield chunk


def write_parts(target: Path, parts: Iterable[bytes], *, mode: int = 0o600) -> None:
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
