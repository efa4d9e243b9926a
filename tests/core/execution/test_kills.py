"""kill -9 of the child, of the fork server and of the app, at bad moments."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path

import numpy as np
import pytest

from api.startup import open_workbench
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.runner import cancel_run, start_run
from core.settings import Settings
from core.workbench import Workbench

Run = Callable[..., RunRecord]
Pid = Callable[[RunRecord], int]
Ends = Callable[[int], bool]
Wait = Callable[..., None]
ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.xdist_group("forks")  # others keep their fork server

APP = """
import os, sys, time
from pathlib import Path
import extra_agents
from api.startup import open_workbench
from core.records.runs import Caller
from core.registry import all_agents
from core.runner import start_run
from core.settings import Settings
from multiprocessing import forkserver
plain = forkserver.set_forkserver_preload
forkserver.set_forkserver_preload = lambda names: plain(["extra_agents", *names])
home = Path(sys.argv[1])
settings = Settings(home=home, database_url=f"sqlite:///{home}/workbench.db")
with open_workbench(settings, owner=True) as bench:
    if not bench.stores.users.list():
        user = bench.stores.users.create("anna", "correct horse battery")
        caller = Caller(user_id=user.user_id, name=user.name)
        agent = all_agents()["fault-probe"]
        request = agent.request.model_validate({"action": "spin_stubborn"})
        start_run(agent, request, caller, bench)
    user = bench.stores.users.by_name("anna")
    run = bench.stores.runs.list(user.user_id)[0]
    while not (run.worker == bench.executor.worker and run.status == "running" and run.steps):
        time.sleep(0.05)
        run = bench.stores.runs.get(user.user_id, run.run_uuid)
    pid = bench.stores.runs.get(user.user_id, run.run_uuid).worker_pid
    print(pid, forkserver._forkserver._forkserver_pid, run.run_uuid, flush=True)
    time.sleep(60)
"""


def expect_crashed(workbench: Workbench, caller: Caller, run: RunRecord) -> None:
    workbench.executor.wait(run.run_uuid, 10)
    ended = workbench.stores.runs.get(caller.user_id, run.run_uuid)
    assert ended.status == "failed"
    assert ended.error is not None
    assert (ended.error.status, ended.error.code) == (500, "worker_crashed")
    assert ended.artifacts == ()


def test_child_killed_at_work(
    start_probe: Run, run_probe: Run, running_pid: Pid, workbench: Workbench, anna: Caller
) -> None:
    run = start_probe("spin")
    os.kill(running_pid(run), signal.SIGKILL)
    expect_crashed(workbench, anna, run)
    assert run_probe().status == "completed"


def test_child_killed_while_the_result_is_written(
    start_probe: Run,
    run_probe: Run,
    running_pid: Pid,
    wait_for: Wait,
    workbench: Workbench,
    anna: Caller,
    settings: Settings,
) -> None:
    run = start_probe("slow_disk", seconds=5)
    pid = running_pid(run)
    wait_for(lambda: any((settings.home / "blobs" / "tmp").glob("*")))
    os.kill(pid, signal.SIGKILL)
    expect_crashed(workbench, anna, run)
    assert run_probe().status == "completed"


def test_fork_server_killed(
    start_probe: Run, run_probe: Run, running_pid: Pid, workbench: Workbench, anna: Caller
) -> None:
    run = start_probe("spin")
    running_pid(run)
    server = forkserver._forkserver._forkserver_pid
    assert server is not None
    os.kill(server, signal.SIGKILL)
    expect_crashed(workbench, anna, run)
    assert run_probe().status == "completed"


@pytest.fixture
def kill_app(tmp_path: Path, ends: Ends) -> Callable[[], str]:
    """Return what serves the instance until its run works, kills it, and gives the run's id."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "throwaway")])

    def kill() -> str:
        with subprocess.Popen(
            [sys.executable, "-c", APP, str(tmp_path / "instance")],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths, "BPW_PRELOAD": "0"},
            stdout=subprocess.PIPE,
            text=True,
        ) as app:
            assert app.stdout is not None
            child, server, run_uuid = app.stdout.readline().split()
            app.kill()
        assert ends(int(server))
        assert ends(int(child))
        return run_uuid

    return kill


@pytest.mark.usefixtures("light_fork_server")
def test_app_killed_leaves_no_process_and_its_run_goes_on_at_the_next_start(
    kill_app: Callable[[], str], settings: Settings, extra_agents: None, wait_for: Wait
) -> None:
    run_uuid = kill_app()
    with open_workbench(settings, owner=True) as workbench:

        def is_at_work() -> bool:
            run = workbench.stores.runs.get(1, run_uuid)
            return (run.status, run.attempt) == ("running", 2) and bool(run.steps)

        wait_for(is_at_work, 60)
        assert workbench.stores.quotas.state(1, limit=9, at=workbench.now()).used == 1
        cancel_run(run_uuid, Caller(user_id=1, name="anna"), workbench)
        assert workbench.stores.quotas.state(1, limit=9, at=workbench.now()).used == 0


@pytest.mark.usefixtures("light_fork_server")
def test_run_whose_app_was_killed_twice_has_failed(
    kill_app: Callable[[], str], settings: Settings, extra_agents: None, wait_for: Wait
) -> None:
    run_uuid = kill_app()
    assert kill_app() == run_uuid
    with open_workbench(settings, owner=True) as workbench:
        wait_for(lambda: workbench.stores.runs.get(1, run_uuid).is_final, 60)
        ended = workbench.stores.runs.get(1, run_uuid)
        assert ended.error is not None
        assert (ended.status, ended.error.code) == ("failed", "worker_crashed")
        assert workbench.stores.quotas.state(1, limit=9, at=workbench.now()).used == 0


@pytest.mark.slow
def test_child_killed_during_deseq2_on_a_large_matrix(
    workbench: Workbench, anna: Caller, wait_for: Wait, run_probe: Run
) -> None:
    agent = all_agents()["differential-expression"]
    run = start_run(agent, agent.request.model_validate(large_request()), anna, workbench)

    def is_fitting() -> bool:
        steps = workbench.stores.runs.get(anna.user_id, run.run_uuid).steps
        return any(step.step == "Fit methods" for step in steps)

    wait_for(is_fitting, 60)
    time.sleep(1)
    pid = workbench.stores.runs.get(anna.user_id, run.run_uuid).worker_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    expect_crashed(workbench, anna, run)
    assert run_probe().status == "completed"


def large_request(n_genes: int = 20_000, n_samples: int = 60) -> dict[str, object]:
    draw = np.random.default_rng(3)
    mean = draw.gamma(2, 100, size=(n_genes, 1))
    counts = draw.negative_binomial(5, 5 / (5 + mean), size=(n_genes, n_samples))
    names = [f"s{column}" for column in range(n_samples)]
    rows = (f"G{row}," + ",".join(map(str, line)) for row, line in enumerate(counts.tolist()))
    groups = ("a" if column % 2 else "b" for column in range(n_samples))
    sheet = (f"{name},{group}" for name, group in zip(names, groups, strict=True))
    return {
        "counts_csv": "\n".join(["gene," + ",".join(names), *rows]),
        "metadata_csv": "\n".join(["sample,condition", *sheet]),
        "condition_column": "condition",
        "reference_group": "a",
        "comparison_group": "b",
        "method": "DESeq2",
    }
