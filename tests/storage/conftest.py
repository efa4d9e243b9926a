"""Real stores on SQLite in a temporary folder, with a clock that the test sets."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.ports import Stores
from core.records.runs import NewRun, User
from core.settings import Settings
from storage.instants import Clock
from storage.stores import open_stores
from tests.instances import give_schema
from tests.postgres import databases, postgres  # noqa: F401 - a fixture

PASSWORD = "correct horse battery"
NOON = datetime(2025, 3, 31, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash with the fewest rounds that bcrypt allows."""
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)


@pytest.fixture(params=databases())
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Return settings of an instance in an empty folder, on either database."""
    home = tmp_path / "instance"
    if request.param == "postgres":
        address = request.getfixturevalue("postgres").clean_database()
    else:
        address = f"sqlite:///{home / 'workbench.db'}"
    return Settings(home=home, database_url=address, secret_key=None)


@pytest.fixture
def on_sqlite(request: pytest.FixtureRequest) -> None:
    """Leave out the run on PostgreSQL of a test that is about SQLite."""
    if request.node.callspec.params["settings"] != "sqlite":
        pytest.skip("about SQLite")


@pytest.fixture
def hands() -> list[datetime]:
    """Return where the clock stands, as a list of one."""
    return [NOON]


@pytest.fixture
def clock(hands: list[datetime]) -> Clock:
    """Return a clock that stands at noon until a test waits."""
    return lambda: hands[0]


@pytest.fixture
def wait(hands: list[datetime]) -> Callable[..., None]:
    """Return what moves the clock by a span, given as for `timedelta`."""

    def move(**span: float) -> None:
        hands[0] += timedelta(**span)

    return move


@pytest.fixture
def stores(settings: Settings, clock: Clock) -> Iterator[Stores]:
    """Return the stores of the instance, its schema up to date."""
    if settings.database.startswith("sqlite"):
        give_schema(settings.home)
    opened = open_stores(settings, now=clock)
    opened.engine.upgrade()
    yield opened
    opened.engine.close()


@pytest.fixture
def anna(stores: Stores) -> User:
    """Return an analyst."""
    return stores.users.create("anna", PASSWORD)


@pytest.fixture
def boris(stores: Stores) -> User:
    """Return another analyst."""
    return stores.users.create("boris", PASSWORD)


@pytest.fixture
def new_run(anna: User) -> Callable[..., NewRun]:
    """Return a maker of runs of anna; what is given by name differs from the usual."""
    numbers = iter(range(1, 1000))

    def make(**changes: object) -> NewRun:
        values: dict[str, object] = {
            "run_uuid": f"00000000-0000-4000-8000-{next(numbers):012d}",
            "agent": "differential-expression",
            "owner_id": anna.user_id,
            "key_id": None,
            "title": "treated against control, 8 samples",
            "fingerprint": "f" * 64,
            "data_version": "2025-03",
            "input_sha256": "a" * 64,
            "use_cache": False,
            "created_at": NOON,
        }
        return NewRun.model_validate(values | changes)

    return make
