"""Uploads: who owns which file under which name. The bytes are blobs."""

import secrets
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func
from sqlmodel import Session, col, select

from core.errors import NotFound, QuotaExceeded
from core.records.failure import ErrorDetail
from core.records.runs import Blob, UploadedFile
from core.settings import MEGABYTE
from storage.columns import record_of
from storage.engine import Database
from storage.freeing import Freeing
from storage.instants import Clock
from storage.tables import UploadedFileRow, UserRow

LONGEST_NAME = 255


class Room(NamedTuple):
    """What one caller may hold: a number of files, and megabytes of all of them."""

    files: int
    megabytes: int


def clean_name(name: str) -> str:
    """Return a client's file name as a label: no folders, no control characters.

    >>> clean_name("../../etc/passwd")
    'passwd'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(sign for sign in last if sign.isprintable()).strip()[-LONGEST_NAME:] or "file"


class UploadStore:
    """Uploads, each visible to its owner alone (core.ports.Files)."""

    def __init__(self, database: Database, freeing: Freeing, room: Room, now: Clock) -> None:
        """Keep what uploads need.

        Args:
            database: Where the rows lie.
            freeing: Removes the bytes of uploads that are deleted or refused.
            room: What one caller may hold.
            now: Tells the instant of an upload.
        """
        self._database = database
        self._freeing = freeing
        self._room = room
        self._now = now

    def check_room(self, owner_id: int) -> None:
        """Refuse an upload before it is read when the caller has no room left.

        Raises:
            QuotaExceeded: The caller holds as many or as large uploads as allowed.
        """
        self._freeing.sweep()
        with self._database.read() as session:
            _check(session, owner_id, self._room, 1)

    def add(self, owner_id: int, name: str, blob: Blob) -> UploadedFile:
        """Register an upload and return it with its new id.

        Raises:
            QuotaExceeded: It is one too many, or too large beside the caller's others.
        """
        row = UploadedFileRow(
            file_id=f"file_{secrets.token_hex(16)}",
            owner_id=owner_id,
            name=clean_name(name),
            size=blob.size,
            sha256=blob.sha256,
            created_at=self._now(),
        )
        try:
            with self._database.write() as session:
                session.get(UserRow, owner_id, with_for_update=True)  # one upload at a time
                _check(session, owner_id, self._room, blob.size)
                session.add(row)
        except QuotaExceeded:
            self._freeing.add(blob.sha256)
            raise
        return record_of(row, UploadedFile)

    def get(self, owner_id: int, file_id: str) -> UploadedFile:
        """Return the caller's own upload.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.read() as session:
            return record_of(_find(session, owner_id, file_id), UploadedFile)

    def list(self, owner_id: int) -> Sequence[UploadedFile]:
        """Return the caller's uploads, newest first."""
        query = (
            select(UploadedFileRow)
            .where(col(UploadedFileRow.owner_id) == owner_id)
            .order_by(col(UploadedFileRow.id).desc())
        )
        with self._database.read() as session:
            return [record_of(row, UploadedFile) for row in session.exec(query)]

    def delete(self, owner_id: int, file_id: str) -> None:
        """Forget the caller's own upload; its bytes go at once when nothing refers to them.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.write(essential=True) as session:
            row = _find(session, owner_id, file_id)
            session.delete(row)
        self._freeing.add(row.sha256)


def _check(session: Session, owner_id: int, room: Room, size: int) -> None:
    """Refuse bytes that the caller has no room for."""
    query = select(func.count(), func.coalesce(func.sum(col(UploadedFileRow.size)), 0))
    n_files, used_bytes = session.exec(query.where(col(UploadedFileRow.owner_id) == owner_id)).one()
    if n_files >= room.files:
        raise _no_room("files", room.files, n_files, f"{n_files} files are stored")
    if used_bytes + size > room.megabytes * MEGABYTE:
        used = round(int(used_bytes) / MEGABYTE, 1)
        raise _no_room("megabytes", room.megabytes, used, f"{used:,} MB are stored")


def _no_room(name: str, limit: int, used: float, message: str) -> QuotaExceeded:
    values = {"name": f"upload_{name}", "limit": str(limit), "used": str(used)}
    return QuotaExceeded(
        f"there is no room for this upload: {message} of at most {limit:,}; delete uploads that "
        "are no longer needed",
        details=[
            ErrorDetail(field=f"quota.{field}", code=QuotaExceeded.code, message=value)
            for field, value in values.items()
        ],
    )


def _find(session: Session, owner_id: int, file_id: str) -> UploadedFileRow:
    row = session.exec(
        select(UploadedFileRow).where(
            col(UploadedFileRow.file_id) == file_id, col(UploadedFileRow.owner_id) == owner_id
        )
    ).first()
    if row is None:
        raise NotFound("file not found; upload it first")
    return row
