"""Retention: what is past its time goes, and nothing else."""

import hashlib
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core.errors import NotFound
from core.ports import Stores
from core.records.runs import Artifact, NewRun, User
from core.records.upkeep import Cleared
from core.settings import Settings
from storage.instants import Clock
from storage.stores import open_stores

MakeRun = Callable[..., NewRun]
NOTHING = Cleared(runs=0, uploads=0, sessions=0, links=0, answers=0, blobs=0, blob_bytes=0)


def keep(stores: Stores, content: bytes, written_at: datetime) -> str:
    """Store a blob as if it had been written at an instant."""
    blob = stores.blobs.put(content)
    os.utime(stores.blobs.path(blob.sha256), (written_at.timestamp(),) * 2)
    return blob.sha256


def add_run(
    stores: Stores, make: MakeRun, ended_at: datetime, *, entry: bytes = b"{}", **changes: object
) -> NewRun:
    """Store a completed run with an input and a result."""
    run = make(input_sha256=keep(stores, entry, ended_at), created_at=ended_at, **changes)
    stores.runs.open(run)
    result = f"result of {run.run_uuid}".encode()
    part = Artifact(
        kind="data",
        name="data",
        sha256=keep(stores, result, ended_at),
        size=len(result),
        media_type="application/json",
    )
    stores.runs.finish(run.run_uuid, "completed", at=ended_at, artifacts=[part])
    return run


def has_blob(stores: Stores, content: bytes) -> bool:
    """Return whether the bytes are still stored."""
    try:
        stores.blobs.path(hashlib.sha256(content).hexdigest())
    except NotFound:
        return False
    return True


def test_an_old_run_goes_with_its_files_and_a_young_one_stays(
    stores: Stores, anna: User, new_run: MakeRun, clock: Clock
) -> None:
    old = add_run(stores, new_run, clock() - timedelta(days=366), entry=b"old input")
    young = add_run(stores, new_run, clock() - timedelta(days=364), entry=b"young input")
    cleared = stores.upkeep.retain(at=clock())
    size = len("old input") + len(f"result of {old.run_uuid}")
    assert cleared == NOTHING.model_copy(update={"runs": 1, "blobs": 2, "blob_bytes": size})
    assert [run.run_uuid for run in stores.runs.list(anna.user_id)] == [young.run_uuid]
    assert not has_blob(stores, b"old input")
    assert has_blob(stores, b"young input")
    assert stores.upkeep.retain(at=clock()) == NOTHING


def test_a_dry_run_counts_the_same_and_removes_nothing(
    stores: Stores, anna: User, new_run: MakeRun, clock: Clock
) -> None:
    add_run(stores, new_run, clock() - timedelta(days=366), entry=b"old input")
    told = stores.upkeep.retain(at=clock(), dry_run=True)
    assert len(stores.runs.list(anna.user_id)) == 1
    assert has_blob(stores, b"old input")
    assert stores.upkeep.retain(at=clock()) == told


@pytest.mark.parametrize("status", ["queued", "running"])
def test_an_unfinished_run_stays_whatever_its_age(
    stores: Stores, anna: User, new_run: MakeRun, clock: Clock, status: str
) -> None:
    begun = clock() - timedelta(days=4000)
    run = new_run(input_sha256=keep(stores, b"input", begun), created_at=begun)
    stores.runs.open(run)
    if status == "running":
        stores.runs.start(run.run_uuid, worker_pid=1, at=begun)
    assert stores.upkeep.retain(at=clock()) == NOTHING
    assert stores.runs.get(anna.user_id, run.run_uuid).status == status


def test_no_days_keep_runs_and_uploads_for_ever(
    settings: Settings, stores: Stores, anna: User, new_run: MakeRun, clock: Clock
) -> None:
    add_run(stores, new_run, clock() - timedelta(days=4000))
    for_ever = settings.model_copy(update={"keep_runs_days": 0, "keep_uploads_days": 0})
    other = open_stores(for_ever, now=clock)
    assert other.upkeep.retain(at=clock() + timedelta(days=4000)) == NOTHING
    other.engine.close()


