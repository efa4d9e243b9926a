"""A question from its words to its answer: plan in a child, runs, answer in a child."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, get_args
from urllib.parse import quote

from pydantic import JsonValue

from core.asking.digests import (
    LEAD_ROWS,
    Digest,
    StoredAnswer,
    page_of,
    read_digest,
    render_lines,
    render_table,
    tell_of,
)
from core.asking.plans import MOST_NEXT, Asked, Plan, show_form
from core.asking.records import (
    AskAnswer,
    AskedLine,
    AskedRun,
    AskedTable,
    AskedThing,
    AskNarrative,
    AskRequest,
    AskUsage,
)
from core.briefs.entities.identifying import Library
from core.drafting.drafter import BY_RULES, Drafter
from core.drafting.ledger import Payer
from core.drafting.opening import open_drafter
from core.errors import (
    AgentTimeout,
    NotAuthenticated,
    OutOfMemory,
    QuotaExceeded,
    RunCancelled,
    WorkerCrashed,
)
from core.evidence.names.identity.resolver import Resolver
from core.execution.child import OPENER, open_child_stores
from core.exports import describe_run
from core.ports import Stores
from core.records.entities import EntityKind
from core.records.model import Provider
from core.records.runs import Caller, RunRecord
from core.registry import agent_of, all_agents
from core.runner import await_run, cancel_run, start_run
from core.settings import Settings
from core.workbench import Workbench

_PAGES: Mapping[EntityKind, str] = {
    "drug": "/asset?id=",
    "company": "/company?id=",
    "target": "/field?target=",
    "disease": "/field?disease=",
}
MODEL_S = 60.0
"""Seconds in which a child may ask a model, with the ledger's reserve."""
UNANSWERED = f"model_unavailable: language model: its process was ended; {BY_RULES}."
NOTHING_RAN = "No run came to an end: the warnings say why. Ask again, or run the agent's form."
LONGEST_S = 90.0
"""Seconds of a child that reads a question or writes an answer."""


def plan_question(request: AskRequest, caller: Caller, workbench: Workbench) -> Plan:
    """Return what is run for a question.

    Raises:
        NotAuthenticated: The key may run no agent.
        AgentTimeout: Reading took longer than a minute and a half.
        WorkerCrashed: The child died.
    """
    allowed = tuple(name for name in workbench.agents if caller.may_run(name))
    if not allowed:
        raise NotAuthenticated("missing or invalid API key")
    settings, day = workbench.settings, workbench.now().date()
    asked = Asked(workbench.new_id() if _may_ask(settings) else "")
    plan: Plan = _call(workbench, asked, _plan, settings, day, request, caller, allowed)
    return plan


def _may_ask(settings: Settings) -> bool:
    return settings.model_provider is not None and "ask" in settings.model_tasks


def _call(workbench: Workbench, asked: Asked, function: Callable[..., Any], *given: object) -> Any:
    """Return what a child gives; without a model where the child with one dies or takes too long.

    Raises:
        AgentTimeout: It took longer than a minute and a half.
        WorkerCrashed: The child died.
    """
    call = workbench.executor.call
    try:
        return call(function, *given, asked, timeout_s=LONGEST_S)
    except (AgentTimeout, OutOfMemory, WorkerCrashed):
        if not asked.question_id:
            raise
    return call(function, *given, replace(asked, question_id=""), UNANSWERED, timeout_s=LONGEST_S)


def _plan(  # noqa: PLR0913 - it is called in a child
    settings: Settings,
    day: date,
    request: AskRequest,
    caller: Caller,
    allowed: tuple[str, ...],
    asked: Asked,
    *warnings: str,
) -> Plan:
    from core.asking.drafted import draft_plan
    from core.asking.questions import read_question

    stores = open_child_stores(OPENER, settings)
    library = Library(stores.evidence, Resolver(stores.identity, stores.learned_names), day)
    reading = read_question(request.query, library, allowed)
    drafter = _open_drafter(settings, stores, request, caller, asked)
    plan = draft_plan(reading, allowed, drafter)
    if drafter is not None:
        asked, warnings = asked.after(drafter), (*warnings, *drafter.warnings)
    return replace(plan, asked=asked, warnings=(*plan.warnings, *warnings))


