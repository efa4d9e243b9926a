"""A document with its attachments, as a folder, a zip or a tar: read into memory, never unpacked.

What comes from outside may be made to harm: counts, sizes and names are bounded, links and
devices are left out, and nothing is written anywhere.
"""

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from core.errors import UnreadableTable
from core.tables.bounds import ZipBounds, check_zip, open_bounded

MOST_MEMBERS = 20_000
LARGEST_TOTAL = 400_000_000
LARGEST_DOCUMENT = 100_000_000
LARGEST_ATTACHMENT = 5_000_000
LONGEST_NAME = 255
LARGEST_HEADER = 1_000_000
TARS = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
READ = {".xml": LARGEST_DOCUMENT, ".cdx": LARGEST_ATTACHMENT, ".mol": LARGEST_ATTACHMENT}
"""Endings of the members that are read, with their largest size."""
DAMAGES = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError),
    *(RuntimeError, ValueError, OSError, NotImplementedError),
)
"""What reading a damaged or encrypted archive may raise."""
_ENCRYPTED = 0x1
_FRAMES = 1_024 * MOST_MEMBERS
"""Bytes that the headers and paddings of a tar take in addition to its members."""
_TEXT_HEADERS = frozenset(
    {
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    }
)


class _Header(tarfile.TarInfo):
    """A header of a tar; one that is a text of its own is read whole, so its size is bounded."""

    def _proc_member(self, tarfile: Any) -> Any:
        """Read what a header stands for, as the standard library asks of it.

        Raises:
            UnreadableTable: It is larger than any honest one.
        """
        if self.type in _TEXT_HEADERS and self.size > LARGEST_HEADER:
            raise UnreadableTable(
                f"a header of the archive takes {self.size // 10**6:,} MB: refused"
            )
        return super()._proc_member(tarfile)  # type: ignore[misc]


class Member(NamedTuple):
    """One file of an archive: its name without folders, in capitals, and its bytes."""

    name: str
    content: bytes


def read_members(path: Path) -> Iterator[Member]:
    """Yield the documents and attachments of a folder, zip or tar; larger ones are left out.

    Raises:
        UnreadableTable: It is damaged, holds too much, or has a name that leads out of it.
    """
    reading = _members_of_folder if path.is_dir() else _members_of_archive
    left = LARGEST_TOTAL
    for member in reading(path):
        left -= len(member.content)
        if left < 0:
            raise UnreadableTable(f"{path.name} holds more than {LARGEST_TOTAL // 10**6} MB")
        yield member


def _members_of_archive(path: Path) -> Iterator[Member]:
    reading = _members_of_tar if path.name.lower().endswith(TARS) else _members_of_zip
    try:
        yield from reading(path)
    except DAMAGES as damage:
        raise UnreadableTable(f"{path.name} is a damaged archive: {str(damage)[:100]}") from damage


def _members_of_folder(folder: Path) -> Iterator[Member]:
    for count, path in enumerate(sorted(folder.iterdir())):
        _check_count(folder, count)
        limit = READ.get(path.suffix.lower())
        if limit and path.is_file() and not path.is_symlink() and path.stat().st_size <= limit:
            yield Member(path.name.upper(), path.read_bytes())


def _members_of_zip(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        check_zip(archive, path.name, ZipBounds(most=MOST_MEMBERS))
        for count, member in enumerate(archive.infolist()):
            _check_count(path, count)
            limit = _limit_of(path, member.filename)
            is_link = stat.S_ISLNK(member.external_attr >> 16)
            if not limit or member.is_dir() or is_link or member.flag_bits & _ENCRYPTED:
                continue
            with archive.open(member) as content:
                yield from _bounded(member.filename, content, limit)


def _members_of_tar(path: Path) -> Iterator[Member]:
    with (
        open_bounded(path, largest=LARGEST_TOTAL + _FRAMES, is_tar=True) as content,
        tarfile.open(fileobj=content, mode="r|", tarinfo=_Header) as archive,
    ):
        declared = 0
        for count, member in enumerate(archive):
            _check_count(path, count)
            limit = _limit_of(path, member.name)
            declared += max(0, member.size)
            if declared > LARGEST_TOTAL:
                raise UnreadableTable(f"{path.name} holds more than {LARGEST_TOTAL // 10**6} MB")
            stream = archive.extractfile(member) if limit and member.isreg() else None
            if stream is not None:
                yield from _bounded(member.name, stream, limit)


def _bounded(name: str, content: IO[bytes], limit: int) -> Iterator[Member]:
    """Yield a member unless it is larger than allowed, whatever its header says."""
    content_bytes = content.read(limit + 1)
    if len(content_bytes) <= limit:
        yield Member(PurePosixPath(name).name.upper(), content_bytes)


def _check_count(path: Path, count: int) -> None:
    if count >= MOST_MEMBERS:
        raise UnreadableTable(f"{path.name} holds more than {MOST_MEMBERS} files")


def _limit_of(path: Path, name: str) -> int:
    """Return the largest size of a member, 0 for one that is not read."""
    pure_posix_path = PurePosixPath(name)
    leads_out = (
        pure_posix_path.is_absolute()
        or ".." in pure_posix_path.parts
        or "\\" in name
        or ":" in name
    )
    if leads_out or len(name) > LONGEST_NAME:
        raise UnreadableTable(f"{path.name} holds a file whose name leads out of it: refused")
    return READ.get(pure_posix_path.suffix.lower(), 0)
