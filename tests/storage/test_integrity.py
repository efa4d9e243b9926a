"""Damaged, locked and foreign databases: told in one line, and never copied as whole."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import EvidenceDamaged, StorageDamaged, StorageUnavailable
from core.ports import Stores
from core.settings import Settings
from storage import schema
from storage.instants import utc_now
from storage.stores import open_stores


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings of an instance on SQLite."""
    home = tmp_path / "instance"
    return Settings(home=home, database_url=f"sqlite:///{home / 'workbench.db'}")


def spoil(file: Path) -> None:
    """Write noise over the middle of a file, as a failing disk does."""
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(max(4096, size // 4))
        opened.write(b"\xff" * min(160_000, size // 2))


@pytest.fixture
def fill_pack(stores: Stores, settings: Settings) -> Callable[[], Path]:
    """Return what makes an evidence file with a few hundred pages."""

    def fill() -> Path:
        file = settings.home / "evidence" / "pack.db"
        with stores.evidence.next_generation():
            pass
        with closing(sqlite3.connect(file)) as pack, pack:
            pack.execute("CREATE TABLE padding (text)")
            pack.executemany("INSERT INTO padding VALUES (?)", [("x" * 500,)] * 1000)
        return file

    return fill


def test_a_damaged_evidence_file_is_not_backed_up(
    stores: Stores, fill_pack: Callable[[], Path], tmp_path: Path
) -> None:
    file = fill_pack()
    assert stores.upkeep.find_damage() == []
    spoil(file)
    with pytest.raises(EvidenceDamaged, match=r"^evidence/pack\.db is damaged .* restore"):
        stores.upkeep.backup(tmp_path / "copy", at=utc_now())
    assert not (tmp_path / "copy" / "manifest.json").exists()
    (line,) = stores.upkeep.find_damage()
    assert line.startswith("evidence/pack.db is damaged")


def test_a_damaged_database_is_named_at_the_first_command(
    stores: Stores, settings: Settings
) -> None:
    stores.engine.close()
    with (settings.home / "workbench.db").open("r+b") as file:
        file.write(b"\xff" * 8192)
    again = open_stores(settings)
    with closing(again.engine), pytest.raises(StorageDamaged, match=r"workbench\.db is damaged"):
        again.engine.upgrade()


def test_a_locked_database_is_not_ready(stores: Stores, settings: Settings) -> None:
    stores.engine.ping()
    with closing(sqlite3.connect(settings.home / "workbench.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageUnavailable):
            stores.engine.ping()
        other.rollback()
    stores.engine.ping()


def test_the_schema_is_not_changed_below_a_server(stores: Stores, settings: Settings) -> None:
    schema.downgrade(settings.database, "-1")
    with (
        stores.engine.serving(str(settings.home)),
        pytest.raises(StorageUnavailable, match="stop it"),
    ):
        stores.engine.upgrade()
    stores.engine.upgrade()
    assert schema.differences(settings.database) == []


def test_a_database_of_a_newer_release_is_left_alone(stores: Stores, settings: Settings) -> None:
    with closing(sqlite3.connect(settings.home / "workbench.db")) as other, other:
        other.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StorageUnavailable, match="newer release"):
        stores.engine.upgrade()
