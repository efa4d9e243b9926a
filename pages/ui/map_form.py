"""The form of the compound map: the target first, own documents and compounds folded below."""

from typing import Any

import streamlit as st

from core.agent import Agent
from core.records.runs import Caller
from pages.ui import form
from pages.ui.file_fields import FileField, fill_files, pick_files
from pages.ui.form import draw_field, draw_fields

_SAMPLE = ("max_patents", "candidate_pool")
_PICTURES = ("max_panels_per_patent", "max_crops_per_patent")
_UPLOADS = {
    "file_ids": FileField("Patent documents of your own (PDF, plain text)", ("pdf", "txt"), True),
    "compounds_file_id": FileField(
        "Compounds of your own (SDF, CSV, SMILES)",
        ("sdf", "csv", "tsv", "smi", "smiles", "txt"),
        False,
    ),
}


def fill(agent: Agent, values: dict[str, Any]) -> None:
    """Put a request into the form, with its uploads."""
    form.fill(agent, values)
    fill_files(agent, values, _UPLOADS)


def draw(agent: Agent, caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    values = draw_fields(agent, ("target",))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        values |= draw_fields(agent, _SAMPLE)
    values |= draw_fields(agent, ("include_full_clinical_landscape",))
    with st.expander("Own documents and compounds", icon=":material/upload_file:"):
        for name, field in _UPLOADS.items():
            ids = pick_files(agent, name, field, caller)
            values[name] = ids if name == "file_ids" else next(iter(ids), None)
        with st.grid(2, min_column_width=260):
            for name in _PICTURES:
                values[name] = draw_field(agent, name)
        values |= draw_fields(agent, ("match_mode",))
    with st.expander("More settings", icon=":material/tune:"):
        values |= draw_fields(agent, ("seed",))
    return values
