"""Disk space set aside so that people can sign in and delete things when the disk is full."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

_SLICES = 8
_SLICE_BYTES = 256 * 1024
RESERVE_BYTES = _SLICES * _SLICE_BYTES
"""Room for a few thousand small rows in the database's log, given back slice by slice."""
LEAST_FREE_BYTES = 1024 * 1024 + RESERVE_BYTES
"""With less, the disk counts as full: the reserve, once given back, is no room for everything."""


def is_disk_full(folder: Path) -> bool:
    """Return whether the disk of a folder has no room for what is not essential."""
    return shutil.disk_usage(folder).free < LEAST_FREE_BYTES


class Reserve:
    """Files of zeros beside the database: removed when the disk is full, put back later."""

    def __init__(self, folder: Path) -> None:
        """Keep the place; nothing is written yet.

        Args:
            folder: Folder of the database file.
        """
        self._folder = folder
        self._files = [folder / f".reserve-{number}" for number in range(_SLICES)]

    def is_disk_full(self) -> bool:
        """Return whether the disk has no room for what is not essential."""
        with suppress(FileNotFoundError):
            return is_disk_full(self._folder)
        return False

    def release(self) -> None:
        """Give as much of the space back as one small write needs."""
        with suppress(OSError):
            for file in self._files:
                if shutil.disk_usage(self._folder).free >= _SLICE_BYTES // 2:
                    return
                file.unlink(missing_ok=True)

    def restore(self) -> None:
        """Set the space aside again where the disk has plenty of it."""
        with suppress(OSError):
            for file in self._files:
                if file.exists():
                    continue
                if shutil.disk_usage(self._folder).free < LEAST_FREE_BYTES:
                    return
                with file.open("wb") as opened:
                    os.posix_fallocate(opened.fileno(), 0, _SLICE_BYTES)
