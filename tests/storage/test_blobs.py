"""Blobs: complete or not there; uploads: seen by their owner alone."""

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InvalidInput, NotFound, StorageFull
from core.ports import Stores
from core.records.runs import User
from core.settings import Settings

CONTENT = b"gene,s1,s2\nTP53,10,20\n"


def stored(settings: Settings) -> list[Path]:
    """Return every file under the blobs' folder."""
    return [path for path in (settings.home / "blobs").rglob("*") if path.is_file()]


def test_bytes_come_back_under_their_hash(stores: Stores, settings: Settings) -> None:
    blob = stores.blobs.put(CONTENT)
    assert (blob.sha256, blob.size) == (hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
    path = stores.blobs.path(blob.sha256)
    assert path == settings.home / "blobs" / blob.sha256[:2] / blob.sha256
    with stores.blobs.open(blob.sha256) as file:
        assert file.read() == CONTENT


def test_equal_bytes_lie_there_once(stores: Stores, settings: Settings) -> None:
    assert stores.blobs.put(CONTENT) == stores.blobs.put_stream([CONTENT], limit=100)
    assert len(stored(settings)) == 1


def test_a_truncated_blob_is_replaced_by_the_whole_one(stores: Stores) -> None:
    path = stores.blobs.path(stores.blobs.put(CONTENT).sha256)
    path.write_bytes(CONTENT[:5])
    stores.blobs.put(CONTENT)
    assert path.read_bytes() == CONTENT


def test_nothing_and_much_can_be_kept(stores: Stores) -> None:
    assert stores.blobs.put(b"").size == 0
    much = os.urandom(3_000_001)
    assert stores.blobs.path(stores.blobs.put(much).sha256).read_bytes() == much


def test_a_stream_may_be_as_long_as_the_limit_and_no_longer(
    stores: Stores, settings: Settings
) -> None:
    assert stores.blobs.put_stream(iter([b"12345", b"67890"]), limit=10).size == 10
    read = []

    def endless() -> Iterator[bytes]:
        while True:
            read.append(1)
            yield b"1234567"

    with pytest.raises(InvalidInput) as refused:
        stores.blobs.put_stream(endless(), limit=10)
    assert refused.value.word == "file_too_large"
    assert len(read) == 2
    assert len(stored(settings)) == 1


def test_a_stream_that_breaks_leaves_nothing(stores: Stores, settings: Settings) -> None:
    def broken() -> Iterator[bytes]:
        yield b"12345"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        stores.blobs.put_stream(broken(), limit=10)
    assert stored(settings) == []


@pytest.mark.parametrize("sha256", ["0" * 64, "../../secret_key", "", "A" * 64])
def test_an_unknown_blob_is_not_there(stores: Stores, sha256: str) -> None:
    with pytest.raises(NotFound):
        stores.blobs.path(sha256)
    with pytest.raises(NotFound):
        stores.blobs.open(sha256)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_and_leaves_nothing(
    stores: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as full_disk:
        full_disk.setattr("os.fsync", refuse)
        with pytest.raises(StorageFull):
            stores.blobs.put(CONTENT)
    assert stored(settings) == []
    assert stores.blobs.put(CONTENT).size == len(CONTENT)


def test_an_upload_is_seen_by_its_owner_alone(stores: Stores, anna: User, boris: User) -> None:
    upload = stores.files.add(anna.user_id, "counts.csv", stores.blobs.put(CONTENT))
    assert stores.files.get(anna.user_id, upload.file_id) == upload
    for ask in (stores.files.get, stores.files.delete):
        with pytest.raises(NotFound):
            ask(boris.user_id, upload.file_id)
    assert stores.files.list(boris.user_id) == []


def test_uploads_are_listed_newest_first(stores: Stores, anna: User) -> None:
    blob = stores.blobs.put(CONTENT)
    for name in ("first.csv", "second.csv"):
        stores.files.add(anna.user_id, name, blob)
    assert [file.name for file in stores.files.list(anna.user_id)] == ["second.csv", "first.csv"]


def test_a_deleted_upload_is_gone(stores: Stores, anna: User) -> None:
    upload = stores.files.add(anna.user_id, "counts.csv", stores.blobs.put(CONTENT))
    stores.files.delete(anna.user_id, upload.file_id)
    with pytest.raises(NotFound):
        stores.files.get(anna.user_id, upload.file_id)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\counts.csv", "counts.csv"),
        ("co\x00un\nts.csv", "counts.csv"),
        ("", "file"),
        ("Zählung 2025.csv", "Zählung 2025.csv"),
    ],
)
def test_a_clients_file_name_is_a_label_never_a_path(
    stores: Stores, anna: User, given: str, kept: str
) -> None:
    assert stores.files.add(anna.user_id, given, stores.blobs.put(CONTENT)).name == kept


def test_an_endless_file_name_keeps_its_end(stores: Stores, anna: User) -> None:
    upload = stores.files.add(anna.user_id, "a" * 9999 + ".csv", stores.blobs.put(CONTENT))
    assert len(upload.name) == 255
    assert upload.name.endswith("a.csv")


def test_ids_of_uploads_cannot_be_guessed(stores: Stores, anna: User) -> None:
    blob = stores.blobs.put(CONTENT)
    ids = {stores.files.add(anna.user_id, "counts.csv", blob).file_id for _ in range(5)}
    assert len(ids) == 5
    assert all(len(file_id) == len("file_") + 32 for file_id in ids)
