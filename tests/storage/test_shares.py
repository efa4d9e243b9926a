"""Read-only links to runs: made and ended by the owner, refused in one way."""

from collections.abc import Callable

import pytest

from core.errors import InvalidInput, NotFound
from core.ports import Stores
from core.records.runs import NewRun, User
from core.settings import Settings
from storage.instants import Clock


@pytest.fixture
def run_uuid(stores: Stores, new_run: Callable[..., NewRun], clock: Clock) -> str:
    """Return a completed run of anna."""
    run = stores.runs.open(new_run())
    stores.runs.start(run.run_uuid, worker_pid=1, at=clock())
    stores.runs.finish(run.run_uuid, "completed", at=clock())
    return run.run_uuid


def test_a_link_leads_to_the_run_until_it_is_ended(
    stores: Stores, anna: User, run_uuid: str
) -> None:
    share, token = stores.shares.create(anna.user_id, run_uuid, hides_inputs=True)
    run, found = stores.shares.open(token)
    assert (run.run_uuid, run.owner_id, found.hides_inputs) == (run_uuid, anna.user_id, True)
    assert [one.share_id for one in stores.shares.list(anna.user_id, run_uuid)] == [share.share_id]
    stores.shares.revoke(anna.user_id, share.share_id)
    assert list(stores.shares.list(anna.user_id, run_uuid)) == []
    with pytest.raises(NotFound):
        stores.shares.open(token)


def test_nobody_shares_lists_or_ends_what_is_not_theirs(
    stores: Stores, anna: User, boris: User, run_uuid: str
) -> None:
    share, token = stores.shares.create(anna.user_id, run_uuid)
    with pytest.raises(NotFound):
        stores.shares.create(boris.user_id, run_uuid)
    with pytest.raises(NotFound):
        stores.shares.list(boris.user_id, run_uuid)
    with pytest.raises(NotFound):
        stores.shares.revoke(boris.user_id, share.share_id)
    assert stores.shares.open(token)[0].run_uuid == run_uuid


@pytest.mark.parametrize("end", ["unknown", "long", "deleted run", "disabled owner"])
def test_a_link_that_leads_nowhere_is_refused_in_one_way(
    stores: Stores, anna: User, run_uuid: str, end: str
) -> None:
    _, token = stores.shares.create(anna.user_id, run_uuid)
    said = {"unknown": "x" * 43, "long": token * 1000}.get(end, token)
    if end == "deleted run":
        stores.runs.delete(anna.user_id, run_uuid)
    if end == "disabled owner":
        stores.users.disable(anna.user_id)
    with pytest.raises(NotFound, match="not valid or was ended"):
        stores.shares.open(said)


def test_only_a_completed_run_is_shared(
    stores: Stores, anna: User, new_run: Callable[..., NewRun]
) -> None:
    run = stores.runs.open(new_run())
    with pytest.raises(InvalidInput, match="queued"):
        stores.shares.create(anna.user_id, run.run_uuid)


def test_the_token_itself_is_nowhere_on_the_disk(
    stores: Stores, settings: Settings, anna: User, run_uuid: str
) -> None:
    _, token = stores.shares.create(anna.user_id, run_uuid)
    stores.engine.close()
    for path in settings.home.rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes()
