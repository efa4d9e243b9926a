"""The form of trial design: drug and setting first, what is known of it under options."""

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.agent import Agent
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignRequest
from core.records.runs import Caller
from core.workbench import current
from pages.ui import form
from pages.ui.form import draw_fields, label_of, state_key
from pages.ui.pack_notice import show_pack_notice

_ASSET = ("asset_name", "modality", "target", "mechanism_of_action", "development_stage")
_SETTING = ("indication", "line_of_therapy", "biomarker_strategy", "geography")
_OBJECTS = ("preliminary_efficacy_data", "safety_profile", "manufacturing_constraints")
_OPTIONS = (
    *("preferred_endpoint", "combination_partners", "intended_label_claim"),
    *("target_patient_population", "competitor_trials", "regulatory_designations"),
    *("route_of_administration", "dosing_schedule"),
)


def fill(agent: Agent, values: Mapping[str, Any]) -> None:
    """Put a request into the form; objects stand as text."""
    texts = {name: _as_text(values[name]) for name in _OBJECTS if values.get(name)}
    form.fill(agent, {**values, **dict.fromkeys(_OBJECTS), **texts})


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def draw(agent: Agent, _caller: Caller) -> dict[str, object]:
    """Draw the form and return the request's fields."""
    show_pack_notice(current().stores.evidence)
    left, right = st.columns(2)
    with left:
        st.markdown("**Drug**")
        values = draw_fields(agent, _ASSET)
    with right:
        st.markdown("**Setting**")
        values |= draw_fields(agent, _SETTING)
    with st.expander("Assumptions and drug data", icon=":material/tune:"):
        values |= {name: _draw_object(agent, name) for name in _OBJECTS}
        values |= draw_fields(agent, (*_OPTIONS, "use_cache"))
    return values


def _draw_object(agent: Agent, name: str) -> object:
    """Draw an open object as text of JSON and return what it holds; the text where it is none."""
    info = ClinicalTrialDesignRequest.model_fields[name]
    key = state_key(agent, name)
    st.session_state.setdefault(key, None)
    if st.session_state[key] is not None and not isinstance(st.session_state[key], str):
        st.session_state[key] = _as_text(st.session_state[key])
    example = json.dumps((info.examples or [{}])[0], ensure_ascii=False)
    text = st.text_area(
        label_of(name, info), key=key, help=info.description, placeholder=example, height=80
    )
    if not (text or "").strip():
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
