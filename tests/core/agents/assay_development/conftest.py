"""A context with names and without evidence."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.records.runs import Caller
from core.settings import Settings
from core.workbench import RunContext
from tests.benchmarks.direct import Files


@pytest.fixture(scope="session")
def assay_files() -> Files:
    """Return the uploads that a test fills."""
    return Files()


@pytest.fixture(scope="session")
def assay_context(tmp_path_factory: pytest.TempPathFactory, assay_files: Files) -> Any:
    """Return a context on an instance without evidence, with a clock that stands still."""
    from core.evidence.names.identity.resolver import Resolver
    from storage.stores import open_stores

    home = tmp_path_factory.mktemp("assays")
    stores = open_stores(Settings(home=home, database_url=None))
    return RunContext(
        run_uuid="assays",
        query_id=1,
        caller=Caller(user_id=1, name="ana"),
        now=datetime(2026, 11, 23, tzinfo=UTC),
        seed=1,
        settings=Settings(home=home, database_url=None),
        files=assay_files,
        progress=lambda *_: None,
        save_file=lambda *_: None,
        evidence=stores.evidence,
        resolver=Resolver(stores.identity, stores.learned_names),
        notes=stores.notes,
    )
