"""What becomes of runs whose process is gone: queued again once, then failed."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

import structlog

from core.agent import Agent
from core.errors import NotFound, WorkerCrashed
from core.execution.identity import is_gone
from core.ports import Stores
from core.records.runs import Caller, RunRecord

LEASE_S = 30.0
"""A lease that was not renewed for so long is over; it is renewed every `BEAT_S`."""
BEAT_S = 5.0
_MOST_ATTEMPTS = 2

Submit = Callable[[RunRecord, Agent, Caller], None]


def recover(
    stores: Stores,
    agents: Mapping[str, Agent],
    worker: str,
    submit: Submit,
    *,
    only: str | None = None,
) -> None:
    """Take over every abandoned run, or end it when it was abandoned before.

    Args:
        stores: All stores.
        agents: Agents by name.
        worker: Name of the process that takes over.
        submit: Called with each run that was taken over.
        only: Look at the run of this id alone.
    """
    log = structlog.get_logger("run")
    for run in stores.leases.abandoned(LEASE_S, is_gone):
        if only not in {None, run.run_uuid}:
            continue
        agent, caller = agents.get(run.agent), find_owner(stores, run)
        if agent is None or caller is None or (run.worker is not None and is_worn(run)):
            finish_worn(stores, run)
            log.warning("run ended", run_id=run.run_uuid, attempt=run.attempt)
            continue
        taken = stores.leases.take_over(run, worker)
        if taken is not None:
            log.warning("run taken over", run_id=run.run_uuid, attempt=taken.attempt)
            submit(taken, agent, caller)


def keep_leases(
    stores: Stores, worker: str, run_uuids: Iterable[str], cancel: Callable[[str], object]
) -> None:
    """Renew a worker's leases, and end what it holds but what another process has ended.

    Args:
        stores: All stores.
        worker: Name of the process.
        run_uuids: Ids of the runs it holds.
        cancel: Ends one of them.
    """
    unfinished = stores.leases.renew(worker)
    for run_uuid in run_uuids:
        if run_uuid not in unfinished:
            cancel(run_uuid)


def is_worn(run: RunRecord) -> bool:
    """Return whether a run is not tried again."""
    return run.attempt >= _MOST_ATTEMPTS


def find_owner(stores: Stores, run: RunRecord) -> Caller | None:
    """Return whose run it is; None when the account is gone."""
    try:
        user = stores.users.by_id(run.owner_id)
    except NotFound:
        return None
    return Caller(user_id=user.user_id, name=user.name, role=user.role)


def finish_worn(stores: Stores, run: RunRecord) -> None:
    """End a run that nobody goes on with."""
    failure = WorkerCrashed("the instance stopped twice while the run was under way; run it again")
    stores.runs.finish(
        run.run_uuid,
        "failed",
        at=datetime.now(UTC),
        error=failure.record(),
        attempt=run.attempt,
    )
