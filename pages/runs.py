"""All runs of this person: open, rename, cancel, delete."""

import streamlit as st

from core.errors import WorkbenchError
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.runner import cancel_run
from core.workbench import current
from pages.ui.plain import plain
from pages.ui.run_list import show_run_line
from pages.ui.session import signed_in_caller

PAGE_ROWS = 20
LONGEST_TITLE = 200


def _show_row(run: RunRecord, caller: Caller) -> None:
    line, manage = st.columns([8, 1], vertical_alignment="center")
    with line:
        show_run_line(run)
    with manage.popover("Manage", key=f"manage:{run.run_uuid}"):
        _show_manage(run, caller)


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


caller = signed_in_caller()
st.title("Runs", anchor=False)
st.caption("Every run of yours, newest first. A deleted run cannot be brought back.")
names = {agent.title: name for name, agent in all_agents().items()}
with st.container(horizontal=True, vertical_alignment="bottom"):
    title = st.selectbox("Agent", ["All agents", *names], width=280, key="agent")
    number = st.number_input("Page", min_value=1, step=1, width=140, key="page")
found = current().stores.runs.list(
    caller.user_id,
    agent=names.get(title),
    limit=PAGE_ROWS + 1,
    offset=(int(number) - 1) * PAGE_ROWS,
)
if not found:
    st.info("No runs here. Choose another agent or page, or start a run.")
for one in found[:PAGE_ROWS]:
    _show_row(one, caller)
if len(found) > PAGE_ROWS:
    st.caption(f"There are more runs on page {int(number) + 1}.")
