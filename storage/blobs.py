"""Bytes by content, as files `blobs/ab/<sha256>` in the instance folder.

A blob is written to a temporary file, forced to the disk and renamed: under its final name it
is complete, or it is not there.
"""

import errno
import hashlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from core.errors import InvalidInput, NotFound, StorageFull
from core.records.runs import Blob
from storage.reserve import is_disk_full

_SHA256 = re.compile(r"[0-9a-f]{64}")
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_PART = 1024 * 1024
MARKER = "instance"


class BlobStore:
    """Blobs in one folder (core.ports.Blobs)."""

    def __init__(self, folder: Path) -> None:
        """Keep the folder; it is made when the first blob is.

        Args:
            folder: Where the blobs lie, usually `<instance>/blobs`.
        """
        self.folder = folder.resolve()

    def put(self, content: bytes) -> Blob:
        """Keep the bytes and return their address.

        Raises:
            StorageFull: The disk is full.
        """
        parts = (content[start : start + _PART] for start in range(0, len(content), _PART))
        return self.put_stream(parts, limit=len(content))

    def _existing(self) -> Path:
        return next(parent for parent in (self.folder, *self.folder.parents) if parent.exists())

    def put_stream(self, chunks: Iterable[bytes], *, limit: int) -> Blob:
        """Keep a stream of at most `limit` bytes; reading stops at the first byte too many.

        Raises:
            InvalidInput: `file_too_large`.
            StorageFull: The disk is full.
        """
        digest = hashlib.sha256()
        size = 0
        if is_disk_full(self._existing()):
            raise StorageFull("the disk that holds results and uploads is full; free space first")
        with draft_in(self.folder / "tmp") as draft:
            with reporting_full_disk(), draft.open("xb") as file:
                for chunk in chunks:
                    size += len(chunk)
                    if size > limit:
                        raise _too_large(limit)
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            blob = Blob(sha256=digest.hexdigest(), size=size)
            with reporting_full_disk():
                self._publish(draft, blob)
        return blob

    def take_over(self, draft: Path, blob: Blob) -> None:
        """Keep a file of the same disk whose content is known; it is there no longer.

        Raises:
            StorageFull: The disk is full.
        """
        with reporting_full_disk():
            self._publish(draft, blob)

    def _publish(self, draft: Path, blob: Blob) -> None:
        """Give the complete file its final name, unless an equal one has it already."""
        target = self._place(blob.sha256)
        with suppress(FileNotFoundError):  # gone meanwhile: the draft takes its place
            if target.stat().st_size == blob.size:
                os.utime(target)
                return
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.rename(target)
        _sync_folder(target.parent)

    def path(self, sha256: str) -> Path:
        """Return where the bytes lie.

        Raises:
            NotFound: There is no such blob.
        """
        if self.is_name(sha256):
            path = self._place(sha256)
            if path.is_file():
                return path
        raise NotFound("the stored content is not there")

    def open(self, sha256: str) -> BinaryIO:
        """Open the bytes for reading.

        Raises:
            NotFound: There is no such blob.
        """
        return self.path(sha256).open("rb")

    def holds(self, sha256: str) -> bool:
        """Return whether there is such a blob."""
        return self._place(sha256).is_file()

    def places(self) -> Iterator[Path]:
        """Yield every blob's file, in the order of the hashes."""
        for folder in sorted(self.folder.glob("[0-9a-f][0-9a-f]")):
            yield from sorted(path for path in folder.iterdir() if _SHA256.fullmatch(path.name))

    def older_than(self, instant: datetime) -> Iterator[tuple[str, int]]:
        """Yield hash and size of the blobs that nobody has written since an instant."""
        for path in self.places():
            state = path.stat()
            if state.st_mtime < instant.timestamp():
                yield path.name, state.st_size

    def discard(self, sha256: str, instant: datetime) -> bool:
        """Remove a blob unless somebody has written it anew since an instant.

        It is taken out of the way before its age is looked at: whoever writes the same bytes
        meanwhile either finds it gone and writes them again, or is seen here.

        Returns:
            Whether it was removed.
        """
        path = self._place(sha256)
        away = self.folder / "tmp" / f"{sha256}.{secrets.token_hex(4)}"
        away.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.rename(away)
        except FileNotFoundError:
            return False
        if away.stat().st_mtime >= instant.timestamp():
            away.rename(path)
            return False
        away.unlink()
        return True

    @staticmethod
    def is_name(sha256: str) -> bool:
        """Return whether a text can be the hash of a blob."""
        return _SHA256.fullmatch(sha256) is not None

    def read_marker(self) -> str:
        """Return the name of the instance whose blobs these are; "" where none was written."""
        try:
            return (self.folder / MARKER).read_text()
        except FileNotFoundError:
            return ""

    def write_marker(self, name: str) -> None:
        """Write the name of the instance whose blobs these are."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MARKER).write_text(name)

    def forget_copy(self, sha256: str) -> None:
        """Remove what this host alone has of a blob; here it is the blob itself, which stays."""

    def clear_drafts(self, instant: datetime) -> None:
        """Remove drafts that a process which died has left behind before an instant."""
        for draft in (self.folder / "tmp").glob("*"):
            with suppress(FileNotFoundError):
                if draft.stat().st_mtime < instant.timestamp():
                    draft.unlink()

    def _place(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256


def _too_large(limit: int) -> InvalidInput:
    megabytes = limit / _PART
    return InvalidInput(
        f"the file is larger than the limit of {megabytes:.4g} MB; send a smaller one",
        field="file",
        code="file_too_large",
    )


@contextmanager
def draft_in(folder: Path) -> Iterator[Path]:
    """Give the path of a temporary file and take the file away if it is still there."""
    with reporting_full_disk():
        folder.mkdir(parents=True, exist_ok=True)
    draft = folder / secrets.token_hex(16)
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def reporting_full_disk() -> Iterator[None]:
    """Turn the system's "no space left" into StorageFull."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull(
                "the disk that holds results is full; free space and try again"
            ) from error
        raise


def _sync_folder(folder: Path) -> None:
    """Force a renamed entry of a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
