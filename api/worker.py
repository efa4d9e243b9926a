"""`python -m api worker`: executes runs of an instance that several hosts share."""

import argparse
import asyncio
import signal
from functools import partial

import structlog

from api.startup import open_worker
from core.errors import InvalidInput, WorkbenchError
from core.execution.recovery import find_owner
from core.logs import log_everything
from core.records.runs import Caller, RunRecord
from core.settings import Settings
from core.workbench import Workbench

_PAUSE_S = 5.0
"""Pause of a place that could not take a run, so that it does not take one after the other."""


def serve_runs(chosen: argparse.Namespace, settings: Settings) -> int:
    """Execute runs until a signal ends it; what is under way then goes to another worker.

    Raises:
        InvalidInput: The instance runs on one host.
    """
    if not settings.is_shared:
        raise InvalidInput("set BPW_RUN_ENGINE=procrastinate, as for the servers, to run a worker")
    log_everything()
    with open_worker(settings) as (workbench, queue):
        stopped = asyncio.Event()

        async def work() -> None:
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, partial(_stop, workbench, loop, stopped))
            structlog.get_logger("worker").info("ready", worker=workbench.executor.worker)
            places = {
                "computing": settings.computing_workers,
                "waiting": settings.waiting_workers,
            }
            await queue.work(places, partial(execute, workbench), stopped)

        asyncio.run(work())
    return 0


def _stop(workbench: Workbench, loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    """Take nothing more, and give back what does not end soon."""
    stopped.set()
    loop.run_in_executor(None, workbench.executor.close)


async def execute(workbench: Workbench, run_uuid: str) -> None:
    """Take a run, unless it is taken or has ended, and wait for its end."""
    try:
        taken = await asyncio.to_thread(_take, workbench, run_uuid)
    except (WorkbenchError, OSError) as failure:  # another worker may be luckier
        structlog.get_logger("worker").error("not taken", run_id=run_uuid, reason=str(failure))
        await asyncio.sleep(_PAUSE_S)
        return
    if taken is None:
        return
    run, caller = taken
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    workbench.executor.submit(run, workbench.agents[run.agent], caller)
    workbench.executor.on_done(run.run_uuid, lambda: _wake(loop, ended))
    await ended.wait()


def _wake(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    loop.call_soon_threadsafe(ended.set)


def _take(workbench: Workbench, run_uuid: str) -> tuple[RunRecord, Caller] | None:
    """Bring the evidence up to date, then take the run."""
    stores = workbench.stores
    stores.sharing.follow()
    run = stores.leases.waiting(run_uuid)
    owner = find_owner(stores, run) if run is not None else None
    if run is None or owner is None or run.agent not in workbench.agents:
        return None
    taken = stores.leases.take_over(run, workbench.executor.worker)
    return None if taken is None else (taken, owner)
