"""What a child process may use, and when it must end."""

import ctypes
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import OutOfMemory

_PR_SET_PDEATHSIG = 1
MEGABYTE = 1024 * 1024

JAVA_OPTIONS = "-Xmx512m -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m"
"""A Java child inherits the memory limit; without these its heap grows with the machine."""


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to send this signal when the parent ends (Linux; elsewhere nothing)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def confine(memory_mb: int) -> None:
    """Make this process the leader of its own group, mortal, and bounded in memory.

    Writable memory is bounded, not address space: Java and the chart renderer reserve tens of
    gigabytes of addresses that they never touch.

    Args:
        memory_mb: Most writable memory in megabytes; children inherit the bound.
    """
    with suppress(PermissionError):
        os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with_parent(signal.SIGKILL)
    multiprocessing.set_start_method("fork", force=True)  # locks made here leave no file behind
    limit = memory_mb * MEGABYTE
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["JAVA_TOOL_OPTIONS"] = JAVA_OPTIONS


@contextmanager
def bounded_memory(memory_mb: int) -> Iterator[None]:
    """Bound the writable memory of this process while it does something.

    Args:
        memory_mb: Most writable memory in megabytes.

    Raises:
        OutOfMemory: It was not enough.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    limit = memory_mb * MEGABYTE
    bound = limit if before[1] == resource.RLIM_INFINITY else min(limit, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (bound, before[1]))
    try:
        yield
        return
    except MemoryError:
        pass  # what was held is given back before the answer is made
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
    raise out_of_memory(memory_mb)


def out_of_memory(memory_mb: int) -> OutOfMemory:
    """Return the error of what needed more memory than it may use."""
    return OutOfMemory(
        f"this needed more than the {memory_mb:,} MB of memory that it may use; send less at once "
        "or raise BPW_MEMORY_LIMIT_MB"
    )


def kill_group(leader_pid: int) -> None:
    """Kill what is left of a child's process group and session (external programs it started).

    A program with a group of its own, so that it can be ended alone, is still of the session. The
    first process of the machine and the own group are nobody's child: they are never touched.
    """
    if leader_pid <= 1 or leader_pid in {os.getpgrp(), os.getsid(0)}:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader_pid, signal.SIGKILL)
    for pid in _session_of(leader_pid):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _session_of(leader_pid: int) -> list[int]:
    """Return the processes of a session besides this one (Linux; elsewhere none)."""
    pids = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader_pid and int(path.name) != os.getpid():
                pids.append(int(path.name))
    return pids


def wait_for_end(pid: int, within_s: float) -> None:
    """Wait until a process is gone, but no longer than `within_s` seconds."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
