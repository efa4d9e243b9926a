"""Uploads: who owns which file under which name. The bytes are blobs."""

import secrets
from collections.abc import Sequence

from sqlmodel import Session, col, select

from core.errors import NotFound
from core.records.runs import Blob, UploadedFile
from storage.engine import Database
from storage.instants import Clock
from storage.tables import UploadedFileRow

LONGEST_NAME = 255


def clean_name(name: str) -> str:
    """Return a client's file name as a label: no folders, no control characters.

    >>> clean_name("../../etc/passwd")
    'passwd'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(sign for sign in last if sign.isprintable()).strip()[-LONGEST_NAME:] or "file"


class UploadStore:
    """Uploads, each visible to its owner alone (core.ports.Files)."""

    def __init__(self, database: Database, now: Clock) -> None:
        """Keep the database and the clock.

        Args:
            database: Where the rows lie.
            now: Tells the instant of an upload.
        """
        self._database = database
        self._now = now

    def add(self, owner_id: int, name: str, blob: Blob) -> UploadedFile:
        """Register an upload and return it with its new id."""
        row = UploadedFileRow(
            file_id=f"file_{secrets.token_hex(16)}",
            owner_id=owner_id,
            name=clean_name(name),
            size=blob.size,
            sha256=blob.sha256,
            created_at=self._now(),
        )
        with self._database.write() as session:
            session.add(row)
        return _record(row)

    def get(self, owner_id: int, file_id: str) -> UploadedFile:
        """Return the caller's own upload.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.read() as session:
            return _record(_find(session, owner_id, file_id))

    def list(self, owner_id: int) -> Sequence[UploadedFile]:
        """Return the caller's uploads, newest first."""
        wanted = (
            select(UploadedFileRow)
            .where(col(UploadedFileRow.owner_id) == owner_id)
            .order_by(col(UploadedFileRow.id).desc())
        )
        with self._database.read() as session:
            return [_record(row) for row in session.exec(wanted)]

    def delete(self, owner_id: int, file_id: str) -> None:
        """Forget the caller's own upload; its bytes go when nothing refers to them.

        Raises:
            NotFound: There is none, or it belongs to somebody else.
        """
        with self._database.write() as session:
            session.delete(_find(session, owner_id, file_id))


def _find(session: Session, owner_id: int, file_id: str) -> UploadedFileRow:
    row = session.exec(
        select(UploadedFileRow).where(
            col(UploadedFileRow.file_id) == file_id, col(UploadedFileRow.owner_id) == owner_id
        )
    ).first()
    if row is None:
        raise NotFound("there is no such file; upload it first")
    return row


def _record(row: UploadedFileRow) -> UploadedFile:
    return UploadedFile(
        file_id=row.file_id,
        owner_id=row.owner_id,
        name=row.name,
        size=row.size,
        sha256=row.sha256,
        created_at=row.created_at,
    )
