"""The instance folder: nobody but its owner reads what is in it."""

import stat
from contextlib import suppress
from pathlib import Path

import structlog

_OF_OTHERS = 0o077


def close_folder(home: Path) -> None:
    """Make the instance folder, or take the rights of others from one that was made before.

    Of its files the databases are looked at, too: a folder may be opened again by mistake. The
    owner's own rights stay as they are, so that a folder that is read-only remains so.

    Args:
        home: Instance folder.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(OSError):  # of another owner, or on a disk that keeps no rights
        if _close(home):
            structlog.get_logger("storage").warning(
                "instance_folder_closed", folder=str(home), reason="others could read it"
            )
        for path in home.glob("*.db*"):
            _close(path)


def _close(path: Path) -> bool:
    """Take the rights of others and return whether there were any."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _OF_OTHERS:
        path.chmod(mode & ~_OF_OTHERS)
    return bool(mode & _OF_OTHERS)
