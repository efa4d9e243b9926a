"""The only way to run an agent: cache, quota, stored row, execution, final state.

`start_run` returns at once, `run_agent` waits. Neither raises for a run that came to grief: the
record says so. They raise for what is wrong before a run exists (an upload that is not the
caller's, a used-up quota).
"""

import hashlib
import json
import time
from typing import NamedTuple

from core.agent import Agent
from core.alert_ports import Subscriptions
from core.code_digest import answer_digest
from core.drafting.opening import model_version
from core.errors import InvalidInput, NotFound, RunCancelled, WorkbenchError
from core.evidence.preparing import evidence_version
from core.execution.child import OPENER, Job, replay
from core.ports import Stores
from core.records.alerts import WatchQuestion
from core.records.runs import Artifact, Caller, NewRun, RunRecord
from core.records.wire import Request
from core.registry import watchable
from core.workbench import Workbench

_POLL_S = 0.2
_OPENING_POLLS = 50
_LIVE = "/live "
"""Stands before the day in the version of a run that asked live sources."""
_MODEL = "/model "
"""Stands before the language model in the version of a run that could ask one."""


def canonical_input(request: Request, *, is_whole: bool = False) -> bytes:
    """Return the request as canonical JSON: sorted keys, defaults filled in.

    Args:
        request: A validated request.
        is_whole: Keep `use_cache`, which is no part of the cache key.
    """
    excluded = None if is_whole else {"use_cache"}
    plain = request.model_dump(mode="json", by_alias=True, exclude=excluded)
    return json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def fingerprint(
    agent: Agent,
    request: Request,
    caller: Caller,
    workbench: Workbench,
    content: bytes | None = None,
) -> str:
    """Return the sha256 that equal input shares: uploads count by content, not by id.

    Args:
        agent: The declaration.
        request: The validated request.
        caller: Whose uploads it may name.
        workbench: The workbench of this process.
        content: The canonical input, where it is written already: of a request without uploads
            and `use_cache` it is the same, and need not be written again.

    Raises:
        InvalidInput: An upload that the request names is not the caller's (`unknown_file`).
    """
    contents: dict[str, str | list[str]] = {}
    for field in agent.file_fields.values():
        named = getattr(request, field, None)
        if isinstance(named, list):
            contents[field] = [
                _find_upload(file_id, f"{field}[{index}]", caller, workbench)
                for index, file_id in enumerate(named)
            ]
        elif named is not None:
            contents[field] = _find_upload(named, field, caller, workbench)
    if content is not None and not contents and "use_cache" not in type(request).model_fields:
        return hashlib.sha256(content).hexdigest()
    stem = request.model_copy(update=contents)
    return hashlib.sha256(canonical_input(stem)).hexdigest()


def _find_upload(file_id: str, field: str, caller: Caller, workbench: Workbench) -> str:
    try:
        return workbench.stores.files.get(caller.user_id, file_id).sha256
    except NotFound:
        raise InvalidInput(
            "upload not found; upload the file again and use the new id",
            field=field,
            code="unknown_file",
        ) from None


def data_version(agent: Agent, stores: Stores) -> str:
    """Return the version under which results may be reused: agent code and evidence.

    Args:
        agent: The declaration; only one that reads evidence depends on what is held.
        stores: Where the evidence lies.
    """
    code = f"{agent.name}/{answer_digest(agent.slug)}"
    if not agent.reads_evidence:
        return code
    version = evidence_version(
        stores.evidence, stores.identity, stores.learned_names, agent.unread_sources
    )
    return f"{code}/{version}"


class _Mark(NamedTuple):
    """What equal runs share, and the canonical input."""

    fingerprint: str
    data_version: str
    whole: bytes


