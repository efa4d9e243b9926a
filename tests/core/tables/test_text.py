"""Encoding and separator of uploaded text, for every form that is accepted."""

from core.tables.text import find_encoding, find_separator

ENCODINGS = [
    (b"", "utf-8-sig"),
    (b"gene,s1", "utf-8-sig"),
    (b"\xef\xbb\xbfgene,s1", "utf-8-sig"),
    (b"\xff\xfeg\x00", "utf-16"),
    (b"\xfe\xff\x00g", "utf-16"),
    (b"\xff", "utf-8-sig"),
]
SEPARATORS = [
    ("gene,s1,s2", "", ","),
    ("gene\ts1\ts2", "", "\t"),
    ("gene;s1;s2", "", ";"),
    ("gene", "", ","),
    ("gene;s1\ts2", "", "\t"),
    ("gene,s1;s2", "", ","),
    ("gene,s1;s2", "TP53;1;2", ";"),
]


def test_encodings_and_separators_of_uploaded_text():
    assert [find_encoding(content) for content, _ in ENCODINGS] == [name for _, name in ENCODINGS]
    signs = [find_separator(header, row) for header, row, _ in SEPARATORS]
    assert signs == [sign for *_, sign in SEPARATORS]
