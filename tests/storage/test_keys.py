"""API keys: known by a keyed hash, refused in one way."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from core.errors import InvalidInput, NotAuthenticated, NotFound
from core.ports import Stores
from core.records.runs import Caller, User
from core.settings import Settings
from storage.instants import Clock
from storage.stores import open_stores


def test_a_key_has_its_form_and_finds_its_owner(stores: Stores, anna: User) -> None:
    record, key = stores.keys.create(anna.user_id, "notebook", scopes=["alerts"])
    assert re.fullmatch(r"bpw_live_[0-9a-f]{32}", key)
    assert (record.prefix, record.last4, record.owner) == ("bpw_live_", key[-4:], "anna")
    assert stores.keys.find_caller(key) == Caller(
        user_id=anna.user_id, name="anna", role="analyst", key_id=record.key_id, scopes=("alerts",)
    )


def test_the_key_itself_is_nowhere_on_the_disk(
    stores: Stores, settings: Settings, anna: User
) -> None:
    _, key = stores.keys.create(anna.user_id, "notebook")
    stores.engine.close()
    for path in settings.home.rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes()


@pytest.mark.parametrize("end", ["malformed", "unknown", "revoked", "expired", "disabled"])
def test_a_key_that_is_not_valid_is_refused_in_one_way(
    stores: Stores, anna: User, clock: Clock, wait: Callable[..., None], end: str
) -> None:
    expiry = clock() + timedelta(days=1)
    record, key = stores.keys.create(anna.user_id, "notebook", expires_at=expiry)
    if end == "malformed":
        key += "0"
    elif end == "unknown":
        key = key[:-8] + "00000000"
    elif end == "revoked":
        stores.keys.revoke(record.key_id)
    elif end == "expired":
        wait(days=1)
    else:
        stores.users.disable(anna.user_id)
    with pytest.raises(NotAuthenticated) as refused:
        stores.keys.find_caller(key)
    assert refused.value.record().model_dump() == {
        "status": 401,
        "type": "authentication",
        "code": "invalid_api_key",
        "message": "missing or invalid API key",
        "details": [],
    }


def test_a_key_lives_until_its_expiry(
    stores: Stores, anna: User, clock: Clock, wait: Callable[..., None]
) -> None:
    _, key = stores.keys.create(
        anna.user_id, "notebook", expires_at=clock() + timedelta(seconds=10)
    )
    wait(seconds=9)
    assert stores.keys.find_caller(key).name == "anna"


def test_the_last_use_is_written_once_a_minute(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    _, key = stores.keys.create(anna.user_id, "notebook")
    uses = []
    for _ in range(4):
        stores.keys.find_caller(key)
        uses.append(stores.keys.list()[0].last_used_at)
        wait(seconds=25)
    assert uses[0] == uses[1] == uses[2] != uses[3]


def test_another_instance_does_not_know_the_key(
    stores: Stores, anna: User, settings: Settings
) -> None:
    _, key = stores.keys.create(anna.user_id, "notebook")
    other = open_stores(settings.model_copy(update={"secret_key": "another secret"}))
    with pytest.raises(NotAuthenticated):
        other.keys.find_caller(key)
    other.engine.close()


def test_keys_are_listed_by_owner_newest_first(stores: Stores, anna: User, boris: User) -> None:
    for owner, name in ((anna, "first"), (anna, "second"), (boris, "third")):
        stores.keys.create(owner.user_id, name)
    assert [key.name for key in stores.keys.list(anna.user_id)] == ["second", "first"]
    assert [key.name for key in stores.keys.list()] == ["third", "second", "first"]


def test_a_foreign_key_cannot_be_revoked(stores: Stores, anna: User, boris: User) -> None:
    record, key = stores.keys.create(anna.user_id, "notebook")
    with pytest.raises(NotFound):
        stores.keys.revoke(record.key_id, owner_id=boris.user_id)
    assert stores.keys.find_caller(key).name == "anna"


def test_revoking_twice_keeps_the_first_instant(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    record, _ = stores.keys.create(anna.user_id, "notebook")
    stores.keys.revoke(record.key_id, owner_id=anna.user_id)
    first = stores.keys.list()[0].revoked_at
    wait(hours=1)
    stores.keys.revoke(record.key_id, owner_id=anna.user_id)
    assert stores.keys.list()[0].revoked_at == first


def test_a_key_needs_a_name_an_owner_and_a_future(stores: Stores, anna: User, clock: Clock) -> None:
    with pytest.raises(InvalidInput, match="name"):
        stores.keys.create(anna.user_id, "  ")
    with pytest.raises(InvalidInput, match="expiry"):
        stores.keys.create(anna.user_id, "notebook", expires_at=clock())
    with pytest.raises(NotFound):
        stores.keys.create(99, "notebook")


def test_a_rotated_key_works_until_its_grace_is_over(
    stores: Stores, anna: User, wait: Callable[..., None]
) -> None:
    old, former = stores.keys.create(anna.user_id, "notebook", scopes=["alerts"])
    new, key = stores.keys.rotate(old.key_id, grace=timedelta(hours=2))
    assert (new.name, new.scopes, new.replaces_id) == ("notebook", ("alerts",), old.key_id)
    wait(hours=2, seconds=-1)
    callers = [stores.keys.find_caller(each) for each in (former, key)]
    assert [caller.key_id for caller in callers] == [old.key_id, new.key_id]
    wait(seconds=1)
    with pytest.raises(NotAuthenticated):
        stores.keys.find_caller(former)
    assert stores.keys.find_caller(key).scopes == ("alerts",)


def test_a_rotation_without_grace_ends_the_old_key_now(stores: Stores, anna: User) -> None:
    old, former = stores.keys.create(anna.user_id, "notebook")
    _, key = stores.keys.rotate(old.key_id, grace=timedelta(0))
    with pytest.raises(NotAuthenticated):
        stores.keys.find_caller(former)
    assert stores.keys.find_caller(key).name == anna.name


def test_a_successor_lives_as_long_as_the_old_key_did(
    stores: Stores, anna: User, clock: Clock, wait: Callable[..., None]
) -> None:
    old, _ = stores.keys.create(anna.user_id, "notebook", expires_at=clock() + timedelta(days=30))
    wait(days=29)
    new, _ = stores.keys.rotate(old.key_id, grace=timedelta(days=5))
    assert new.expires_at == clock() + timedelta(days=30)
    assert stores.keys.get(old.key_id).expires_at == old.expires_at


def test_a_key_that_ended_or_was_rotated_has_no_further_successor(
    stores: Stores, anna: User, clock: Clock
) -> None:
    rotated, _ = stores.keys.create(anna.user_id, "a")
    stores.keys.rotate(rotated.key_id, grace=timedelta(hours=1))
    revoked, _ = stores.keys.create(anna.user_id, "b")
    stores.keys.revoke(revoked.key_id)
    for key in (rotated, revoked):
        with pytest.raises(InvalidInput) as refused:
            stores.keys.rotate(key.key_id, grace=timedelta(hours=1))
        assert refused.value.word == "key_ended"
    with pytest.raises(InvalidInput, match="grace"):
        stores.keys.rotate(rotated.key_id, grace=timedelta(days=-1))


def test_a_foreign_key_is_neither_rotated_nor_shown(
    stores: Stores, anna: User, boris: User
) -> None:
    record, _ = stores.keys.create(anna.user_id, "notebook")
    with pytest.raises(NotFound):
        stores.keys.rotate(record.key_id, grace=timedelta(0), owner_id=boris.user_id)
    with pytest.raises(NotFound):
        stores.keys.get(record.key_id, owner_id=boris.user_id)
    assert stores.keys.get(record.key_id, owner_id=anna.user_id) == record


def test_a_list_tells_the_state_of_each_key(
    stores: Stores, anna: User, clock: Clock, wait: Callable[..., None]
) -> None:
    stores.keys.create(anna.user_id, "expired", expires_at=clock() + timedelta(minutes=1))
    stores.keys.revoke(stores.keys.create(anna.user_id, "revoked")[0].key_id)
    old = stores.keys.create(anna.user_id, "rotated")[0]
    stores.keys.rotate(old.key_id, grace=timedelta(days=1))
    wait(minutes=1)
    found = stores.keys.list(anna.user_id)
    assert [key.state(clock()) for key in found] == ["active", "rotated", "revoked", "expired"]
    assert found[1].replaced_by_id == found[0].key_id
