"""The form of company assets: the company first, what only a language model uses folded away."""

import streamlit as st

from core.agent import Agent
from core.records.runs import Caller
from core.workbench import current
from pages.ui.form import draw_fields
from pages.ui.pack_notice import show_pack_notice


def draw(agent: Agent, _caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    show_pack_notice(current().stores.evidence)
    values = draw_fields(agent, ("company", "company_aliases", "drugdb_limit"))
    with st.expander("Web search of a language model", icon=":material/travel_explore:"):
        values |= draw_fields(agent, ("model", "max_searches"))
    return values