def _mark(agent: Agent, request: Request, caller: Caller, workbench: Workbench) -> _Mark:
    """Return what equal runs share; computed once a run, since large inputs take their time."""
    if agent.reads_evidence:
        workbench.stores.sharing.follow()
    content = canonical_input(request, is_whole=True)
    key = fingerprint(agent, request, caller, workbench, content)
    version = data_version(agent, workbench.stores)
    if agent.reads_evidence and (model := model_version(workbench.settings)):
        version = f"{version}{_MODEL}{model}"
    is_live = agent.reads_evidence and bool(workbench.settings.live_sources)
    if is_live or (agent.searches_web and workbench.settings.web_searchers):
        version = f"{version}{_LIVE}{workbench.now():%Y-%m-%d}"  # they answer anew each day
    return _Mark(key, version, content)


def _find_equal_run(
    agent: Agent, request: Request, caller: Caller, workbench: Workbench, mark: _Mark
) -> RunRecord | None:
    """Return the caller's newest completed equal run when the request allows a stored answer."""
    if not getattr(request, "use_cache", False):
        return None
    cached = workbench.stores.runs.find_cached(
        caller.user_id, agent.name, mark.fingerprint, mark.data_version
    )
    return cached.model_copy(update={"cached": True}) if cached else None


def recall_run(
    agent: Agent, request: Request, caller: Caller, workbench: Workbench
) -> RunRecord | None:
    """Return the caller's completed run that answers a request already; nothing is written.

    Raises:
        InvalidInput: An upload that the request names is not the caller's.
    """
    if not getattr(request, "use_cache", False):
        return None
    mark = _mark(agent, request, caller, workbench)
    return _find_equal_run(agent, request, caller, workbench, mark)


def start_run(
    agent: Agent,
    request: Request,
    caller: Caller,
    workbench: Workbench,
    title: str | None = None,
) -> RunRecord:
    """Begin a run, or return the one that answers the request already.

    Args:
        agent: The declaration.
        request: The validated request.
        caller: Who asks; pays with one run of the month's quota.
        workbench: The workbench of this process.
        title: Name of the run; the agent's own line when left out.

    Returns:
        A queued run, the equal one under way whose execution it shares (`use_cache`), or a
        completed one marked `cached`. Only the first is charged.

    Raises:
        InvalidInput: An upload that the request names is not the caller's.
        QuotaExceeded: The caller's quota is used up.
        StorageFull: The row or the input could not be written.
    """
    mark = _mark(agent, request, caller, workbench)
    equal = _find_equal_run(agent, request, caller, workbench, mark)
    if equal is not None:
        return equal
    new = _describe_run(agent, request, caller, workbench, mark, title or agent.label(request))
    quota = workbench.settings.quota_runs if agent.is_counted else None
    run = workbench.stores.runs.open(new, quota=quota)
    if run.run_uuid == new.run_uuid:
        workbench.executor.submit(run, agent, caller)
    return run


def _describe_run(
    agent: Agent,
    request: Request,
    caller: Caller,
    workbench: Workbench,
    mark: _Mark,
    title: str,
) -> NewRun:
    """Keep the input of a run that is about to begin and return what its row says."""
    blob = workbench.stores.blobs.put(mark.whole)
    return NewRun(
        run_uuid=workbench.new_id(),
        agent=agent.name,
        owner_id=caller.user_id,
        key_id=caller.key_id,
        title=title,
        fingerprint=mark.fingerprint,
        data_version=mark.data_version,
        input_sha256=blob.sha256,
        use_cache=bool(getattr(request, "use_cache", False)),
        created_at=workbench.now(),
        worker=workbench.executor.holder,
        saves_query=agent.is_counted,
        question=question_of(agent, request),
    )


def subscriptions_of(caller: Caller, workbench: Workbench) -> Subscriptions:
    """Return a caller's own saved queries and hits."""
    agents = watchable(workbench.agents)
    return workbench.stores.watches.of(caller.user_id, agents, workbench.settings.max_alerts)


def question_of(agent: Agent, request: Request) -> WatchQuestion | None:
    """Return what of a request can be watched; None where its agent's cannot."""
    if not agent.watched:
        return None
    values = {field: getattr(request, name) for name, field in agent.watched.items()}
    return WatchQuestion(**{field: value for field, value in values.items() if value})


