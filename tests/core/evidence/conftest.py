"""A pack in a temporary folder, and files to import."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.importing import find_files, import_files
from core.evidence_ports import Evidence
from core.ports import Stores
from core.records.evidence_pack import ImportedFile
from core.registry import all_agents
from core.settings import Settings
from core.workbench import RunContext
from storage.stores import open_stores
from tests.contexts import make_context
from tests.instances import NOW, link, reference_home, starter_home

Import = Callable[..., list[ImportedFile]]


@pytest.fixture
def pack(tmp_path: Path) -> Iterator[Evidence]:
    """Return an empty evidence pack."""
    stores = open_stores(Settings(home=tmp_path / "instance", database_url=None))
    yield stores.evidence
    stores.engine.close()


@pytest.fixture
def bring(pack: Evidence, tmp_path: Path) -> Import:
    """Return what writes a file of the given content and imports it."""

    def run(name: str, content: str | bytes, **options: str) -> list[ImportedFile]:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return import_files(pack, find_files([path]), now=NOW, **options)

    return run


@pytest.fixture(scope="session")
def reference() -> Path:
    """Return the folder of reference evidence; without it these tests are skipped."""
    default = Path(__file__).resolve().parents[4] / "shared" / "reference"
    folder = Path(os.environ.get("BPW_REFERENCE", default)) / "evidence"
    if not folder.is_dir():
        pytest.skip(f"needs the reference data in {folder}")
    return folder


@pytest.fixture(scope="session")
def packages() -> Path:
    """Return the folder of the identity packages; without it these tests are skipped."""
    folder = os.environ.get("BPW_IDENTITY_PACKAGES")
    if folder is None and not os.environ.get("BPW_REQUIRE_NAMES"):
        pytest.skip("needs BPW_IDENTITY_PACKAGES, a folder of the identity packages")
    return Path(folder or "the folder that ./test fetches")


def _opened(home: Path, folder: Path) -> Iterator[Stores]:
    stores = open_stores(Settings(home=link(home, folder / "instance"), database_url=None))
    yield stores
    stores.engine.close()


@pytest.fixture(scope="session")
def held(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Return the stores of an instance that holds the reference files; nobody writes to it."""
    yield from _opened(reference_home(reference), tmp_path_factory.mktemp("held"))


@pytest.fixture(scope="session")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Return the stores of a new instance: names and the starter pack; nobody writes to it."""
    yield from _opened(starter_home(), tmp_path_factory.mktemp("starter"))


@pytest.fixture(scope="session")
def names(starter: Stores) -> Resolver:
    """Return the names of the starter instance; what is looked up once is known to all tests."""
    return Resolver(starter.identity, starter.learned_names)


@pytest.fixture(scope="session")
def context(starter: Stores, names: Resolver) -> RunContext:
    """Return what a run on the starter instance may reach."""
    return make_context(datetime(2026, 11, 23, tzinfo=UTC), starter, resolver=names)


@pytest.fixture(scope="session")
def ask(context: RunContext) -> Callable[..., Any]:
    """Return what asks an agent on the starter instance."""

    def run(agent: str, **request: Any) -> Any:
        declared = all_agents()[agent]
        return declared.load()(declared.request.model_validate(request), context)

    return run
