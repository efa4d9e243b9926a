"""Text files in the encodings of spreadsheet programs: UTF-8, UTF-16, GB18030 (so GBK, GB2312)."""

import codecs
import io
from collections.abc import Iterator
from pathlib import Path

from core.errors import UnreadableTable
from core.evidence.sources.files.forms.expanding import BROKEN, LARGEST_MEMBER, open_bounded
from core.evidence.sources.files.forms.reading import LONGEST_ROW, SourceFile

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def find_encoding(path: Path) -> str:
    """Return the encoding of a text file: that of its mark, else UTF-8 or GB18030.

    Without a mark it is UTF-8 where most lines with other letters are: one with a few damaged
    lines stays UTF-8, and those lines are reported.
    """
    with _open(path) as content:
        head = content.read(4_000)
        for mark, encoding in _MARKS:
            if head.startswith(mark):
                return encoding
        if b"\0" in head:
            return "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
        n_whole = broken = 0
        content.seek(0)
        for line in content:
            if not line.isascii():
                is_whole = _is_utf8(line)
                n_whole, broken = n_whole + is_whole, broken + (not is_whole)
    return "utf-8" if n_whole >= broken else "gb18030"


def read_encoded_lines(source: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield numbered lines that hold something; bytes that are no text stay marked.

    Raises:
        UnreadableTable: The file is too large.
    """
    if source.path.stat().st_size > LARGEST_MEMBER:
        raise UnreadableTable(f"{source.name} is larger than {LARGEST_MEMBER // 10**6} MB")
    number = 0
    try:
        with (
            _open(source.path) as content,
            io.TextIOWrapper(
                content, find_encoding(source.path), errors="surrogateescape", newline=""
            ) as text,
        ):
            for number, line in enumerate(text, start=1):  # noqa: B007 - told after the loop
                if line.strip():
                    yield number, line
    except BROKEN:
        source.report(number + 1, "the compressed file breaks off here")
    except UnicodeError:
        source.report(number + 1, "no text from here on")


def read_encoded_head(path: Path, size: int = 4_000) -> str:
    """Return how a text file begins; "" where that is no text."""
    try:
        encoding = find_encoding(path)
        with _open(path) as content:
            return content.read(size).decode(encoding, errors="ignore")
    except BROKEN:
        return ""


def _open(path: Path) -> io.BufferedReader:
    return open_bounded(path, largest=LARGEST_MEMBER, longest_line=LONGEST_ROW)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
