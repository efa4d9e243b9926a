"""Starting runs: stored answers, quota, canonical input, what is refused before a run exists."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from core.agent import Agent
from core.errors import InvalidInput, NotFound, QuotaExceeded, StorageFull
from core.records.runs import Caller, NewRun, RunRecord
from core.registry import all_agents
from core.runner import cancel_run, canonical_input, fingerprint, start_run
from core.settings import Settings
from core.workbench import Workbench

Run = Callable[..., RunRecord]
EARLIER = datetime(2025, 1, 31, 23, 59, tzinfo=UTC)


def used(workbench: Workbench, caller: Caller, at: datetime | None = None) -> int:
    moment = at or workbench.now()
    return workbench.stores.quotas.state(caller.user_id, limit=9, at=moment).used


def test_equal_run_answers_from_the_store_and_charges_nothing(
    run_probe: Run, workbench: Workbench, anna: Caller
) -> None:
    first = run_probe(count=4)
    second = run_probe(count=4, use_cache=True)
    assert second.cached
    assert second.run_uuid == first.run_uuid
    assert used(workbench, anna) == 1


def test_without_use_cache_every_request_runs(run_probe: Run) -> None:
    assert run_probe(count=4).run_uuid != run_probe(count=4).run_uuid


def test_with_use_cache_a_first_request_runs(run_probe: Run) -> None:
    assert not run_probe(count=4, use_cache=True).cached


@pytest.mark.parametrize("change", [{"count": 5}, {"word": "x"}, {"action": "describe"}])
def test_any_other_value_runs(change: dict[str, object], run_probe: Run) -> None:
    run_probe(count=4)
    assert not run_probe(**({"count": 4, "use_cache": True} | change)).cached


def test_identical_requests_at_once_share_one_execution(
    run_probe: Run, workbench: Workbench, anna: Caller
) -> None:
    with ThreadPoolExecutor(100) as pool:
        runs = list(pool.map(lambda _: run_probe("sleep", seconds=1, use_cache=True), range(100)))
    assert {run.status for run in runs} == {"completed"}
    assert len({run.run_uuid for run in runs}) == 1
    assert len(workbench.stores.runs.list(anna.user_id)) == 1
    assert used(workbench, anna) == 1


def test_uploads_in_a_list_count_by_content(workbench: Workbench, anna: Caller) -> None:
    agent = all_agents()["compound-map"]
    blobs = [workbench.stores.blobs.put(content) for content in (b"a", b"a", b"b")]
    ids = [workbench.stores.files.add(anna.user_id, "x.pdf", blob).file_id for blob in blobs]
    marks = [
        fingerprint(
            agent,
            agent.request.model_validate({"target": "KRAS", "file_ids": [file_id]}),
            anna,
            workbench,
        )
        for file_id in ids
    ]
    assert marks[0] == marks[1] != marks[2]


def test_upload_in_a_list_that_is_not_the_callers_is_named(
    workbench: Workbench, anna: Caller
) -> None:
    agent = all_agents()["compound-map"]
    request = agent.request.model_validate({"target": "KRAS", "file_ids": ["none"]})
    with pytest.raises(InvalidInput) as failure:
        fingerprint(agent, request, anna, workbench)
    assert failure.value.details[0].field == "file_ids[0]"


def test_identical_requests_of_two_callers_share_nothing(
    start_probe: Run, probe: Agent, workbench: Workbench, boris: Caller
) -> None:
    first = start_probe("sleep", seconds=1, use_cache=True)
    request = probe.request.model_validate({"action": "sleep", "seconds": 1, "use_cache": True})
    assert start_run(probe, request, boris, workbench).run_uuid != first.run_uuid


def test_identical_requests_that_want_their_own_run_get_it(start_probe: Run) -> None:
    first = start_probe("sleep", seconds=1, use_cache=True)
    assert start_probe("sleep", seconds=1).run_uuid != first.run_uuid


def test_failed_run_is_no_stored_answer(run_probe: Run) -> None:
    run_probe("raise")
    assert run_probe("raise", use_cache=True).status == "failed"


def test_stored_answer_belongs_to_its_caller_alone(
    run_probe: Run, probe: Agent, workbench: Workbench, boris: Caller
) -> None:
    run_probe(count=4)
    request = probe.request.model_validate({"action": "answer", "count": 4, "use_cache": True})
    run = start_run(probe, request, boris, workbench)
    assert not run.cached
    workbench.executor.wait(run.run_uuid, 20)


def test_defaults_and_order_do_not_change_the_canonical_input(probe: Agent) -> None:
    whole = probe.request.model_validate({"count": 12, "action": "answer", "use_cache": True})
    assert canonical_input(whole) == canonical_input(probe.request.model_validate({}))


def test_upload_counts_by_content(probe: Agent, workbench: Workbench, anna: Caller) -> None:
    blob = workbench.stores.blobs.put(b"same bytes")
    ids = [workbench.stores.files.add(anna.user_id, "a.csv", blob).file_id for _ in range(2)]
    marks = {
        fingerprint(probe, probe.request.model_validate({"upload_id": file_id}), anna, workbench)
        for file_id in ids
    }
    assert len(marks) == 1


def test_upload_of_somebody_else_is_refused_before_a_run_exists(
    probe: Agent, workbench: Workbench, anna: Caller, boris: Caller
) -> None:
    blob = workbench.stores.blobs.put(b"private")
    file = workbench.stores.files.add(boris.user_id, "b.csv", blob)
    request = probe.request.model_validate({"upload_id": file.file_id})
    with pytest.raises(InvalidInput) as refusal:
        start_run(probe, request, anna, workbench)
    assert refusal.value.word == "unknown_file"
    assert workbench.stores.runs.list(anna.user_id) == []


def test_run_takes_the_title_of_the_agent_or_of_the_caller(
    start_probe: Run, probe: Agent, workbench: Workbench, anna: Caller
) -> None:
    assert start_probe(count=2).title == "answer 2"
    named = start_run(probe, probe.request(), anna, workbench, title="mine")
    assert named.title == "mine"
    workbench.executor.wait(named.run_uuid, 20)


class TestQuota:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"quota_runs": 2})

    def test_run_beyond_the_quota_is_refused_with_its_numbers(self, run_probe: Run) -> None:
        run_probe()
        run_probe()
        with pytest.raises(QuotaExceeded) as refusal:
            run_probe()
        told = {detail.field: detail.message for detail in refusal.value.details}
        assert told["quota.limit"] == "2"
        assert told["quota.used"] == "2"

    def test_stored_answer_is_given_beyond_the_quota(self, run_probe: Run) -> None:
        run_probe()
        run_probe(count=3)
        assert run_probe(use_cache=True).cached


def test_run_that_could_not_be_written_is_not_charged(
    start_probe: Run,
    workbench: Workbench,
    anna: Caller,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(content: bytes) -> None:
        raise StorageFull("the disk is full")

    monkeypatch.setattr(workbench.stores.blobs, "put", refuse)
    with pytest.raises(StorageFull):
        start_probe()
    assert used(workbench, anna) == 0


def open_row(workbench: Workbench, caller: Caller, at: datetime) -> RunRecord:
    """Write the row of a run that no process holds, charged at its beginning."""
    return workbench.stores.runs.open(
        NewRun(
            run_uuid=workbench.new_id(),
            agent="fault-probe",
            owner_id=caller.user_id,
            key_id=None,
            title="left behind",
            fingerprint="f" * 64,
            data_version="1",
            input_sha256="a" * 64,
            use_cache=False,
            created_at=at,
            worker="elsewhere/1/2/3",
        ),
        quota=9,
    )


def test_cancelling_a_run_that_no_process_holds_ends_it(workbench: Workbench, anna: Caller) -> None:
    left = open_row(workbench, anna, EARLIER)
    assert cancel_run(left.run_uuid, anna, workbench).status == "cancelled"
    assert used(workbench, anna, EARLIER) == 0


def test_cancelling_an_ended_run_changes_nothing(
    run_probe: Run, workbench: Workbench, anna: Caller
) -> None:
    run = run_probe()
    assert cancel_run(run.run_uuid, anna, workbench).status == "completed"


def test_nobody_cancels_the_run_of_somebody_else(
    run_probe: Run, workbench: Workbench, boris: Caller
) -> None:
    with pytest.raises(NotFound):
        cancel_run(run_probe().run_uuid, boris, workbench)
