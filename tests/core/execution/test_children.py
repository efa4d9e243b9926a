"""A run is a child of the fork server: forked from clean imports, bounded, alone."""

import os
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path

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


def test_run_of_the_statistics_leaves_no_semaphore_behind(
    workbench: Workbench, anna: Caller
) -> None:
    agent = all_agents()["differential-expression"]
    request = agent.request.model_validate(agent.examples[0].request)
    pid = run_agent(agent, request, anna, workbench).worker_pid
    assert pid is not None
    assert not list(Path("/dev/shm").glob(f"sem.*-{pid}-*"))
