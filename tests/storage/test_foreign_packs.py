"""A pack's file of an attacker is refused before anything in it runs."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import EvidenceDamaged
from core.records.evidence import Parsed, Record
from storage.evidence import EvidenceStore, guard

LONG = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x LIMIT 40000000) SELECT "
COLUMNS = "'' AS name, max(n) AS value FROM x"


@pytest.fixture
def pack(tmp_path: Path) -> EvidenceStore:
    record = Record("ctgov", "NCT1", "https://x.org/1", "trial_registration", "A trial")
    store = EvidenceStore(tmp_path / "instance" / "pack.db")
    with store.next_generation() as writer:
        writer.add([Parsed(record, ())])
    return store


@pytest.fixture
def changed(pack: EvidenceStore, tmp_path: Path) -> Callable[[str], Path]:
    """Return what makes a pack's file and changes it by a script, without a manifest."""

    def change(script: str) -> Path:
        carried = tmp_path / "carried.db"
        pack.export(carried)
        carried.with_name("carried.db.sha256").unlink()
        with closing(sqlite3.connect(carried)) as connection:
            connection.executescript(script)
            connection.commit()
        return carried

    return change


def test_a_pack_as_it_was_written_is_adopted(pack, changed) -> None:
    assert pack.adopt(changed("")).records == 1


def test_the_live_file_of_an_instance_is_adopted(pack, tmp_path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes((tmp_path / "instance" / "pack.db").read_bytes())
    assert pack.adopt(copy).records == 1


@pytest.mark.parametrize(
    "script",
    [
        f"DROP TABLE meta; CREATE VIEW meta AS {LONG}{COLUMNS}",
        f"CREATE VIEW further AS {LONG}{COLUMNS}",
        "CREATE TRIGGER run AFTER INSERT ON meta BEGIN DELETE FROM records; END",
        "CREATE VIRTUAL TABLE further USING fts5(body)",
        "CREATE TABLE further (x)",
        "CREATE INDEX further ON records (abs(pk))",
        "ALTER TABLE meta ADD COLUMN further AS (zeroblob(100000000))",
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE meta(name "
        "CHECK (abs(1)), value)' WHERE name = 'meta'",
    ],
)
def test_a_file_with_more_than_tables_is_refused_at_once(pack, changed, script) -> None:
    carried, held = changed(script), pack.info().records
    began = time.monotonic()
    with pytest.raises(EvidenceDamaged):
        pack.adopt(carried)
    assert time.monotonic() - began < 5
    assert pack.info().records == held


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE records SET title = x'ff00'",
        "UPDATE records SET version = 'first' WHERE pk = (SELECT max(pk) FROM records)",
        "UPDATE meta SET value = 5.0, value = x'31'",
    ],
)
def test_a_cell_of_another_type_is_refused(pack, changed, script) -> None:
    with pytest.raises(EvidenceDamaged, match="another type"):
        pack.adopt(changed(script))


def test_a_file_with_a_broken_page_is_refused(pack, changed) -> None:
    carried = changed("")
    with closing(sqlite3.connect(carried)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'records'"
        ).fetchone()
    content = bytearray(carried.read_bytes())
    content[(page - 1) * 4096 + 8 : page * 4096] = b"\xff" * (4096 - 8)
    carried.write_bytes(content)
    with pytest.raises(EvidenceDamaged):
        pack.adopt(carried)


def test_reading_ends_when_it_takes_too_long(pack, changed, monkeypatch) -> None:
    carried = changed(
        "INSERT INTO meta WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x LIMIT "
        "100000) SELECT 'n' || n, 'x' FROM x"
    )
    monkeypatch.setattr(guard, "PATIENCE_S", -10.0)
    with pytest.raises(EvidenceDamaged):
        pack.adopt(carried)


def test_a_cell_larger_than_any_text_is_refused(pack, changed, monkeypatch) -> None:
    limits = {**guard._LIMITS, sqlite3.SQLITE_LIMIT_LENGTH: 100_000}
    monkeypatch.setattr(guard, "_LIMITS", limits)
    with pytest.raises(EvidenceDamaged):
        pack.adopt(changed("UPDATE records SET title = replace(hex(zeroblob(100000)), '0', 'a')"))
