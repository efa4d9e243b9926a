"""The folder for temporary files of one run: it goes with the run, however that ends."""

import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "bpw-run"
_NAME = re.compile(rf"{_PREFIX}-(\d+)-(\d+)")


def use_own_scratch() -> Path | None:
    """Send all temporary files of this process to a folder of its own; None where that fails."""
    root = Path(tempfile.gettempdir())
    folder = root / f"{_PREFIX}-{_namespace()}-{os.getpid()}"
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        return None
    tempfile.tempdir = str(folder)
    return folder


def clear_scratch() -> None:
    """Remove the folders of processes that have ended; only this user's, and only real folders."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}-*"):
        match = _NAME.fullmatch(folder.name)
        if match is None or match[1] != _namespace() or _is_alive(int(match[2])):
            continue
        with suppress(OSError):
            if folder.lstat().st_uid == os.getuid() and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)


def _namespace() -> str:
    """Return what tells this space of process numbers from that of another container."""
    try:
        return str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        return "0"


def _is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and waits to be read does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}
