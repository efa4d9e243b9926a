"""What an orderly shutdown leaves to the next process."""

from collections.abc import Callable, Iterator

import pytest

from api.startup import open_workbench
from core.agent import Agent
from core.records.runs import Caller, RunRecord
from core.runner import start_run
from core.settings import Settings
from core.workbench import Workbench

PASSWORD = "correct horse battery"
pytestmark = pytest.mark.xdist_group("forks")  # others keep their fork server


@pytest.fixture
def workbench(
    settings: Settings,
    extra_agents: None,
    light_fork_server: None,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Workbench]:
    """Return a workbench that serves its instance: it leaves its runs to a successor."""
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    with open_workbench(settings, owner=True) as opened:
        yield opened


def test_run_under_way_at_shutdown_is_completed_by_the_successor(
    workbench: Workbench,
    anna: Caller,
    probe: Agent,
    settings: Settings,
    running_pid: Callable[[RunRecord], int],
    ends: Callable[[int], bool],
    wait_for: Callable[..., None],
) -> None:
    request = probe.request.model_validate({"action": "sleep", "seconds": 3})
    run = start_run(probe, request, anna, workbench)
    pid = running_pid(run)
    workbench.executor.close(drain_s=0.1)
    assert ends(pid)
    left = workbench.stores.runs.get(anna.user_id, run.run_uuid)
    assert (left.status, left.worker, left.worker_pid) == ("queued", None, None)
    with open_workbench(settings, owner=True) as successor:
        wait_for(lambda: successor.stores.runs.get(anna.user_id, run.run_uuid).is_final, 60)
        ended = successor.stores.runs.get(anna.user_id, run.run_uuid)
        assert (ended.status, ended.attempt) == ("completed", 1)
        assert successor.stores.quotas.state(anna.user_id, limit=9, at=successor.now()).used == 1


def test_run_accepted_while_closing_is_left_to_the_successor(
    workbench: Workbench, anna: Caller, start_probe: Callable[..., RunRecord]
) -> None:
    workbench.executor.close(drain_s=0)
    run = start_probe()
    left = workbench.stores.runs.get(anna.user_id, run.run_uuid)
    assert (left.status, left.worker) == ("queued", None)
