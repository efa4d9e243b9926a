"""API keys of this person: make one, see it once, rotate it, revoke it."""

import streamlit as st

from core.workbench import current
from pages.ui.acting import show_kept
from pages.ui.key_list import show_client_settings, show_key, show_key_form
from pages.ui.session import signed_in_caller

caller = signed_in_caller()
st.title("API keys", anchor=False)
st.caption("A program calls the agents with a key, with your rights and out of your quota.")
show_kept()
show_key_form(caller)
st.subheader("Your keys", anchor=False)
keys = current().stores.keys.list(caller.user_id)
if not keys:
    st.caption("None yet.")
for key in keys:
    show_key(key, caller)
show_client_settings()
