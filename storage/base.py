"""What stores are made of: the database, and where needed the clock and a key for hashes."""

from storage.engine import Database
from storage.instants import Clock
from storage.secret import Pepper


class Store:
    """Rows of one kind."""

    def __init__(self, database: Database) -> None:
        """Keep the database.

        Args:
            database: Where the rows lie.
        """
        self._database = database


class DatedStore(Store):
    """Rows with instants."""

    def __init__(self, database: Database, now: Clock) -> None:
        """Keep the database and the clock.

        Args:
            database: Where the rows lie.
            now: Dates what is done, and decides what has expired.
        """
        super().__init__(database)
        self._now = now


class SecretStore(DatedStore):
    """Rows that are found by a secret, of which they have a keyed hash."""

    def __init__(self, database: Database, pepper: Pepper, now: Clock) -> None:
        """Keep the database, the key and the clock.

        Args:
            database: Where the rows lie.
            pepper: Hashes or signs the secrets.
            now: Dates what is done, and decides what has expired.
        """
        super().__init__(database, now)
        self._pepper = pepper
