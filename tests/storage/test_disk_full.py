"""A full disk, for real: a small file system in memory (mounting one needs root)."""

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import text

from core.errors import StorageFull
from core.ports import Stores
from core.records.runs import Artifact, NewRun, User
from core.settings import Settings
from storage.instants import Clock
from storage.stores import open_stores

SIZE_MB = 8
PASSWORD = "correct horse battery"
PART = bytes(64 * 1024)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that holds eight megabytes and no more."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("needs the command mount")
    if done.returncode != 0:
        pytest.skip("needs the right to mount a tmpfs (root)")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def stores(small_disk: Path, clock: Clock) -> Iterator[Stores]:
    """Return the stores of an instance on the small disk."""
    home = small_disk / "instance"
    settings = Settings(home=home, database_url=f"sqlite:///{home / 'workbench.db'}")
    opened = open_stores(settings, now=clock)
    with closing(opened.engine):
        opened.engine.upgrade()
        yield opened


def fill(folder: Path) -> Path:
    """Fill the disk to its last byte."""
    filler = folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(PART):
            pass
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while file.write(b"\0" * 512):
            pass
    return filler


def integrity(stores: Stores) -> str:
    """Return what the database says of itself."""
    with stores.engine.read() as session:
        return str(session.execute(text("PRAGMA integrity_check")).scalar_one())


def test_rows_say_so_stay_whole_and_can_be_written_again(stores: Stores, small_disk: Path) -> None:
    stores.audit.add("anna", "before", "x")
    filler = fill(small_disk)

    def write_on() -> None:
        for _ in range(3000):
            stores.audit.add("anna", "full", "x" * 500, "y" * 500)

    with pytest.raises(StorageFull) as full:
        write_on()
    assert full.value.word == "storage_full"
    assert integrity(stores) == "ok"
    assert stores.audit.list(action="before")[0].actor == "anna"
    filler.unlink()
    stores.audit.add("anna", "after", "x")
    assert stores.audit.list()[0].action == "after"
    assert integrity(stores) == "ok"


def test_files_say_so_leave_nothing_behind_and_can_be_written_again(
    stores: Stores, small_disk: Path
) -> None:
    def write_on() -> None:
        for number in range(1000):
            stores.blobs.put(number.to_bytes(2, "big") + PART)

    with pytest.raises(StorageFull):
        write_on()
    blobs = small_disk / "instance" / "blobs"
    assert list((blobs / "tmp").iterdir()) == []
    found = list(stores.blobs.places())
    assert all(place.stat().st_size == len(PART) + 2 for place in found)
    for place in found:
        place.unlink()
    assert stores.blobs.path(stores.blobs.put(b"after" + PART).sha256).exists()


def test_on_a_full_disk_people_sign_in_and_delete(
    stores: Stores, small_disk: Path, anna: User, new_run: Callable[..., NewRun]
) -> None:
    result = stores.blobs.put(bytes(range(256)) * 4_000)
    part = Artifact(kind="data", name="data", sha256=result.sha256, size=1, media_type="x")
    run = new_run()
    stores.runs.open(run)
    stores.runs.finish(run.run_uuid, "completed", at=run.created_at, artifacts=[part])
    os.utime(stores.blobs.path(result.sha256), (0, 0))
    filler = fill(small_disk)
    with pytest.raises(StorageFull):
        stores.engine.ping()
    for number in range(2):  # what the reserve gives back is no room for everything
        stores.users.check_password("anna", PASSWORD, address="127.0.0.1")
        token = stores.users.open_session(anna.user_id, address="127.0.0.1", agent="test")
        assert stores.users.find_session(token).name == "anna"
        with pytest.raises(StorageFull):
            stores.lists.make(anna.user_id, f"list {number}", "drug")
        with pytest.raises(StorageFull):
            stores.blobs.put(b"more")
        with filler.open("ab") as file, suppress(OSError):
            while file.write(PART):
                file.flush()
    stores.runs.delete(anna.user_id, run.run_uuid)
    assert not stores.blobs.holds(result.sha256)
    filler.unlink()
    stores.engine.ping()


def test_the_disk_is_really_full(small_disk: Path) -> None:
    fill(small_disk)
    with pytest.raises(OSError, match="No space") as full:
        (small_disk / "more").write_bytes(b"x")
    assert full.value.errno == errno.ENOSPC
