"""The button that watches the question of a result."""

import streamlit as st

from core.agent import Agent
from core.errors import InvalidInput
from core.records.runs import Caller, RunRecord
from core.runner import subscriptions_of
from core.workbench import current
from pages.ui.acting import act


def newest_import() -> int:
    """Return the newest import of the evidence: what it and earlier ones brought is no news."""
    generations = current().stores.evidence.generations()
    return generations[-1][0] if generations else -1


def offer_watch(agent: Agent, caller: Caller, run: RunRecord) -> None:
    """Draw the button that turns the alert of a result's question on or off.

    Args:
        agent: Whose result it is; of some nothing can be watched.
        caller: The owner of the run.
        run: The run.
    """
    if not agent.watched or run.query_id is None:
        return
    subscriptions, query_id = subscriptions_of(caller, current()), run.query_id
    try:
        saved = subscriptions.get(query_id)
    except InvalidInput:  # the query is gone
        return
    if saved.is_enabled:
        words = "New events on this question come into Alerts. Press to end that."
        if st.button("Watching", icon=":material/notifications_active:", key="watch", help=words):
            act(lambda: subscriptions.remove(query_id))
        return
    words = "Tell me in Alerts when an import brings a new event on this question."
    if st.button("Watch", icon=":material/notifications:", key="watch", help=words):
        act(lambda: subscriptions.enable(query_id, saved.signal_level, generation=newest_import()))
