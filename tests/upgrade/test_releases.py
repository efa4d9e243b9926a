"""Instances of earlier releases, upgraded in place: everything is there, every answer opens.

`make_release.py` made the backups in `releases.tar.xz` with the code of each release.
"""

import json
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Boolean, inspect, text
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from api.service import make_service
from api.startup import open_workbench
from core.records.runs import Caller
from core.registry import all_agents, watchable
from core.settings import Settings
from core.workbench import Workbench
from storage.engine import make_engine
from storage.schema import upgrade
from tests.postgres import databases, postgres  # noqa: F401 - a fixture

ARCHIVE = Path(__file__).parent / "releases.tar.xz"
SHELL = Path(__file__).parents[2] / "pages" / "shell.py"
PASSWORD = "correct horse battery"
FAILED = "missing_column"


@dataclass(frozen=True)
class Upgraded:
    """An instance that an earlier release made.

    Attributes:
        workbench: Open, with the present schema.
        client: Sends anna's key.
        former: Rows by table before the upgrade.
    """

    workbench: Workbench
    client: TestClient
    former: dict[str, int]


@pytest.fixture(params=["0.1.0", "0.2.0", "0.3.0"])
def backup(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the folder of a release's backup."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path / "releases", filter="data")
    return tmp_path / "releases" / str(request.param)


@pytest.fixture(params=databases())
def upgraded(backup: Path, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Upgraded]:
    """Return the instance as its release left it, opened with the present code."""
    home, database = tmp_path / "instance", backup / "database"
    for part in ("blobs", "secret_key"):
        home.mkdir(exist_ok=True)
        (backup / part).rename(home / part)
    address = f"sqlite:///{home / 'workbench.db'}"
    if request.param == "postgres":
        address = request.getfixturevalue("postgres").database()
        revision = json.loads((backup / "manifest.json").read_bytes())["revision"]
        upgrade(address, revision)
        copy_rows(database, address)
    else:
        shutil.copy(database, home / "workbench.db")
    settings = Settings(home=home, database_url=address, offline=True)
    former = count_rows(address)
    with open_workbench(settings) as workbench:
        key = (backup / "key").read_text()
        headers = {"Authorization": f"Bearer {key}"}
        yield Upgraded(workbench, TestClient(make_service(), headers=headers), former)


def copy_rows(source: Path, target: str) -> None:
    """Copy the rows of a SQLite database into PostgreSQL tables of the same version."""
    engine = make_engine(target)
    with closing(sqlite3.connect(source)) as rows, engine.begin() as connection:
        rows.row_factory = sqlite3.Row
        connection.execute(text("SET session_replication_role = replica"))
        described = inspect(connection)
        for table in described.get_table_names():
            kinds = {each["name"]: each["type"] for each in described.get_columns(table)}
            connection.execute(text(f'DELETE FROM "{table}"'))
            for row in rows.execute(f'SELECT * FROM "{table}"'):
                values = {
                    name: bool(row[name]) if isinstance(kinds[name], Boolean) else row[name]
                    for name in row.keys()  # noqa: SIM118
                }
                names = ", ".join(f'"{name}"' for name in values)
                marks = ", ".join(f"CAST(:{name} AS {kinds[name]})" for name in values)
                insert = text(f'INSERT INTO "{table}" ({names}) VALUES ({marks})')
                connection.execute(insert, values)
            if "id" in kinds:
                sequence = f"setval(pg_get_serial_sequence('\"{table}\"', 'id'), max(id))"
                connection.execute(text(f'SELECT {sequence} FROM "{table}"'))
    engine.dispose()


def count_rows(address: str) -> dict[str, int]:
    """Return the number of rows by table."""
    engine = make_engine(address)
    with engine.connect() as connection:
        counts = {
            table: connection.execute(text(f'SELECT count(*) FROM "{table}"')).scalar_one()
            for table in inspect(connection).get_table_names()
        }
    engine.dispose()
    return counts


def runs_of(client: TestClient) -> list[dict[str, Any]]:
    """Return all runs of the caller."""
    listed: list[dict[str, Any]] = client.get("/v1/runs", params={"limit": 100}).json()["runs"]
    return listed


def test_people_keys_uploads_and_watched_questions_are_there(upgraded: Upgraded) -> None:
    client, stores = upgraded.client, upgraded.workbench.stores
    now = count_rows(upgraded.workbench.settings.database)
    assert {table: now[table] for table in upgraded.former} == upgraded.former
    for name in ("anna", "boris"):
        assert stores.users.check_password(name, PASSWORD, address="127.0.0.1").name == name
    assert [file["name"] for file in client.get("/v1/files").json()["files"]] == ["counts.csv"]
    anna = stores.users.by_name("anna").user_id
    watched = stores.watches.of(anna, watchable(all_agents()), 100).list()
    assert "sotorasib" in [each.drug_name for each in watched if each.is_enabled]


def test_each_stored_answer_opens(upgraded: Upgraded) -> None:
    client = upgraded.client
    runs = runs_of(client)
    completed = [run for run in runs if run["status"] == "completed"]
    assert {run["agent"] for run in completed} == set(all_agents()) - {"alerts"}  # keeps no runs
    (failed,) = (run for run in runs if run["status"] == "failed")
    assert client.get(f"/v1/runs/{failed['run_id']}").json()["error"]["code"] == FAILED
    for run in completed:
        address = f"/v1/runs/{run['run_id']}"
        assert client.get(address).json()["data"], run["agent"]
        stored = client.get(f"{address}/report.json")
        assert stored.status_code == 200, (run["agent"], stored.text)


@pytest.mark.slow
@pytest.mark.parametrize(("backup", "upgraded"), [("0.1.0", "sqlite")], indirect=True)
def test_each_page_and_report_shows_its_stored_answer(upgraded: Upgraded) -> None:
    anna = upgraded.workbench.stores.users.by_name("anna")
    for run in runs_of(upgraded.client):
        if run["status"] == "completed":
            report = upgraded.client.get(f"/v1/runs/{run['run_id']}/report.md")
            assert report.status_code == 200, (run["agent"], report.text)
            assert "earlier release" in report.text, run["agent"]
        app = AppTest.from_file(str(SHELL), default_timeout=60)
        app.session_state["caller"] = Caller(user_id=anna.user_id, name=anna.name)
        app.run()
        app.query_params["run"] = run["run_id"]
        app.switch_page(f"{run['agent'].replace('-', '_')}.py").run()
        assert not app.exception, run["agent"]
        assert app.title, run["agent"]
