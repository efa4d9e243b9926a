"""Runs of an instance on several hosts: executed by workers, whoever of them dies."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.startup import open_workbench
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.runner import await_run, cancel_run, run_agent, start_run
from core.settings import Settings
from core.workbench import Workbench
from tests.benchmarks.attribution import make_request
from tests.hosts import Process, make_process, shared_settings
from tests.postgres import postgres  # noqa: F401 - a fixture

pytestmark = pytest.mark.xdist_group("hosts")
ATTRIBUTION = all_agents()["attribution-engine"]


@pytest.fixture
def shared(postgres, tmp_path: Path) -> dict[str, str]:  # noqa: F811 - the fixture
    """Return the variables of an instance; its hosts share a folder for results."""
    folder = tmp_path / "shared"
    return shared_settings(postgres.clean_database(), BPW_BLOB_URL=folder.as_uri())


@pytest.fixture
def settings(shared: dict[str, str], tmp_path: Path) -> Settings:
    return Settings(
        home=tmp_path / "a",
        database_url=shared["DATABASE_URL"],
        run_engine="procrastinate",
        blob_url=shared["BPW_BLOB_URL"],
        secret_key=shared["BPW_SECRET_KEY"],
    )


@pytest.fixture
def workbench(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """Return a server's workbench."""
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    with open_workbench(settings, owner=True) as opened:
        yield opened


@pytest.fixture
def worker(shared: dict[str, str], tmp_path: Path) -> Iterator[Process]:
    """Return a worker of another host, not started yet."""
    process = make_process(tmp_path / "b", "-m", "api", "worker", **shared)
    yield process
    process.end()


def test_runs_are_executed_by_workers_and_outlive_them_or_end_in_time(
    workbench: Workbench, worker: Process, anna: Caller, wait_for: Callable[..., None]
) -> None:
    def state(run: RunRecord) -> RunRecord:
        return workbench.stores.runs.get(anna.user_id, run.run_uuid)

    late = all_agents()["differential-expression"]
    workbench.settings.allowances[late.name] = 0.5
    request = late.request.model_validate(late.examples[0].request)
    error = run_agent(late, request, anna, workbench).error
    assert error is not None
    assert error.code == "timed_out_in_queue"

    long = make_request(30)
    waiting = start_run(ATTRIBUTION, long, anna, workbench)
    assert (state(waiting).status, state(waiting).worker) == ("queued", None)
    canceled = start_run(ATTRIBUTION, make_request(1), anna, workbench)
    assert cancel_run(canceled.run_uuid, anna, workbench).status == "cancelled"
    worker.start()
    wait_for(lambda: state(waiting).status != "queued", 60)
    worker.end(signal.SIGKILL)
    worker.start()
    ended = await_run(waiting, anna, workbench)
    assert ended.status == "completed"
    assert ended.artifact("data") is not None
    assert run_agent(ATTRIBUTION, make_request(2), anna, workbench).status == "completed"
    used = workbench.stores.quotas.state(anna.user_id, limit=9, at=workbench.now()).used
    assert used == 2
