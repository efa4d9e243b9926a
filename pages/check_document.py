"""Check a document: upload, counts by verdict, what differs first, and the marked files."""

import streamlit as st

from core.errors import WorkbenchError
from core.execution.document_checks import check_for
from core.workbench import current
from pages.ui.checked_document import offer_files, pick_document, show_counts, show_statements
from pages.ui.plain import plain
from pages.ui.session import signed_in_caller

CHECK = "document-check"

caller = signed_in_caller()
st.title("Check a document", anchor=False)
st.caption(
    "Compares what a report or a deck states about drugs, trials and deals with the evidence. "
    "Nothing leaves this machine and nothing is kept."
)
document = pick_document()
if document is not None:
    st.session_state.pop(CHECK, None)
    try:
        with st.spinner("Checking the document"):
            st.session_state[CHECK] = check_for(caller, *document, current())
    except WorkbenchError as failure:
        st.error(plain(failure.message), icon=":material/error:")
check = st.session_state.get(CHECK)
if check is not None:
    show_counts(check)
    show_statements(check)
    offer_files(check, caller)
