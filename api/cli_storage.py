"""`python -m api db|backup|restore`: the schema, what is kept, and copies of an instance."""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.cli_accounts import opened
from api.startup import open_stores
from core.accounts import COMMAND_LINE
from core.settings import Settings


def add_commands(commands: Any) -> None:
    """Add the parsers of `db`, `backup` and `restore`."""
    database = commands.add_parser("db", help="the database").add_subparsers(required=True)
    database.add_parser("upgrade", help="bring the schema up to date").set_defaults(command=upgrade)
    retain_rows = database.add_parser("retain", help="clear away what is past its time")
    retain_rows.add_argument("--dry-run", action="store_true", help="only count")
    retain_rows.set_defaults(command=retain)
    saved = commands.add_parser("backup", help="copy the instance while it goes on working")
    saved.add_argument("folder", type=Path, help="folder to make")
    saved.add_argument("--check", action="store_true", help="check a backup that is there")
    saved.set_defaults(command=back_up)
    restored = commands.add_parser("restore", help="bring a backup into a new instance folder")
    restored.add_argument("folder", type=Path, help="folder of the backup")
    restored.set_defaults(command=restore)


def upgrade(chosen: argparse.Namespace, settings: Settings) -> int:
    """Bring the schema up to date."""
    with opened(settings):
        return 0


def retain(chosen: argparse.Namespace, settings: Settings) -> None:
    """Clear away what is past its time and print the counts."""
    with opened(settings) as stores:
        cleared = stores.upkeep.retain(at=datetime.now(UTC), dry_run=chosen.dry_run)
        summary = "\n".join(f"{name}\t{count}" for name, count in cleared.model_dump().items())
        if not chosen.dry_run:
            stores.audit.add(COMMAND_LINE.name, "retain", "instance", summary.replace("\n", ", "))
    sys.stdout.write(f"{summary}\n")


def back_up(chosen: argparse.Namespace, settings: Settings) -> int:
    """Copy the instance, or check a copy as a restore would."""
    if chosen.check:
        return _check_backup(chosen.folder, settings)
    with opened(settings) as stores:
        stores.audit.add(COMMAND_LINE.name, "backup", "instance")
        manifest = stores.upkeep.backup(chosen.folder, at=datetime.now(UTC))
    size = sum(file.size for file in manifest.files)
    sys.stdout.write(f"{len(manifest.files)} files, {size} bytes\n")
    return 0


def _check_backup(folder: Path, settings: Settings) -> int:
    """Check a backup in a folder that goes again: no instance is needed, and none is made."""
    near = settings.home if settings.home.is_dir() else None
    with TemporaryDirectory(dir=near) as home:
        own = {"home": Path(home), "database_url": f"sqlite:///{home}/workbench.db"}
        stores = open_stores(settings.model_copy(update=own))
        try:
            manifest = stores.upkeep.check_backup(folder)
        finally:
            stores.engine.close()
    sys.stdout.write(f"{len(manifest.files)} files, as a restore needs them\n")
    return 0


def restore(chosen: argparse.Namespace, settings: Settings) -> None:
    """Bring a backup into a new instance."""
    stores = open_stores(settings)
    try:
        manifest = stores.upkeep.restore(chosen.folder)
        stores.audit.add(COMMAND_LINE.name, "restore", "instance", f"of {manifest.created_at}")
    finally:
        stores.engine.close()
    day = f"{manifest.created_at:%Y-%m-%d %H:%M} UTC"
    sys.stdout.write(f"{len(manifest.files)} files restored, of {day}; start with ./run\n")
