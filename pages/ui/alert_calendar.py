"""What lies ahead of watched queries, as a calendar file; made when it is asked for."""

import streamlit as st

from core.errors import WorkbenchError
from core.execution.watching import calendar_in_child
from core.records.alerts import Subscription
from core.workbench import current
from pages.ui.plain import show_count

_KEPT = "alert-calendar"


def show_calendar(saved: list[Subscription]) -> None:
    """Draw the button that makes the calendar, and what it came to.

    Args:
        saved: The caller's queries; those that are off count for nothing.
    """
    st.subheader("What lies ahead", anchor=False)
    if not any(subscription.is_enabled for subscription in saved):
        st.caption("Nothing is watched; the calendar would be empty.")
        return
    st.caption(
        "Target dates of regulators and primary completions that trials of watched drugs plan, "
        "within a year, as a calendar file (.ics)."
    )
    if st.button("Make the calendar", icon=":material/event:", key="make-calendar"):
        _make(saved)
    kept_preview = st.session_state.get(_KEPT)
    if kept_preview is None:
        return
    count, content = kept_preview
    if not count:
        st.info("No day ahead was found for what is watched.")
        return
    st.download_button(
        f"Download {show_count(count)} {'day' if count == 1 else 'days'}",
        content,
        "watched-days.ics",
        "text/calendar",
        icon=":material/download:",
        on_click="ignore",
    )


def _make(saved: list[Subscription]) -> None:
    bench = current()
    try:
        with st.spinner("Looking at the year ahead"):
            st.session_state[_KEPT] = bench.executor.call(
                calendar_in_child, bench.settings, saved, bench.now()
            )
    except WorkbenchError as failure:
        st.error(failure.message)