def test_an_upload_goes_when_no_run_names_it(
    stores: Stores, anna: User, new_run: MakeRun, clock: Clock, wait: Callable[..., None]
) -> None:
    named, unnamed = (
        stores.files.add(anna.user_id, "counts.csv", stores.blobs.put(content))
        for content in (b"named", b"unnamed")
    )
    for file in (named, unnamed):
        os.utime(stores.blobs.path(file.sha256), (clock().timestamp(),) * 2)
    filler = b" " * ((1 << 20) - 20)
    entry = b'{"x": "' + filler + named.file_id.encode() + b'"}'
    add_run(stores, new_run, clock(), entry=entry)
    wait(days=30)
    assert stores.upkeep.retain(at=clock()) == NOTHING
    wait(seconds=1)
    cleared = stores.upkeep.retain(at=clock())
    assert (cleared.uploads, cleared.blobs, cleared.runs) == (1, 1, 0)
    assert [file.file_id for file in stores.files.list(anna.user_id)] == [named.file_id]
    assert has_blob(stores, b"named")
    assert not has_blob(stores, b"unnamed")


def test_bytes_that_another_row_needs_stay(
    stores: Stores, anna: User, boris: User, new_run: MakeRun, clock: Clock
) -> None:
    old = clock() - timedelta(days=366)
    add_run(stores, new_run, old, entry=b"shared")
    stores.files.add(boris.user_id, "x", stores.blobs.put(b"shared"))
    keep(stores, b"shared", old)
    assert stores.upkeep.retain(at=clock()).runs == 1
    assert has_blob(stores, b"shared")


def test_a_file_without_a_row_stays_for_a_day(stores: Stores, clock: Clock) -> None:
    keep(stores, b"under way", clock() - timedelta(hours=23))
    keep(stores, b"orphan", clock() - timedelta(hours=25))
    assert stores.upkeep.retain(at=clock()).blobs == 1
    assert has_blob(stores, b"under way")
    assert not has_blob(stores, b"orphan")


def test_a_file_that_is_written_again_meanwhile_stays(stores: Stores, clock: Clock) -> None:
    sha256 = keep(stores, b"old and new", clock() - timedelta(days=9))
    stores.blobs.put(b"old and new")
    assert not stores.blobs.discard(sha256, clock() - timedelta(days=1))
    assert stores.blobs.path(sha256).read_bytes() == b"old and new"


def test_drafts_of_a_dead_process_are_cleared(
    settings: Settings, stores: Stores, clock: Clock
) -> None:
    folder = settings.home / "blobs" / "tmp"
    folder.mkdir(parents=True)
    for name, hours in (("dead", 25), ("alive", 1)):
        (folder / name).write_bytes(b"half")
        at = (clock() - timedelta(hours=hours)).timestamp()
        os.utime(folder / name, (at, at))
    stores.upkeep.retain(at=clock())
    assert [path.name for path in folder.iterdir()] == ["alive"]


def test_expired_sessions_links_and_answers_are_cleared(
    stores: Stores, anna: User, clock: Clock, wait: Callable[..., None]
) -> None:
    stores.users.open_session(anna.user_id, address="x", agent="")
    stores.users.invite("carla")
    stores.idempotency.claim(anna.user_id, "k", agent="alerts", body_sha256="a" * 64, at=clock())
    assert stores.upkeep.retain(at=clock()) == NOTHING
    wait(days=7)
    cleared = stores.upkeep.retain(at=clock())
    assert (cleared.sessions, cleared.links, cleared.answers) == (1, 1, 1)
    assert stores.upkeep.retain(at=clock()) == NOTHING


def test_keys_accounts_quota_and_the_log_stay(
    stores: Stores, anna: User, clock: Clock, wait: Callable[..., None]
) -> None:
    _, key = stores.keys.create(anna.user_id, "notebook")
    stores.quotas.charge(anna.user_id, limit=5, at=clock())
    stores.audit.add("anna", "export", "x")
    then = clock()
    wait(days=9999)
    stores.upkeep.retain(at=clock())
    assert stores.keys.find_caller(key).name == "anna"
    assert stores.quotas.state(anna.user_id, limit=5, at=then).used == 1
    assert len(stores.audit.list()) == 1


def test_a_path_below_the_blobs_that_is_no_hash_is_left_alone(
    settings: Settings, stores: Stores, clock: Clock
) -> None:
    strange = settings.home / "blobs" / "ab" / "note.txt"
    strange.parent.mkdir(parents=True)
    strange.write_text("x")
    os.utime(strange, (0, 0))
    assert stores.upkeep.retain(at=clock()) == NOTHING
    assert Path(strange).exists()
