"""Uploaded files: encodings, compression, limits."""

import gzip

import pytest

from core.errors import InvalidInput


@pytest.fixture
def upload(bench, make_tables):
    tables = make_tables()

    def run(content: bytes):
        bench.uploads.contents = {"c": content, "m": tables.metadata_text().encode()}
        request = tables.request(count_file_id="c", metadata_file_id="m")
        del request["counts_csv"], request["metadata_csv"]
        return bench.run(**request)

    run.text = tables.counts_text()
    run.inline = lambda: bench.run(**tables.request())
    return run


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: gzip.compress(text.encode()),
        lambda text: gzip.compress(text.encode("utf-16")),
    ],
    ids=["utf-8", "bom", "utf-16", "gzip", "gzip-utf-16"],
)
def test_encodings_give_the_result_of_inline_text(upload, encode):
    data = upload(encode(upload.text))
    plain = upload.inline()
    assert data.method_results[0].table.frame.equals(plain.method_results[0].table.frame)
    assert data.input.counts_csv.name == "c.csv"


@pytest.mark.parametrize(
    ("content", "code", "word"),
    [
        ("gene_id,s1\ncaf\xe9,1\n".encode("latin-1"), "not_utf8", "Line 2"),
        (b"PK\x03\x04rest", "unreadable_table", "CSV"),
        (gzip.compress(b"gene_id,s1\nA,1\n" * 100)[:-9], "unreadable_table", "damaged"),
        (gzip.compress(gzip.compress(b"gene_id,s1\nA,1\n")), "unreadable_table", "inside"),
        (gzip.compress(b"0" * 30_000_000), "file_too_large", "expands"),
        (b"\xff\xfea", "not_utf8", "UTF-16"),
        (b"", "empty_table", "empty"),
    ],
    ids=["latin-1", "zip", "cut-gzip", "nested-gzip", "bomb", "cut-utf-16", "empty"],
)
def test_unreadable_uploads_are_refused(upload, content, code, word):
    with pytest.raises(InvalidInput) as caught:
        upload(content)
    assert caught.value.word == code
    assert word in caught.value.message


def test_latin_1_is_offered(upload):
    with pytest.raises(InvalidInput, match="Latin-1"):
        upload(b"gene_id,s1\nA,1\nB\xe9,2\n")


def test_unknown_upload_is_refused(bench, make_tables):
    request = make_tables().request(count_file_id="nope")
    del request["counts_csv"]
    with pytest.raises(InvalidInput) as caught:
        bench.run(**request)
    assert caught.value.word == "unknown_file"
