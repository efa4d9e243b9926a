"""Stored results as they go over the wire: bytes as they are, their ETag, and gzip.

Only contents of runs and the description of the API are compressed, and only for callers who ask
for it: no answer mixes what a stranger chooses with a secret. What is stored is compressed once
and put between the parts that differ from answer to answer: gzip may be put together like that.
"""

import hashlib
import re
import struct
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from fastapi import Request as HttpRequest

from core.workbench import Workbench

_LEVEL = 6
_RAW = -zlib.MAX_WBITS
_GZIP = zlib.MAX_WBITS | 16
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_MOST_BYTES = 32 << 20
_NO_WEIGHT = re.compile(r"q *= *0(\.0*)?")
_compressed: OrderedDict[str, bytes] = OrderedDict()
_lock = threading.Lock()


class Coding(Enum):
    """How a body is sent."""

    PLAIN = "identity"
    GZIP = "gzip"

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that say so."""
        coded = {"Content-Encoding": self.value} if self is Coding.GZIP else {}
        return {"Vary": "Accept-Encoding"} | coded

    def encode(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Return a body as it is sent, chunk by chunk."""
        return chunks if self is Coding.PLAIN else _compress_chunks(chunks)


def coding_for(request: HttpRequest) -> Coding:
    """Return gzip where a caller asks for it."""
    for choice in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = choice.partition(";")
        if name.strip() in {"gzip", "*"}:
            is_refused = _NO_WEIGHT.fullmatch(weight.strip())
            return Coding.PLAIN if is_refused else Coding.GZIP
    return Coding.PLAIN


@dataclass(frozen=True)
class StoredBody:
    """A JSON body that is stored but for its two ends.

    Attributes:
        head: What stands before the stored part.
        sha256: Of the stored part, without its first sign; empty where nothing is stored.
        tail: What stands after it.
    """

    head: bytes
    sha256: str
    tail: bytes

    def etag(self, coding: Coding) -> str:
        """Return the strong validator of the body as it is sent."""
        parts = (self.head, self.sha256.encode(), self.tail)
        digest = hashlib.blake2b(b"\n".join(parts), digest_size=16).hexdigest()
        return f'"{digest}-{coding.value}"'

    def read(self, workbench: Workbench, coding: Coding) -> bytes:
        """Return the body.

        Raises:
            NotFound: The stored part is gone.
        """
        content = memoryview(b"")
        if self.sha256:
            with workbench.stores.blobs.open(self.sha256) as stored:
                content = memoryview(stored.read())[1:]
        if coding is Coding.PLAIN:
            return b"".join((self.head, content, self.tail))
        mark = zlib.crc32(self.tail, zlib.crc32(content, zlib.crc32(self.head)))
        size = len(self.head) + len(content) + len(self.tail)
        return b"".join(
            (
                _HEADER,
                _deflate(self.head, zlib.Z_FULL_FLUSH),
                _compress_once(self.sha256, content),
                _deflate(self.tail, zlib.Z_FINISH),
                struct.pack("<LL", mark, size & 0xFFFFFFFF),
            )
        )


def _deflate(content: bytes | memoryview, flush: int) -> bytes:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    return packer.compress(content) + packer.flush(flush)


def _compress_once(sha256: str, content: memoryview) -> bytes:
    """Return a stored part compressed; those asked for last are remembered."""
    with _lock:
        compressed = _compressed.get(sha256)
        if compressed is not None:
            _compressed.move_to_end(sha256)
            return compressed
    compressed = _deflate(content, zlib.Z_FULL_FLUSH)
    with _lock:
        _compressed[sha256] = compressed
        while sum(map(len, _compressed.values())) > _MOST_BYTES:
            _compressed.popitem(last=False)
    return compressed


def _compress_chunks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()


def is_known(etag: str, given: str) -> bool:
    """Return whether a caller has a body already.

    Args:
        etag: Of the body.
        given: The header `If-None-Match`.
    """
    known = {choice.strip().removeprefix("W/") for choice in given.split(",")}
    return etag in known or "*" in known
