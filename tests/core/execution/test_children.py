"""A run is a child of the fork server: forked from clean imports, bounded, alone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import forkserver
from pathlib import Path

import pytest
from pebble import ProcessExpired

from core.execution.forking import WaitingChild, fork, start_fork_server
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.results import load_view
from core.runner import run_agent
from core.workbench import Workbench

Run = Callable[..., RunRecord]


def facts_of(run: RunRecord, workbench: Workbench) -> dict[str, str]:
    assert run.status == "completed", run.error
    return load_view(run, workbench).facts


def test_child_is_forked_from_the_fork_server_and_not_from_the_app(
    run_probe: Run, workbench: Workbench
) -> None:
    facts = facts_of(run_probe(), workbench)
    assert int(facts["parent"]) == forkserver._forkserver._forkserver_pid
    assert int(facts["pid"]) != os.getpid()


def test_child_has_the_statistics_imported_before_it_begins(
    run_probe: Run, workbench: Workbench
) -> None:
    loaded = facts_of(run_probe(), workbench)["loaded"].split()
    assert {"pydeseq2", "edgepython", "pylimma", "storage.stores"} <= set(loaded)


def test_child_holds_neither_pages_nor_the_web_framework(
    run_probe: Run, workbench: Workbench
) -> None:
    loaded = facts_of(run_probe(), workbench)["loaded"].split()
    assert not {"streamlit", "fastapi", "pytest", "uvicorn"} & set(loaded)


def test_child_computes_on_one_thread(run_probe: Run, workbench: Workbench) -> None:
    assert facts_of(run_probe(), workbench)["threads"] == "1"


def test_every_run_has_a_child_of_its_own(run_probe: Run, workbench: Workbench) -> None:
    first, second = (facts_of(run_probe(), workbench)["pid"] for _ in range(2))
    assert first != second


def test_an_answer_to_a_canceled_call_is_dropped_without_a_word(workbench: Workbench) -> None:
    context = start_fork_server("storage.stores:open_stores")
    future = fork(context, partial(time.sleep, 60), 90)
    assert future.cancel()
    future.set_result("too late")
    future.set_exception(ValueError("too late"))
    assert future.cancelled()


def test_a_fork_server_outlives_the_thread_whose_fork_started_it(workbench: Workbench) -> None:
    context = start_fork_server("storage.stores:open_stores")
    os.kill(fork(context, os.getppid, 60).result(), signal.SIGKILL)
    time.sleep(0.2)
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(lambda: fork(context, os.getppid, 60).result()).result()
    time.sleep(0.2)
    assert fork(context, os.getppid, 60).result() == first


def test_a_child_begins_with_little_of_its_memory_in_use(workbench: Workbench) -> None:
    context = start_fork_server("storage.stores:open_stores")
    said = fork(context, partial(Path.read_text, Path("/proc/self/status")), 60).result()
    (held,) = [int(line.split()[1]) for line in said.splitlines() if line.startswith("VmData")]
    assert held < 500_000  # kB; what is reserved before the fork counts against every child


def test_run_of_the_statistics_leaves_no_semaphore_behind(
    workbench: Workbench, anna: Caller
) -> None:
    agent = all_agents()["differential-expression"]
    request = agent.request.model_validate(agent.examples[0].request)
    pid = run_agent(agent, request, anna, workbench).worker_pid
    assert pid is not None
    assert not list(Path("/dev/shm").glob(f"sem.*-{pid}-*"))


def test_a_waiting_child_answers_once_and_before_it_has_ended(workbench: Workbench) -> None:
    child = WaitingChild(start_fork_server("storage.stores:open_stores"))
    assert child.is_alive
    child.begin(os.getppid)
    assert (
        child.result(60)
        == fork(start_fork_server("storage.stores:open_stores"), os.getppid, 60).result()
    )


def test_a_waiting_child_that_is_killed_or_takes_too_long_is_told(
    workbench: Workbench, wait_for: Callable[..., None]
) -> None:
    context = start_fork_server("storage.stores:open_stores")
    slow = WaitingChild(context)
    slow.begin(partial(time.sleep, 30))
    with pytest.raises(TimeoutError):
        slow.result(0.2)
    killed = WaitingChild(context)
    killed.begin(partial(os._exit, 3))
    with pytest.raises(ProcessExpired):
        killed.result(60)
    dismissed = WaitingChild(context)
    dismissed.dismiss()
    wait_for(lambda: not dismissed.is_alive)


def children_of(parent: str) -> list[int]:
    """Return the processes that this one has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if path.read_text().rpartition(")")[2].split()[1] == parent:
                found.append(int(path.parent.name))
    return found


def test_a_run_after_the_waiting_child_was_killed_is_fine(
    run_probe: Run, workbench: Workbench, wait_for: Callable[..., None]
) -> None:
    server = facts_of(run_probe(), workbench)["parent"]
    wait_for(lambda: children_of(server))
    for pid in children_of(server):
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    assert run_probe().status == "completed"


def test_the_end_of_a_fork_server_waits_for_no_child() -> None:
    program = (
        "import multiprocessing, os\n"
        "from core.execution.forking import WaitingChild, end_fork_server\n"
        "child = WaitingChild(multiprocessing.get_context('forkserver'))\n"
        "end_fork_server()\n"
        "os._exit(0)\n"
    )
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, timeout=60, stderr=subprocess.DEVNULL)
