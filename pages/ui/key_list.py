"""API keys as a form that makes one and lines that rotate and revoke."""

import json
from datetime import timedelta

import streamlit as st

from core import accounts
from core.records.runs import ADMIN, READ, ApiKey, Caller, KeyState, User
from core.registry import all_agents
from core.workbench import current
from pages.ui.acting import act, keep_to_show
from pages.ui.look import on_accent
from pages.ui.plain import plain, show_time
from pages.ui.session import base_address

LIFETIMES = {"Never": None, "In 30 days": 30, "In 90 days": 90, "In one year": 365}
GRACES = {"Not at all": 0, "1 hour": 1, "1 day": 24, "7 days": 168, "30 days": 720}
COLORS: dict[KeyState, str] = {
    "active": "green",
    "rotated": "orange",
    "expired": "gray",
    "revoked": "gray",
}
RIGHTS = {READ: "read only", ADMIN: "administration"}
COPY = "Copy this key now: it is shown once and cannot be shown again."


def show_key_form(caller: Caller, owners: list[User] | None = None) -> None:
    """Draw the form that makes a key.

    Args:
        caller: Who makes it.
        owners: Accounts to choose the key's owner from; the caller's own key when left out.
    """
    with st.form("new-key", width=820):
        name = st.text_input("Name", max_chars=80, placeholder="What will use this key")
        named = {user.name: user for user in owners or ()}
        owner = named[st.selectbox("Owner", list(named))] if named else None
        scopes = st.multiselect(
            "Rights",
            [READ, *([ADMIN] if caller.is_admin else []), *all_agents()],
            format_func=lambda scope: RIGHTS.get(scope, scope),
            placeholder="All agents",
            help="Agents it may run. Read only: all your runs and the evidence, and no agent. "
            "Administration: people, keys, audit log and evidence, for administrators.",
        )
        lifetime = LIFETIMES[st.selectbox("Expires", list(LIFETIMES))]
        if not st.form_submit_button(on_accent("Make key"), type="primary"):
            return
        if not name.strip():
            st.error("Give the key a name, so that you know later what uses it.")
            return
        act(lambda: _make(caller, name.strip(), owner, scopes, lifetime))


def show_client_settings() -> None:
    """Draw what to paste into a program that takes the workbench as a tool server."""
    with st.expander("Connect an AI assistant (MCP)", icon=":material/cable:"):
        st.caption(
            "Assistants that speak the Model Context Protocol run the agents and read runs, tables "
            "and evidence as tools. Paste this into the assistant's settings and put one of your "
            "keys after Bearer:"
        )
        address = f"{base_address()}/mcp"
        server = {
            "type": "http",
            "url": address,
            "headers": {"Authorization": "Bearer <key>"},
        }
        settings = {"mcpServers": {"biopharma-workbench": server}}
        st.code(json.dumps(settings, indent=2), language="json")


def _make(
    caller: Caller, name: str, owner: User | None, scopes: list[str], days: int | None
) -> None:
    workbench = current()
    expires_at = workbench.now() + timedelta(days=days) if days else None
    _, secret = accounts.create_key(
        workbench.stores, caller, name, owner=owner, scopes=scopes, expires_at=expires_at
    )
    keep_to_show(COPY, secret)


def show_key(key: ApiKey, caller: Caller, *, owner: bool = False) -> None:
    """Draw a key in one line, with what can be done to it.

    Args:
        key: The key.
        caller: Its owner, or an administrator.
        owner: Whether the line names the owner.
    """
    state = key.state(current().now())
    line, action = st.columns([7, 2], vertical_alignment="center")
    with line.container(horizontal=True, vertical_alignment="center"):
        st.badge(state, color=COLORS[state])
        whose = f"{plain(key.owner)} · " if owner else ""
        st.markdown(f"{whose}**{plain(key.name)}** `{accounts.shown(key)}`", width="content")
        st.caption(
            f"made {show_time(key.created_at)} · last used {show_time(key.last_used_at)} · "
            f"{'expires ' + show_time(key.expires_at) if key.expires_at else 'no expiry'} · "
            f"{plain(', '.join(key.scopes)) or 'all agents'}",
            width="content",
        )
    if state in ("expired", "revoked"):
        return
    with action.container(horizontal=True):
        if state == "active":
            with st.popover("Rotate", key=f"rotation:{key.key_id}"):
                _show_rotation(key, caller)
        if st.button("Revoke", key=f"revoke:{key.key_id}"):
            act(lambda: accounts.revoke_key(current().stores, caller, key.key_id))


def _show_rotation(key: ApiKey, caller: Caller) -> None:
    st.caption("A new key takes over its name, agents and lifetime.")
    chosen = st.selectbox(
        "The old key still works for", list(GRACES), index=2, key=f"grace:{key.key_id}"
    )
    if st.button("Make new key", key=f"rotate:{key.key_id}", type="primary"):
        act(lambda: _rotate(key, caller, GRACES[chosen]))


def _rotate(key: ApiKey, caller: Caller, hours: int) -> None:
    grace = timedelta(hours=hours)
    _, secret = accounts.rotate_key(current().stores, caller, key.key_id, grace)
    keep_to_show(COPY, secret)
