"""A result in the frame that all agents share: the question, the answer, how sure it is, tabs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.agent import Agent
from core.briefs.report import METHOD
from core.exports import is_current
from core.records.runs import Caller, RunRecord, RunShare
from core.records.wire import AgentData
from core.reports.document import Document
from core.results import load_view
from core.workbench import current
from pages.ui.actions import show_actions, show_shared_actions
from pages.ui.citing import cited
from pages.ui.composing import compose_document
from pages.ui.document_view import SOURCES, draw_section, links_of, split
from pages.ui.plain import plain, show_number, show_seconds, show_time
from pages.ui.view import Part, Tabs, View

ANSWER = "Answer"
METHODS = (METHOD, "Method")
"""Headings of the sections on methods."""


def show_answer(
    agent: Agent, caller: Caller, view: View, run: RunRecord, share: RunShare | None = None
) -> None:
    """Draw a completed run.

    Args:
        agent: Whose run it is.
        caller: Who reads it.
        view: What the agent's page adds.
        run: The run.
        share: The link by which somebody else than the owner reads it.
    """
    data, document = _open(view, run)
    links = links_of(document)
    with st.container(gap=None):
        title, actions = st.columns([5, 4], gap="small", vertical_alignment="top")
        with title:
            _show_title(agent, run)
        with actions:
            if share is None:
                show_actions(agent, caller, view, run)
            else:
                show_shared_actions(agent, caller, view, run, share)
        dated = plain(f"{agent.title} · {show_time(run.finished_at)}")
        _show_figures(document, dated, _facts_of(agent, run))

    def lead() -> None:
        """Draw what the first tab begins with: how the question was read, then the answer."""
        if share is None and data is not None:
            view.above(run, data)
        sentences = document.front.sentences
        if sentences:
            st.markdown("\n".join(f"- {cited(one, links)}" for one in sentences))

    tabs = view.tabs(data) if data is not None else {}
    _show_tabs(tabs, document, links, run, data, lead)


def _open(view: View, run: RunRecord) -> tuple[AgentData | None, Document]:
    """Return a run's result and what it is drawn from; no result where it no longer fits."""
    try:
        data: AgentData = load_view(run, current())
        return data, view.document(run, data)
    except Exception:
        if is_current(run):
            raise
        return None, compose_document(run, None)


def _show_title(agent: Agent, run: RunRecord) -> None:
    st.set_page_config(page_title=f"{run.title} · {agent.title}")
    st.title(plain(run.title), anchor=False)


def _facts_of(agent: Agent, run: RunRecord) -> str:
    """Return the agent, the time, the data and the run in a line."""
    facts = [
        agent.title,
        show_time(run.finished_at),
        f"evidence {run.data_version.rpartition('/')[2]}" if agent.reads_evidence else "",
        f"run {run.run_uuid[:8]}",
        show_seconds(run.elapsed_s),
        "stored answer" if run.cached else "",
        "" if is_current(run) else "computed by an earlier release",
        "offline" if current().settings.offline else "",
    ]
    return plain(" · ".join(one for one in facts if one))


def _show_figures(document: Document, dated: str, facts: str) -> None:
    """Draw the figures in one row, the number of warnings, which opens all of them, and the day.

    Args:
        document: The report.
        dated: Agent and day of the answer.
        facts: The run in a line, for the drawer.
    """
    front = document.front
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        for label, value, note in front.tiles:
            help_text = plain(note) if note else None
            st.metric(plain(label), plain(value), width="content", help=help_text)
        n_faults = len(document.faults)
        if n_faults:
            label = f":orange[{show_number(n_faults, 'warning')}]"
            if st.button(label, icon=":material/warning:", type="tertiary", key="warnings"):
                _open_drawer(document, facts, "Warnings")
        if st.button("Methods and sources", icon=":material/info:", type="tertiary", key="methods"):
            _open_drawer(document, facts, "Methods")
        st.caption(dated, width="content")
    if not front.tiles:
        _show_faults(document.faults)


def _open_drawer(document: Document, facts: str, first: str) -> None:
    """Open the side drawer with all warnings, the methods and the numbered sources."""
    sections, links = split(document), links_of(document)
    methods = [name for name in METHODS if sections.get(name)]

    def draw() -> None:
        st.caption(facts)
        if document.front.confidence:
            st.markdown(plain(document.front.confidence))
        warnings, method, sources = st.tabs(["Warnings", "Methods", "Sources"], default=first)
        with warnings:
            show_warnings(document.warnings)
            if not document.warnings:
                st.caption("No warnings.")
        with method:
            for name in methods:
                draw_section(name, sections[name], links, has_heading=False)
            if not methods:
                st.caption("Methods and settings are a tab of this answer.")
        with sources:
            if sections.get(SOURCES):
                draw_section(SOURCES, sections[SOURCES], links, has_heading=False)
            else:
                st.caption("This answer cites no numbered sources.")

    st.dialog("Warnings, methods and sources", width="large", position="right")(draw)()


def _show_faults(faults: Sequence[str]) -> None:
    """Draw the warnings of an answer that found nothing: they say what to do."""
    for text in faults:
        st.warning(plain(text), icon=":material/warning:")


def show_warnings(warnings: Sequence[str]) -> None:
    """Draw warnings with their codes."""
    for text in warnings:
        code, colon, rest = text.partition(":")
        st.markdown(f"**{plain(code)}** {plain(rest)}" if colon else plain(text))


def _show_tabs(
    tabs: Tabs,
    document: Document,
    links: Mapping[str, str],
    run: RunRecord,
    data: object,
    lead: Callable[[], None],
) -> None:
    """Draw the tabs, of which only the open one is computed; its name stands in the address."""
    sections = split(document)
    tabs = tabs or _all_of(sections)
    kept = {name: _present(parts, sections) for name, parts in tabs.items()}
    shown = {name: parts for name, parts in kept.items() if parts}
    drawn = st.tabs(list(shown), on_change="rerun", key="tabs", bind="query-params")
    for place, (tab, (name, parts)) in enumerate(zip(drawn, shown.items(), strict=True)):
        if tab.open:
            with tab:
                if not place:
                    lead()
                for part in parts:
                    _draw_part(part, name, sections, links, run, data)


def _all_of(sections: Mapping[str, Any]) -> Tabs:
    """Return the tabs of an agent that names none: the whole report."""
    last = (*METHODS, SOURCES)
    return {ANSWER: [one for one in sections if one not in last]}


def _present(parts: Sequence[Part], sections: Mapping[str, Any]) -> list[Part]:
    """Return the parts that there are."""
    return [one for one in parts if not isinstance(one, str) or sections.get(one)]


def _draw_part(
    part: Part,
    tab: str,
    sections: Mapping[str, Any],
    links: Mapping[str, str],
    run: RunRecord,
    data: object,
) -> None:
    if isinstance(part, str):
        draw_section(part, sections[part], links, has_heading=part.casefold() != tab.casefold())
        return
    try:
        part(run, data)
    except Exception:
        if is_current(run):
            raise
        st.info("An earlier release stored this answer; run it again to see this part.")
