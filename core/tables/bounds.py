"""Compressed files read within bounds: what is small outside may be endless inside.

Every imported file and every upload is opened here. A stream may expand to a hundred times the size
of its file (small ones to more), never beyond an absolute size, and a line has an end.
"""

import bz2
import gzip
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

from core.errors import UnreadableTable
from core.settings import MEGABYTE

MOST_RATIO = 100
FREE_SIZE = 100_000_000
"""Bytes to which even a tiny file may expand."""
LARGEST_STREAM = 20_000_000_000
LARGEST_MEMBER = 500_000_000
DECODER_MEMORY = 128 * 1024 * 1024
"""Memory of the decoder of xz, whose dictionary the file itself sizes."""
BROKEN = (gzip.BadGzipFile, EOFError, zlib.error)
"""What reading a gzip file that is damaged or breaks off may raise."""
_PART = 256 * 1024
GZIP, ZIP, HDF5 = b"\x1f\x8b", b"PK\x03\x04", b"\x89HDF"
"""How files begin that are compressed or hold a table in another form than text."""
DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What reading a zip that is damaged or encrypted may raise."""
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class Bounded(io.RawIOBase):
    """A stream that ends in an error where it goes beyond its bounds."""

    def __init__(
        self,
        source: IO[bytes],
        file: IO[bytes],
        name: str,
        bounds: tuple[int, int],
        field: str | None,
    ) -> None:
        """Set the bounds of a stream.

        Args:
            source: What is read; it is closed with this.
            file: What it expands; closed likewise.
            name: Of the file, for the message.
            bounds: Most bytes, and most of a line; 0 for any number.
            field: Request field of an upload, for the message.
        """
        self._source, self._file, self._name, self._field = source, file, name, field
        self._bounds = bounds
        self._read = self._since_break = 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def seekable(self) -> bool:
        """Return whether it can be read again."""
        return self._source.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position; what is read from there on counts anew."""
        self._read = self._since_break = 0
        return self._source.seek(offset, whence)

    def tell(self) -> int:
        """Return the position."""
        return self._source.tell()

    def readall(self) -> bytes:
        """Return everything up to the end."""
        return b"".join(iter(lambda: self._take(4 * MEGABYTE), b""))

    def readinto(self, target: Any) -> int:
        """Read into a buffer. Raises UnreadableTable where the bounds are passed."""
        content = self._take(len(target))
        target[: len(content)] = content
        return len(content)

    def _take(self, size: int) -> bytes:
        content = self._source.read(size)
        name, (largest, longest_line) = self._name, self._bounds
        self._read += len(content)
        last = content.rfind(b"\n")
        broken = len(content) - last - 1
        self._since_break = broken if last >= 0 else self._since_break + broken
        fault = ""
        if self._read > largest:
            fault = (
                f"{name} expands to more than {largest // 10**6:,} MB, or {MOST_RATIO} times its "
                "size; send a smaller file"
            )
        elif longest_line and self._since_break > longest_line:
            fault = (
                f"{name} has a line of more than {longest_line // 10**6:,} MB; save a row a line"
            )
        if fault:
            raise UnreadableTable(fault, field=self._field, code="file_too_large")
        return content

    def close(self) -> None:
        """Close the stream."""
        self._source.close()
        self._file.close()
        super().close()


class _Xz(io.RawIOBase):
    """An xz file, whose decoder may use little memory."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
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


_OPENINGS: Sequence[tuple[bytes, Callable[[Any], Any]]] = (
    (GZIP, gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", _Xz),
)


def open_bounded(
    source: Path | BinaryIO,
    *,
    largest: int = LARGEST_STREAM,
    longest_line: int = 0,
    free: int = FREE_SIZE,
    field: str | None = None,
    is_tar: bool = False,
) -> io.BufferedReader:
    """Open a file for reading, expanded where it begins like gzip.

    `source`: the file, or the bytes of an upload. `largest`: most bytes of its content.
    `longest_line`: most bytes of a line; 0 for any number. `free`: bytes to which even a tiny file
    may expand. `is_tar`: whether bzip2 and xz are expanded, too.
    """
    name = source.name if isinstance(source, Path) else "The file"
    file = source.open("rb") if isinstance(source, Path) else source
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    beginning = file.read(6)
    file.seek(0)
    kinds = _OPENINGS if is_tar else _OPENINGS[:1]
    opening = next((make for mark, make in kinds if beginning.startswith(mark)), None)
    content: Any = file
    if opening is not None:
        content, largest = opening(file), min(largest, max(free, MOST_RATIO * size))
    stream = Bounded(content, file, name, (largest, longest_line), field)
    return io.BufferedReader(stream, _PART)


def expand_upload(raw: bytes, limit: int, field: str | None = None) -> bytes:
    """Return the bytes of an upload, expanded where they are gzip.

    Raises:
        UnreadableTable: They are damaged, expand too far, or are gzip inside gzip.
    """
    if len(raw) <= limit and not raw.startswith(GZIP):
        return raw
    try:
        with open_bounded(io.BytesIO(raw), largest=limit, free=MEGABYTE, field=field) as content:
            expanded = content.read()
    except (OSError, *BROKEN) as error:
        raise UnreadableTable(
            "The gzip file is damaged or cut short; compress it again.", field=field
        ) from error
    if raw[:2] == expanded[:2] == GZIP:
        raise UnreadableTable("The file is gzip inside gzip; compress it once.", field=field)
    return expanded


class ZipBounds(NamedTuple):
    """What a zip archive may hold.

    Attributes:
        most: Most members.
        largest: Most bytes of a member.
        total: Most bytes of all members.
        free: Bytes to which even a tiny archive may expand.
        ratio: Most times its size to which it may expand.
    """

    most: int = 200
    largest: int = LARGEST_MEMBER
    total: int = LARGEST_STREAM
    free: int = FREE_SIZE
    ratio: int = MOST_RATIO


IMPORTED = ZipBounds()


def check_zip(
    archive: zipfile.ZipFile,
    name: str,
    bounds: ZipBounds = IMPORTED,
    field: str | None = None,
) -> None:
    """Refuse a zip archive that holds too much, before anything of it is read.

    Raises:
        UnreadableTable: Too many or too large members, or members packed in unusual ways.
    """
    most, largest, total, free, ratio = bounds
    members = archive.infolist()
    size = sum(member.file_size for member in members)
    packed = min(sum(member.compress_size for member in members), archive.start_dir)
    fault = ""
    if len(members) > most:
        fault = f"{name} holds more than {most:,} files"
    elif size > total or any(member.file_size > largest for member in members):
        fault = f"{name} unpacks to {size // MEGABYTE:,} MB, which is more than is read"
    elif size > max(free, ratio * packed):
        fault = f"{name} expands to more than {ratio} times its size: refused"
    elif any(member.compress_type not in _METHODS for member in members):
        fault = f"{name} is packed in a way that is not read; pack it with deflate"
    if fault:
        raise UnreadableTable(fault, field=field, code="file_too_large")
