"""How the text of an uploaded table is encoded, and what separates its columns."""

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
"""Signs between columns, each with its name; of equally frequent ones the first is taken."""
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def find_encoding(content: bytes) -> str:
    """Return the codec of an uploaded text: UTF-16 by its byte order mark, else UTF-8.

    Args:
        content: The file, or at least its first two bytes.

    >>> find_encoding("gene".encode("utf-16")), find_encoding(b"gene")
    ('utf-16', 'utf-8-sig')
    """
    return "utf-16" if content[:2] in _UTF16_MARKS else "utf-8-sig"


def find_separator(header: str, row: str = "") -> str:
    """Return the sign that separates columns: the most frequent in the header.

    Args:
        header: The line with the column names.
        row: A line below it, which decides between signs equally frequent in the header.

    >>> find_separator("gene;a,b;c"), find_separator("gene", "TP53;1")
    (';', ';')
    """
    return max(SEPARATORS, key=lambda sign: (header.count(sign), row.count(sign)))
