"""Field page: the drugs of a target, a disease or both, with a scope that drops nothing."""

import streamlit as st

from core.errors import WorkbenchError
from pages.ui.entities.field import show_field
from pages.ui.entities.reading import open_field, show_failure, show_unknown
from pages.ui.session import signed_in_caller

caller = signed_in_caller()
target = st.query_params.get("target", "").strip()
disease = st.query_params.get("disease", "").strip()
try:
    targets, diseases, view = open_field(target, disease)
except WorkbenchError as failure:
    show_failure(failure)
else:
    if view is not None:
        show_field(view, caller)
    elif disease and diseases.entity is None:
        show_unknown("disease", disease, diseases)
    else:
        show_unknown("target", target, targets)
