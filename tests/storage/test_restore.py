"""A backup whose list was altered with its content is refused, and nothing is changed."""

import errno
import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.ports import Stores
from core.records.evidence import Parsed, Record
from core.records.runs import User
from core.settings import Settings
from storage import restoring
from storage.instants import Clock
from storage.stores import open_stores

Change = Callable[[Path], None]


@pytest.fixture
def folder(stores: Stores, anna: User, clock: Clock, tmp_path: Path) -> Path:
    """Return a backup of an instance with an account, a blob and evidence."""
    stores.blobs.put(b"counts")
    with stores.evidence.next_generation() as writer:
        writer.add([Parsed(Record("ctgov", "NCT1", "", "trial_registration", "A trial"), ())])
    stores.identity.build([], (), "1")
    stores.upkeep.backup(tmp_path / "backup", at=clock())
    return tmp_path / "backup"


@pytest.fixture
def new(settings: Settings, request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    home = tmp_path / "restored"
    address = f"sqlite:///{home / 'workbench.db'}"
    if not settings.database.startswith("sqlite"):
        address = request.getfixturevalue("postgres").database()
    return settings.model_copy(update={"home": home, "database_url": address})


def agree(folder: Path) -> None:
    """Make the list tell the present sizes and sums, as who alters a backup does."""
    place = folder / "manifest.json"
    said = json.loads(place.read_text())
    for file in said["files"]:
        content = (folder / file["path"]).read_bytes()
        file |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    place.write_text(json.dumps(said))


def relist(folder: Path, change: Callable[[dict[str, object]], object]) -> None:
    place = folder / "manifest.json"
    said = json.loads(place.read_text())
    change(said)
    place.write_text(json.dumps(said))


def leave_out(folder: Path, name: str) -> None:
    relist(
        folder,
        lambda said: said.update(files=[one for one in said["files"] if one["path"] != name]),
    )


def alter_blob(folder: Path) -> None:
    next((folder / "blobs").rglob("?" * 64)).write_bytes(b"cOunts")
    agree(folder)


def cut_database(folder: Path) -> None:
    place = folder / "database"
    place.write_bytes(place.read_bytes()[: -3 * 4096])
    agree(folder)


def script(folder: Path, name: str, text: str) -> None:
    with closing(sqlite3.connect(folder / name)) as connection:
        connection.executescript(text)
        connection.commit()
    agree(folder)


def set_trigger(folder: Path) -> None:
    script(
        folder,
        "database",
        "CREATE TRIGGER t AFTER INSERT ON api_key BEGIN DELETE FROM audit; END",
    )


def set_view(folder: Path) -> None:
    script(folder, "evidence/identity.db", "DROP TABLE is_a; CREATE VIEW is_a AS SELECT 1")


def cut_evidence(folder: Path) -> None:
    place = folder / "evidence" / "pack.db"
    place.write_bytes(place.read_bytes()[:-8192])
    agree(folder)


def forget_version(folder: Path) -> None:
    relist(folder, lambda said: said.update(revision="9999"))


def name_two(folder: Path) -> None:
    relist(folder, lambda said: said["files"].append(said["files"][0]))


CHANGES: dict[str, Change] = {
    "a blob unlike its name": alter_blob,
    "no database": lambda folder: leave_out(folder, "database"),
    "no secret": lambda folder: leave_out(folder, "secret_key"),
    "an unknown version": forget_version,
    "a file twice": name_two,
    "a view among names": set_view,
}
ON_FILES: dict[str, Change] = {
    "a database cut short": cut_database,
    "a trigger in the database": set_trigger,
    "evidence cut short": cut_evidence,
}


def state(home: Path) -> dict[str, bytes]:
    """Return the files of an instance but its lock."""
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.suffix not in {".lock", ".db-wal", ".db-shm"}
    }


def assert_refused(new: Settings, folder: Path, clock: Clock) -> None:
    first = open_stores(new, now=clock)
    first.engine.upgrade()
    before = state(new.home)
    with pytest.raises((InvalidInput, OSError)):
        first.upkeep.restore(folder)
    first.engine.close()
    after = state(new.home)
    assert {name: len(content) for name, content in after.items()} == {
        name: len(content) for name, content in before.items()
    }
    assert after["secret_key"] == before["secret_key"]
    again = open_stores(new, now=clock)
    assert again.users.list() == []
    again.engine.close()


@pytest.mark.parametrize("what", list(CHANGES))
def test_an_altered_backup_is_refused_and_nothing_changed(folder, new, clock, what) -> None:
    CHANGES[what](folder)
    assert_refused(new, folder, clock)


@pytest.mark.parametrize("what", list(ON_FILES))
def test_an_altered_database_is_refused_and_nothing_changed(
    on_sqlite, folder, new, clock, what
) -> None:
    ON_FILES[what](folder)
    assert_refused(new, folder, clock)


def test_a_restore_that_the_disk_ends_changes_nothing(folder, new, clock, monkeypatch) -> None:
    write, written = restoring.write_parts, []

    def full(target: Path, parts: object) -> None:
        written.append(target)
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(target, parts)

    monkeypatch.setattr(restoring, "write_parts", full)
    assert_refused(new, folder, clock)
    assert not (new.home / ".restored").exists()
