"""The form of competitive landscaping: the question first, sources folded away."""

import streamlit as st

from core.agent import Agent
from core.records.runs import Caller
from core.workbench import current
from pages.ui.form import draw_field, draw_fields
from pages.ui.pack_notice import show_pack_notice

_QUESTION = ("query", "query_type", "indication", "candidate_asset_description")
_SOURCES = (
    "include_aact",
    "include_chinese",
    "include_chictr",
    "include_conferences",
    "include_patents",
    "include_neuralsearch",
    "include_opensearch",
    "include_llm_web_search",
)
_REUSE = ("use_cache", "skip_drug_cache")


def draw(agent: Agent, _caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    show_pack_notice(current().stores.evidence)
    values = draw_fields(agent, _QUESTION)
    with st.expander("Sources and stored answers", icon=":material/database:"):
        with st.grid(2, min_column_width=260):
            for name in _SOURCES:
                values[name] = draw_field(agent, name)
        values |= draw_fields(agent, _REUSE)
    return values
