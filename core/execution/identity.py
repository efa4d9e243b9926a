"""Which process answers for a run, and whether it is still alive."""

import os
import socket
from contextlib import suppress
from pathlib import Path


def worker_name() -> str:
    """Return the name of this process: host, process namespace, id, and when it started.

    The start tells it from a later process of the same id; the namespace tells containers of one
    host apart, whose processes cannot see each other.
    """
    pid = os.getpid()
    return f"{_place()}/{pid}/{_started(pid)}"


def is_gone(worker: str) -> bool:
    """Return whether a worker of this host and namespace has ended; of others nothing is known."""
    host_part, _, process = worker.rpartition("/")[0].rpartition("/")
    if host_part != _place() or not process.isdigit():
        return False
    return _started(int(process)) != worker.rpartition("/")[2]


def _place() -> str:
    namespace = ""
    with suppress(OSError):
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    return f"{socket.gethostname()[:40]}-{_boot()}/{namespace}"


def _boot() -> str:
    """Return what tells machines of one name apart: the mark of the kernel's start."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    return ""


def _started(pid: int) -> str:
    """Return when a process started, in clock ticks since boot; a zombie has ended.

    Where there is no /proc, a process that lives is told from none, not from a later one.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "alive" if not Path("/proc/self/stat").exists() and _answers(pid) else ""
    return "" if fields[0] in "ZX" else fields[19]


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
