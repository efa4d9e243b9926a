"""The only way to run an agent: cache, quota, stored row, execution, final state.

`start_run` returns at once, `run_agent` waits. Neither raises for a run that came to grief: the
record says so. They raise for what is wrong before a run exists (an upload that is not the
caller's, a used-up quota).
"""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime

from core.agent import Agent
from core.errors import InvalidInput, NotFound, RunCancelled, WorkbenchError, WorkerCrashed
from core.records.runs import Caller, NewRun, RunRecord, RunStatus
from core.records.wire import Request
from core.workbench import Workbench


def canonical_input(request: Request, *, whole: bool = False) -> bytes:
    """Return the request as canonical JSON: sorted keys, defaults filled in.

    Args:
        request: A validated request.
        whole: Keep `use_cache`, which is no part of the cache key.
    """
    excluded = None if whole else {"use_cache"}
    plain = request.model_dump(mode="json", by_alias=True, exclude=excluded)
    return json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def fingerprint(agent: Agent, request: Request, caller: Caller, workbench: Workbench) -> str:
    """Return the sha256 that equal input shares: uploads count by content, not by id.

    Raises:
        InvalidInput: An upload that the request names is not the caller's (`unknown_file`).
    """
    contents = {}
    for field in agent.file_fields.values():
        file_id = getattr(request, field, None)
        if file_id is not None:
            contents[field] = _find_upload(file_id, field, caller, workbench)
    stem = request.model_copy(update=contents)
    return hashlib.sha256(canonical_input(stem)).hexdigest()


def _find_upload(file_id: str, field: str, caller: Caller, workbench: Workbench) -> str:
    try:
        return workbench.stores.files.get(caller.user_id, file_id).sha256
    except NotFound:
        raise InvalidInput(
            "there is no upload of yours with this id; upload the file again and use the new id",
            field=field,
            code="unknown_file",
        ) from None


def data_version(agent: Agent) -> str:
    """Return the version under which results may be reused: agent code and evidence."""
    return f"{agent.name}/{agent.version}"


def find_equal_run(
    agent: Agent, request: Request, caller: Caller, workbench: Workbench
) -> RunRecord | None:
    """Return the caller's newest completed equal run when the request allows a stored answer."""
    if not getattr(request, "use_cache", False):
        return None
    key = fingerprint(agent, request, caller, workbench)
    found = workbench.stores.runs.find_cached(caller.user_id, agent.name, key, data_version(agent))
    return found.model_copy(update={"cached": True}) if found else None


def start_run(
    agent: Agent,
    request: Request,
    caller: Caller,
    workbench: Workbench,
    title: str | None = None,
) -> RunRecord:
    """Begin a run, or return the stored one that answers the request.

    Args:
        agent: The declaration.
        request: The validated request.
        caller: Who asks; pays with one run of the month's quota.
        workbench: The workbench of this process.
        title: Name of the run; the agent's own line when left out.

    Returns:
        A queued run, or a completed one marked `cached`.

    Raises:
        InvalidInput: An upload that the request names is not the caller's.
        QuotaExceeded: The caller's quota is used up.
        StorageFull: The row or the input could not be written.
    """
    equal = find_equal_run(agent, request, caller, workbench)
    if equal is not None:
        return equal
    key = fingerprint(agent, request, caller, workbench)
    now = workbench.now()
    quotas = workbench.stores.quotas
    quotas.charge(caller.user_id, limit=workbench.settings.quota_runs, at=now)
    try:
        run = _open_run(agent, request, caller, workbench, title=title, key=key, now=now)
    except WorkbenchError:
        quotas.refund(caller.user_id, at=now)
        raise
    workbench.executor.submit(run, agent, caller)
    return run


def _open_run(
    agent: Agent,
    request: Request,
    caller: Caller,
    workbench: Workbench,
    *,
    title: str | None,
    key: str,
    now: datetime,
) -> RunRecord:
    """Write input and row of a run that is about to begin."""
    stores = workbench.stores
    return stores.runs.open(
        NewRun(
            run_uuid=workbench.new_id(),
            agent=agent.name,
            owner_id=caller.user_id,
            key_id=caller.key_id,
            title=title or agent.label(request),
            fingerprint=key,
            data_version=data_version(agent),
            input_sha256=stores.blobs.put(canonical_input(request, whole=True)).sha256,
            use_cache=bool(getattr(request, "use_cache", False)),
            created_at=now,
        )
    )


def run_agent(agent: Agent, request: Request, caller: Caller, workbench: Workbench) -> RunRecord:
    """Run an agent and wait for its final state.

    Raises:
        InvalidInput: An upload that the request names is not the caller's.
        QuotaExceeded: The caller's quota is used up.
    """
    run = start_run(agent, request, caller, workbench)
    if not run.is_final:
        workbench.executor.wait(run.run_uuid)
        run = workbench.stores.runs.get(caller.user_id, run.run_uuid)
    return run


def cancel_run(run_uuid: str, caller: Caller, workbench: Workbench) -> RunRecord:
    """End the caller's own run and return it in its final state.

    Raises:
        NotFound: The caller has no such run.
    """
    run = workbench.stores.runs.get(caller.user_id, run_uuid)
    if run.is_final:
        return run
    if workbench.executor.cancel(run_uuid):
        workbench.executor.wait(run_uuid, 10)
    else:
        _end_unheld(run, "cancelled", RunCancelled("the run was cancelled"), workbench)
    return workbench.stores.runs.get(caller.user_id, run_uuid)


def close_orphans(workbench: Workbench, note: Callable[[RunRecord], None]) -> None:
    """End the runs that an earlier process left unfinished, so that every run ends.

    Args:
        workbench: The workbench that has just been opened.
        note: Told of every run that was ended.
    """
    failure = WorkerCrashed("the instance stopped while the run was under way; run it again")
    for run in workbench.stores.runs.unfinished():
        if _end_unheld(run, "failed", failure, workbench):
            note(run)


def _end_unheld(
    run: RunRecord, status: RunStatus, failure: WorkbenchError, workbench: Workbench
) -> bool:
    """End a run that no executor holds and give its charge back; False if it had ended."""
    stores = workbench.stores
    if not stores.runs.finish(run.run_uuid, status, at=workbench.now(), error=failure.record()):
        return False
    stores.quotas.refund(run.owner_id, at=run.created_at)
    return True
