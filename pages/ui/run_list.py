"""Runs as lines that open them."""

import streamlit as st

from core.records.runs import RunRecord, RunStatus
from core.registry import find_agent
from pages.ui.badges import show_badge
from pages.ui.plain import plain, show_seconds, show_time

COLORS: dict[RunStatus, str] = {
    "queued": "gray",
    "running": "blue",
    "completed": "green",
    "failed": "red",
    "timed_out": "orange",
    "cancelled": "gray",
}


def show_run_line(run: RunRecord) -> None:
    """Draw a run in one line: state, linked title, agent, time."""
    agent = find_agent(run.agent)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show_badge(run.status.replace("_", " "), color=COLORS[run.status])
        if agent is None:
            st.markdown(plain(run.title), width="content")
        else:
            st.page_link(
                f"{agent.slug}.py",
                label=plain(run.title) or "Untitled run",
                query_params={"run": run.run_uuid},
            )
        title = agent.title if agent else run.agent
        st.caption(
            f"{plain(title)} · {show_time(run.created_at)} · {show_seconds(run.elapsed_s)}",
            width="content",
        )
