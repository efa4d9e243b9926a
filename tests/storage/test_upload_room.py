"""What one caller may hold in uploads, and room that is given back at once."""

import os
import time
from collections.abc import Callable

import pytest

from core.errors import NotFound, QuotaExceeded
from core.ports import Stores
from core.records.runs import NewRun, User
from core.settings import Settings

MEGABYTE = 1024 * 1024


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"uploads_per_caller": 3, "upload_total_mb": 2})


def hold(stores: Stores, user: User, content: bytes) -> str:
    return stores.files.add(user.user_id, "a.csv", stores.blobs.put(content)).file_id


def age(stores: Stores, sha256: str, seconds: float = 120) -> None:
    """Let a blob look as if it was written so long ago."""
    then = time.time() - seconds
    os.utime(stores.blobs.path(sha256), (then, then))


def test_one_file_too_many_is_a_quota_with_its_numbers(
    stores: Stores, anna: User, boris: User
) -> None:
    for number in range(3):
        hold(stores, anna, b"%d" % number)
    with pytest.raises(QuotaExceeded, match="3 files are stored of at most 3") as refused:
        hold(stores, anna, b"3")
    told = {detail.field: detail.message for detail in refused.value.details}
    assert told == {"quota.name": "upload_files", "quota.limit": "3", "quota.used": "3"}
    with pytest.raises(QuotaExceeded):
        stores.files.check_room(anna.user_id)
    assert hold(stores, boris, b"3")


def test_one_byte_too_many_is_a_quota_and_is_not_kept(stores: Stores, anna: User) -> None:
    hold(stores, anna, bytes(MEGABYTE))
    blob = stores.blobs.put(bytes(MEGABYTE + 1))
    age(stores, blob.sha256)
    with pytest.raises(QuotaExceeded, match=r"1\.0 MB are stored of at most 2"):
        stores.files.add(anna.user_id, "b.csv", blob)
    with pytest.raises(NotFound):
        stores.blobs.path(blob.sha256)


def test_deleted_upload_gives_its_room_back_at_once(stores: Stores, anna: User) -> None:
    first = hold(stores, anna, bytes(2 * MEGABYTE))
    sha256 = stores.files.get(anna.user_id, first).sha256
    age(stores, sha256)
    stores.files.delete(anna.user_id, first)
    with pytest.raises(NotFound):
        stores.blobs.path(sha256)
    assert hold(stores, anna, bytes(2 * MEGABYTE))


def test_bytes_that_somebody_else_holds_stay(stores: Stores, anna: User, boris: User) -> None:
    hers, his = hold(stores, anna, b"same"), hold(stores, boris, b"same")
    sha256 = stores.files.get(anna.user_id, hers).sha256
    age(stores, sha256)
    stores.files.delete(anna.user_id, hers)
    assert stores.blobs.path(sha256).read_bytes() == b"same"
    stores.files.delete(boris.user_id, his)
    with pytest.raises(NotFound):
        stores.blobs.path(sha256)


def test_input_of_a_run_stays(stores: Stores, anna: User, new_run: Callable[..., NewRun]) -> None:
    file_id = hold(stores, anna, b"{}")
    sha256 = stores.files.get(anna.user_id, file_id).sha256
    stores.runs.open(new_run(input_sha256=sha256))
    age(stores, sha256)
    stores.files.delete(anna.user_id, file_id)
    assert stores.blobs.path(sha256)


def test_bytes_just_written_go_at_the_next_occasion(stores: Stores, anna: User) -> None:
    """Somebody else may be about to refer to them."""
    file_id = hold(stores, anna, b"fresh")
    sha256 = stores.files.get(anna.user_id, file_id).sha256
    stores.files.delete(anna.user_id, file_id)
    assert stores.blobs.path(sha256)
    age(stores, sha256)
    stores.files.check_room(anna.user_id)
    with pytest.raises(NotFound):
        stores.blobs.path(sha256)
