"""Leases: who answers for a run, and who may take it over."""

from collections.abc import Callable

from core.errors import WorkerCrashed
from core.ports import Stores
from core.records.runs import NewRun, User

HERE, THERE = "host/1/10/100", "other/1/20/200"
CRASH = WorkerCrashed("gone").record()
NewRuns = Callable[..., NewRun]


def nobody(worker: str) -> bool:
    return False


def test_run_of_a_live_worker_is_not_abandoned(stores: Stores, new_run: NewRuns) -> None:
    run = stores.runs.open(new_run(worker=HERE))
    assert stores.leases.renew(HERE) == {run.run_uuid}
    assert stores.leases.abandoned(30, nobody) == []


def test_run_of_a_worker_that_is_gone_is_abandoned(stores: Stores, new_run: NewRuns) -> None:
    stores.runs.open(new_run(worker=HERE))
    lost = stores.runs.open(new_run(worker=THERE))
    found = stores.leases.abandoned(30, lambda worker: worker == THERE)
    assert [run.run_uuid for run in found] == [lost.run_uuid]


def test_lease_that_was_not_renewed_runs_out(stores: Stores, new_run: NewRuns) -> None:
    run = stores.runs.open(new_run(worker=THERE))
    assert [each.run_uuid for each in stores.leases.abandoned(-1, nobody)] == [run.run_uuid]


def test_ended_run_is_never_abandoned(stores: Stores, new_run: NewRuns) -> None:
    run = stores.runs.open(new_run(worker=THERE))
    stores.runs.finish(run.run_uuid, "failed", at=run.created_at, error=CRASH)
    assert stores.leases.abandoned(-1, nobody) == []
    assert stores.leases.take_over(run, HERE) is None


def test_one_of_two_takes_a_run_over(stores: Stores, new_run: NewRuns) -> None:
    lost = stores.runs.open(new_run(worker=THERE))
    stores.runs.start(lost.run_uuid, worker_pid=7, at=lost.created_at)
    stores.runs.report(lost.run_uuid, "Read", 1, 2, "", lost.created_at)
    [seen] = stores.leases.abandoned(-1, nobody)
    taken = stores.leases.take_over(seen, HERE)
    assert taken is not None
    assert (taken.status, taken.attempt, taken.worker) == ("queued", 2, HERE)
    assert taken.worker_pid is None
    assert stores.leases.take_over(seen, "third/1/1/1") is None
    assert stores.runs.get(lost.owner_id, lost.run_uuid).steps == ()


def test_earlier_attempt_neither_starts_nor_ends_a_run(stores: Stores, new_run: NewRuns) -> None:
    lost = stores.runs.open(new_run(worker=THERE))
    stores.leases.take_over(lost, HERE)
    at = lost.created_at
    assert not stores.runs.start(lost.run_uuid, worker_pid=7, at=at, attempt=1)
    assert not stores.runs.finish(lost.run_uuid, "failed", at=at, error=CRASH, attempt=1)
    assert stores.runs.start(lost.run_uuid, worker_pid=8, at=at, attempt=2)
    assert stores.runs.finish(lost.run_uuid, "completed", at=at, attempt=2)


def test_released_run_counts_as_the_same_attempt(stores: Stores, new_run: NewRuns) -> None:
    run = stores.runs.open(new_run(worker=HERE))
    assert not stores.leases.release(run.run_uuid, THERE)
    assert stores.leases.release(run.run_uuid, HERE)
    [left] = stores.leases.abandoned(30, nobody)
    taken = stores.leases.take_over(left, THERE)
    assert taken is not None
    assert (taken.attempt, taken.worker) == (1, THERE)


def test_charge_belongs_to_the_row_and_is_given_back_once(
    stores: Stores, new_run: NewRuns, anna: User
) -> None:
    def used() -> int:
        return stores.quotas.state(anna.user_id, limit=5, at=run.created_at).used

    run = stores.runs.open(new_run(worker=HERE), quota=5)
    assert used() == 1
    assert stores.runs.finish(run.run_uuid, "failed", at=run.created_at, error=CRASH)
    assert not stores.runs.finish(run.run_uuid, "cancelled", at=run.created_at)
    assert used() == 0


def test_equal_run_under_way_is_shared_and_charged_once(
    stores: Stores, new_run: NewRuns, anna: User
) -> None:
    first = stores.runs.open(new_run(use_cache=True), quota=5)
    second = stores.runs.open(new_run(use_cache=True), quota=5)
    assert second.run_uuid == first.run_uuid
    assert stores.quotas.state(anna.user_id, limit=5, at=first.created_at).used == 1
    stores.runs.finish(first.run_uuid, "failed", at=first.created_at, error=CRASH)
    assert stores.runs.open(new_run(use_cache=True)).run_uuid != first.run_uuid
