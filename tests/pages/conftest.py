"""Pages on real SQLite stores, with an executor that runs nothing until a test says so."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.agent import Agent
from core.execution.child import Job, compute
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.settings import Settings
from core.workbench import Workbench, install
from storage.stores import open_stores

SHELL = Path(__file__).parents[2] / "pages" / "shell.py"


@dataclass
class IdleExecutor:
    """Takes runs and leaves them queued."""

    taken: list[str] = field(default_factory=list)
    worker: str = "here/1/2/3"

    def submit(self, run: RunRecord, agent: Agent, caller: Caller) -> None:
        self.taken.append(run.run_uuid)

    def cancel(self, run_uuid: str) -> bool:
        return False

    def wait(self, run_uuid: str, timeout_s: float | None = None) -> None:
        return

    def on_done(self, run_uuid: str, call: Callable[[], None]) -> None:
        call()

    def call(
        self,
        target: Callable[..., object],
        *arguments: object,
        timeout_s: float = 60,
        memory_mb: int | None = None,
    ) -> object:
        return target(*arguments)

    def close(self, drain_s: float = 30) -> None:
        return


@pytest.fixture
def workbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    home = tmp_path / "instance"
    settings = Settings(home=home, database_url=f"sqlite:///{home / 'workbench.db'}")
    stores = open_stores(settings)
    stores.engine.upgrade()
    bench = Workbench(
        settings=settings,
        stores=stores,
        agents=all_agents(),
        executor=IdleExecutor(),
        now=lambda: datetime.now(UTC),
        new_id=lambda: str(uuid.uuid4()),
    )
    install(bench)
    yield bench
    install(None)
    stores.engine.close()


def make_caller(workbench: Workbench, name: str) -> Caller:
    user = workbench.stores.users.create(name, "correct horse battery")
    return Caller(user_id=user.user_id, name=user.name, role=user.role)


@pytest.fixture
def complete(workbench: Workbench) -> Callable[[RunRecord, Caller], None]:
    """Return what computes a queued run in this process and stores its result."""

    def compute_here(run: RunRecord, caller: Caller) -> None:
        stores = workbench.stores
        stores.runs.start(run.run_uuid, worker_pid=1, at=workbench.now())
        job = Job(run=run, caller=caller, opener="", settings=workbench.settings)
        parts = compute(job, stores)
        stores.runs.finish(run.run_uuid, "completed", at=workbench.now(), artifacts=parts)

    return compute_here


@pytest.fixture
def caller(workbench: Workbench) -> Caller:
    return make_caller(workbench, "ana")


@pytest.fixture
def stranger(workbench: Workbench) -> Caller:
    return make_caller(workbench, "bob")


@pytest.fixture
def app(caller: Caller) -> AppTest:
    test = AppTest.from_file(str(SHELL), default_timeout=30)
    test.session_state["caller"] = caller
    return test.run()
