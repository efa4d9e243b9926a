"""The form of assay development: product, target and goal first, all else under options."""

from typing import Any

import streamlit as st

from core.agent import Agent
from core.records.runs import Caller
from pages.ui import form
from pages.ui.file_fields import FileField, fill_files, pick_files
from pages.ui.form import draw_fields

_FILES = "uploaded_files"
_RESULTS = FileField(
    "Results of your own (concentration, signal, sample)",
    ("csv", "tsv", "txt", "xlsx", "md", "pdf"),
    True,
)


def fill(agent: Agent, values: dict[str, Any]) -> None:
    """Put a request into the form, with its uploads."""
    form.fill(agent, values)
    fill_files(agent, values, (_FILES,))


def draw(agent: Agent, caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    with st.grid(2, min_column_width=260):
        values = draw_fields(agent, ("modality", "target", "assay_goal", "development_stage"))
    values |= draw_fields(agent, ("indication",))
    with st.expander("Options", icon=":material/tune:"):
        values |= draw_fields(agent, ("mechanism", "requested_categories"))
        with st.container(horizontal=True):
            values |= draw_fields(agent, ("product_details", "sample_context", "constraints"))
        values |= {_FILES: pick_files(agent, _FILES, _RESULTS, caller)}
        values |= draw_fields(agent, ("include_qc_release", "include_protocol_skeletons"))
    return values
