"""A pack in a temporary folder, and files to import."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.evidence.importing import find_files, import_files
from core.evidence_ports import Evidence
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
