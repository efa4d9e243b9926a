"""Every method of the stores that asks for an owner, as somebody else."""

import inspect
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.errors import NotFound
from core.ports import Stores
from core.records.runs import NewRun, User
from storage.instants import Clock
from tests.rows import over_rows

OWN_NAMESPACE = {
    "files.add",
    "files.check_room",
    "files.list",
    "runs.find_cached",
    "runs.list",
    "keys.create",
    "keys.list",
    "keys.revoke_all",
    "quotas.charge",
    "quotas.state",
    "idempotency.claim",
    "idempotency.attach",
    "idempotency.release",
    "watches.of",
    "lists.of",
    "lists.make",
    "mailings.get",
    "mailings.ask",
    "mailings.end",
    "mailings.withdraw",
}
"""What names nothing that exists but the owner's own things."""

FOREIGN: dict[str, Callable[[Stores, int, dict[str, Any]], object]] = {
    "files.get": lambda stores, owner, ids: stores.files.get(owner, ids["file"]),
    "files.delete": lambda stores, owner, ids: stores.files.delete(owner, ids["file"]),
    "runs.get": lambda stores, owner, ids: stores.runs.get(owner, ids["run"]),
    "runs.rename": lambda stores, owner, ids: stores.runs.rename(owner, ids["run"], "taken"),
    "runs.delete": lambda stores, owner, ids: stores.runs.delete(owner, ids["run"]),
    "shares.create": lambda stores, owner, ids: stores.shares.create(owner, ids["run"]),
    "shares.list": lambda stores, owner, ids: stores.shares.list(owner, ids["run"]),
    "shares.revoke": lambda stores, owner, ids: stores.shares.revoke(owner, ids["share"]),
    "keys.get": lambda stores, owner, ids: stores.keys.get(ids["key"], owner_id=owner),
    "keys.revoke": lambda stores, owner, ids: stores.keys.revoke(ids["key"], owner_id=owner),
    "keys.rotate": lambda stores, owner, ids: stores.keys.rotate(
        ids["key"], grace=timedelta(hours=1), owner_id=owner
    ),
    "lists.change": lambda stores, owner, ids: stores.lists.change(
        owner, ids["list"], name="taken", add=["betamab"], remove=["alphamab"]
    ),
    "lists.delete": lambda stores, owner, ids: stores.lists.delete(owner, ids["list"]),
}


@pytest.fixture
def ids(stores: Stores, anna: User, new_run: Callable[..., NewRun]) -> dict[str, Any]:
    """Return the ids of things of anna."""
    run = stores.runs.open(new_run())
    stores.runs.finish(run.run_uuid, "completed", at=run.created_at)
    file = stores.files.add(anna.user_id, "counts.csv", stores.blobs.put(b"counts"))
    key, _ = stores.keys.create(anna.user_id, "notebook")
    share, _ = stores.shares.create(anna.user_id, run.run_uuid)
    held = stores.lists.make(anna.user_id, "watch", "drug")
    stores.lists.change(anna.user_id, held.list_id, add=["alphamab"])
    return {
        "list": held.list_id,
        "run": run.run_uuid,
        "file": file.file_id,
        "key": key.key_id,
        "share": share.share_id,
    }


def test_every_method_that_asks_for_an_owner_is_known_here(stores: Stores) -> None:
    found = {
        f"{name}.{method}"
        for name, store in vars(stores).items()
        for method, call in inspect.getmembers(store, inspect.ismethod)
        if not method.startswith("_") and "owner_id" in inspect.signature(call).parameters
    }
    assert found == OWN_NAMESPACE | set(FOREIGN)


@over_rows("method", FOREIGN)
def test_a_foreign_thing_is_not_there(
    stores: Stores, boris: User, ids: dict[str, Any], method: str
) -> None:
    with pytest.raises(NotFound):
        FOREIGN[method](stores, boris.user_id, ids)


@pytest.mark.parametrize("method", FOREIGN)
def test_one_s_own_thing_is_there(
    stores: Stores, anna: User, ids: dict[str, Any], method: str
) -> None:
    FOREIGN[method](stores, anna.user_id, ids)


def test_lists_hold_one_s_own_things_only(
    stores: Stores, boris: User, ids: dict[str, Any], clock: Clock
) -> None:
    assert stores.files.list(boris.user_id) == []
    assert stores.runs.list(boris.user_id) == []
    assert stores.keys.list(boris.user_id) == []
    assert stores.users.sessions(boris.user_id) == []
    assert stores.lists.of(boris.user_id) == []
    assert stores.mailings.get(boris.user_id) is None
    assert stores.quotas.state(boris.user_id, limit=9, at=clock()).used == 0
