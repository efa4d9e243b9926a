"""All runs of this person: find, open, rename, cancel, delete, compare."""

from datetime import UTC, datetime, time

import streamlit as st

from core.errors import WorkbenchError
from core.records.runs import Caller, RunRecord, RunSearch
from core.registry import all_agents, find_agent
from core.runner import cancel_run
from core.workbench import current
from pages.ui.plain import plain
from pages.ui.run_compare import PAIR, show_comparison
from pages.ui.run_list import COLORS, show_run_line
from pages.ui.session import signed_in_caller

PAGE_ROWS = 20
LONGEST_TITLE = 200
TICK = "compare:"


def _show_row(run: RunRecord, caller: Caller) -> None:
    tick, line, manage = st.columns([0.3, 8, 1.2], vertical_alignment="center")
    with tick:
        _show_tick(run)
    with line:
        show_run_line(run)
    with manage.popover("Manage", key=f"manage:{run.run_uuid}"):
        _show_manage(run, caller)


def _show_tick(run: RunRecord) -> None:
    """Draw the box that chooses a run to compare."""
    agent = find_agent(run.agent)
    may = agent is not None and agent.compared is not None and run.status == "completed"
    label = f"Compare {plain(run.title)}"
    st.checkbox(label, key=f"{TICK}{run.run_uuid}", disabled=not may, label_visibility="collapsed")


def _ticked() -> list[str]:
    chosen = (key for key, value in st.session_state.items() if value is True)
    return [key.removeprefix(TICK) for key in map(str, chosen) if key.startswith(TICK)]


def _show_manage(run: RunRecord, caller: Caller) -> None:
    stores = current().stores
    title = st.text_input("Title", run.title, max_chars=LONGEST_TITLE, key=f"title:{run.run_uuid}")
    if st.button("Rename", key=f"rename:{run.run_uuid}", disabled=not title.strip()):
        _act(lambda: stores.runs.rename(caller.user_id, run.run_uuid, title.strip()))
    if run.is_final:
        if st.button("Delete", key=f"delete:{run.run_uuid}", icon=":material/delete:"):
            _act(lambda: stores.runs.delete(caller.user_id, run.run_uuid))
    elif st.button("Cancel", key=f"cancel:{run.run_uuid}", icon=":material/stop_circle:"):
        _act(lambda: cancel_run(run.run_uuid, caller, current()))


def _act(action) -> None:  # noqa: ANN001 - a callable without arguments
    """Do what a button says and draw the list anew, or say why not."""
    try:
        action()
    except WorkbenchError as error:
        st.error(plain(error.message))
        return
    st.rerun()


def _search() -> tuple[RunSearch, str | None, int]:
    """Draw what runs are looked for by, and return it with the agent and the page."""
    names = {agent.title: name for name, agent in all_agents().items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input("Title contains", key="title", bind="query-params", width=240)
        agent = st.selectbox("Agent", ["All agents", *names], width=220, key="agent")
        status = st.selectbox("State", ["Any state", *COLORS], width=160, key="state")
        since = st.date_input("Since", None, width=160, key="since")
        number = st.number_input("Page", min_value=1, step=1, width=120, key="page")
    begun = datetime.combine(since, time(), UTC) if since else None
    state = None if status == "Any state" else status
    return RunSearch(words.strip(), state, begun), names.get(agent), int(number)


def _show_list(caller: Caller) -> None:
    search, agent, number = _search()
    runs = current().stores.runs.list(
        caller.user_id,
        agent=agent,
        search=search,
        limit=PAGE_ROWS + 1,
        offset=(number - 1) * PAGE_ROWS,
    )
    if not runs:
        st.info("No runs here. Choose another agent or page, or start a run.")
    for run in runs[:PAGE_ROWS]:
        _show_row(run, caller)
    if len(runs) > PAGE_ROWS:
        st.caption(f"There are more runs on page {number + 1}.")


caller = signed_in_caller()
st.title("Runs", anchor=False)
st.caption(
    "Every run of yours, newest first; tick two of one agent to compare them. A deleted run "
    "cannot be brought back."
)
asked = st.query_params.get("compare")
if asked:
    if st.button("Back to the list", icon=":material/arrow_back:"):
        st.query_params.clear()
        st.rerun()
    show_comparison(caller, asked.split(",")[:PAIR])
else:
    if len(chosen := _ticked()) == PAIR and st.button("Compare the two", type="primary"):
        st.query_params["compare"] = ",".join(chosen)
        st.rerun()
    _show_list(caller)
