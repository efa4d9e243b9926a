"""Disk space set aside so that people can sign in and delete things when the disk is full."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

RESERVE_BYTES = 2 * 1024 * 1024
"""Room for a few thousand small rows in the database's log."""
LEAST_FREE_BYTES = 1024 * 1024
"""With less than this, the disk counts as full."""


class Reserve:
    """A file of zeros beside the database: removed when the disk is full, put back later."""

    def __init__(self, folder: Path) -> None:
        """Keep the place; nothing is written yet.

        Args:
            folder: Folder of the database file.
        """
        self._folder = folder
        self._file = folder / ".reserve"

    def is_disk_full(self) -> bool:
        """Return whether the disk has no room for another write."""
        return shutil.disk_usage(self._folder).free < LEAST_FREE_BYTES

    def release(self) -> None:
        """Give the space back to the disk where it is needed."""
        with suppress(OSError):
            if self.is_disk_full():
                self._file.unlink(missing_ok=True)

    def restore(self) -> None:
        """Set the space aside where the disk has plenty of it."""
        with suppress(OSError):
            if self._file.exists() or shutil.disk_usage(self._folder).free < 2 * RESERVE_BYTES:
                return
            with self._file.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
