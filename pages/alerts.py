"""Alerts: the inbox, the saved queries, the digest; administrators see numbers of everybody."""

import streamlit as st

from core.agents.alerts import AGENT
from core.records.runs import Caller
from core.runner import subscriptions_of
from core.workbench import current
from pages.ui.acting import show_kept
from pages.ui.alert_calendar import show_calendar
from pages.ui.alert_digest import show_digest
from pages.ui.alert_inbox import show_inbox
from pages.ui.alert_mail import show_mail
from pages.ui.alert_queries import show_add, show_queries
from pages.ui.plain import plain, show_count, show_time
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import View


def _show_page(caller: Caller) -> None:
    subscriptions = subscriptions_of(caller, current())
    saved, quota = list(subscriptions.list()), subscriptions.quota()
    st.title(AGENT.title, anchor=False)
    st.caption(AGENT.summary)
    show_kept()
    inbox, queries, reports_tab = st.tabs(
        [
            f"Inbox ({subscriptions.unseen()})",
            f"Saved queries ({quota.enabled_count} of {quota.max_enabled} watched)",
            "Digest",
        ]
    )
    with inbox:
        show_inbox(subscriptions, saved)
        _show_note()
    with queries:
        show_add(subscriptions)
        if quota.at_cap:
            st.warning(f"All {quota.max_enabled} alerts are in use; end one to watch another.")
        show_queries(subscriptions, saved)
    with reports_tab:
        show_digest(subscriptions)
        show_mail(caller)
        show_calendar(saved)
    if caller.is_admin:
        _show_counts()


def _show_note() -> None:
    counts = current().stores.watches.counts()
    if counts.note:
        st.caption(f"{show_time(counts.noted_at)} · {plain(counts.note)}")


def _show_counts() -> None:
    counts = current().stores.watches.counts()
    st.caption(
        f"All accounts: {show_count(counts.enabled)} of {show_count(counts.queries)} saved queries "
        f"watched, {show_count(counts.failing)} failing, {show_count(counts.hits)} hits, "
        f"{show_count(counts.unseen)} not seen."
    )


_caller = signed_in_caller()
if "run" in st.query_params:
    show_agent(AGENT, _caller, View())
else:
    _show_page(_caller)
