"""Daily backups: made and checked in a child, the oldest removed."""

import platform
import re
import shutil
import zlib
from datetime import datetime
from pathlib import Path

from core.execution.child import OPENER, open_child_stores
from core.settings import Settings

ALLOWANCE_S = 6 * 3_600.0
_PARTIAL = ".partial"


def back_up_in_child(settings: Settings, now: datetime) -> str:
    """Make a backup below `backup_to`, check that it could be restored, and remove older ones.

    A backup that fails leaves nothing behind and removes nothing.

    Args:
        settings: `backup_to` and `backup_keep`.
        now: The clock; gives the backup its name.

    Returns:
        The folder of the backup.

    Raises:
        InvalidInput: A stored file, or the copy, is damaged.
        OSError: The folder cannot be written.
    """
    assert settings.backup_to is not None
    folder, mark = settings.backup_to, mark_of(settings.home)
    target = folder / f"bpw-{mark}-{now:%Y%m%dT%H%M%SZ}"
    draft = folder / f"{target.name}{_PARTIAL}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in folder.glob(f"bpw-{mark}-*{_PARTIAL}"):
        shutil.rmtree(left)
    stores = open_child_stores(OPENER, settings)
    try:
        stores.upkeep.backup(draft, at=now)
        stores.upkeep.check_backup(draft)
        draft.rename(target)
    finally:
        stores.engine.close()
        shutil.rmtree(draft, ignore_errors=True)
    for former in list_backups(folder, settings.home)[: -settings.backup_keep]:
        shutil.rmtree(former)
    return str(target)


def mark_of(home: Path) -> str:
    """Return what names an instance folder of this host: others may use the same folder."""
    return f"{zlib.crc32(f'{platform.node()}:{home.resolve()}'.encode()):08x}"


def list_backups(folder: Path, home: Path) -> list[Path]:
    """Return the daily backups of an instance in a folder, oldest first."""
    name = re.compile(rf"bpw-{mark_of(home)}-\d{{8}}T\d{{6}}Z")
    return sorted(path for path in folder.iterdir() if name.fullmatch(path.name))
