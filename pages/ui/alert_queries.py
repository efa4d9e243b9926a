"""Saved queries as lines: watch, level, preview, mute, open in their agent."""

from datetime import timedelta
from typing import cast, get_args

import streamlit as st

from core.alert_ports import Subscriptions
from core.briefs.watching.asked import drug_to_watch
from core.evidence.names.identity.resolver import Resolver
from core.execution.watching import preview_in_child
from core.records.alerts import SignalLevel, Subscription
from core.records.wire import says_something
from core.registry import find_agent
from core.workbench import current
from pages.ui.acting import act, keep_to_show
from pages.ui.look import on_accent
from pages.ui.plain import plain, show_time
from pages.ui.watching import newest_import

LEVELS: tuple[SignalLevel, ...] = get_args(SignalLevel)
PREVIEW_DAYS = 90
LONGEST_NAME = 200
MOST_SHOWN = 6


def show_add(subscriptions: Subscriptions) -> None:
    """Draw the form that watches a drug."""
    with (
        st.form("watch-drug", width=820),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        name = st.text_input(
            "Drug",
            st.query_params.get("ask.drug_name", "")[:LONGEST_NAME],
            max_chars=LONGEST_NAME,
            placeholder="Any name or code",
        )
        level = st.selectbox("Level", LEVELS, index=1, width=140, help="low 30, medium 50, high 70")
        pressed = st.form_submit_button(on_accent("Watch"), type="primary")
    if not pressed:
        return
    if not says_something(name):
        st.error("Name a drug, by letters or digits.")
        return
    act(lambda: _add(subscriptions, name, cast("SignalLevel", level)))


def _add(subscriptions: Subscriptions, name: str, level: SignalLevel) -> None:
    stores = current().stores
    drug = drug_to_watch(name, stores.evidence, Resolver(stores.identity, stores.learned_names))
    subscriptions.add_manual(drug.name, drug.key, level, generation=newest_import())
    warnings = [warning.partition(": ")[2] or warning for warning in drug.warnings]
    keep_to_show(plain(" ".join([f"{drug.name} is watched.", *warnings])))


def show_queries(subscriptions: Subscriptions, saved: list[Subscription]) -> None:
    """Draw the caller's saved queries, the watched ones first."""
    if not saved:
        st.caption("None yet: every run of an agent that can be watched saves its question.")
    for subscription in sorted(saved, key=lambda subscription: not subscription.is_enabled):
        _show_query(subscription, subscriptions)


def _show_query(subscription: Subscription, subscriptions: Subscriptions) -> None:
    line, tools = st.columns([7, 3], vertical_alignment="center")
    agent = find_agent(subscription.agent)
    with line:
        st.markdown(f"**{plain(subscription.query)}**")
        st.caption(" · ".join(_facts(subscription, agent.title if agent else subscription.agent)))
        if subscription.error and subscription.is_enabled:
            st.warning(plain(subscription.error), icon=":material/warning:")
    with tools.container(horizontal=True, horizontal_alignment="right"):
        key = subscription.query_id
        if subscription.is_enabled:
            if st.button("End", key=f"off:{key}", icon=":material/notifications_off:"):
                act(lambda: subscriptions.remove(key))
        elif st.button("Watch", key=f"on:{key}", icon=":material/notifications:"):
            act(
                lambda: subscriptions.enable(
                    key, subscription.signal_level, generation=newest_import()
                )
            )
        with st.popover("More", key=f"more:{key}", icon=":material/more_horiz:"):
            _show_more(subscription, subscriptions)


def _facts(subscription: Subscription, title: str) -> list[str]:
    state = (
        f"watched, level {subscription.signal_level}" if subscription.is_enabled else "not watched"
    )
    facts = [plain(title), state]
    if subscription.unseen:
        facts.append(f"{subscription.unseen} new")
    if subscription.muted_until and subscription.muted_until > current().now():
        facts.append(f"muted until {show_time(subscription.muted_until)}")
    if subscription.is_enabled:
        when = show_time(subscription.evaluated_at) if subscription.evaluated_at else "not yet"
        facts.append(f"last evaluated {when}")
    return facts


def _show_more(subscription: Subscription, subscriptions: Subscriptions) -> None:
    key = subscription.query_id
    level = st.selectbox(
        "Level", LEVELS, index=LEVELS.index(subscription.signal_level), key=f"level:{key}"
    )
    if subscription.is_enabled and level and level != subscription.signal_level:
        act(lambda: subscriptions.enable(key, level, generation=newest_import()))
    now = current().now()
    if subscription.muted_until and subscription.muted_until > now:
        if st.button("Unmute", key=f"unmute:{key}", icon=":material/volume_up:"):
            act(lambda: subscriptions.mute(key, None))
    elif st.button("Mute for a month", key=f"mute:{key}", icon=":material/volume_off:"):
        act(lambda: subscriptions.mute(key, now + timedelta(days=30)))
    if subscription.question and st.button(
        "Preview", key=f"preview:{key}", icon=":material/history:"
    ):
        _show_preview(subscription, level or subscription.signal_level)
    _offer_open(subscription)


def _show_preview(subscription: Subscription, level: SignalLevel) -> None:
    """Say how often the query would have fired."""
    if subscription.question is None:
        return
    with st.spinner("Looking at 90 days"):
        bench = current()
        preview = bench.executor.call(
            preview_in_child,
            bench.settings,
            subscription.question,
            level,
            bench.now(),
            PREVIEW_DAYS,
        )
    times = len(preview.hits)
    word = "time" if times == 1 else "times"
    st.markdown(f"Would have fired **{times} {word}** for events of the last {preview.days} days.")
    if len(preview.on_record) > times:
        st.caption(
            f"{len(preview.on_record) - times} more events of these days came with the first "
            "import of their source, which fires nothing."
        )
    for hit in (preview.hits or preview.on_record)[:MOST_SHOWN]:
        st.caption(f"{hit.event_day} · {hit.score} · {plain(hit.title)}")


def _offer_open(subscription: Subscription) -> None:
    """Draw the link to the agent whose form it fills in."""
    agent = find_agent("new-developments" if subscription.is_manual else subscription.agent)
    if agent is None or subscription.question is None:
        return
    parts = subscription.question.model_dump(exclude_none=True)
    fields = {name: parts[field] for name, field in agent.watched.items() if field in parts}
    if subscription.drug_name:
        fields = {"query": subscription.drug_name}
    st.page_link(
        f"{agent.slug}.py",
        label=f"Open in {agent.title}",
        icon=f":material/{agent.icon}:",
        query_params={f"ask.{name}": value for name, value in fields.items()},
    )
