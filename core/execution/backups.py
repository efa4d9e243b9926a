"""Daily backups: made and checked in a child, the oldest removed."""

import platform
import re
import shutil
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.execution.child import OPENER, open_child_stores
from core.ports import Stores
from core.settings import Settings

ALLOWANCE_S = 6 * 3_600.0
NOT_BACKED_UP = "backup failed"
"""Action in the audit log of a daily backup that could not be made, or not be restored."""
_PARTIAL = ".partial"
_INSTANT = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class BackupState:
    """How daily backups stand.

    Attributes:
        number: Backups that are kept; each one was checked as a restore would.
        newest_at: When the newest was made.
        failure: Why the newest attempt made none; "" where it did.
    """

    number: int = 0
    newest_at: datetime | None = None
    failure: str = ""


def read_state(settings: Settings, stores: Stores) -> BackupState:
    """Return how the daily backups of an instance stand."""
    folder = settings.backup_to
    backups = list_backups(folder, settings.home) if folder and folder.is_dir() else []
    newest_at = None
    if backups:
        instant = backups[-1].name.rpartition("-")[2]
        newest_at = datetime.strptime(instant, _INSTANT).replace(tzinfo=UTC)
    failed = stores.audit.list(limit=1, action=NOT_BACKED_UP)
    is_failing = bool(failed) and (newest_at is None or failed[0].at > newest_at)
    return BackupState(len(backups), newest_at, failed[0].note if is_failing else "")


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
    target = folder / f"bpw-{mark}-{now:{_INSTANT}}"
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
