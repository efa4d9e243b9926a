"""How the text of a table is encoded, what separates its columns, and how names are listed."""

import codecs
from collections.abc import Sequence
from difflib import get_close_matches
from typing import BinaryIO

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
"""Signs between columns, each with its name; of equally frequent ones the first is taken."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NAMES_SHOWN = 10


def find_encoding(content: bytes) -> str:
    """Return the codec of an uploaded text: UTF-16 by its byte order mark, else UTF-8.

    Args:
        content: The file, or at least its first two bytes.

    >>> find_encoding("gene".encode("utf-16")), find_encoding(b"gene")
    ('utf-16', 'utf-8-sig')
    """
    return next((codec for mark, codec in _MARKS if content.startswith(mark)), "utf-8-sig")


def find_file_encoding(content: BinaryIO) -> str:
    """Return the encoding of an imported text: that of its mark, else UTF-8, UTF-16 or GB18030.

    Without a mark it is UTF-8 where most lines with other letters are: one with a few damaged
    lines stays UTF-8, and those lines are reported. GB18030 includes GBK and GB2312.
    """
    head = content.read(4_000)
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec
    if b"\0" in head:
        return "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
    content.seek(0)
    valid = [_is_utf8(line) for line in content if not line.isascii()]
    return "utf-8" if 2 * sum(valid) >= len(valid) else "gb18030"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def find_separator(header: str, row: str = "") -> str:
    """Return the sign that separates columns: the most frequent in the header.

    Args:
        header: The line with the column names.
        row: A line below it, which decides between signs equally frequent in the header.

    >>> find_separator("gene;a,b;c"), find_separator("gene", "TP53;1")
    (';', ';')
    """
    return max(SEPARATORS, key=lambda sign: (header.count(sign), row.count(sign)))


def missing_column(name: str, columns: Sequence[str], table: str) -> str:
    """Return a sentence that names the missing column, the nearest one and those present."""
    close_matches = get_close_matches(name, columns, n=1, cutoff=0.6)
    hint = f" Did you mean {close_matches[0]!r}?" if close_matches else ""
    return f"There is no column {name!r} in {table}.{hint} Its columns are {show(columns)}."


def show(names: Sequence[str]) -> str:
    """Return at most ten names as text, saying how many more there are."""
    shown = ", ".join(repr(name[:100]) for name in names[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown or "none"
