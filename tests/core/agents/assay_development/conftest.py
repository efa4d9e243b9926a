"""A context with names and without evidence."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.settings import Settings
from tests.benchmarks.direct import Files
from tests.contexts import make_context


@pytest.fixture(scope="session")
def assay_files() -> Files:
    """Return the uploads that a test fills."""
    return Files()


@pytest.fixture(scope="session")
def assay_context(tmp_path_factory: pytest.TempPathFactory, assay_files: Files) -> Any:
    """Return a context on an instance without evidence, with a clock that stands still."""
    from storage.stores import open_stores

    home = tmp_path_factory.mktemp("assays")
    stores = open_stores(Settings(home=home, database_url=None))
    return make_context(
        datetime(2026, 11, 23, tzinfo=UTC),
        stores,
        settings=Settings(home=home, database_url=None),
        files=assay_files,
        notes=stores.notes,
    )
