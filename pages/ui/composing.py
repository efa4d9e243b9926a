"""The document that a page draws: the report's own, kept while its run is shown."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.execution.rendering import StoredTables, compose_report
from core.exports import describe_run
from core.records.runs import RunRecord
from core.registry import agent_of
from core.reports.document import Document, Front
from core.results import find_part
from core.workbench import current

_KEPT = "document"


def compose_document(run: RunRecord, data: object) -> Document:
    """Return the report of a run; that of the run shown last is kept, since drawing takes time.

    Args:
        run: The run.
        data: Its result; None where an earlier release stored it and it no longer fits.
    """
    kept_document: tuple[str, Document] | None = st.session_state.get(_KEPT)
    if kept_document is None or kept_document[0] != run.run_uuid:
        kept_document = st.session_state[_KEPT] = (run.run_uuid, _compose(run, data))
    return kept_document[1]


def _compose(run: RunRecord, data: object) -> Document:
    agent, workbench = agent_of(run.agent), current()
    parts = [artifact for artifact in run.artifacts if artifact.kind == "table"]
    tables = StoredTables(
        {artifact.name: str(workbench.stores.blobs.path(artifact.sha256)) for artifact in parts}
    )
    about = describe_run(run, agent, workbench)
    if data is None:
        view = workbench.stores.blobs.path(find_part(run, "view", "view").sha256)
        return compose_report(run.agent, view.read_bytes(), tables, about)
    return agent.load_report()(data, tables, about)


def front_alone(front: Callable[[Any], Front]) -> Callable[[RunRecord, Any], Document]:
    """Return what makes a document of no more than its front and its warnings.

    For agents whose pages draw every figure themselves: composing their reports reads whole tables.

    Args:
        front: Returns what the report opens with.
    """

    def compose(run: RunRecord, data: Any) -> Document:
        agent = agent_of(run.agent)
        about = describe_run(run, agent, current())
        return Document(run.title, agent.title, about, (), tuple(data.warnings), front(data))

    return compose
