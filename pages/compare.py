"""Compare page: two to five drugs side by side."""

import streamlit as st

from core.errors import WorkbenchError
from pages.ui.entities.compare import show_compare
from pages.ui.entities.frame import cite_from
from pages.ui.entities.reading import open_drugs, show_failure
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller

signed_in_caller()
try:
    views = open_drugs(st.query_params.get("ids", ""))
except WorkbenchError as failure:
    show_failure(failure)
else:
    st.title(plain(" vs ".join(view.drug.name for view in views)) or "Compare", anchor=False)
    records = {key: record for view in views for key, record in view.records.items()}
    if len(views) > 1:
        show_compare([view.drug for view in views], cite_from(records))
    else:
        st.info("Name at least two drugs in the bar above, such as sotorasib vs adagrasib.")
