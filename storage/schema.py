"""The schema's versions: up, down, and whether the tables and the newest version agree."""

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from storage.engine import WRITES, make_engine
from storage.tables import Row

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(url: str, revision: str = "head") -> None:
    """Bring the schema up to a version in one transaction; nothing happens when it is there.

    Args:
        url: SQLAlchemy address of the database.
        revision: Alembic revision.
    """
    _migrate(url, lambda config: command.upgrade(config, revision))


def downgrade(url: str, revision: str) -> None:
    """Take the schema down to a version in one transaction.

    Args:
        url: SQLAlchemy address of the database.
        revision: Alembic revision, `-1` or `base`.
    """
    _migrate(url, lambda config: command.downgrade(config, revision))


def differences(url: str) -> list[str]:
    """Return what the tables of the code have and the database has not, or the reverse."""
    engine = make_engine(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found = [str(difference) for difference in compare_metadata(context, Row.metadata)]
    engine.dispose()
    return found


def _migrate(url: str, change: Callable[[Config], None]) -> None:
    """Run a change of the schema; a second process waits and then finds nothing to do."""
    engine = make_engine(url, foreign_keys=False)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.execution_options(**{WRITES: True}).begin() as connection:
        config.attributes["connection"] = connection
        change(config)
    engine.dispose()
