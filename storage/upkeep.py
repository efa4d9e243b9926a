"""The care of an instance: retention, backup, restore; one of them at a time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from core.records.upkeep import Cleared, Manifest
from core.settings import Settings
from storage import backup, integrity, restoring, retention
from storage.blobs import BlobStore
from storage.engine import Database
from storage.freeing import UPKEEP
from storage.locks import locked
from storage.sharing import INSTANCE
from storage.states import StateStore


class UpkeepStore:
    """Retention, backup and restore (core.ports.Upkeep)."""

    def __init__(self, database: Database, blobs: BlobStore, settings: Settings) -> None:
        """Keep what is cared for.

        Args:
            database: Rows.
            blobs: Files.
            settings: Instance folder, and how long things are kept.
        """
        self._database = database
        self._blobs = blobs
        self._home = settings.home
        self._rules = retention.Rules(
            runs_days=settings.keep_runs_days, uploads_days=settings.keep_uploads_days
        )

    def retain(self, *, at: datetime, dry_run: bool = False) -> Cleared:
        """Clear away what is past its time, or only count it."""
        with self._alone():
            return retention.retain(
                self._database, self._blobs, self._rules, at=at, dry_run=dry_run
            )

    def backup(self, target: Path, *, at: datetime) -> Manifest:
        """Copy the instance into a new folder while it goes on working.

        Raises:
            InvalidInput: The folder holds something, or a stored file is damaged.
        """
        with self._alone():
            return backup.back_up(self._database, self._blobs, self._home, target, at=at)

    def check_backup(self, source: Path) -> Manifest:
        """Read a backup as a restore would, and change nothing.

        Raises:
            InvalidInput: It could not be restored.
        """
        with self._alone():
            return restoring.check(self._home, source)

    def find_damage(self) -> Sequence[str]:
        """Return one line for each damaged database file, with the way back."""
        return integrity.find_damage(self._home)

    def restore(self, source: Path) -> Manifest:
        """Bring a backup into an instance without accounts; open the stores anew after it.

        Raises:
            InvalidInput: There is no whole backup, or the instance is in use; nothing changed.
        """
        with self._alone():
            manifest = restoring.restore(self._database, self._blobs, self._home, source)
            if instance := StateStore(self._database).read(INSTANCE):
                self._blobs.write_marker(instance)
            return manifest

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait until no other process cares for this instance: no copied file may vanish."""
        with locked(self._database, self._home, UPKEEP):
            yield
