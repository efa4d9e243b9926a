"""What only a server can do: go away, and come back."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import StorageUnavailable
from core.settings import Settings
from storage.stores import open_stores
from tests.postgres import Cluster, run_cluster


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Return a cluster of this test alone."""
    with run_cluster() as running:
        yield running


def test_after_a_killed_server_comes_back_the_stores_work_within_five_seconds(
    cluster: Cluster, tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path, database_url=cluster.database())
    stores = open_stores(settings)
    with closing(stores.engine):
        stores.engine.upgrade()
        stores.audit.add("anna", "before", "x")
        os.kill(cluster.pid, signal.SIGKILL)
        cluster.wait_until_gone()
        with pytest.raises(StorageUnavailable):
            stores.engine.ping()
        with pytest.raises(StorageUnavailable):
            stores.audit.add("anna", "meanwhile", "x")
        cluster.start()
        began = time.monotonic()
        stores.engine.ping()
        stores.audit.add("anna", "after", "x")
        assert time.monotonic() - began < 5
        assert [line.action for line in stores.audit.list()] == ["after", "before"]


def test_servers_with_folders_of_their_own_do_not_share_a_database(
    cluster: Cluster, tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path / "one", database_url=cluster.database())
    other = settings.model_copy(update={"home": tmp_path / "two"})
    with (
        closing(open_stores(settings).engine) as first,
        closing(open_stores(other).engine) as second,
    ):
        with first.serving(str(settings.home)):
            with first.serving(str(settings.home)):
                pass
            with pytest.raises(StorageUnavailable, match="different setup"):
                second.serving(str(other.home)).__enter__()
        with second.serving(str(other.home)):
            pass


def test_a_server_marks_its_database_again_after_it_was_away(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.serving.RENEW_S", 0.05)
    settings = Settings(home=tmp_path / "one", database_url=cluster.database())
    other = settings.model_copy(update={"home": tmp_path / "two"})
    engines = (open_stores(settings).engine, open_stores(other).engine)
    with (
        closing(engines[0]) as first,
        closing(engines[1]) as second,
        first.serving(str(settings.home)),
    ):
        os.kill(cluster.pid, signal.SIGKILL)
        cluster.wait_until_gone()
        cluster.start()
        time.sleep(1)
        with pytest.raises(StorageUnavailable, match="different setup"):
            second.serving(str(other.home)).__enter__()
