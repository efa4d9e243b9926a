"""API keys of this person: make one, see it once, revoke it."""

from datetime import timedelta

import streamlit as st

from core.errors import WorkbenchError
from core.records.runs import ApiKey, Caller
from core.registry import all_agents
from core.workbench import current
from pages.ui.look import on_accent
from pages.ui.plain import plain, show_time
from pages.ui.session import signed_in_caller

LIFETIMES = {"Never": None, "In 30 days": 30, "In 90 days": 90, "In one year": 365}


def _make_key(caller: Caller, name: str, scopes: list[str], days: int | None) -> None:
    workbench = current()
    expires = workbench.now() + timedelta(days=days) if days else None
    try:
        made, secret = workbench.stores.keys.create(
            caller.user_id, name, scopes=scopes, expires_at=expires
        )
    except WorkbenchError as error:
        st.error(plain(error.message))
        return
    workbench.stores.audit.add(caller.name, "key.create", f"{made.prefix}…{made.last4}", name)
    st.success("Copy this key now: it is shown once and cannot be shown again.")
    st.code(secret, language=None)


def _show_form(caller: Caller) -> None:
    with st.form("new-key", width=820):
        name = st.text_input("Name", max_chars=80, placeholder="What will use this key")
        scopes = st.multiselect(
            "Agents", list(all_agents()), placeholder="All agents", help="Agents it may run."
        )
        lifetime = st.selectbox("Expires", list(LIFETIMES))
        if st.form_submit_button(on_accent("Make key"), type="primary"):
            if name.strip():
                _make_key(caller, name.strip(), scopes, LIFETIMES[lifetime])
            else:
                st.error("Give the key a name, so that you know later what uses it.")


def _show_key(key: ApiKey, caller: Caller) -> None:
    now = current().now()
    ended = key.revoked_at or (key.expires_at if key.expires_at and key.expires_at < now else None)
    state = "revoked" if key.revoked_at else "expired" if ended else "active"
    line, action = st.columns([8, 1], vertical_alignment="center")
    with line.container(horizontal=True, vertical_alignment="center"):
        st.badge(state, color="gray" if ended else "green")
        st.markdown(f"**{plain(key.name)}** `{key.prefix}…{key.last4}`", width="content")
        st.caption(
            f"made {show_time(key.created_at)} · last used {show_time(key.last_used_at)} · "
            f"{'expires ' + show_time(key.expires_at) if key.expires_at else 'no expiry'} · "
            f"{plain(', '.join(key.scopes)) or 'all agents'}",
            width="content",
        )
    if not ended and action.button("Revoke", key=f"revoke:{key.key_id}"):
        stores = current().stores
        stores.keys.revoke(key.key_id, owner_id=caller.user_id)
        stores.audit.add(caller.name, "key.revoke", f"{key.prefix}…{key.last4}", key.name)
        st.rerun()


caller = signed_in_caller()
st.title("API keys", anchor=False)
st.caption("A program calls the agents with a key, with your rights and out of your quota.")
_show_form(caller)
st.subheader("Your keys", anchor=False)
keys = current().stores.keys.list(caller.user_id)
if not keys:
    st.caption("None yet.")
for one in keys:
    _show_key(one, caller)
