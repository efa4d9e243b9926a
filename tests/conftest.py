"""A real workbench on SQLite in a temporary folder, an API client, and throw-away agents.

The throw-away agents of `tests/throwaway` reach every child without a change of the product:
the list of modules that the fork server preloads begins with one that puts their folder on the
path of `core.agents`. In this process they are visible only to tests that ask for them.

Bytecode is kept in `.cache/bytecode`: hundreds of processes start in a run, and compiling what they
import would take each of them longer than their work.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import core.agents
from api.service import make_service
from api.startup import open_workbench
from core.agent import Agent
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.runner import run_agent, start_run
from core.settings import Settings
from core.workbench import Workbench
from tests.grouping import GroupScheduling, rank
from tests.instances import give_schema
from tests.rows import IS_WHOLE, SEED

THROWAWAY = Path(__file__).parent / "throwaway"
PASSWORD = "correct horse battery"

BYTECODE = Path(__file__).parents[1] / ".cache" / "bytecode"

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(BYTECODE)
sys.dont_write_bytecode = False
sys.path.append(str(THROWAWAY))
os.environ["PYTHONPATH"] = os.pathsep.join(
    path for path in (os.environ.get("PYTHONPATH", ""), str(THROWAWAY)) if path
)
_set_preload = forkserver.set_forkserver_preload


def _set_preload_with_extra_agents(modules: list[str]) -> None:
    _set_preload(["extra_agents", *modules])


forkserver.set_forkserver_preload = _set_preload_with_extra_agents


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give tests of one group to one process."""
    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False
    return GroupScheduling(config, log)


def pytest_report_header() -> str:
    """Print what evaluation sets are drawn by."""
    return "evaluation sets: whole" if IS_WHOLE else f"evaluation sets: BPW_SAMPLE_SEED={SEED}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no process is left with it at the end."""
    items.sort(key=lambda item: rank(item.nodeid))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Drop the bytecode of copies of the product in temporary folders."""
    if not hasattr(session.config, "workerinput"):
        shutil.rmtree(f"{BYTECODE}{tempfile.gettempdir()}", ignore_errors=True)


@pytest.fixture
def extra_agents(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process see the throw-away agents for the length of a test."""
    monkeypatch.setattr(core.agents, "__path__", [*core.agents.__path__])
    core.agents.__path__.append(str(THROWAWAY / "agents"))
    all_agents.cache_clear()
    yield
    monkeypatch.undo()
    all_agents.cache_clear()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings of an instance in an empty folder."""
    home = tmp_path / "instance"
    give_schema(home)
    return Settings(
        home=home, database_url=f"sqlite:///{home / 'workbench.db'}", computing_workers=2
    )


@pytest.fixture
def workbench(
    settings: Settings, extra_agents: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workbench]:
    """Return an open workbench with real stores and killable children."""
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    with open_workbench(settings) as opened:
        yield opened


def _make_caller(workbench: Workbench, name: str) -> Caller:
    user = workbench.stores.users.create(name, PASSWORD)
    return Caller(user_id=user.user_id, name=user.name)


@pytest.fixture
def anna(workbench: Workbench) -> Caller:
    """Return an analyst."""
    return _make_caller(workbench, "anna")


@pytest.fixture
def boris(workbench: Workbench) -> Caller:
    """Return another analyst."""
    return _make_caller(workbench, "boris")


@pytest.fixture
def key(workbench: Workbench, anna: Caller) -> str:
    """Return an API key of anna."""
    return workbench.stores.keys.create(anna.user_id, "anna's programs")[1]


@pytest.fixture
def other_key(workbench: Workbench, boris: Caller) -> str:
    """Return an API key of boris."""
    return workbench.stores.keys.create(boris.user_id, "boris's programs")[1]


@lru_cache(maxsize=1)
def _service() -> Starlette:
    return make_service()


@pytest.fixture
def service(workbench: Workbench) -> Starlette:
    """Return the API as an application; the workbench is open already."""
    return _service()


@pytest.fixture
def client(service: Starlette, key: str) -> TestClient:
    """Return a client that sends anna's key."""
    return TestClient(service, headers={"Authorization": f"Bearer {key}"})


@pytest.fixture
def stranger(service: Starlette, other_key: str) -> TestClient:
    """Return a client that sends boris's key."""
    return TestClient(service, headers={"Authorization": f"Bearer {other_key}"})


@pytest.fixture
def anonymous(service: Starlette) -> TestClient:
    """Return a client without a key."""
    return TestClient(service)


@pytest.fixture
def probe(extra_agents: None) -> Agent:
    """Return the agent that misbehaves as it is told."""
    return all_agents()["fault-probe"]


@pytest.fixture
def run_probe(probe: Agent, workbench: Workbench, anna: Caller) -> Callable[..., RunRecord]:
    """Return what runs the fault probe to its end."""

    def run(action: str = "answer", **fields: Any) -> RunRecord:
        request = probe.request.model_validate({"action": action, **fields})
        return run_agent(probe, request, anna, workbench)

    return run


@pytest.fixture
def start_probe(probe: Agent, workbench: Workbench, anna: Caller) -> Callable[..., RunRecord]:
    """Return what starts the fault probe without waiting."""

    def start(action: str = "answer", **fields: Any) -> RunRecord:
        request = probe.request.model_validate({"action": action, **fields})
        return start_run(probe, request, anna, workbench)

    return start
