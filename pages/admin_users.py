"""Accounts: invite, roles, quota, disable, new passwords. For administrators."""

import streamlit as st

from core.workbench import current
from pages.ui.acting import show_kept
from pages.ui.session import require_admin
from pages.ui.user_list import show_invitation, show_user

caller = require_admin()
workbench = current()
st.title("People", anchor=False)
st.caption("Who may use this instance. Disabled accounts keep their runs until they are deleted.")
show_kept()
show_invitation(caller, workbench)
st.subheader("Accounts", anchor=False)
for user in workbench.stores.users.list():
    show_user(user, caller, workbench)
