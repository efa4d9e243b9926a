"""What the workbench answers, and what this person asked last."""

import streamlit as st

from core.agent import Agent
from core.registry import all_agents
from core.workbench import current
from pages.ui.plain import plain
from pages.ui.run_list import show_run_line
from pages.ui.search import show_search
from pages.ui.session import signed_in_caller

RECENT = 8


def _show_card(agent: Agent) -> None:
    with st.container(border=True):
        st.markdown(f"##### :material/{agent.icon}: {plain(agent.title)}", anchors=False)
        st.caption(plain(agent.summary))
        st.page_link(f"{agent.slug}.py", label="Open", icon=":material/arrow_forward:")


caller = signed_in_caller()
st.title("Biopharma workbench", anchor=False)
show_search(caller)
with st.grid(3, min_column_width=280):
    for one in all_agents().values():
        _show_card(one)

st.subheader("Recent runs", anchor=False)
runs = current().stores.runs.list(caller.user_id, limit=RECENT)
if not runs:
    st.caption("None yet. Open an agent above and start one of its examples.")
for run in runs:
    show_run_line(run)
if len(runs) == RECENT:
    st.page_link("runs.py", label="All runs", icon=":material/arrow_forward:")
