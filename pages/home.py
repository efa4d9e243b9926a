"""Home: what is new, what lies ahead, what this person works on, and where to start."""

import streamlit as st

from core.briefs.entities.tables import EVENTS
from core.briefs.entities.today import TodayView
from core.errors import WorkbenchError
from core.records.runs import Caller
from core.runner import subscriptions_of
from core.workbench import current
from pages.ui.entities.frame import cite_from, show_chart, show_table
from pages.ui.entities.reading import open_today, show_failure
from pages.ui.home_cards import show_alerts, show_events, show_jobs, show_sources
from pages.ui.plain import plain, show_number
from pages.ui.run_list import show_run_line
from pages.ui.saved_lists import own_lists
from pages.ui.session import signed_in_caller

RECENT = 6
MOST_PROJECTS = 5
MOST_FOLLOWED = 60


def _followed() -> list[str]:
    """Return the drugs on this person's lists."""
    names = (name for saved_list in own_lists("drug") for name in saved_list.entries)
    return sorted(dict.fromkeys(names))[:MOST_FOLLOWED]


def _show_world(caller: Caller, view: TodayView, *, is_followed: bool) -> None:
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.subheader("New on your lists" if is_followed else "Latest events", anchor=False)
        show_events(view)
    with right:
        st.subheader("Start from", anchor=False)
        show_jobs()
        if subscriptions_of(caller, current()).unseen():
            show_alerts(caller)
        _show_projects(caller)
        st.subheader("Recent work", anchor=False)
        runs = current().stores.runs.list(caller.user_id, limit=RECENT)
        if not runs:
            st.caption("No runs yet.")
        for run in runs:
            show_run_line(run)
        if len(runs) == RECENT:
            st.page_link("runs.py", label="All runs", icon=":material/arrow_forward:")
    st.subheader("Next 90 days", anchor=False)
    cite = cite_from(view.records)
    show_chart(view.strip, "chart:strip")
    if not view.ahead:
        st.caption("No target date or phase 3 readout is found in the next 90 days.")
        return
    with st.expander(f"All {len(view.ahead)} dates ahead"):
        show_table(
            EVENTS, view.ahead, cite, "readouts-ahead", "Target dates and planned readouts by day"
        )


def _show_projects(caller: Caller) -> None:
    st.subheader("My projects", anchor=False)
    lines = current().stores.projects.of(caller.user_id)[:MOST_PROJECTS]
    if not lines:
        st.caption("No projects yet. Add an answer or a page to one.")
    for line in lines:
        st.page_link(
            "projects.py",
            label=plain(f"{line.name} ({show_number(line.n_blocks, 'block')})"),
            icon=":material/folder_open:",
            query_params={"id": str(line.project_id)},
        )


caller = signed_in_caller()
st.title(plain(f"{current().now():%A, %d %B %Y}"), anchor=False)
followed = _followed()
try:
    _show_world(caller, open_today(followed), is_followed=bool(followed))
except WorkbenchError as failure:
    show_failure(failure)
show_sources()
