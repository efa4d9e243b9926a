"""Pages on real SQLite stores, with an executor that runs nothing until a test says so."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from core.agent import Agent
from core.agents.compound_map import pipeline
from core.execution.child import Job, compute
from core.records.evidence_pack import ImportedFile
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.runner import start_run
from core.settings import Settings
from core.workbench import Workbench, install
from storage.stores import open_stores
from tests.core.agents.clinical_trial_design import conftest as designs
from tests.core.agents.company_asset_searcher import conftest as portfolio
from tests.core.agents.competitive_landscaping import conftest as landscape
from tests.core.agents.competitive_landscaping import drugs
from tests.core.agents.compound_map import conftest as compounds
from tests.core.agents.deal_sourcing import test_deals as deals
from tests.core.agents.label_strategy import conftest as labels
from tests.hostile import spoil, spoil_result
from tests.instances import give_schema

empty_home = compounds.empty_home
SHELL = Path(__file__).parents[2] / "pages" / "shell.py"
REQUESTS = {
    "alerts": {"action": "add_manual", "drug_name": "pembrolizumab"},
    "competitive-landscaping": {
        "query": "PD-1/VEGF bispecifics",
        "query_type": "clinical",
        "candidate_asset_description": "A PD-1/VEGF bispecific in first-line NSCLC",
    },
    "compound-map": {"target": "KRAS", "seed": "s"},
    "company-asset-searcher": {"company": "Acme Bio"},
    "clinical-trial-design": designs.LUNG,
    "label-strategy": labels.BASE,
    "deal-sourcing": {"thesis": "asthma"},
}


@dataclass
class IdleExecutor:
    """Takes runs and leaves them queued."""

    taken: list[str] = field(default_factory=list)
    worker: str = "here/1/2/3"
    holder: str = worker

    def is_left(self, run: RunRecord) -> bool:
        return False

    def submit(self, run: RunRecord, agent: Agent, caller: Caller) -> None:
        self.taken.append(run.run_uuid)

    def cancel(self, run_uuid: str) -> bool:
        return False

    def wait(self, run_uuid: str, timeout_s: float | None = None) -> None:
        return

    def rescue(self, run: RunRecord) -> None:
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


@pytest.fixture(scope="session", autouse=True)
def one_look_for_components() -> Iterator[None]:
    """Look for components of Streamlit in the installed packages once, as a server does."""
    with pytest.MonkeyPatch.context() as patch:
        look = lru_cache(maxsize=1)(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", look)
        yield


@pytest.fixture
def workbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    home = tmp_path / "instance"
    give_schema(home)
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


@pytest.fixture
def evidence(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], None]:
    """Return what gives an agent something to find."""
    stores = workbench.stores

    def give(agent: str) -> None:
        landscape.empty_curators_table(monkeypatch)
        if agent == "competitive-landscaping":
            stores.identity.build(landscape.identity_rows(), (), "test names")
            landscape.hold(stores.evidence, drugs.field_of_three(), tmp_path)
        elif agent == "clinical-trial-design":
            stores.identity.build([*designs.identity_rows()], (), "test names")
            with stores.evidence.next_generation() as writer:
                writer.add(designs.records())
        elif agent == "label-strategy":
            labels.hold_labels(stores, tmp_path)
        elif agent == "deal-sourcing":
            folder = tmp_path / "deal-files"
            folder.mkdir()
            deals.hold_deals(stores, folder)
        elif agent == "company-asset-searcher":
            stores.identity.build(portfolio.identity_rows(), (), "test names")
            with stores.evidence.next_generation() as writer:
                writer.add(portfolio.records())
                file = ImportedFile(spoil("a.json"), "test", "0" * 64, "2026-11-21T12:00:00", 1, 0)
                writer.finish_file(file)
        elif agent == "compound-map":
            stores.identity.build(compounds.identity_rows(), (), "test names")
            pool = compounds.Pool()
            number = "US1000001B2"
            pool.add(
                compounds.document(number),
                compounds.drawn(number, "claims", *compounds.ASPIRIN_AMIDES, compounds.GENERIC),
            )
            monkeypatch.setattr(pipeline, "open_patents", lambda *_: pool)

    return give


@pytest.fixture
def spoiled(
    workbench: Workbench, caller: Caller, evidence: Callable[[str], None]
) -> Callable[[str], RunRecord]:
    """Return what makes a completed run whose every text is an attacker's."""

    def make(name: str) -> RunRecord:
        agent, stores = all_agents()[name], workbench.stores
        evidence(name)
        request = agent.request.model_validate(REQUESTS.get(name) or agent.examples[0].request)
        run = start_run(agent, request, caller, workbench)
        stores.runs.start(run.run_uuid, worker_pid=1, at=workbench.now())
        parts = compute(Job(run, caller, "", workbench.settings), stores)
        parts = spoil_result(agent, parts, stores)
        stores.runs.finish(run.run_uuid, "completed", at=workbench.now(), artifacts=parts)
        stores.runs.rename(caller.user_id, run.run_uuid, spoil("title")[:200])
        return stores.runs.get(caller.user_id, run.run_uuid)

    return make
