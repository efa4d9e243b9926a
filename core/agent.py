"""The declaration from which route, schema, command, menu, card and contract tests grow.

`pipeline` is a module path that is imported on first use, inside a worker: declarations must
stay importable in well under a second, while the statistics stack takes several.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from core.records.wire import AgentData, JsonObject, Request

if TYPE_CHECKING:
    from core.reports.document import Document

MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Example:
    """A request that runs as it stands, offered as a button and in the API description."""

    name: str
    title: str
    request: JsonObject


class Compared(NamedTuple):
    """How two runs of an agent are held against each other.

    Attributes:
        table: The table of their lines.
        key: Its column that names a line.
        columns: Its columns whose change counts.
    """

    table: str
    key: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Agent:
    """One agent, declared once.

    Attributes:
        name: Wire name, words joined by hyphens; its folder has underscores.
        title: Menu entry and page title.
        summary: One sentence: what comes back.
        icon: Name of a Material Symbol, such as "genetics" (the font comes with the app).
        group: Menu group: "Landscape and deals", "Strategy" or "Data".
        request: Model of the request body.
        data: Model of `data` in the answer.
        pipeline: Module path with `run(request, context) -> data`.
        report: Module path with `compose(data, tables, about) -> Document`.
        label: One line that names a request in lists.
        steps: Names of the steps in the order of `context.progress` calls.
        examples: Requests that run.
        lane: "computing" fills a core, "waiting" waits for the network.
        allowance_s: Seconds after which a run is ended.
        body_limit: Largest request body in bytes.
        file_fields: Upload name on the command line -> request field that takes its file id, or a
            list of such ids.
        exports: Name -> media type of files that are made from the result when they are asked
            for; nothing of them is stored.
        exporter: Module path with `export(data, name) -> bytes`, for these files.
        reads_evidence: Whether the answer depends on the evidence held; stored answers then end
            when it changes.
        unread_sources: Sources of the evidence whose records never change the answer.
        compared: How two of its runs are compared; None: they are not.
        is_counted: Whether its calls make a saved query, use up quota and stand among the runs.
    """

    name: str
    title: str
    summary: str
    icon: str
    group: str
    request: type[Request]
    data: type[AgentData]
    pipeline: str
    report: str
    label: Callable[[Any], str]
    steps: tuple[str, ...]
    examples: tuple[Example, ...]
    lane: Literal["computing", "waiting"] = "waiting"
    allowance_s: float = 120
    body_limit: int = MEGABYTE
    file_fields: Mapping[str, str] = field(default_factory=dict)
    exports: Mapping[str, str] = field(default_factory=dict)
    exporter: str = ""
    reads_evidence: bool = False
    unread_sources: tuple[str, ...] = ()
    compared: Compared | None = None
    is_counted: bool = True

    @property
    def slug(self) -> str:
        """Return the name as folders and page files spell it."""
        return self.name.replace("-", "_")

    @property
    def searches_web(self) -> bool:
        """Return whether it may search the web; its stored answers then end with the day."""
        return "web_findings" in self.data.model_fields

    @property
    def watched(self) -> Mapping[str, str]:
        """Return which part of a `WatchQuestion` each request field is; empty: no watching."""
        return self.request.watched

    def load(self) -> Callable[[Any, Any], AgentData]:
        """Import the pipeline and return its `run`."""
        module = importlib.import_module(self.pipeline)
        return cast("Callable[[Any, Any], AgentData]", module.run)

    def load_report(self) -> "Callable[[Any, Any, Any], Document]":
        """Import the report module and return its `compose`."""
        module = importlib.import_module(self.report)
        return cast("Callable[[Any, Any, Any], Document]", module.compose)

    def load_exporter(self) -> Callable[[Any, str], bytes]:
        """Import the module of exports and return its `export`."""
        module = importlib.import_module(self.exporter)
        return cast("Callable[[Any, str], bytes]", module.export)
