"""The inbox of alerts: filters, each hit with why it came, put off, seen."""

from collections.abc import Sequence
from datetime import timedelta
from typing import get_args

import streamlit as st

from core.alert_ports import Subscriptions
from core.knowledge.event_materiality import CatalystType
from core.records.alerts import AlertHit, HitSearch, Subscription
from core.registry import find_agent
from core.workbench import current
from pages.ui.acting import act
from pages.ui.plain import plain, show_time

PAGE_ROWS = 50
ANY = "Any"
SCORES = {"Any score": 0, "50 and more": 50, "70 and more": 70}
PARTS = {
    "materiality": "weight of such an event",
    "recency": "how fresh it is",
    "novelty": "the first of its kind",
    "authority": "source",
    "filter_match": "how well it meets the question",
    "further_sources": "further sources",
}


def show_inbox(subscriptions: Subscriptions, saved: list[Subscription]) -> None:
    """Draw the caller's hits.

    Args:
        subscriptions: The caller's subscriptions.
        saved: Its queries.
    """
    search = _search(saved)
    hits = subscriptions.hits(search._replace(limit=PAGE_ROWS + 1))
    if not hits:
        _say_empty(subscriptions, saved, search)
        return
    if subscriptions.unseen() and st.button(
        "Mark all as seen", icon=":material/done_all:", key="all-seen"
    ):
        act(subscriptions.mark_seen)
    for same in _by_event(hits[:PAGE_ROWS]):
        _show_hit(same, subscriptions)
    if len(hits) > PAGE_ROWS:
        st.caption("There are more; turn the page or choose a query.")


def _search(saved: list[Subscription]) -> HitSearch:
    """Draw what hits are looked for by, and return it."""
    names = {
        f"{plain(subscription.query)} ({subscription.query_id})": subscription.query_id
        for subscription in saved
    }
    types = {kind.replace("_", " "): kind for kind in get_args(CatalystType)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        query = st.selectbox("Query", [ANY, *names], width=260, key="inbox-query")
        kind = st.selectbox("Type", [ANY, *types], width=200, key="inbox-type")
        score = st.selectbox("Score", list(SCORES), width=150, key="inbox-score")
        number = st.number_input("Page", min_value=1, step=1, width=110, key="inbox-page")
        fresh = st.checkbox("Not seen yet", key="inbox-fresh")
        muted = st.checkbox("Include muted and snoozed", key="inbox-muted")
    return HitSearch(
        query_id=names.get(query or ANY),
        catalyst_type=types.get(kind or ANY),
        least_score=SCORES[score or "Any score"],
        only_unseen=fresh,
        with_muted=muted,
        offset=(int(number) - 1) * PAGE_ROWS,
    )


def _say_empty(subscriptions: Subscriptions, saved: list[Subscription], search: HitSearch) -> None:
    if search._replace(limit=50) != HitSearch():
        st.info("Nothing passes these filters. Choose another query, type, score or page.")
    elif any(subscription.is_enabled for subscription in saved):
        watched = subscriptions.quota().enabled_count
        st.info(
            f"Nothing new on {watched} watched question{'s' if watched > 1 else ''}. Each import "
            "of evidence is checked against them; existing records never trigger."
        )
    else:
        st.info("Nothing is watched yet. Under Saved queries, turn one on or watch a drug.")


def _by_event(hits: Sequence[AlertHit]) -> list[list[AlertHit]]:
    """Return hits of one event together: several questions can meet it. The best leads."""
    hits_by_event: dict[tuple[str, int], list[AlertHit]] = {}
    for hit in hits:
        hits_by_event.setdefault((hit.identity, hit.generation), []).append(hit)
    return list(hits_by_event.values())


def _show_hit(same: Sequence[AlertHit], subscriptions: Subscriptions) -> None:
    hit = same[0]
    unseen = [each.hit_id for each in same if not each.seen_at]
    with st.container(border=True):
        line, tools = st.columns([8, 2], vertical_alignment="center")
        with line:
            mark = ":material/fiber_manual_record: " if unseen else ""
            st.markdown(f"{mark}**{plain(hit.title)}**")
            details = (hit.event_day, f"score {hit.score}", hit.catalyst_type.replace("_", " "))
            where = (hit.company, *dict.fromkeys(each.query for each in same))
            st.caption(" · ".join(plain(each) for each in (*details, *where) if each))
        with tools.container(horizontal=True, horizontal_alignment="right"):
            if unseen and st.button("Seen", key=f"seen:{hit.hit_id}", icon=":material/done:"):
                act(lambda: subscriptions.mark_seen(unseen))
            with st.popover("Why", key=f"why:{hit.hit_id}", icon=":material/help:"):
                _show_why(same, subscriptions)


def _show_why(same: Sequence[AlertHit], subscriptions: Subscriptions) -> None:
    """Say why a hit came, and offer what can be done with it."""
    hit = same[0]
    for each in same:
        st.markdown(f"It meets the question **{plain(each.query)}**")
        for met in each.met or ("no filter: everything counts",):
            st.markdown(f"- {plain(met)}")
    st.markdown(f"and has {hit.score} points of 100:")
    rows = {
        PARTS.get(component.name, component.name): f"{component.points:g}"
        for component in hit.parts
    }
    st.table(rows, border="horizontal", width="content", alt="Parts of the score")
    st.caption(f"Found {show_time(hit.found_at)} · {plain(', '.join(hit.source_ids[:3]))}")
    if hit.url:
        st.link_button("Open the source", hit.url, icon=":material/open_in_new:")
    agent = find_agent("new-developments")
    if agent is not None and hit.drug:
        st.page_link(
            f"{agent.slug}.py",
            label=plain(f"What else is new on {hit.drug}"),
            icon=f":material/{agent.icon}:",
            query_params={"ask.query": hit.drug},
        )
    until = current().now() + timedelta(days=7)
    if st.button("Snooze for a week", key=f"snooze:{hit.hit_id}", icon=":material/snooze:"):
        act(lambda: [subscriptions.snooze(each.hit_id, until) for each in same])
