"""Notes are kept by key, and whatever happens to their file no run fails for it."""

import sqlite3
from pathlib import Path

import pytest

from storage.stores import NoteStore

KEY, OTHER = b"k" * 16, b"o" * 16


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "evidence" / "computed.db"


def test_what_is_written_is_read(path: Path) -> None:
    NoteStore(path).write({KEY: "one", OTHER: "two"})
    assert NoteStore(path).read([KEY, OTHER, b"none"]) == {KEY: "one", OTHER: "two"}
    NoteStore(path).write({KEY: "three"})
    assert NoteStore(path).read([KEY]) == {KEY: "three"}


def test_nothing_is_made_by_reading(path: Path) -> None:
    assert NoteStore(path).read([KEY]) == {}
    assert not path.parent.exists()


def test_many_keys_are_asked_in_portions(path: Path) -> None:
    values = {f"{number:016}".encode(): str(number) for number in range(2_300)}
    NoteStore(path).write(values)
    assert NoteStore(path).read(list(values)) == values


def test_damaged_file_is_begun_anew(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1_000)
    assert NoteStore(path).read([KEY]) == {}
    NoteStore(path).write({KEY: "one"})
    assert NoteStore(path).read([KEY]) == {KEY: "one"}


def test_file_that_grew_too_large_is_begun_anew(path: Path) -> None:
    store = NoteStore(path, largest=20_000)
    store.write({f"{number:016}".encode(): "x" * 100 for number in range(1_000)})
    store.write({KEY: "one"})
    assert store.read([b"0000000000000001", KEY]) == {KEY: "one"}


def test_locked_file_keeps_nothing_and_fails_nobody(path: Path) -> None:
    NoteStore(path).write({KEY: "one"})
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    NoteStore(path).write({OTHER: "two"})
    holder.execute("ROLLBACK")
    holder.close()
    assert NoteStore(path).read([KEY, OTHER]) == {KEY: "one"}


def test_folder_that_cannot_be_made_fails_nobody(tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("a file where the folder should be")
    store = NoteStore(tmp_path / "evidence" / "computed.db")
    store.write({KEY: "one"})
    assert store.read([KEY]) == {}
