"""Transactions, instants, the secret, the audit log, and a full disk."""

import stat
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import text
from sqlalchemy.exc import StatementError

from core.errors import NotFound, StorageFull, StorageUnavailable
from core.ports import Stores
from core.records.runs import NewRun, User
from core.settings import Settings
from storage.secret import read_secret
from storage.stores import open_stores


@pytest.mark.usefixtures("on_sqlite")
def test_sqlite_is_set_up_for_several_processes(stores: Stores) -> None:
    with stores.engine.engine.connect() as connection:
        pragmas = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "busy_timeout", "foreign_keys", "synchronous")
        }
    assert pragmas == {
        "journal_mode": "wal",
        "busy_timeout": 10000,
        "foreign_keys": 1,
        "synchronous": 2,
    }


def test_a_reader_does_not_wait_for_a_writer(stores: Stores, anna: User) -> None:
    with stores.engine.write() as session:
        session.exec(text("UPDATE \"user\" SET name = 'other'"))
        assert stores.users.by_name("anna") == anna


@pytest.mark.usefixtures("on_sqlite")
def test_a_writer_waits_for_another_writer(stores: Stores, anna: User) -> None:
    def write_soon() -> None:
        stores.audit.add("anna", "export", "run")

    with stores.engine.write() as session:
        session.exec(text("SELECT 1"))
        thread = threading.Thread(target=write_soon)
        thread.start()
        time.sleep(0.3)
        assert thread.is_alive()
    thread.join(timeout=5)
    assert [line.action for line in stores.audit.list()] == ["export"]


def test_a_failed_block_changes_nothing(stores: Stores, anna: User) -> None:
    def rename_and_fail() -> None:
        with stores.engine.write() as session:
            session.exec(text("UPDATE \"user\" SET name = 'other'"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        rename_and_fail()
    assert stores.users.list() == [anna]


@pytest.mark.usefixtures("on_sqlite")
def test_a_full_database_is_said_and_works_again_with_space(stores: Stores, anna: User) -> None:
    with stores.engine.engine.connect() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    def fill() -> None:
        for _ in range(1000):
            stores.audit.add("anna", "export", "run", "x" * 500)

    with pytest.raises(StorageFull):
        fill()
    with stores.engine.engine.connect() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    stores.audit.add("anna", "export", "again")
    assert stores.audit.list(limit=1)[0].subject == "again"


@pytest.mark.parametrize("failure", [StorageFull("full"), StorageUnavailable("locked")])
def test_a_full_or_locked_database_locks_no_key_out(
    failure: Exception, stores: Stores, anna: User
) -> None:
    _, key = stores.keys.create(anna.user_id, "notebook")

    def refuse(*_: object, **_options: object) -> None:
        raise failure

    stores.keys._database.write = refuse
    assert stores.keys.find_caller(key).name == "anna"


def test_an_unreachable_database_fails_the_ping(settings: Settings, stores: Stores) -> None:
    stores.engine.ping()
    folder = settings.home / "a folder, no file"
    folder.mkdir()
    broken = open_stores(settings.model_copy(update={"database_url": f"sqlite:///{folder}"}))
    with pytest.raises(StorageUnavailable):
        broken.engine.ping()
    broken.engine.close()


def test_opening_is_quick(settings: Settings, stores: Stores) -> None:
    began = time.perf_counter()
    open_stores(settings).engine.close()
    assert time.perf_counter() - began < 1.0  # a second is an order above what it takes


def test_instants_come_back_in_utc(stores: Stores, anna: User) -> None:
    there = timezone(timedelta(hours=9))
    expiry = datetime(2030, 1, 1, 6, 0, tzinfo=there)
    stores.keys.create(anna.user_id, "notebook", expires_at=expiry)
    kept = stores.keys.list()[0].expires_at
    assert kept == expiry
    assert kept.utcoffset() == timedelta(0)


def test_an_instant_without_a_zone_is_refused(stores: Stores) -> None:
    with pytest.raises(StatementError, match="no time zone"):
        stores.runs.start("x", worker_pid=1, at=datetime(2030, 1, 1))  # noqa: DTZ001 - the fault


def test_the_secret_is_made_once_and_kept_from_others(settings: Settings) -> None:
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(read_secret(settings))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert len(found[0]) == 64
    mode = (settings.home / "secret_key").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_a_secret_of_the_settings_wins(settings: Settings) -> None:
    assert read_secret(settings.model_copy(update={"secret_key": "given"})) == b"given"
    assert not settings.home.exists()


def test_an_empty_secret_stops_the_start(settings: Settings) -> None:
    settings.home.mkdir()
    (settings.home / "secret_key").write_text("")
    with pytest.raises(ValueError, match="empty"):
        open_stores(settings)


def test_audit_lines_are_listed_newest_first_and_hold_one_line_each(stores: Stores) -> None:
    stores.audit.add("anna", "signin", "anna", "from 192.0.2.7")
    stores.audit.add("a\nb\x1b[0m", "export", "x" * 5000)
    newest, oldest = stores.audit.list()
    assert (newest.actor, len(newest.subject)) == ("ab[0m", 500)
    assert (oldest.actor, oldest.note) == ("anna", "from 192.0.2.7")


@pytest.mark.parametrize("sign", ["\x00", "\ud800"], ids=["NUL", "half a pair"])
def test_signs_that_no_database_text_holds_are_replaced(
    stores: Stores, anna: User, new_run: Callable[..., NewRun], sign: str
) -> None:
    run = stores.runs.open(new_run())
    with pytest.raises(NotFound):
        stores.runs.get(anna.user_id, f"x{sign}")
    with pytest.raises(NotFound):
        stores.files.get(anna.user_id, f"x{sign}")
    assert stores.runs.list(anna.user_id, agent=sign) == []
    kept = "?" if sign == "\ud800" else "\ufffd"
    assert stores.runs.rename(anna.user_id, run.run_uuid, f"β{sign}").title == f"β{sign}"
    assert stores.runs.get(anna.user_id, run.run_uuid).title == f"β{kept}"
