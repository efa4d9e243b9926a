"""One's own account: quota, password, sessions."""

import streamlit as st

from core.workbench import current
from pages.ui.account_view import (
    show_password_form,
    show_quota,
    show_second_factor,
    show_sessions,
)
from pages.ui.acting import show_kept
from pages.ui.model_view import show_model
from pages.ui.plain import plain
from pages.ui.session import SIGN_OUT, session_token, signed_in_caller

caller = signed_in_caller()
workbench = current()
st.title("Account", anchor=False)
with st.container(horizontal=True, vertical_alignment="center"):
    st.caption(f"Signed in as **{plain(caller.name)}** · role {caller.role}", width="content")
    st.link_button("Sign out", SIGN_OUT, icon=":material/logout:")
show_kept()
show_quota(caller, workbench)
show_model(caller, workbench)
show_password_form(caller, workbench)
show_second_factor(caller, workbench)
show_sessions(caller, workbench, session_token())
