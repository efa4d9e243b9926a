"""The schema's versions: up, down and up again, equal to the tables of the code."""

import multiprocessing
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import inspect, text

from core.ports import Stores
from core.records.runs import Artifact, NewRun, User
from core.settings import Settings
from storage.engine import make_engine
from storage.schema import check, differences, downgrade, upgrade
from storage.stores import open_stores
from storage.tables import METADATA


@pytest.fixture
def settings(settings: Settings, request: pytest.FixtureRequest) -> Settings:
    """Return settings of an instance whose database has no table yet."""
    if request.node.callspec.params["settings"] == "sqlite":
        return settings
    return settings.model_copy(
        update={"database_url": request.getfixturevalue("postgres").database()}
    )


def table_names(settings: Settings) -> set[str]:
    """Return the names of the tables in the database."""
    engine = make_engine(settings.database)
    names = set(inspect(engine).get_table_names())
    engine.dispose()
    return names


def test_up_down_and_up_again_from_an_empty_database(settings: Settings) -> None:
    upgrade(settings.database)
    assert table_names(settings) == {*METADATA.tables, "alembic_version"}
    tables = (
        "published_file",
        "second_factor",
        "model_call",
        "host_rate",
        "project_member",
        "mailing",
        "saved_list",
        "alert_job",
        "run_share",
    )
    for name in (*tables, "is_charged"):
        downgrade(settings.database, "-1")
        assert any(name in difference for difference in differences(settings.database))
    downgrade(settings.database, "0001")
    later = {"one_time_link", "run_share", "alert_job", "saved_list", "list_entry", "mailing"}
    later |= {
        "published_evidence",
        "published_file",
        "shared_state",
        "single_sign_on",
        "second_factor",
        "project",
        "project_member",
        "block",
        "comment",
        "host_rate",
        "model_call",
    }
    assert table_names(settings) == {*METADATA.tables, "alembic_version"} - later
    upgrade(settings.database)
    downgrade(settings.database, "base")
    assert table_names(settings) == {"alembic_version"}
    upgrade(settings.database)
    assert table_names(settings) == {*METADATA.tables, "alembic_version"}


def test_the_newest_version_is_what_the_code_expects(settings: Settings) -> None:
    assert differences(settings.database) != []
    upgrade(settings.database)
    assert differences(settings.database) == []


def test_alembic_check_finds_nothing_to_add(settings: Settings) -> None:
    upgrade(settings.database)
    check(settings.database)


def test_passwords_of_before_count_as_set_after_the_upgrade(settings: Settings) -> None:
    upgrade(settings.database, "0001")
    engine = make_engine(settings.database)
    row = {"name": "anna", "role": "analyst", "password_hash": "x", "at": "2025-01-01 00:00:00"}
    with engine.begin() as connection:
        connection.execute(
            text(
                'INSERT INTO "user" (name, role, password_hash, created_at)'
                " VALUES (:name, :role, :password_hash, :at)"
            ),
            row,
        )
    upgrade(settings.database)
    with engine.connect() as connection:
        found = connection.execute(text('SELECT password_set_at = created_at FROM "user"')).one()
    engine.dispose()
    assert found == (True,)


def test_an_upgrade_of_the_newest_version_keeps_the_rows(stores: Stores, anna: User) -> None:
    stores.engine.upgrade()
    assert stores.users.by_name(anna.name) == anna


def test_two_processes_may_upgrade_at_the_same_time(settings: Settings) -> None:
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=upgrade, args=(settings.database,)) for _ in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert differences(settings.database) == []


def test_a_failed_upgrade_changes_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_name: str) -> None:
        raise RuntimeError("half way")

    monkeypatch.setattr("alembic.op.create_index", lambda *_: fail("index"))
    with pytest.raises(RuntimeError, match="half way"):
        upgrade(settings.database)
    assert table_names(settings) == set()


def test_opening_the_stores_leaves_the_schema_alone(settings: Settings) -> None:
    open_stores(settings).engine.close()
    assert table_names(settings) == set()


def test_deleting_an_account_takes_everything_of_it_along(
    stores: Stores, anna: User, new_run: Callable[..., NewRun]
) -> None:
    run = new_run()
    stores.runs.open(run)
    stores.runs.report(run.run_uuid, "Read", 1, 1, "", run.created_at)
    part = Artifact(kind="data", name="data", sha256="a" * 64, size=1, media_type="x")
    stores.runs.finish(run.run_uuid, "completed", at=run.created_at, artifacts=[part])
    stores.keys.create(anna.user_id, "notebook")
    stores.quotas.charge(anna.user_id, limit=5, at=datetime(2025, 3, 1, tzinfo=UTC))
    with stores.engine.write() as session:
        session.exec(METADATA.tables["user"].delete())
        for name in set(METADATA.tables) - {"audit", "signin_throttle"}:
            assert session.exec(METADATA.tables[name].select()).all() == []
