"""Alerts: the inbox, the saved queries, the digest."""

import streamlit as st

from core.agents.alerts import AGENT
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import View

caller = signed_in_caller()
if "run" in st.query_params:
    show_agent(AGENT, caller, View())
else:
    st.title(AGENT.title, anchor=False)
