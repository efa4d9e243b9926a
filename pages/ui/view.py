"""What an agent's page adds to the common frame."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from core.agent import Agent
from core.records.runs import Caller, RunRecord
from core.reports.document import Document
from pages.ui.composing import compose_document
from pages.ui.form import draw_request, fill

Part = str | Callable[[RunRecord, Any], None]
"""A heading of the report whose blocks are drawn, or the page's own view."""
Tabs = Mapping[str, Sequence[Part]]


def _nothing(_run: RunRecord, _data: object) -> None:
    """Draw nothing."""


class View(NamedTuple):
    """What an agent's page adds to the common frame.

    Attributes:
        tabs: Returns what each tab of a result shows; a tab whose headings the report lacks
            vanishes. Without any the whole report is drawn.
        draw: Draws the form and returns the request's fields; drawn from the model if left out.
        fill: Puts a request into the form; by the model if left out.
        table: Makes the CSV among the exports.
        files: Names of the run's files that are offered beside the exports.
        above: Draws what stands between the figures and the tabs.
        document: Returns what the result is drawn from.
    """

    tabs: Callable[[Any], Tabs] = lambda _data: {}
    draw: Callable[[Agent, Caller], dict[str, object]] = lambda agent, _caller: draw_request(agent)
    fill: Callable[[Agent, dict[str, Any]], None] = fill
    table: Callable[[RunRecord], bytes] | None = None
    files: tuple[str, ...] = ()
    above: Callable[[RunRecord, Any], None] = _nothing
    document: Callable[[RunRecord, Any], Document] = compose_document