def _open_drafter(
    settings: Settings, stores: Stores, request: AskRequest, caller: Caller, asked: Asked
) -> Drafter | None:
    """Return what a question may ask of a model; None where it may ask none."""
    if not asked.question_id:
        return None
    payer = Payer(caller.user_id, asked.question_id, settings.model_tokens_month)
    drafter = open_drafter(settings, payer, MODEL_S, calls=stores.model_calls, notes=stores.notes)
    if drafter is not None:
        drafter.family = request.model
        asked.resume(drafter)
    return drafter


@dataclass(frozen=True)
class Begun:
    """The runs of a question.

    Attributes:
        plan: What was planned; what could not begin is among its offers.
        runs: Those that began, or that were stored.
        n_charged: How many count against the quota.
    """

    plan: Plan
    runs: tuple[RunRecord, ...] = ()
    n_charged: int = 0

    def ended(self, runs: Iterable[RunRecord]) -> "Begun":
        """Return the same with the runs as they ended."""
        return replace(self, runs=tuple(runs))


def begin_runs(plan: Plan, caller: Caller, workbench: Workbench) -> Begun:
    """Begin the runs of a plan with the caller's quota.

    Raises:
        QuotaExceeded: Not even the first could begin.
    """
    runs: list[RunRecord] = []
    began_at = workbench.now()
    for number, filled in enumerate(plan.runs):
        agent = agent_of(filled.agent)
        stored: Mapping[str, JsonValue] = (
            {"use_cache": True} if "use_cache" in agent.request.model_fields else {}
        )
        request = agent.request.model_validate({**filled.request, **stored})
        try:
            runs.append(start_run(agent, request, caller, workbench))
        except QuotaExceeded:
            if not runs:
                raise
            left = plan.runs[number:]
            warning = f"quota_exceeded: {len(left)} of {len(plan.runs)} runs did not begin."
            plan = replace(plan, offers=(*left, *plan.offers), warnings=(*plan.warnings, warning))
            break
    n_charged = sum(not run.cached and run.created_at >= began_at for run in runs)
    return Begun(plan, tuple(runs), n_charged)


def write_answer(
    request: AskRequest, begun: Begun, caller: Caller, workbench: Workbench
) -> AskAnswer:
    """Return the answer of ended runs, and note it in the audit log.

    Raises:
        AgentTimeout: Writing took longer than a minute and a half.
        WorkerCrashed: The child died.
    """
    blobs = workbench.stores.blobs
    stored = tuple(
        StoredAnswer(
            run,
            describe_run(run, agent_of(run.agent), workbench),
            str(blobs.path(view.sha256)),
            {
                part.name: str(blobs.path(part.sha256))
                for part in run.artifacts
                if part.kind == "table"
            },
        )
        for run in begun.runs
        if run.status == "completed" and (view := run.artifact("view"))
    )
    if stored:
        answer: AskAnswer = _call(
            workbench, begun.plan.asked, _write, workbench.settings, request, caller, begun, stored
        )
    else:
        if begun.runs:
            begun = replace(begun, plan=replace(begun.plan, help=NOTHING_RAN))
        answer = _assemble(request, begun, (), (), ())
    n_runs = len(begun.runs)
    workbench.stores.audit.note(caller.name, "ask", "", f"{n_runs} run{'s' * (n_runs != 1)}")
    return answer


