"""The form of competitive landscaping: the question first, all else under options."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.agent import Agent
from core.evidence_ports import EvidenceReader
from core.knowledge.source_groups import source_groups
from core.records.runs import Caller
from core.workbench import current
from pages.ui import form
from pages.ui.form import draw_field, draw_fields, state_key
from pages.ui.pack_notice import show_pack_notice
from pages.ui.plain import plain

_OPTIONS = ("indication", "query_type", "without", "region", "candidate_asset_description")
_REUSE = ("use_cache", "skip_drug_cache")
PROPOSED = "both"


def fill(agent: Agent, values: Mapping[str, Any]) -> None:
    """Put a request into the form; a new one asks for early and late drugs."""
    form.fill(agent, {"query_type": PROPOSED, **values})


def draw(agent: Agent, _caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    evidence = current().stores.evidence
    show_pack_notice(evidence)
    st.session_state.setdefault(state_key(agent, "query_type"), PROPOSED)
    values = draw_fields(agent, ("query",))
    with st.expander("Options", icon=":material/tune:"):
        values |= draw_fields(agent, _OPTIONS)
        st.markdown("**Sources**")
        values |= _draw_sources(agent, evidence)
        values |= draw_fields(agent, _REUSE)
    return values


def _draw_sources(agent: Agent, evidence: EvidenceReader) -> dict[str, object]:
    """Draw a switch for each source that is connected, and name the others once."""
    sources = {source.source for source in evidence.sources()}
    groups = [row for row in source_groups() if row.flag]
    flags = list(dict.fromkeys(group.flag for group in groups))
    connected = {group.flag for group in groups if sources.intersection(group.names)}
    values = {}
    with st.grid(2, min_column_width=260):
        for flag in flags:
            if flag in connected:
                values[flag] = draw_field(agent, flag)
    missing = [group.title for group in groups if group.flag not in connected]
    if missing:
        st.caption(plain(f"Not connected on this instance: {'; '.join(missing)}."))
    return values
