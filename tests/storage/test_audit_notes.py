"""Audit lines of actions that only read."""

import sqlite3
import time
from collections.abc import Iterator

import pytest

from core.ports import Stores
from core.settings import Settings


@pytest.fixture
def locked(settings: Settings, stores: Stores) -> Iterator[sqlite3.Connection]:
    """Hold the database as another program would."""
    connection = sqlite3.connect(settings.home / "workbench.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    yield connection
    connection.close()


@pytest.mark.usefixtures("on_sqlite")
def test_line_of_a_reading_waits_for_nobody_and_comes_with_the_next(
    stores: Stores, locked: sqlite3.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    stores.audit.note("anna", "export", "run 1", "pdf")
    stores.audit.note("anna", "export", "run 2", "pdf")
    assert time.monotonic() - began < 2
    assert stores.audit.list() == []
    assert "run 1" in "".join(capsys.readouterr())
    locked.rollback()
    stores.audit.add("anna", "signout", "anna")
    assert [line.subject for line in stores.audit.list()] == ["anna", "run 2", "run 1"]
    stores.audit.note("anna", "export", "run 3", "pdf")
    assert len(stores.audit.list()) == 4