def _write(  # noqa: PLR0913 - it is called in a child
    settings: Settings,
    request: AskRequest,
    caller: Caller,
    begun: Begun,
    stored: Sequence[StoredAnswer],
    asked: Asked,
    *warnings: str,
) -> AskAnswer:
    from core.asking.drafted import draft_parts

    numbers = {run.run_uuid: number for number, run in enumerate(begun.runs, 1)}
    filled = dict(zip(numbers, begun.plan.runs, strict=False))
    digests = [
        tell_of(read_digest(numbers[key], each), filled[key].drugs, filled[key].without)
        for key, each in ((each.run.run_uuid, each) for each in stored)
    ]
    lines = [line for digest in digests for line in render_lines(digest, digest.lead)]
    most = max(3, LEAD_ROWS // len(digests))
    shown = (render_table(digest, [*digest.rows][:most]) for digest in digests)
    tables = [table for table in shown if table]
    plan = begun.plan
    drafter = (
        _open_drafter(settings, open_child_stores(OPENER, settings), request, caller, asked)
        if asked.question_id
        else None
    )
    if drafter is not None:
        if parts := draft_parts(request.query, plan, digests, drafter):
            lines, tables, plan = parts
        asked = asked.after(drafter)
        warnings = (*warnings, *drafter.warnings)
    told = tuple(dict.fromkeys((*plan.warnings, *warnings)))
    begun = replace(begun, plan=replace(plan, asked=asked, warnings=told))
    return _assemble(request, begun, digests, lines, tables)


def _assemble(
    request: AskRequest,
    begun: Begun,
    digests: Sequence[Digest],
    lines: Sequence[AskedLine],
    tables: Sequence[AskedTable],
) -> AskAnswer:
    plan, agents = begun.plan, all_agents()
    by_run = {digest.run.run_uuid: digest for digest in digests}
    runs = [
        AskedRun(
            id=f"r{number}",
            run_id=run.run_uuid,
            agent=run.agent,
            title=run.title,
            status=run.status,
            cached=run.cached,
            request=dict(filled.request),
            url=page_of(run),
            warnings=list(by_run[run.run_uuid].warnings) if run.run_uuid in by_run else [],
        )
        for number, (run, filled) in enumerate(zip(begun.runs, plan.runs, strict=False), 1)
    ]
    failed = tuple(
        f"run_failed: {agent_of(run.agent).title}: {run.error.message if run.error else run.status}"
        for run in begun.runs
        if run.status != "completed"
    )
    spend = plan.asked.spend
    return AskAnswer(
        query=request.query,
        about=[
            AskedThing(
                kind=each.kind,
                id=each.id,
                name=each.name,
                url=_PAGES[each.kind] + quote(each.id),
            )
            for each in plan.about
        ],
        lines=list(lines),
        tables=list(tables),
        runs=runs,
        next=[show_form(filled, agents) for filled in plan.offers[:MOST_NEXT]],
        cannot=plan.cannot,
        help=plan.help,
        narrative=_narrative_of(plan.asked),
        usage=AskUsage(
            runs_charged=begun.n_charged,
            calls=spend.calls,
            input_tokens=spend.input_tokens,
            output_tokens=spend.output_tokens,
            total_tokens=spend.total_tokens,
        ),
        warnings=[*plan.warnings, *failed],
    )


def _narrative_of(asked: Asked) -> AskNarrative:
    """Return who chose: a model, where one of its answers was taken."""
    provider, model = asked.author
    if provider not in get_args(Provider):
        return AskNarrative(mode="rules")
    return AskNarrative.model_validate(
        {"mode": "language_model", "provider": provider, "model": model}
    )


@dataclass
class Asking:
    """A question under way, for whoever waits for it.

    Attributes:
        request: The question.
        caller: Who asks.
        workbench: Of this process.
        begun: Its plan and runs; None while it is read.
        answer: Its answer; None while it is under way, or where it failed.
        failure: Why there is no answer.
    """

    request: AskRequest
    caller: Caller
    workbench: Workbench
    begun: Begun | None = None
    answer: AskAnswer | None = None
    failure: BaseException | None = None
    _cancelled: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)

    @property
    def is_over(self) -> bool:
        """Return whether nothing goes on any more."""
        return self._ended.is_set()

    def begin(self) -> None:
        """Answer on a thread of its own, which waits and computes nothing."""
        threading.Thread(target=self._work, daemon=True, name="ask").start()

    def cancel(self) -> None:
        """End the runs that are under way; what is stored stays."""
        self._cancelled.set()
        for run in self.begun.runs if self.begun else ():
            cancel_run(run.run_uuid, self.caller, self.workbench)

    def _work(self) -> None:
        try:
            self.answer = self.answer_now()
        except BaseException as failure:  # noqa: BLE001 - whoever waits is told
            self.failure = failure
        finally:
            self._ended.set()

    def answer_now(self) -> AskAnswer:
        """Answer and wait for it.

        Raises:
            RunCancelled: It was cancelled meanwhile.
            QuotaExceeded: The quota is used up.
            ExecutionError: A child failed.
        """
        plan = plan_question(self.request, self.caller, self.workbench)
        self._check()
        self.begun = begin_runs(plan, self.caller, self.workbench)
        if self._cancelled.is_set():  # between reading and beginning
            self.cancel()
        runs = [await_run(run, self.caller, self.workbench) for run in self.begun.runs]
        self._check()
        self.begun = self.begun.ended(runs)
        return write_answer(self.request, self.begun, self.caller, self.workbench)

    def _check(self) -> None:
        if self._cancelled.is_set():
            raise RunCancelled("the question was cancelled")
