"""The misdeeds of the fault probe."""

import errno
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from core.agents.fault_probe import FaultData, FaultRequest, FaultTable

from core.chemistry.processes import run_tool
from core.errors import InvalidInput
from core.workbench import RunContext

INSIDE = "inside-of-the-agent /etc/secret"


def _sleep(request: FaultRequest, context: RunContext) -> None:
    end = time.monotonic() + request.seconds
    while (left := end - time.monotonic()) > 0:
        context.progress("Work", int((request.seconds - left) * 10), 1000, "sleeping")
        time.sleep(min(0.1, left))


def _spin(request: FaultRequest, context: RunContext) -> None:
    while True:
        pass


def _spin_stubborn(request: FaultRequest, context: RunContext) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _spin(request, context)


def _allocate(request: FaultRequest, context: RunContext) -> None:
    held = []
    while True:
        held.append(bytes(64 << 20))


def _spawn(request: FaultRequest, context: RunContext) -> None:
    child = subprocess.Popen(["sleep", "120"])
    (context.settings.home / "grandchild").write_text(str(child.pid))
    _spin(request, context)


def _run_tool(request: FaultRequest, context: RunContext) -> None:
    """Run a program that has a child of its own and a temporary folder, for minutes."""
    with tempfile.TemporaryDirectory(prefix="bpw-osra-") as folder:
        home = context.settings.home.resolve()
        (home / "scratch").write_text(folder)
        script = f"sleep 120 & echo $! > {home}/below; echo $$ > {home}/tool; wait"
        run_tool(["sh", "-c", script], timeout_s=120, folder=Path(folder))


def _raise(request: FaultRequest, context: RunContext) -> None:
    raise RuntimeError(INSIDE)


def _refuse(request: FaultRequest, context: RunContext) -> None:
    raise InvalidInput("count must be even", field="count", code="value_not_allowed")


def _fill_disk(request: FaultRequest, context: RunContext) -> None:
    raise OSError(errno.ENOSPC, "no space left on device")


def _slow_disk(request: FaultRequest, context: RunContext) -> None:
    """Make every write of the result to come take seconds."""
    sync = os.fsync

    def slow(descriptor: int) -> None:
        time.sleep(request.seconds)
        sync(descriptor)

    os.fsync = slow


MISDEEDS: dict[str, Callable[[FaultRequest, RunContext], object]] = {
    "answer": lambda request, context: None,
    "describe": lambda request, context: None,
    "sleep": _sleep,
    "spin": _spin,
    "spin_stubborn": _spin_stubborn,
    "exit": lambda request, context: os._exit(3),
    "kill": lambda request, context: os.kill(os.getpid(), signal.SIGKILL),
    "leave": lambda request, context: sys.exit(3),
    "allocate": _allocate,
    "spawn": _spawn,
    "run_tool": _run_tool,
    "raise": _raise,
    "refuse": _refuse,
    "fill_disk": _fill_disk,
    "slow_disk": _slow_disk,
}


def run(request: FaultRequest, context: RunContext) -> FaultData:
    """Do what is asked, then answer with a table."""
    context.progress("Work", 0, 1, "begun")
    MISDEEDS[request.action](request, context)
    word = request.word
    if request.upload_id is not None:
        with context.files.open(request.upload_id) as body:
            word = body.read(100).decode()
    context.save_file("notes.txt", b"written by the run\n", "text/plain")
    context.progress("Work", 1, 1, "done")
    return FaultData(
        query_id=context.query_id,
        run_uuid=context.run_uuid,
        squares=FaultTable.of(request.count * request.repeat, word),
        facts={
            "pid": str(os.getpid()),
            "parent": str(os.getppid()),
            "loaded": " ".join(sorted(sys.modules)),
            "threads": os.environ.get("OMP_NUM_THREADS", ""),
        },
        warnings=["made_up: nothing here is measured."],
    )
