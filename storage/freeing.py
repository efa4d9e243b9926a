"""Room given back at once: the bytes of a deleted upload, when nothing else refers to them."""

import threading
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from sqlmodel import Session, col, select

from core.errors import StorageUnavailable
from storage.blobs import BlobStore
from storage.engine import Database
from storage.instants import utc_now
from storage.locks import locked
from storage.tables import (
    IdempotencyKeyRow,
    PublishedFileRow,
    RunArtifactRow,
    RunRow,
    UploadedFileRow,
)

UPKEEP = "upkeep"
"""Locked while the instance is copied or cleared: no file may vanish meanwhile."""
GRACE = timedelta(minutes=1)
"""Bytes written since are left alone: their row may be under way."""
_COLUMNS = (
    col(UploadedFileRow.sha256),
    col(RunRow.input_sha256),
    col(RunArtifactRow.sha256),
    col(IdempotencyKeyRow.answer_sha256),
    col(PublishedFileRow.sha256),
)


class Freeing:
    """Removes blobs that lost their row; what is too fresh waits for the next occasion.

    What this process does not come to is left to the daily upkeep.
    """

    def __init__(self, database: Database, blobs: BlobStore, home: Path) -> None:
        """Begin with nothing to remove.

        Args:
            database: Rows.
            blobs: Files.
            home: Instance folder.
        """
        self._database = database
        self._blobs = blobs
        self._home = home
        self._waiting: set[str] = set()
        self._lock = threading.Lock()

    def add(self, sha256: str) -> None:
        """Remove a blob as soon as that is safe."""
        with self._lock:
            self._waiting.add(sha256)
        self.sweep()

    def sweep(self) -> None:
        """Remove what waits and may go; never waits itself."""
        if not self._waiting or not self._lock.acquire(blocking=False):
            return
        try:
            with (
                suppress(OSError, StorageUnavailable),
                locked(self._database, self._home, UPKEEP, wait=False) as is_alone,
            ):
                if is_alone:
                    self._waiting = {each for each in self._waiting if not self._is_done(each)}
        finally:
            self._lock.release()

    def _is_done(self, sha256: str) -> bool:
        """Remove a blob; return whether there is nothing left to do about it."""
        with self._database.read() as session:
            if is_referenced(session, sha256):
                return True
        gone = self._blobs.discard(sha256, utc_now() - GRACE)
        return gone or not self._blobs.holds(sha256)


def referenced_files(session: Session) -> set[str]:
    """Return the hashes of all blobs that a row refers to."""
    hashes: set[str | None] = set()
    for column in _COLUMNS:
        hashes |= set(session.exec(select(column)))
    return {sha256 for sha256 in hashes if sha256 is not None}


def is_referenced(session: Session, sha256: str) -> bool:
    """Return whether any row refers to a blob."""
    return any(
        session.exec(select(column).where(column == sha256).limit(1)).first() is not None
        for column in _COLUMNS
    )
