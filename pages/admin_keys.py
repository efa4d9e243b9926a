"""API keys of everybody, for administrators."""

import streamlit as st

from core.workbench import current
from pages.ui.acting import show_kept
from pages.ui.key_list import show_key, show_key_form
from pages.ui.session import require_admin

PAGE_ROWS = 50

caller = require_admin()
stores = current().stores
st.title("Keys of everybody", anchor=False)
st.caption("Programs with an account of the role api-only get their keys here.")
show_kept()
show_key_form(caller, [user for user in stores.users.list() if user.disabled_at is None])
st.subheader("All keys", anchor=False)
words = st.text_input("Owner or name contains", width=360, key="wanted").strip().lower()
matching = [key for key in stores.keys.list() if words in key.owner or words in key.name.lower()]
if not matching:
    st.info("No key passes this filter. Clear it to see every key.")
for listed_key in matching[:PAGE_ROWS]:
    show_key(listed_key, caller, owner=True)
if len(matching) > PAGE_ROWS:
    st.caption(f"The newest {PAGE_ROWS} of {len(matching)} keys are shown; narrow the filter.")
