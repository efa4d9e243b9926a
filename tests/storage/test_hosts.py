"""What two hosts of one instance share: bytes, evidence, states, the queue of runs."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from obstore.store import S3Store

from core.errors import InvalidInput, NotFound, StorageUnavailable
from core.ports import Stores
from core.records.runs import NewRun
from core.settings import Settings
from storage.queue import SCHEMA
from storage.stores import open_stores
from tests.hosts import object_store
from tests.postgres import postgres  # noqa: F401 - a fixture
from tests.storage.test_evidence import make_trial

NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
SECRET = "a secret of all hosts, for tests"
pytestmark = pytest.mark.xdist_group("hosts")


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    """Return the variables of an object store."""
    with object_store() as variables:
        yield variables


@pytest.fixture
def hosts(
    bucket: dict[str, str],
    postgres,  # noqa: F811 - the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[Stores, Stores]]:
    """Return the stores of two hosts, each with a folder of its own."""
    for name, value in bucket.items():
        monkeypatch.setenv(name, value)
    url = postgres.clean_database()
    stores = []
    for name in "ab":
        settings = Settings(
            home=tmp_path / name,
            database_url=url,
            secret_key=SECRET,
            run_engine="procrastinate",
            blob_url=f"{bucket['BPW_BLOB_URL']}/{tmp_path.name}",
        )
        stores.append(open_stores(settings))
    with closing(stores[0].engine), closing(stores[1].engine):
        yield stores[0], stores[1]


def bring(stores: Stores, number: int) -> None:
    """Import one trial, as everything that changes evidence does it."""
    with stores.sharing.writing(), stores.evidence.next_generation() as writer:
        writer.add([make_trial(number)])


def test_a_second_host_needs_what_all_share(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="BPW_SECRET_KEY needs 32 characters or more"):
        Settings(
            home=tmp_path,
            run_engine="procrastinate",
            database_url="postgresql://bench@db/bench",
            blob_url="s3://bench",
            secret_key=SECRET[1:],
        )
    with pytest.raises(ValueError, match=r"needs DATABASE_URL \(PostgreSQL\), BPW_BLOB_URL, BPW_S"):
        Settings(home=tmp_path, run_engine="procrastinate", secret_key=None)


def test_bytes_of_one_host_are_read_on_the_other(
    hosts: tuple[Stores, Stores], tmp_path: Path
) -> None:
    first, second = hosts
    blob = first.blobs.put(b"result")
    with second.blobs.open(blob.sha256) as content:
        assert content.read() == b"result"
    path = second.blobs.path(blob.sha256)
    assert path.is_relative_to(tmp_path / "b")
    for unknown in ("0" * 64, "../../etc/passwd"):
        with pytest.raises(NotFound):
            second.blobs.path(unknown)
    assert not first.blobs.discard(blob.sha256, NOW)  # written since
    path.unlink()
    assert second.blobs.path(blob.sha256).read_bytes() == b"result"
    assert first.blobs.discard(blob.sha256, datetime.now(UTC) + timedelta(days=1))
    path.unlink()
    with pytest.raises(NotFound):
        second.blobs.path(blob.sha256)


def test_bytes_that_were_changed_in_the_object_store_are_refused(
    hosts: tuple[Stores, Stores], bucket: dict[str, str], tmp_path: Path
) -> None:
    first, second = hosts
    sha256 = first.blobs.put(b"result").sha256
    address = f"{bucket['BPW_BLOB_URL']}/{tmp_path.name}"
    store = S3Store.from_url(address, client_options={"allow_http": True})
    store.put(f"{sha256[:2]}/{sha256}", b"forged")
    with pytest.raises(StorageUnavailable, match="other bytes"):
        second.blobs.path(sha256)


def test_evidence_of_one_host_is_that_of_the_other(hosts: tuple[Stores, Stores]) -> None:
    first, second = hosts
    assert not second.sharing.follow()
    bring(first, 1)
    assert second.sharing.follow()
    assert not second.sharing.follow()
    bring(second, 2)
    assert first.sharing.follow()
    assert first.evidence.info() == second.evidence.info()
    assert first.evidence.record("ctgov:NCT00000002") is not None


def test_one_process_at_a_time_changes_evidence(hosts: tuple[Stores, Stores]) -> None:
    first, second = hosts
    with first.sharing.writing():
        assert second.sharing.is_writing()
        with pytest.raises(InvalidInput, match="under way"):
            bring(second, 1)
    assert not second.sharing.is_writing()
    bring(second, 1)


def test_a_change_that_was_not_published_is_taken_back(hosts: tuple[Stores, Stores]) -> None:
    first, second = hosts
    bring(first, 1)
    with first.evidence.next_generation() as writer:  # its process dies before it publishes
        writer.add([make_trial(2)])
    first.evidence.keep_events([], None, "of trial 2")
    assert first.sharing.follow(is_strict=True)
    assert not first.sharing.follow(is_strict=True)
    assert first.evidence.record("ctgov:NCT00000002") is None
    assert first.evidence.events_mark() == ""
    bring(second, 3)
    first.sharing.follow()
    assert first.evidence.info() == second.evidence.info()


def test_published_files_outlive_retention_and_lie_in_a_backup(
    hosts: tuple[Stores, Stores], tmp_path: Path
) -> None:
    first, second = hosts
    bring(first, 1)
    second.upkeep.retain(at=datetime.now(UTC) + timedelta(days=30))
    manifest = first.upkeep.backup(tmp_path / "copy", at=NOW)
    assert first.upkeep.check_backup(tmp_path / "copy") == manifest
    assert second.sharing.follow()
    assert second.evidence.info().records == 1


def test_events_are_exchanged_below_their_readers(
    hosts: tuple[Stores, Stores], tmp_path: Path
) -> None:
    first, second = hosts
    bring(first, 1)
    with first.sharing.writing():
        first.evidence.keep_events([], None, "made of import 1")
    second.sharing.follow()
    assert second.evidence.events_mark() == "made of import 1"
    with closing(sqlite3.connect(tmp_path / "b" / "evidence" / "events.db")) as reading:
        reading.execute("BEGIN").execute("SELECT * FROM meta").fetchall()
        with first.sharing.writing():
            first.evidence.keep_events([], None, "made of import 2")
        second.sharing.follow()
    assert second.evidence.events_mark() == "made of import 2"


def test_a_state_is_replaced_only_by_whoever_has_read_it(hosts: tuple[Stores, Stores]) -> None:
    first, second = hosts
    assert first.states.read("daily sync") == ""
    assert first.states.write("daily sync", "a", expected="")
    assert not second.states.write("daily sync", "b", expected="")
    assert second.states.read("daily sync") == "a"
    assert second.states.write("daily sync", "b")


def test_a_run_that_the_queue_lost_is_put_again_and_taken_once(
    hosts: tuple[Stores, Stores], tmp_path: Path
) -> None:
    first, second = hosts
    owner = first.users.create("anna", "correct horse battery").user_id
    queue = first.engine.queue(tmp_path / "a")
    queue.prepare()
    queue.prepare()
    run = first.runs.open(
        NewRun(
            run_uuid="run-1",
            agent="attribution-engine",
            owner_id=owner,
            key_id=None,
            use_cache=False,
            title="t",
            fingerprint="f" * 64,
            data_version="1",
            input_sha256="0" * 64,
            created_at=NOW,
        )
    )
    try:
        assert [lost.run_uuid for lost in queue.lost()] == ["run-1"]
        queue.put(run, "computing")
        queue.put(run, "computing")
        assert queue.lost() == []
    finally:
        queue.close()
    seen = second.leases.waiting("run-1")
    assert seen is not None
    assert second.leases.take_over(seen, "w1") is not None
    assert first.leases.take_over(seen, "w2") is None
    assert first.leases.waiting("run-1") is None
    assert first.runs.ended(["run-1", "gone"]) == {"gone"}


def test_a_database_without_published_evidence_takes_nothing_away(
    hosts: tuple[Stores, Stores],
    postgres,  # noqa: F811 - the fixture
) -> None:
    first, second = hosts
    bring(first, 1)
    postgres.clean_database()  # a new one, or one that was restored empty
    assert not first.sharing.follow()
    assert first.evidence.info().records == 1
    first.sharing.follow(is_strict=True)
    assert second.sharing.follow()
    assert second.evidence.info() == first.evidence.info()


def test_a_store_of_results_that_is_not_there_is_noticed(
    hosts: tuple[Stores, Stores], tmp_path: Path
) -> None:
    first, second = hosts
    first.sharing.join()
    second.sharing.join()
    settings = Settings(
        home=tmp_path / "c",
        database_url=str(first.engine.url),  # type: ignore[attr-defined]
        secret_key=SECRET,
        run_engine="procrastinate",
        blob_url=(tmp_path / "not mounted").as_uri(),
    )
    third = open_stores(settings)
    with closing(third.engine), pytest.raises(StorageUnavailable, match="is it mounted"):
        third.sharing.join()


def test_a_bucket_that_is_not_there_leaves_no_trace(
    hosts: tuple[Stores, Stores], bucket: dict[str, str], tmp_path: Path
) -> None:
    first, second = hosts
    settings = Settings(
        home=tmp_path / "c",
        database_url=str(first.engine.url),  # type: ignore[attr-defined]
        secret_key=SECRET,
        run_engine="procrastinate",
        blob_url="s3://missing/blobs",
    )
    third = open_stores(settings)
    with closing(third.engine), pytest.raises(StorageUnavailable, match="does not exist"):
        third.sharing.join()
    first.sharing.join()
    second.sharing.join()


def test_callers_take_turns_without_an_end_for_anybody(
    hosts: tuple[Stores, Stores], tmp_path: Path
) -> None:
    stores, _ = hosts
    queue = stores.engine.queue(tmp_path / "a")
    queue.prepare()

    def put(name: str, run_uuid: str, after_s: float) -> None:
        owner = stores.users.by_name(name).user_id
        run = stores.runs.open(
            NewRun(
                run_uuid=run_uuid,
                agent="attribution-engine",
                owner_id=owner,
                key_id=None,
                use_cache=False,
                title="t",
                fingerprint="f" * 64,
                data_version="1",
                input_sha256="0" * 64,
                created_at=NOW + timedelta(seconds=after_s),
            )
        )
        queue.put(run, "computing")

    for name in ("anna", "boris"):
        stores.users.create(name, "correct horse battery")
    for number in range(3):
        put("anna", f"a{number}", 0)
    put("boris", "b0", 1)
    for number in range(1, 4):
        put("boris", f"b{number}", 100 * number)
    with stores.engine.connect_alone() as connection:  # type: ignore[attr-defined]
        rows = connection.exec_driver_sql(
            f"SELECT queueing_lock FROM {SCHEMA}.procrastinate_jobs ORDER BY priority DESC, id"
        )
        order = [row[0] for row in rows if row[0] != "run-1"]
    queue.close()
    assert order == ["a0", "b0", "a1", "a2", "b1", "b2", "b3"]
