"""The form of company assets: the company first, all else under options."""

import streamlit as st

from core.agent import Agent
from core.records.runs import Caller
from core.workbench import current
from pages.ui.form import draw_fields
from pages.ui.pack_notice import show_pack_notice


def draw(agent: Agent, _caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    show_pack_notice(current().stores.evidence)
    values = draw_fields(agent, ("company",))
    with st.expander("Options", icon=":material/tune:"):
        values |= draw_fields(agent, ("company_aliases", "include_old", "drugdb_limit"))
        values |= draw_fields(agent, ("model", "max_searches"))
    return values
