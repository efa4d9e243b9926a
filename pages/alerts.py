"""Alerts: the inbox, the saved queries, the digest; administrators see numbers of everybody."""

from datetime import timedelta

import streamlit as st

from core.agents.alerts import AGENT
from core.briefs.watching.digest import digest
from core.records.alerts import HitSearch
from core.records.runs import Caller
from core.runner import subscriptions_of
from core.workbench import current
from pages.ui.acting import show_kept
from pages.ui.alert_calendar import show_calendar
from pages.ui.alert_inbox import show_inbox
from pages.ui.alert_mail import show_mail
from pages.ui.alert_queries import DIGESTS, show_add, show_queries
from pages.ui.plain import plain, show_count, show_time
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import View

MOST_HITS = 1000


def _show_page(caller: Caller) -> None:
    own = subscriptions_of(caller, current())
    saved, quota = list(own.list()), own.quota()
    st.title(AGENT.title, anchor=False)
    st.caption(AGENT.summary)
    show_kept()
    inbox, queries, told = st.tabs(
        [
            f"Inbox ({own.unseen()})",
            f"Saved queries ({quota.enabled_count} of {quota.max_enabled} watched)",
            "Digest",
        ]
    )
    with inbox:
        show_inbox(own, saved)
        _show_note()
    with queries:
        show_add(own)
        if quota.at_cap:
            st.warning(f"All {quota.max_enabled} alerts are in use; end one to watch another.")
        show_queries(own, saved)
    with told:
        _show_digest(caller)
        show_mail(caller)
        show_calendar(saved)
    if caller.is_admin:
        _show_counts()


def _show_note() -> None:
    counts = current().stores.watches.counts()
    if counts.note:
        st.caption(f"{show_time(counts.noted_at)} · {plain(counts.note)}")


def _show_digest(caller: Caller) -> None:
    now = current().now()
    days = DIGESTS[st.selectbox("Of the", list(DIGESTS), index=1, width=200, key="digest")]
    since = now - timedelta(days=days)
    hits = subscriptions_of(caller, current()).hits(HitSearch(since=since, limit=MOST_HITS))
    text = digest(hits, since, now)
    st.download_button(
        "Download as Markdown",
        text.encode(),
        f"alerts-{now:%Y-%m-%d}.md",
        "text/markdown",
        icon=":material/download:",
        on_click="ignore",
    )
    st.code(text, language=None, wrap_lines=True)


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
