"""The audit log, for administrators."""

import pandas as pd
import streamlit as st

from core.workbench import current
from pages.ui.session import require_admin
from pages.ui.tables import show_table

MOST_LINES = 5000
COLUMNS = ["at", "actor", "action", "subject", "note"]

require_admin()
audit = current().stores.audit
st.title("Audit log", anchor=False)
st.caption("Who signed in and who changed people, keys and quota. Lines are never changed.")
with st.container(horizontal=True, vertical_alignment="bottom"):
    action = st.selectbox("Action", ["All actions", *audit.actions()], width=280, key="action")
    text = st.text_input("Contains", width=360, key="text", help="In actor, subject or note.")
lines = audit.list(
    limit=MOST_LINES + 1,
    action=None if action == "All actions" else action,
    text=text.strip() or None,
)
frame = pd.DataFrame([line.model_dump() for line in lines[:MOST_LINES]], columns=COLUMNS)
show_table(
    frame,
    total=len(frame),
    name="audit-log",
    formats={
        "at": st.column_config.DatetimeColumn("at (UTC)", format="YYYY-MM-DD HH:mm:ss"),
        "note": st.column_config.TextColumn(width="large"),
    },
    describe="Lines of the audit log, newest first",
)
if len(lines) > MOST_LINES:
    st.caption(f"The newest {MOST_LINES:,} lines are shown; narrow the filter for older ones.")
