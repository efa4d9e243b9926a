"""A question from its words to its answer: plan in a child, runs, answer in a child."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
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
)
from core.asking.plans import MOST_NEXT, Plan, show_form
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
from core.errors import NotAuthenticated, QuotaExceeded, RunCancelled
from core.evidence.names.identity.resolver import Resolver
from core.execution.child import OPENER, open_child_stores
from core.exports import describe_run
from core.records.entities import EntityKind
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
    day = workbench.now().date()
    plan: Plan = workbench.executor.call(
        _plan, workbench.settings, day, request.query, allowed, timeout_s=LONGEST_S
    )
    return plan


def _plan(settings: Settings, day: date, text: str, allowed: tuple[str, ...]) -> Plan:
    from core.asking.questions import read_question

    stores = open_child_stores(OPENER, settings)
    library = Library(stores.evidence, Resolver(stores.identity, stores.learned_names), day)
    return read_question(text, library, allowed).plan


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
        answer: AskAnswer = workbench.executor.call(
            _write, workbench.settings, request, begun, stored, timeout_s=LONGEST_S
        )
    else:
        answer = _assemble(request, begun, (), (), ())
    n_runs = len(begun.runs)
    workbench.stores.audit.note(caller.name, "ask", "", f"{n_runs} run{'s' * (n_runs != 1)}")
    return answer


def _write(
    settings: Settings, request: AskRequest, begun: Begun, stored: Sequence[StoredAnswer]
) -> AskAnswer:
    numbers = {run.run_uuid: number for number, run in enumerate(begun.runs, 1)}
    digests = [read_digest(numbers[each.run.run_uuid], each) for each in stored]
    lines = [line for digest in digests for line in render_lines(digest, _lead_of(digest))]
    tables = [table for digest in digests if (table := _lead_table(digest, len(digests)))]
    return _assemble(request, begun, digests, lines, tables)


def _lead_of(digest: Digest) -> list[str]:
    return [claim.id for claim in digest.claims[: digest.n_lead or 3]]


def _lead_table(digest: Digest, n_runs: int) -> AskedTable | None:
    return render_table(digest, list(digest.rows)[: max(3, LEAD_ROWS // n_runs)])


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
        narrative=AskNarrative(mode="rules"),
        usage=AskUsage(
            runs_charged=begun.n_charged,
            calls=spend.calls,
            input_tokens=spend.input_tokens,
            output_tokens=spend.output_tokens,
            total_tokens=spend.total_tokens,
        ),
        warnings=[*plan.warnings, *failed],
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
