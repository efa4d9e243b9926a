"""Runs a program of the system on text or files: bounded in time and output, leaving nothing."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

MOST_OUTPUT = 20_000_000
MOST_MEMORY = 8 << 30
"""Bytes of address space; a Java of 512 MB of heap reserves several times as much."""
_ALONE = {"OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}


def run_tool(
    command: Sequence[str], text: str = "", *, timeout_s: float, folder: Path | None = None
) -> str | None:
    """Run a program and return what it wrote.

    The program gets a process group of its own, which ends with it, and one thread. It stays in
    the session of the run, and ends with whoever started it.

    Args:
        command: Program and arguments; never a shell.
        text: What it reads.
        timeout_s: Seconds after which it is ended.
        folder: Where it works; else a folder that is removed afterwards.

    Returns:
        Its standard output, at most 20 million characters; None where it failed or was too slow.
    """
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="bpw-tool-") as name:
            return run_tool(command, text, timeout_s=timeout_s, folder=Path(name))
    process = subprocess.Popen(
        [*_mortal(), *command],
        cwd=folder,
        env={
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            "TMPDIR": str(folder),
            **_ALONE,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
        encoding="utf-8",
        errors="replace",
    )
    try:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        answer, _ = process.communicate(text, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return answer[:MOST_OUTPUT] if process.returncode == 0 else None


@cache
def _mortal() -> tuple[str, ...]:
    """Return what makes the kernel end a program with its parent, where the system has it."""
    return ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
