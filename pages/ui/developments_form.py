"""The form of new developments: the question and the window first, filters under options."""

import streamlit as st

from core.agent import Agent
from core.records.runs import Caller
from core.workbench import current
from pages.ui.form import draw_fields
from pages.ui.pack_notice import show_pack_notice


def draw(agent: Agent, _caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    show_pack_notice(current().stores.evidence)
    values = draw_fields(agent, ("query", "lookback_days"))
    with st.expander("Filters", icon=":material/tune:"):
        values |= draw_fields(agent, ("indication", "target", "modality", "stage_focus"))
        values |= draw_fields(agent, ("include_live_discovery",))
    return values
