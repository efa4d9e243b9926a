"""The drill: backup while writes go on, restore into a new home, everything is there."""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from core.errors import InvalidInput, NotFound
from core.execution.backups import (
    NOT_BACKED_UP,
    BackupState,
    back_up_in_child,
    list_backups,
    mark_of,
    read_state,
)
from core.ports import Stores
from core.records.evidence import Parsed, Record
from core.records.evidence_pack import TextQuery
from core.records.identity import Entity, EntityName
from core.records.runs import Artifact, NewRun, User
from core.settings import Settings
from storage.columns import Row
from storage.instants import Clock
from storage.stores import open_stores
from tests.postgres import databases

MakeRun = Callable[..., NewRun]
PASSWORD = "correct horse battery"


def add_run(stores: Stores, make: MakeRun, number: int) -> str:
    """Store a completed run of its own content, its blobs before its rows as the product does."""
    result = f"result {number}".encode() * 1000
    run = make(input_sha256=stores.blobs.put(f"input {number}".encode()).sha256)
    stores.runs.open(run)
    blob = stores.blobs.put(result)
    part = Artifact(
        kind="data", name="data", sha256=blob.sha256, size=blob.size, media_type="text/plain"
    )
    stores.runs.finish(run.run_uuid, "completed", at=run.created_at, artifacts=[part])
    return run.run_uuid


def all_rows(stores: Stores) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table."""
    with stores.engine.read() as session:
        return {
            table.name: sorted(map(repr, session.execute(table.select()).all()))
            for table in Row.metadata.sorted_tables
        }


@pytest.fixture
def new_home(settings: Settings, request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Return settings of a second, empty instance on the same kind of database."""
    home = tmp_path / "restored"
    if settings.database.startswith("sqlite"):
        address = f"sqlite:///{home / 'workbench.db'}"
    else:
        address = request.getfixturevalue("postgres").database()
    return settings.model_copy(update={"home": home, "database_url": address})


def restore(new_home: Settings, folder: Path, clock: Clock) -> Stores:
    """Restore as the command line does: open, restore, open anew."""
    first = open_stores(new_home, now=clock)
    try:
        first.upkeep.restore(folder)
    finally:
        first.engine.close()
    return open_stores(new_home, now=clock)


def test_everything_is_equal_after_backup_and_restore(
    stores: Stores, anna: User, new_run: MakeRun, new_home: Settings, clock: Clock, tmp_path: Path
) -> None:
    run_uuid = add_run(stores, new_run, 1)
    _, key = stores.keys.create(anna.user_id, "notebook")
    token = stores.users.open_session(anna.user_id, address="x", agent="")
    file = stores.files.add(anna.user_id, "counts.csv", stores.blobs.put(b"counts"))
    stores.quotas.charge(anna.user_id, limit=5, at=clock())
    stores.audit.add("anna", "export", "x", "β")
    manifest = stores.upkeep.backup(tmp_path / "backup", at=clock())
    assert sum(each.path.startswith("blobs/") for each in manifest.files) == 3
    restored = restore(new_home, tmp_path / "backup", clock)
    assert all_rows(restored) == all_rows(stores)
    assert restored.keys.find_caller(key).name == "anna"
    assert restored.users.find_session(token).name == "anna"
    assert restored.users.check_password("anna", PASSWORD, address="x") == anna
    part = restored.runs.get(anna.user_id, run_uuid).artifact("data")
    assert part is not None
    assert restored.blobs.path(part.sha256).read_bytes() == b"result 1" * 1000
    assert restored.blobs.path(file.sha256).read_bytes() == b"counts"
    later = add_run(restored, new_run, 2)
    assert restored.runs.list(anna.user_id)[0].run_uuid == later
    restored.engine.close()


def test_a_backup_while_writes_go_on_is_whole(
    stores: Stores, anna: User, new_run: MakeRun, new_home: Settings, clock: Clock, tmp_path: Path
) -> None:
    before = {add_run(stores, new_run, number) for number in range(20)}
    is_over, went_on = threading.Event(), threading.Event()
    written: list[str] = []

    def write() -> None:
        while not is_over.is_set():
            written.append(add_run(stores, new_run, 100 + len(written)))
            went_on.set()

    writer = threading.Thread(target=write)
    writer.start()
    went_on.wait(10)
    count = len(written)
    stores.upkeep.backup(tmp_path / "backup", at=clock())
    is_over.set()
    writer.join()
    assert len(written) > count
    restored = restore(new_home, tmp_path / "backup", clock)
    runs = [
        restored.runs.get(anna.user_id, run.run_uuid)
        for run in restored.runs.list(anna.user_id, limit=1000)
    ]
    assert before <= {run.run_uuid for run in runs} <= before | set(written)
    for run in runs:
        for sha256 in [run.input_sha256, *(part.sha256 for part in run.artifacts)]:
            assert hashlib.sha256(restored.blobs.path(sha256).read_bytes()).hexdigest() == sha256
    restored.engine.close()


