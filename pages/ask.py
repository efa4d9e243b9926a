"""Ask: a question in plain words, answered by runs of agents.

The address `/ask?q=…` fills the form; only a press of Ask starts runs, since an address may come
from anybody.
"""

import streamlit as st

from pages.ui.asking import asking_of, draw_form, follow, show_result
from pages.ui.session import signed_in_caller

caller = signed_in_caller()
text = st.query_params.get("q", "").strip()
asking = asking_of(text, caller)
if asking is None:
    draw_form(text, caller)
elif asking.is_over:
    show_result(asking)
else:
    follow(asking)
