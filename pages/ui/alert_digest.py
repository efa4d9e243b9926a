"""The digest of a day or a week: read here, or kept as Markdown."""

from datetime import timedelta

import streamlit as st

from core.alert_ports import Subscriptions
from core.briefs.watching.firing import by_query, digest
from core.records.alerts import AlertHit, HitSearch
from core.workbench import current
from pages.ui.citing import web_link
from pages.ui.plain import plain

DAYS = {"Last day": 1, "Last week": 7}
MOST_HITS = 1000


def show_digest(subscriptions: Subscriptions) -> None:
    """Draw what came in a day or a week, by question.

    Args:
        subscriptions: The caller's subscriptions.
    """
    now = current().now()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Of the", list(DAYS), index=1, width=200, key="digest")
        since = now - timedelta(days=DAYS[chosen])
        hits = subscriptions.hits(HitSearch(since=since, limit=MOST_HITS))
        st.download_button(
            "Download as Markdown",
            digest(hits, since, now).encode(),
            f"alerts-{now:%Y-%m-%d}.md",
            "text/markdown",
            icon=":material/download:",
            on_click="ignore",
        )
    if not hits:
        st.info(f"Nothing new from {since:%Y-%m-%d} to {now:%Y-%m-%d}. Choose a longer time.")
    for query, query_hits in by_query(hits):
        st.markdown(f"**{plain(query)}**")
        st.markdown("\n".join(_line(hit) for hit in query_hits))


def _line(hit: AlertHit) -> str:
    where = f" ({plain(hit.company)})" if hit.company else ""
    source = f" · {web_link('source', hit.url)}" if hit.url else ""
    return f"- {plain(hit.event_day)}, score {hit.score}: {plain(hit.title)}{where}{source}"
