"""What can be done with a result: export it, run it again, edit it, call it from code."""

import json

import streamlit as st

from core.agent import Agent
from core.records.runs import Caller, RunRecord, RunShare
from core.records.wire import Request
from pages.ui.call_from_code import show_calls
from pages.ui.downloads import show_exports
from pages.ui.files import show_files
from pages.ui.form import label_of
from pages.ui.look import on_accent
from pages.ui.plain import plain
from pages.ui.projects.freezing import freeze_run
from pages.ui.projects.offering import offer_project
from pages.ui.sharing import show_share_menu
from pages.ui.starting import begin, open_run, stored_request, uncached
from pages.ui.view import View
from pages.ui.watching import offer_watch

_LONGEST = 160


def show_actions(agent: Agent, caller: Caller, view: View, run: RunRecord) -> None:
    """Draw the menus of a result.

    Args:
        agent: Whose run it is.
        caller: Its owner.
        view: Fills the form and makes the CSV.
        run: The run.
    """
    table = view.table
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        offer_watch(agent, caller, run)
        offer_project(lambda: freeze_run(run), "answer", "this answer as a frozen copy")
        with st.popover("Share", icon=":material/share:"):
            show_share_menu(agent, caller, run)
        with st.popover(on_accent("Export"), icon=":material/download:", type="primary"):
            show_exports(run, caller, None if table is None else lambda: table(run))
            if view.files:
                show_files(run, view.files)
        with st.popover("More", icon=":material/more_horiz:"):
            _show_more(agent, caller, view, run)


def show_shared_actions(
    agent: Agent, caller: Caller, view: View, run: RunRecord, share: RunShare
) -> None:
    """Draw what a reader of somebody else's run may do with it.

    Args:
        agent: Whose run it is.
        caller: The reader.
        view: Makes the CSV.
        run: The run.
        share: The link; where it hides the request, the reader exports nothing that repeats it.
    """
    if share.hides_inputs:
        st.caption("Shared with you to read.")
        return
    table = view.table
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        with st.popover(on_accent("Export"), icon=":material/download:", type="primary"):
            show_exports(run, caller, None if table is None else lambda: table(run))
        if st.button("Run it as mine", icon=":material/replay:", key="mine"):
            begin(agent, caller, stored_request(agent, run))


def _show_more(agent: Agent, caller: Caller, view: View, run: RunRecord) -> None:
    request = stored_request(agent, run)
    again = st.button("Run again", icon=":material/replay:", key="again", width="stretch")
    edit = st.button("Edit and run", icon=":material/edit:", key="edit", width="stretch")
    fresh = st.button("New run", icon=":material/add:", key="fresh", width="stretch")
    with st.expander("Request, and how to call this from code", icon=":material/code:"):
        _show_request(agent, request)
        show_calls(agent, request)
    if again:
        begin(agent, caller, uncached(request))
    if edit:
        view.fill(agent, request.model_dump(mode="json", by_alias=True))
        open_run(None)
    if fresh:
        view.fill(agent, {})
        open_run(None)


def _show_request(agent: Agent, request: Request) -> None:
    rows = {}
    for name, value in request.model_dump(mode="json").items():
        if value in (None, [], {}, ""):
            continue
        is_rows = isinstance(value, list) and isinstance(value[0], dict)
        text = f"{len(value):,} rows" if is_rows else json.dumps(value, ensure_ascii=False)
        text = value if isinstance(value, str) else text
        lines = len(text.splitlines())
        shown = text if lines <= 1 and len(text) <= _LONGEST else f"text of {lines:,} lines"
        rows[plain(label_of(name, agent.request.model_fields[name]))] = plain(shown)
    st.table(rows, border="horizontal", width="content", alt="Fields of the request")
