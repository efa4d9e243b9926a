"""The form of the compound map: the target first, own documents and compounds folded below."""

from typing import Any

import streamlit as st

from core.agent import Agent
from core.errors import WorkbenchError
from core.records.runs import Caller
from core.workbench import current
from pages.ui import form
from pages.ui.form import draw_field, draw_fields, state_key
from pages.ui.plain import plain
from pages.ui.upload import keep_upload

_SAMPLE = ("max_patents", "candidate_pool")
_PICTURES = ("max_panels_per_patent", "max_crops_per_patent")
_UPLOADS = {
    "file_ids": ("Patent documents of your own (PDF, plain text)", ("pdf", "txt"), True),
    "compounds_file_id": (
        "Compounds of your own (SDF, CSV, SMILES)",
        ("sdf", "csv", "tsv", "smi", "smiles", "txt"),
        False,
    ),
}


def fill(agent: Agent, values: dict[str, Any]) -> None:
    """Put a request into the form, with its uploads."""
    form.fill(agent, values)
    for name in _UPLOADS:
        given = values.get(name)
        ids = given if isinstance(given, list) else [given] if given else []
        st.session_state[state_key(agent, f"{name}:kept")] = dict.fromkeys(ids, "an earlier upload")


def draw(agent: Agent, caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    values = draw_fields(agent, ("target",))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        values |= draw_fields(agent, _SAMPLE)
    values |= draw_fields(agent, ("include_full_clinical_landscape",))
    with st.expander("Own documents and compounds", icon=":material/upload_file:"):
        for name in _UPLOADS:
            ids = _pick(agent, name, caller)
            values[name] = ids if name == "file_ids" else next(iter(ids), None)
        with st.grid(2, min_column_width=260):
            for name in _PICTURES:
                values[name] = draw_field(agent, name)
        values |= draw_fields(agent, ("match_mode",))
    with st.expander("More settings", icon=":material/tune:"):
        values |= draw_fields(agent, ("seed",))
    return values


def _pick(agent: Agent, name: str, caller: Caller) -> list[str]:
    """Draw an upload box and return the ids of what it holds."""
    label, kinds, is_many = _UPLOADS[name]
    key = state_key(agent, f"{name}:kept")
    given = st.file_uploader(
        label,
        type=list(kinds),
        key=f"{key}:box",
        accept_multiple_files=is_many,
        max_upload_size=current().settings.upload_limit_mb,
    )
    files = (given if isinstance(given, list) else [given]) if given else []
    kept: dict[str, str] = dict(st.session_state.get(key, {}))
    seen: dict[str, str] = dict(st.session_state.get(f"{key}:seen", {}))
    for file in files:
        if file.file_id not in seen:
            try:
                seen[file.file_id] = keep_upload(file.name, file, caller)
            except WorkbenchError as error:
                st.error(plain(error.message), icon=":material/error:")
                continue
        kept[seen[file.file_id]] = file.name
    shown = {file.file_id for file in files}
    for box_id in [one for one in seen if one not in shown]:
        kept.pop(seen.pop(box_id), None)
    st.session_state[key], st.session_state[f"{key}:seen"] = kept, seen
    for file_id, title in kept.items():
        if title == "an earlier upload":
            st.caption(f"kept from the earlier request: {plain(file_id[:12])}…")
    return list(kept)[: None if is_many else 1]
