"""A result in the frame that all agents share: the question, the answer, how sure it is, tabs."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.agent import Agent
from core.briefs.report import METHOD
from core.exports import is_current
from core.records.runs import Caller, RunRecord, RunShare
from core.records.wire import AgentData
from core.reports.document import Document, Tile
from core.results import load_view
from core.workbench import current
from pages.ui.actions import show_actions, show_shared_actions
from pages.ui.citing import cited
from pages.ui.composing import compose_document
from pages.ui.document_view import SOURCES, draw_section, links_of, split
from pages.ui.plain import plain, show_seconds, show_time
from pages.ui.view import Part, Tabs, View

ANSWER = "Answer"
MOST_FAULTS = 2
"""So many faults stand open; the others are folded away behind a count."""
_TILE_WIDTH = 160


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
    title, actions = st.columns([2, 1], vertical_alignment="bottom")
    with title:
        _show_head(agent, run, is_stored=run.cached)
    with actions:
        if share is None:
            show_actions(agent, caller, view, run)
        else:
            show_shared_actions(agent, caller, view, run, share)
    _show_front(document, links)
    if data is None:
        _show_tabs({}, document, links, run, data)
        return
    if share is None:
        view.above(run, data)
    _show_tabs(view.tabs(data), document, links, run, data)


def _open(view: View, run: RunRecord) -> tuple[AgentData | None, Document]:
    """Return a run's result and what it is drawn from; no result where it no longer fits."""
    try:
        data: AgentData = load_view(run, current())
        return data, view.document(run, data)
    except Exception:
        if is_current(run):
            raise
        return None, compose_document(run, None)


def _show_head(agent: Agent, run: RunRecord, *, is_stored: bool) -> None:
    """Draw the agent, the question, and the line that dates the answer."""
    st.set_page_config(page_title=f"{run.title} · {agent.title}")
    st.caption(f":material/{agent.icon}: {plain(agent.title)}")
    st.title(plain(run.title), anchor=False)
    facts = [
        show_time(run.finished_at),
        f"evidence {run.data_version.rpartition('/')[2]}" if agent.reads_evidence else "",
        f"run {run.run_uuid[:8]}",
        show_seconds(run.elapsed_s),
        "stored answer" if is_stored else "",
        "" if is_current(run) else "computed by an earlier release",
        "offline" if current().settings.offline else "",
    ]
    st.caption(plain(" · ".join(one for one in facts if one)))


def _show_front(document: Document, links: Mapping[str, str]) -> None:
    front = document.front
    if front.sentences:
        st.markdown("\n".join(f"- {cited(one, links)}" for one in front.sentences))
    _show_tiles(front.tiles)
    _show_faults(document.faults)
    if not front.confidence and not document.notices:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if front.confidence:
            st.caption(plain(front.confidence), width="content")
        with st.popover("Data quality and limits", type="tertiary", icon=":material/info:"):
            show_warnings(document.warnings)


def _show_tiles(tiles: Sequence[Tile]) -> None:
    """Draw the figures in tiles of one height; a tile of nothing is not drawn."""
    if not tiles:
        return
    with st.grid(len(tiles), min_column_width=_TILE_WIDTH):
        for label, value, note in tiles:
            with st.container(border=True, height="stretch", gap=None):
                st.metric(plain(label), plain(value))
                if note:
                    st.caption(plain(note))


def _show_faults(faults: Sequence[str]) -> None:
    for text in faults[:MOST_FAULTS]:
        st.warning(plain(text), icon=":material/warning:")
    rest = faults[MOST_FAULTS:]
    if rest:
        word = "warning" if len(rest) == 1 else "warnings"
        with st.expander(f"{len(rest)} more {word}", icon=":material/warning:"):
            for text in rest:
                st.markdown(f"- {plain(text)}")


def show_warnings(warnings: Sequence[str]) -> None:
    """Draw warnings with their codes."""
    for text in warnings:
        code, colon, rest = text.partition(":")
        st.markdown(f"**{plain(code)}** {plain(rest)}" if colon else plain(text))


def _show_tabs(
    tabs: Tabs, document: Document, links: Mapping[str, str], run: RunRecord, data: object
) -> None:
    """Draw the tabs, of which only the open one is computed; its name stands in the address."""
    sections = split(document)
    tabs = tabs or _all_of(sections)
    kept = {name: _present(parts, sections) for name, parts in tabs.items()}
    shown = {name: parts for name, parts in kept.items() if parts}
    drawn = st.tabs(list(shown), on_change="rerun", key="tabs", bind="query-params")
    for tab, parts in zip(drawn, shown.values(), strict=True):
        if tab.open:
            with tab:
                for part in parts:
                    _draw_part(part, sections, links, run, data)


def _all_of(sections: Mapping[str, Any]) -> Tabs:
    """Return the tabs of an agent that names none: the whole report."""
    last = (METHOD, SOURCES)
    return {ANSWER: [one for one in sections if one not in last], "Sources and method": last}


def _present(parts: Sequence[Part], sections: Mapping[str, Any]) -> list[Part]:
    """Return the parts that there are."""
    return [one for one in parts if not isinstance(one, str) or sections.get(one)]


def _draw_part(
    part: Part,
    sections: Mapping[str, Any],
    links: Mapping[str, str],
    run: RunRecord,
    data: object,
) -> None:
    if isinstance(part, str):
        draw_section(part, sections[part], links)
        return
    try:
        part(run, data)
    except Exception:
        if is_current(run):
            raise
        st.info("An earlier release stored this answer; run it again to see this part.")
