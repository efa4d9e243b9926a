"""Daily backups: made and checked in a child, the oldest removed."""

import re
import shutil
from datetime import datetime
from pathlib import Path

from core.execution.child import OPENER, open_child_stores
from core.settings import Settings

ALLOWANCE_S = 6 * 3_600.0
_NAME = re.compile(r"bpw-\d{8}T\d{6}Z")
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
    folder = settings.backup_to
    target = folder / f"bpw-{now:%Y%m%dT%H%M%SZ}"
    draft = folder / f"{target.name}{_PARTIAL}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in folder.glob(f"bpw-*{_PARTIAL}"):
        shutil.rmtree(left)
    stores = open_child_stores(OPENER, settings)
    try:
        stores.upkeep.backup(draft, at=now)
        stores.upkeep.check_backup(draft)
        draft.rename(target)
    finally:
        stores.engine.close()
        shutil.rmtree(draft, ignore_errors=True)
    for former in list_backups(folder)[: -settings.backup_keep]:
        shutil.rmtree(former)
    return str(target)


def list_backups(folder: Path) -> list[Path]:
    """Return the daily backups in a folder, oldest first."""
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))
