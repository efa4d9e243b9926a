"""Asset page: what the store holds of one drug, and what to ask next."""

import streamlit as st

from core.errors import WorkbenchError
from pages.ui.entities.drug import show_drug
from pages.ui.entities.reading import open_drug, show_empty, show_failure, show_unknown
from pages.ui.session import signed_in_caller

caller = signed_in_caller()
text = st.query_params.get("id", "").strip()
try:
    identified, view = open_drug(text)
except WorkbenchError as failure:
    show_failure(failure)
else:
    if view is not None:
        show_drug(view, caller)
    elif identified.entity is not None:
        show_empty(identified.entity)
    else:
        show_unknown("drug", text, identified)
