"""Compressed files read within bounds: what is small outside may be endless inside.

Every file that is imported is opened here. A stream may expand to a hundred times the size of its
file (small ones to more), never beyond an absolute size, and a line has an end.
"""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from core.errors import UnreadableTable

MOST_RATIO = 100
FREE_SIZE = 100_000_000
"""Bytes to which even a tiny file may expand."""
LARGEST_STREAM = 20_000_000_000
LARGEST_MEMBER = 500_000_000
MOST_MEMBERS = 200
DECODER_MEMORY = 128 * 1024 * 1024
"""Memory of the decoder of xz, whose dictionary the file itself sizes."""
BROKEN = (gzip.BadGzipFile, EOFError, zlib.error)
"""What reading a gzip file that is damaged or breaks off may raise."""
_PART = 256 * 1024
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class Bounded(io.RawIOBase):
    """A stream that ends in an error where it goes beyond its bounds."""

    def __init__(self, source: IO[bytes], name: str, largest: int, longest_line: int) -> None:
        """Keep the stream and its bounds.

        Args:
            source: What is read; it is closed with this.
            name: Of the file, for the message.
            largest: Most bytes.
            longest_line: Most bytes without a line break; 0 for any number.
        """
        self._source = source
        self._name = name
        self._largest = largest
        self._longest_line = longest_line
        self._read = self._since_break = 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def seekable(self) -> bool:
        """Return whether it can be read again."""
        return self._source.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place; what is read from there on counts anew."""
        self._read = self._since_break = 0
        return self._source.seek(offset, whence)

    def tell(self) -> int:
        """Return the place."""
        return self._source.tell()

    def readinto(self, target: Any) -> int:
        """Read into a buffer.

        Raises:
            UnreadableTable: The bounds are passed.
        """
        content = self._source.read(len(target))
        self._count(content)
        target[: len(content)] = content
        return len(content)

    def _count(self, content: bytes) -> None:
        self._read += len(content)
        if self._read > self._largest:
            raise UnreadableTable(
                f"{self._name} expands to more than {self._largest // 10**6:,} MB, or "
                f"{MOST_RATIO} times its size: refused"
            )
        last = content.rfind(b"\n")
        broken = len(content) - last - 1
        self._since_break = broken if last >= 0 else self._since_break + broken
        if self._longest_line and self._since_break > self._longest_line:
            raise UnreadableTable(
                f"{self._name} has a line of more than {self._longest_line // 10**6:,} MB: refused"
            )

    def close(self) -> None:
        """Close the stream."""
        self._source.close()
        super().close()


class _Xz(io.RawIOBase):
    """An xz file, whose decoder may use little memory."""

    def __init__(self, path: Path) -> None:
        self._source = path.open("rb")
        self._decoder = lzma.LZMADecompressor(memlimit=DECODER_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        content = b""
        while not content and not self._decoder.eof:
            packed = self._source.read(_PART) if self._decoder.needs_input else b""
            if not packed and self._decoder.needs_input:
                raise EOFError("the compressed file breaks off")
            content = self._decoder.decompress(packed, len(target))
        target[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self._source.close()
        super().close()


_OPENINGS: Sequence[tuple[bytes, Callable[[Path], Any]]] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", _Xz),
)


def open_bounded(
    path: Path, *, largest: int = LARGEST_STREAM, longest_line: int = 0, any_kind: bool = False
) -> io.BufferedReader:
    """Open a file for reading, expanded where it is compressed.

    Args:
        path: The file.
        largest: Most bytes of its content.
        longest_line: Most bytes of a line; 0 for any number.
        any_kind: Judge by the beginning, not by the ending .gz.
    """
    if any_kind:
        with path.open("rb") as source:
            beginning = source.read(6)
        opening = next((make for mark, make in _OPENINGS if beginning.startswith(mark)), None)
    else:
        opening = gzip.open if path.suffix == ".gz" else None
    if opening is None:
        content, bound = path.open("rb"), largest
    else:
        content = opening(path)
        bound = min(largest, max(FREE_SIZE, MOST_RATIO * path.stat().st_size))
    return io.BufferedReader(Bounded(content, path.name, bound, longest_line), _PART)


def check_zip(
    archive: zipfile.ZipFile,
    name: str,
    *,
    most: int = MOST_MEMBERS,
    largest: int = LARGEST_MEMBER,
    total: int = LARGEST_STREAM,
) -> None:
    """Refuse a zip archive that holds too much, before anything of it is read.

    Args:
        archive: The archive.
        name: Of the file, for the message.
        most: Most members.
        largest: Most bytes of a member.
        total: Most bytes of all members.

    Raises:
        UnreadableTable: Too many or too large members, or members packed in unusual ways.
    """
    members = archive.infolist()
    size = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if len(members) > most:
        raise UnreadableTable(f"{name} holds more than {most:,} files")
    if size > total or any(member.file_size > largest for member in members):
        raise UnreadableTable(f"{name} unpacks to more than is read")
    if size > max(FREE_SIZE, MOST_RATIO * packed):
        raise UnreadableTable(f"{name} expands to more than {MOST_RATIO} times its size: refused")
    if any(member.compress_type not in _METHODS for member in members):
        raise UnreadableTable(f"{name} is packed in a way that is not read; pack it with deflate")
