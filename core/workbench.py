"""What a process and a run may reach: the Workbench and the RunContext."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO, Protocol

from core.agent import Agent
from core.alert_ports import Subscriptions
from core.drafting.drafter import Drafter
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.live.base import SourceAnswer
from core.evidence.sources.live.replies import RunReplies
from core.evidence_ports import EvidenceReader
from core.page_streams import PageStreams
from core.ports import Notes, Rates, Stores
from core.records.runs import Caller, RunRecord, UploadedFile
from core.records.web import SearchAnswer, SearchKind, WebPage
from core.settings import Settings, read_settings


class Executor(Protocol):
    """What executes runs in killable processes."""

    worker: str
    """Name of the process that answers for the runs it takes."""
    holder: str | None
    """Who has a new run from the start; None where it waits in a queue first."""

    def submit(self, run: RunRecord, agent: Agent, caller: Caller) -> None:
        """Take a queued run; its row reaches a final state whatever happens."""
        ...

    def cancel(self, run_uuid: str) -> bool:
        """End a queued or running run; False when this process does not hold it."""
        ...

    def wait(self, run_uuid: str, timeout_s: float | None = None) -> None:
        """Block until the run has ended or the time is over."""
        ...

    def rescue(self, run: RunRecord) -> None:
        """Take over an unfinished run whose process is gone; do nothing for any other."""
        ...

    def is_left(self, run: RunRecord) -> bool:
        """Return whether this process does not wait for an unfinished run any more."""
        ...

    def on_done(self, run_uuid: str, call: Callable[[], None]) -> None:
        """Call back (from any thread) when the run has ended, at once if it already has."""
        ...

    def call(
        self,
        target: Callable[..., Any],
        *arguments: object,
        timeout_s: float = 60,
        memory_mb: int | None = None,
    ) -> Any:
        """Run a function in a child and return its value; no memory is as much as a run may use.

        Raises AgentTimeout, OutOfMemory, WorkerCrashed.
        """
        ...

    def close(self, drain_s: float = 30) -> None:
        """Stop taking runs, let running ones end, end the rest; leaves no process behind."""
        ...


@dataclass(frozen=True)
class Workbench:
    """One per process; opened by the lifespan or the command line."""

    settings: Settings
    stores: Stores
    agents: Mapping[str, Agent]
    executor: Executor
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    streams: PageStreams = field(default_factory=PageStreams)


_installed: list[Workbench] = []


def install(workbench: Workbench | None) -> None:
    """Make the workbench of this process known (None takes it away)."""
    _installed.clear()
    if workbench is not None:
        _installed.append(workbench)


def current() -> Workbench:
    """Return the workbench of this process.

    Raises:
        RuntimeError: The process has not opened one.
    """
    if not _installed:
        raise RuntimeError("no workbench is open in this process")
    return _installed[0]


def settings_in_use() -> Settings:
    """Return the settings of the open workbench, or those of the process before one is open."""
    return _installed[0].settings if _installed else read_settings()


class InputFiles(Protocol):
    """The caller's uploads, as a pipeline may read them."""

    def get(self, file_id: str) -> UploadedFile:
        """Return the caller's own upload. Raises InvalidInput (`unknown_file`)."""
        ...

    def open(self, file_id: str) -> BinaryIO:
        """Open the upload's bytes. Raises InvalidInput (`unknown_file`)."""
        ...


class Web(Protocol):
    """The web, as far as a run may reach it."""

    @property
    def requests(self) -> int:
        """Return the searches that the run has sent."""

    def search(self, kind: SearchKind, query: str, limit: int) -> SearchAnswer:
        """Return addresses for a query; at most one search is sent, and nothing is raised."""
        ...

    def fetch(self, url: str) -> WebPage:
        """Return the main text of a page. Raises PageRefused."""
        ...


@dataclass(frozen=True)
class RunContext:
    """All that a pipeline may reach besides its request.

    Attributes:
        run_uuid: The run's UUID.
        query_id: The caller's saved query; 0 where the agent saves none.
        caller: Who asked.
        now: Instant at which the run began; the only clock.
        seed: Seed of every random choice; the same for equal input.
        settings: Settings of the instance.
        files: The caller's uploads.
        progress: `progress(step, done, total, note)`; step is one of the agent's `steps`.
        save_file: `save_file(name, content, media_type)` keeps a file to download with the run.
        evidence: The records and facts that the instance holds.
        resolver: Names to entities; what it remembers never outlives a change of the pack.
        notes: Keeps what can be computed anew; None keeps nothing.
        rates: How often hosts on the network may be asked; None where a process asks alone.
        replies: Where answers of live sources are kept for the day and the run; None keeps none.
        live: What live sources answered; `evidence` has their records.
        subscriptions: The caller's own saved queries and hits.
        model: What may be asked of a language model; None where none is configured.
        web: What may be searched and fetched of the web; None where no search is configured.
    """

    run_uuid: str
    query_id: int
    caller: Caller
    now: datetime
    seed: int
    settings: Settings
    files: InputFiles
    progress: Callable[[str, int, int, str], None]
    save_file: Callable[[str, bytes, str], None]
    evidence: EvidenceReader
    resolver: Resolver
    notes: Notes | None = None
    rates: Rates | None = None
    replies: RunReplies | None = None
    live: tuple[SourceAnswer, ...] = ()
    subscriptions: Subscriptions | None = None
    model: Drafter | None = None
    web: Web | None = None
