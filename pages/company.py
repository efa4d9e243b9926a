"""Company page: every drug of a company, its pipeline, catalysts, exclusivity and deals."""

import streamlit as st

from core.errors import WorkbenchError
from pages.ui.entities.company import show_company
from pages.ui.entities.reading import open_company, show_empty, show_failure, show_unknown
from pages.ui.session import signed_in_caller

caller = signed_in_caller()
text = st.query_params.get("id", "").strip()
try:
    identified, view = open_company(text)
except WorkbenchError as failure:
    show_failure(failure)
else:
    if view is not None and view.drugs:
        show_company(view, caller)
    elif identified.entity is not None:
        show_empty(identified.entity)
    else:
        show_unknown("company", text, identified)
