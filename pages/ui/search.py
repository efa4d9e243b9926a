"""The box on the first page: what is typed leads to the agent that answers, filled in."""

import streamlit as st

from core.evidence.names.suggesting import NameIndex, index_names
from core.records.runs import Caller, RunSearch
from core.workbench import current
from pages.ui.next_steps import show_next
from pages.ui.plain import plain
from pages.ui.run_list import show_run_line

MOST_NAMES = 3
MOST_RUNS = 5
_LONGEST = 300


def show_search(caller: Caller) -> None:
    """Draw the box, and what is found: names of the evidence, and runs by their title.

    Args:
        caller: Whose runs are searched.
    """
    said = st.text_input(
        "Search",
        key="q",
        bind="query-params",
        max_chars=_LONGEST,
        icon=":material/search:",
        placeholder="A drug, company, target, disease, question or run, such as GLP-1 in obesity",
        label_visibility="collapsed",
    ).strip()
    if not said:
        return
    workbench = current()
    for one in _names(workbench.stores.evidence.version()).find(said, MOST_NAMES):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{plain(one.name)}** {one.kind}", width="content")
            show_next({one.kind: one.name})
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{plain(said)}** as a question", width="content")
        show_next({"question": said})
    runs = workbench.stores.runs.list(caller.user_id, search=RunSearch(said), limit=MOST_RUNS)
    for run in runs:
        show_run_line(run)


@st.cache_resource(max_entries=1, show_spinner=False)
def _names(_version: str) -> NameIndex:
    return index_names(current().stores.evidence)
