"""The run table: one way through its states, one end, seen by its owner alone."""

import multiprocessing
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

import pytest

from core.errors import InvalidInput, NotFound
from core.ports import Stores
from core.records.failure import ErrorRecord
from core.records.runs import Artifact, NewRun, User
from core.settings import Settings
from storage.instants import Clock
from storage.stores import open_stores

MakeRun = Callable[..., NewRun]
LATER = timedelta(seconds=12.5)
DATA = Artifact(kind="data", name="data", sha256="b" * 64, size=2, media_type="application/json")
TABLE = Artifact(
    kind="table", name="deseq2", sha256="c" * 64, size=9, media_type="application/x", rows=3
)
CRASH = ErrorRecord(status=500, type="agent_failed", code="worker_crashed", message="it ended")


def complete(stores: Stores, run: NewRun) -> None:
    """Take a run from its first state to `completed`."""
    stores.runs.open(run)
    stores.runs.start(run.run_uuid, worker_pid=7, at=run.created_at)
    stores.runs.finish(run.run_uuid, "completed", at=run.created_at + LATER, artifacts=[DATA])


def test_a_run_is_queued_then_running_then_completed(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    assert stores.runs.open(run).status == "queued"
    assert stores.runs.start(run.run_uuid, worker_pid=7, at=run.created_at)
    assert stores.runs.get(run.owner_id, run.run_uuid).status == "running"
    end = run.created_at + LATER
    assert stores.runs.finish(run.run_uuid, "completed", at=end, artifacts=[DATA, TABLE])
    record = stores.runs.get(run.owner_id, run.run_uuid)
    assert (record.status, record.elapsed_s, record.worker_pid) == ("completed", 12.5, 7)
    assert record.artifacts == (DATA, TABLE)
    assert record.finished_at == end


def test_a_run_starts_once(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    stores.runs.open(run)
    assert stores.runs.start(run.run_uuid, worker_pid=7, at=run.created_at)
    assert not stores.runs.start(run.run_uuid, worker_pid=8, at=run.created_at)
    assert stores.runs.get(run.owner_id, run.run_uuid).worker_pid == 7


def test_the_first_end_of_a_run_stands(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    stores.runs.open(run)
    assert stores.runs.finish(run.run_uuid, "failed", at=run.created_at, error=CRASH)
    assert not stores.runs.finish(run.run_uuid, "completed", at=run.created_at, artifacts=[DATA])
    record = stores.runs.get(run.owner_id, run.run_uuid)
    assert (record.status, record.error, record.artifacts) == ("failed", CRASH, ())


def test_a_cancelled_run_does_not_start(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    stores.runs.open(run)
    stores.runs.finish(run.run_uuid, "cancelled", at=run.created_at)
    assert not stores.runs.start(run.run_uuid, worker_pid=7, at=run.created_at)


def test_a_state_that_is_not_final_cannot_end_a_run(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    stores.runs.open(run)
    with pytest.raises(ValueError, match="running is not a final state"):
        stores.runs.finish(run.run_uuid, "running", at=run.created_at)


def test_artifacts_and_state_are_written_together_or_not_at_all(
    stores: Stores, new_run: MakeRun
) -> None:
    run = new_run()
    stores.runs.open(run)
    with pytest.raises(Exception, match="(?i)unique constraint"):
        stores.runs.finish(run.run_uuid, "completed", at=run.created_at, artifacts=[DATA, DATA])
    record = stores.runs.get(run.owner_id, run.run_uuid)
    assert (record.status, record.artifacts) == ("queued", ())


def test_a_clock_set_back_gives_no_negative_time(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    stores.runs.open(run)
    stores.runs.start(run.run_uuid, worker_pid=7, at=run.created_at)
    stores.runs.finish(run.run_uuid, "completed", at=run.created_at - LATER)
    assert stores.runs.get(run.owner_id, run.run_uuid).elapsed_s == 0


def test_steps_keep_their_order_and_their_newest_count(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    stores.runs.open(run)
    at = run.created_at
    stores.runs.report(run.run_uuid, "Read counts", 1, 1, "", at)
    stores.runs.report(run.run_uuid, "Fit DESeq2", 100, 20000, "", at)
    stores.runs.report(run.run_uuid, "Fit DESeq2", 200, 20000, "200 genes", at + LATER)
    steps = stores.runs.get(run.owner_id, run.run_uuid).steps
    assert [(step.step, step.done) for step in steps] == [("Read counts", 1), ("Fit DESeq2", 200)]
    assert (steps[1].note, steps[1].at) == ("200 genes", at + LATER)


def test_a_run_that_has_ended_takes_no_more_reports(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    complete(stores, run)
    stores.runs.report(run.run_uuid, "Fit DESeq2", 1, 2, "", run.created_at)
    assert stores.runs.get(run.owner_id, run.run_uuid).steps == ()


def test_equal_input_belongs_to_one_saved_query(stores: Stores, new_run: MakeRun) -> None:
    first = stores.runs.open(new_run())
    second = stores.runs.open(new_run(title="another title"))
    other = stores.runs.open(new_run(fingerprint="e" * 64))
    assert first.query_id == second.query_id
    assert other.query_id != first.query_id


def test_callers_do_not_share_a_saved_query(stores: Stores, new_run: MakeRun, boris: User) -> None:
    first = stores.runs.open(new_run())
    second = stores.runs.open(new_run(owner_id=boris.user_id))
    assert first.query_id != second.query_id


def test_the_newest_completed_equal_run_is_found(stores: Stores, new_run: MakeRun) -> None:
    older, newer, failed = new_run(), new_run(), new_run()
    complete(stores, older)
    complete(stores, newer)
    stores.runs.open(failed)
    stores.runs.finish(failed.run_uuid, "failed", at=failed.created_at, error=CRASH)
    found = stores.runs.find_cached(newer.owner_id, newer.agent, newer.fingerprint, "2025-03")
    assert found is not None
    assert (found.run_uuid, found.artifacts) == (newer.run_uuid, (DATA,))


def test_an_administrator_sees_numbers_and_failures_of_everybody(
    stores: Stores, new_run: MakeRun, boris: User, clock: Clock
) -> None:
    done, failed = new_run(), new_run(owner_id=boris.user_id, title="secret question")
    complete(stores, done)
    stores.runs.open(failed)
    for step in ("Read tables", "Fit methods"):
        stores.runs.report(failed.run_uuid, step, 1, 2, "", clock())
    stores.runs.finish(failed.run_uuid, "failed", at=failed.created_at, error=CRASH)
    assert stores.runs.counts() == {(done.agent, "completed"): 1, (done.agent, "failed"): 1}
    (failure,) = stores.runs.failures(10)
    assert (failure.run_uuid, failure.step) == (failed.run_uuid, "Fit methods")
    assert failure.code == CRASH.code
    assert stores.runs.errors() == {(done.agent, CRASH.code): 1}
    assert "secret" not in failure.model_dump_json()


@pytest.mark.parametrize(
    "changes",
    [{"agent": "alerts"}, {"fingerprint": "e" * 64}, {"data_version": "2025-04"}, {"owner_id": 99}],
    ids=["agent", "input", "evidence", "caller"],
)
def test_an_unequal_run_is_not_found(
    stores: Stores, new_run: MakeRun, changes: dict[str, object]
) -> None:
    run = new_run()
    complete(stores, run)
    asked = run.model_copy(update=changes)
    assert (
        stores.runs.find_cached(asked.owner_id, asked.agent, asked.fingerprint, asked.data_version)
        is None
    )


def test_runs_are_listed_newest_first_by_agent_and_page(stores: Stores, new_run: MakeRun) -> None:
    runs = [new_run(agent="alerts" if number == 1 else "label-strategy") for number in range(4)]
    for run in runs:
        stores.runs.open(run)
    owner_id = runs[0].owner_id
    listed = [run.run_uuid for run in stores.runs.list(owner_id)]
    assert listed == [run.run_uuid for run in reversed(runs)]
    assert [run.run_uuid for run in stores.runs.list(owner_id, limit=1, offset=1)] == listed[1:2]
    assert [run.agent for run in stores.runs.list(owner_id, agent="alerts")] == ["alerts"]


def test_a_foreign_run_is_not_there(stores: Stores, new_run: MakeRun, boris: User) -> None:
    run = new_run()
    complete(stores, run)
    for ask in (
        lambda: stores.runs.get(boris.user_id, run.run_uuid),
        lambda: stores.runs.rename(boris.user_id, run.run_uuid, "mine"),
        lambda: stores.runs.delete(boris.user_id, run.run_uuid),
    ):
        with pytest.raises(NotFound):
            ask()
    assert stores.runs.list(boris.user_id) == []


def test_a_renamed_run_keeps_its_result(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    complete(stores, run)
    renamed = stores.runs.rename(run.owner_id, run.run_uuid, "for the board")
    assert (renamed.title, renamed.artifacts) == ("for the board", (DATA,))


def test_a_finished_run_can_be_deleted(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    complete(stores, run)
    stores.runs.delete(run.owner_id, run.run_uuid)
    with pytest.raises(NotFound):
        stores.runs.get(run.owner_id, run.run_uuid)


def test_a_run_that_was_read_shows_what_changed_since(
    stores: Stores, new_run: MakeRun, settings: Settings
) -> None:
    run = new_run()
    complete(stores, run)
    others = open_stores(settings)
    for reader in (stores, others):
        assert reader.runs.get(run.owner_id, run.run_uuid).artifacts == (DATA,)
    report = DATA.model_copy(update={"kind": "report", "name": "md-1"})
    for newest in (report, report.model_copy(update={"name": "md-2", "sha256": "d" * 64})):
        others.runs.keep(run.run_uuid, newest)
        others.runs.rename(run.owner_id, run.run_uuid, newest.name)
        read = stores.runs.get(run.owner_id, run.run_uuid)
        assert (read.artifacts, read.title) == ((DATA, newest), newest.name)
    others.runs.delete(run.owner_id, run.run_uuid)
    others.engine.close()
    with pytest.raises(NotFound):
        stores.runs.get(run.owner_id, run.run_uuid)


def test_an_unfinished_run_cannot_be_deleted(stores: Stores, new_run: MakeRun) -> None:
    run = new_run()
    stores.runs.open(run)
    with pytest.raises(InvalidInput) as refused:
        stores.runs.delete(run.owner_id, run.run_uuid)
    assert refused.value.word == "run_unfinished"


def finish_together(settings: Settings, run: NewRun, barrier: Barrier, ends: "Queue[bool]") -> None:
    """End the run at the same moment as other processes do."""
    stores = open_stores(settings)
    barrier.wait()
    ends.put(stores.runs.finish(run.run_uuid, "completed", at=run.created_at, artifacts=[DATA]))


def test_only_one_of_several_processes_ends_a_run(
    settings: Settings, stores: Stores, new_run: MakeRun
) -> None:
    run = new_run()
    stores.runs.open(run)
    stores.engine.close()
    fork = multiprocessing.get_context("fork")
    ends, barrier = fork.Queue(), fork.Barrier(4)
    children = [
        fork.Process(target=finish_together, args=(settings, run, barrier, ends)) for _ in range(4)
    ]
    for child in children:
        child.start()
    assert sorted(ends.get(timeout=30) for _ in children) == [False, False, False, True]
    for child in children:
        child.join()