def run_agent(agent: Agent, request: Request, caller: Caller, workbench: Workbench) -> RunRecord:
    """Run an agent and wait for its final state.

    Raises:
        InvalidInput: An upload that the request names is not the caller's.
        QuotaExceeded: The caller's quota is used up.
    """
    return await_run(start_run(agent, request, caller, workbench), caller, workbench)


def await_run(run: RunRecord, caller: Caller, workbench: Workbench) -> RunRecord:
    """Wait for the final state of a run, whichever process executes it."""
    while not run.is_final:
        workbench.executor.wait(run.run_uuid)
        run = read_progress(run, caller, workbench)
        if not run.is_final:  # another process executes it
            time.sleep(_POLL_S)
    return run


def read_progress(run: RunRecord, caller: Caller, workbench: Workbench) -> RunRecord:
    """Read the state of a run, and execute it here where the process that did is gone."""
    run = workbench.stores.runs.get(caller.user_id, run.run_uuid)
    if not run.is_final:
        workbench.executor.rescue(run)
    return run


def start_once(
    agent: Agent,
    request: Request,
    caller: Caller,
    workbench: Workbench,
    key: str,
    title: str | None = None,
) -> RunRecord:
    """Begin a run for an idempotency key, or return the run that the key stands for already.

    Raises:
        InvalidInput: `idempotency_mismatch`: the key came with another request before; or as
            `start_run`.
        QuotaExceeded: As `start_run`; the key stays free.
    """
    keys = workbench.stores.idempotency
    body = hashlib.sha256(canonical_input(request, is_whole=True)).hexdigest()
    for _ in range(_OPENING_POLLS):
        claim = keys.claim(
            caller.user_id, key, agent=agent.name, body_sha256=body, at=workbench.now()
        )
        if claim is None:
            break
        if claim.run_uuid is None:  # the first request is just beginning its run
            time.sleep(_POLL_S)
            continue
        try:
            return workbench.stores.runs.get(caller.user_id, claim.run_uuid)
        except NotFound:  # its run was deleted
            keys.release(caller.user_id, key, claim.run_uuid)
    else:  # the process of the first request died
        keys.release(caller.user_id, key)
        return start_once(agent, request, caller, workbench, key, title)
    try:
        run = start_run(agent, request, caller, workbench, title)
    except WorkbenchError:
        keys.release(caller.user_id, key)
        raise
    keys.attach(caller.user_id, key, run.run_uuid)
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
        failure = RunCancelled("the run was cancelled").record()
        workbench.stores.runs.finish(run_uuid, "cancelled", at=workbench.now(), error=failure)
    return workbench.stores.runs.get(caller.user_id, run_uuid)


class Replayed(NamedTuple):
    """A run that was computed again.

    Attributes:
        run: The run, with the new data in the place of the stored ones.
        is_equal: Whether both are the same bytes.
        is_same_version: Whether program and evidence are those of the run.
    """

    run: RunRecord
    is_equal: bool
    is_same_version: bool


def replay_run(run: RunRecord, caller: Caller, workbench: Workbench) -> Replayed:
    """Compute the caller's own run again from its input and the stored answers of live sources.

    No connection is opened, nothing of the run is changed and nothing is charged.

    Raises:
        InvalidInput: `run_unfinished`: it has no answer.
    """
    stored = run.artifact("data")
    agent = workbench.agents.get(run.agent)
    if stored is None or agent is None:
        raise InvalidInput("the run has no answer to compare with", code="run_unfinished")
    data: Artifact = workbench.executor.call(
        replay,
        Job(run, caller, OPENER, workbench.settings),
        timeout_s=workbench.settings.allowance_for(agent.name, agent.allowance_s),
    )
    version = run.data_version.partition(_LIVE)[0].partition(_MODEL)[0]
    others = tuple(part for part in run.artifacts if part is not stored)
    return Replayed(
        run.model_copy(update={"artifacts": (data, *others)}),
        data.sha256 == stored.sha256,
        version == data_version(agent, workbench.stores),
    )
