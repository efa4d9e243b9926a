"""A pack in a temporary folder, and files to import."""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.evidence.assets.learned_names import learn
from core.evidence.events.preparing import prepare_events
from core.evidence.names.identity.dictionary import load_dictionary
from core.evidence.sources.importing import find_files, import_files
from core.evidence.sources.pack.loading import load_starter
from core.evidence_ports import Evidence
from core.ports import Stores
from core.records.evidence_pack import ImportedFile
from core.settings import Settings
from storage.stores import open_stores

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
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


HELD = (
    "trials_facts.csv.gz",
    "trials_raw.ndjson.gz",
    "labels_raw.ndjson.gz",
    "label_indications.csv.gz",
    "pipelines_10_companies.json",
    "purple_book",
    "drugsfda",
    "pmda",
)


@pytest.fixture(scope="session")
def packages() -> Path:
    """Return the folder of the identity packages; without it these tests are skipped."""
    folder = os.environ.get("BPW_IDENTITY_PACKAGES")
    if folder is None and not os.environ.get("BPW_REQUIRE_NAMES"):
        pytest.skip("needs BPW_IDENTITY_PACKAGES, a folder of the identity packages")
    return Path(folder or "the folder that ./test fetches")


@pytest.fixture(scope="session")
def named_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an instance that holds the names alone; it is copied, not used."""
    home = tmp_path_factory.mktemp("names") / "instance"
    stores = open_stores(Settings(home=home, database_url=None))
    assert load_dictionary(stores.identity)
    assert not load_dictionary(stores.identity)
    stores.engine.close()
    return home


def _copied(names: Path, folder: Path) -> Stores:
    """Return the stores of a new instance that knows the names."""
    home = folder / "instance"
    shutil.copytree(names, home)
    return open_stores(Settings(home=home, database_url=None))


@pytest.fixture(scope="session")
def held(
    reference: Path, named_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stores]:
    """Return the stores of an instance that holds the reference files; nobody writes to it.

    It takes two minutes to make. Tests that use it are of the group "reference", so that one
    process makes it once.
    """
    stores = _copied(named_home, tmp_path_factory.mktemp("held"))
    import_files(stores.evidence, find_files([reference / name for name in HELD]), now=NOW)
    learn(stores.evidence, stores.identity, stores.learned_names)
    yield stores
    stores.engine.close()


@pytest.fixture(scope="session")
def starter(named_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Return the stores of a new instance: names and the starter pack; nobody writes to it.

    Tests that use it are of the group "reference", too: names are read once a process.
    """
    stores = _copied(named_home, tmp_path_factory.mktemp("starter"))
    load_starter(stores.evidence, NOW)
    learn(stores.evidence, stores.identity, stores.learned_names)
    prepare_events(stores.evidence, stores.identity, stores.learned_names)
    yield stores
    stores.engine.close()