def test_an_instance_with_accounts_is_not_overwritten(
    stores: Stores, anna: User, clock: Clock, tmp_path: Path
) -> None:
    stores.upkeep.backup(tmp_path / "backup", at=clock())
    with pytest.raises(InvalidInput, match="new BPW_HOME"):
        stores.upkeep.restore(tmp_path / "backup")
    assert stores.users.list() == [anna]


def test_a_folder_that_holds_something_is_not_written_into(
    stores: Stores, clock: Clock, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.doc").write_text("x")
    with pytest.raises(InvalidInput, match="new folder"):
        stores.upkeep.backup(tmp_path / "full", at=clock())


@pytest.mark.parametrize("damage", ["changed", "missing", "no manifest", "outside"])
def test_a_damaged_backup_is_refused_before_anything_is_written(
    stores: Stores, anna: User, new_home: Settings, clock: Clock, tmp_path: Path, damage: str
) -> None:
    blob = stores.blobs.put(b"counts")
    folder = tmp_path / "backup"
    stores.upkeep.backup(folder, at=clock())
    place = folder / "blobs" / blob.sha256[:2] / blob.sha256
    manifest = folder / "manifest.json"
    if damage == "changed":
        place.write_bytes(b"cOunts")
    elif damage == "missing":
        place.unlink()
    elif damage == "no manifest":
        manifest.unlink()
    else:
        found = json.loads(manifest.read_text())
        found["files"][0]["path"] = "../instance/secret_key"
        manifest.write_text(json.dumps(found))
    first = open_stores(new_home, now=clock)
    with pytest.raises(InvalidInput, match="backup"):
        first.upkeep.restore(folder)
    with pytest.raises(NotFound):
        first.blobs.path(blob.sha256)
    first.engine.close()


def test_a_damaged_blob_stops_the_backup(stores: Stores, clock: Clock, tmp_path: Path) -> None:
    place = stores.blobs.path(stores.blobs.put(b"counts").sha256)
    place.write_bytes(b"cOunts")
    with pytest.raises(InvalidInput, match="damaged"):
        stores.upkeep.backup(tmp_path / "backup", at=clock())
    assert not (tmp_path / "backup" / "manifest.json").exists()


def test_daily_backups_are_checked_and_the_oldest_go(
    stores: Stores,
    anna: User,
    new_run: MakeRun,
    settings: Settings,
    clock: Clock,
    wait: Callable[..., None],
    tmp_path: Path,
) -> None:
    folder = tmp_path / "daily"
    daily = settings.model_copy(update={"backup_to": folder, "backup_keep": 2})
    add_run(stores, new_run, 1)
    (folder / f"bpw-{mark_of(settings.home)}-20250101T000000Z.partial").mkdir(parents=True)
    others = {"somebody else's", "bpw-00000000-20250101T000000Z"}
    for name in others:
        (folder / name).mkdir()
    made = [back_up_in_child(daily, clock() + timedelta(days=day)) for day in range(3)]
    assert [str(path) for path in list_backups(folder, settings.home)] == made[1:]
    names = {path.name for path in folder.iterdir()}
    assert names == others | {Path(path).name for path in made[1:]}
    assert stores.upkeep.check_backup(Path(made[2])).created_at == clock() + timedelta(days=2)
    blob = next((Path(made[2]) / "blobs").glob("*/*"))
    blob.write_bytes(b"other")
    with pytest.raises(InvalidInput, match="damaged"):
        stores.upkeep.check_backup(Path(made[2]))
    stored = stores.blobs.path(blob.name)
    stored.chmod(0o600)
    stored.write_bytes(b"rotten")
    with pytest.raises(InvalidInput, match="damaged"):
        back_up_in_child(daily, clock() + timedelta(days=9))
    assert [str(path) for path in list_backups(folder, settings.home)] == made[1:]
    newest_at = clock() + timedelta(days=2)
    assert read_state(daily, stores) == BackupState(2, newest_at)
    wait(days=9)
    stores.audit.add("daily backup", NOT_BACKED_UP, "instance", "rotten")
    assert read_state(daily, stores) == BackupState(2, newest_at, "rotten")


def test_a_backup_is_readable_by_its_owner_alone(
    stores: Stores, clock: Clock, tmp_path: Path
) -> None:
    stores.blobs.put(b"counts")
    stores.upkeep.backup(tmp_path / "backup", at=clock())
    files = [path for path in (tmp_path / "backup").rglob("*") if path.is_file()]
    assert len(files) == 4
    for path in [tmp_path / "backup", *files]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_the_evidence_comes_back_with_the_instance(
    stores: Stores, anna: User, new_home: Settings, clock: Clock, tmp_path: Path
) -> None:
    record = Record("ctgov", "NCT00000001", "", "trial_registration", "Drug A in asthma")
    with stores.evidence.next_generation() as writer:
        writer.add([Parsed(record)])
    rows = [Entity("drug", "UNII:A", "drugamab"), EntityName("drug", "drug", "UNII:A", 1, "drug")]
    stores.identity.build(rows, (), "1")
    manifest = stores.upkeep.backup(tmp_path / "backup", at=clock())
    assert "evidence/identity.db" in {file.path for file in manifest.files}
    restored = restore(new_home, tmp_path / "backup", clock)
    assert restored.evidence.info() == stores.evidence.info()
    assert [hit.title for hit in restored.evidence.search(TextQuery([["asthma"]]))] == [
        "Drug A in asthma"
    ]
    assert restored.identity.version() == "1"
    restored.engine.close()


def test_a_backup_cannot_write_beside_the_evidence(
    stores: Stores, anna: User, new_home: Settings, clock: Clock, tmp_path: Path
) -> None:
    stores.identity.build([], (), "1")
    stores.upkeep.backup(tmp_path / "backup", at=clock())
    place = tmp_path / "backup" / "manifest.json"
    said = json.loads(place.read_text())
    for file in said["files"]:
        if file["path"] == "evidence/identity.db":
            file["path"] = "evidence/other.db"
    (tmp_path / "backup" / "evidence" / "identity.db").rename(
        tmp_path / "backup" / "evidence" / "other.db"
    )
    place.write_text(json.dumps(said))
    with pytest.raises(InvalidInput, match="belongs to no backup"):
        restore(new_home, tmp_path / "backup", clock)
    assert not (new_home.home / "evidence" / "other.db").exists()


def test_an_instance_moves_from_sqlite_to_postgresql(
    request: pytest.FixtureRequest,
    stores: Stores,
    anna: User,
    new_run: MakeRun,
    settings: Settings,
    clock: Clock,
    tmp_path: Path,
) -> None:
    if settings.database.startswith("postgresql") or "postgres" not in databases():
        pytest.skip("about SQLite, with PostgreSQL installed")
    run_uuid = add_run(stores, new_run, 1)
    former, key = stores.keys.create(anna.user_id, "notebook", scopes=["read"])
    _, key = stores.keys.rotate(former.key_id, grace=timedelta(hours=1))
    stores.audit.add("anna", "export", "x", "β")
    stores.lists.change(
        anna.user_id, stores.lists.make(anna.user_id, "KRAS", "drug").list_id, add=["a"]
    )
    stores.upkeep.backup(tmp_path / "backup", at=clock())
    address = request.getfixturevalue("postgres").database()
    new_home = settings.model_copy(update={"home": tmp_path / "moved", "database_url": address})
    moved = restore(new_home, tmp_path / "backup", clock)
    assert all_rows(moved) == all_rows(stores)
    assert moved.keys.find_caller(key).scopes == ("read",)
    assert moved.runs.get(anna.user_id, run_uuid).status == "completed"
    assert moved.users.create("boris", PASSWORD).user_id == anna.user_id + 1
    moved.upkeep.backup(tmp_path / "back", at=clock())
    back = settings.model_copy(
        update={"home": tmp_path / "b", "database_url": f"sqlite:///{tmp_path / 'b.db'}"}
    )
    with pytest.raises(InvalidInput, match="postgresql"):
        restore(back, tmp_path / "back", clock)
    moved.engine.close()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ('DROP TABLE "second_factor"', "lacks the table"),
        ('CREATE TABLE "strange" (id INTEGER)', "not ours"),
        ('DROP TABLE "alembic_version"', "version"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "not ours"),
        ('CREATE VIEW "seen" AS SELECT 1 AS one', "seen"),
    ],
    ids=["missing", "foreign table", "no version", "function", "view"],
)
def test_a_backup_of_another_database_is_refused(
    stores: Stores, anna: User, clock: Clock, tmp_path: Path, statement: str, words: str
) -> None:
    folder, is_file = tmp_path / "backup", stores.engine.engine.dialect.name == "sqlite"
    if is_file == ("FUNCTION" in statement) or (not is_file and "DROP" in statement):
        pytest.skip("of the other database")
    stores.upkeep.backup(folder, at=clock())
    if is_file:
        with closing(sqlite3.connect(folder / "database")) as changed, changed:
            changed.execute(statement)
        manifest = json.loads((folder / "manifest.json").read_text())
        content = (folder / "database").read_bytes()
        entry = next(file for file in manifest["files"] if file["path"] == "database")
        entry |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        (folder / "manifest.json").write_text(json.dumps(manifest))
    else:
        with stores.engine.engine.begin() as connection:
            connection.execute(text(statement))
        folder = tmp_path / "second"
        stores.upkeep.backup(folder, at=clock())
    with pytest.raises(InvalidInput, match=words):
        stores.upkeep.check_backup(folder)
