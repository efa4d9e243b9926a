"""Accounts as a form that invites and lines that can be managed."""

from typing import get_args

import streamlit as st

from core import accounts
from core.records.runs import Caller, Role, User, UserState
from core.workbench import Workbench
from pages.ui.acting import act, keep_to_show
from pages.ui.look import on_accent
from pages.ui.plain import plain, show_count, show_time
from pages.ui.session import base_address

ROLES: tuple[Role, ...] = get_args(Role)
MEANINGS: dict[Role, str] = {
    "admin": "everything, and people, keys and the log",
    "analyst": "the pages and own keys",
    "api-only": "a program: keys only, no sign-in",
}
COLORS: dict[UserState, str] = {
    "active": "green",
    "disabled": "gray",
    "waiting for its password": "orange",
}


def show_invitation(caller: Caller, workbench: Workbench) -> None:
    """Draw the form that adds an account."""
    with st.form("invite", width=820, clear_on_submit=True):
        name = st.text_input("Name", max_chars=64, placeholder="for example an e-mail address")
        role = st.selectbox("Role", ROLES, index=1, format_func=_explain)
        if st.form_submit_button(on_accent("Invite"), type="primary"):
            act(lambda: _invite(caller, workbench, name, role))


def _explain(role: Role) -> str:
    return f"{role}: {MEANINGS[role]}"


def _invite(caller: Caller, workbench: Workbench, name: str, role: Role) -> None:
    user, token = accounts.invite(workbench.stores, caller, name, role)
    if user.role == "api-only":
        keep_to_show(f"{plain(user.name)} is there. Make its key under “Keys of everybody”.")
        return
    words = "Send this link: it sets the password once, within 7 days, and is shown only now."
    keep_to_show(words, base_address() + accounts.LINK + token)


def show_user(user: User, caller: Caller, workbench: Workbench) -> None:
    """Draw an account in one line, with what can be done to it."""
    limit = workbench.settings.quota_runs
    quota = workbench.stores.quotas.state(user.user_id, limit=limit, at=workbench.now())
    line, action = st.columns([8, 1], vertical_alignment="center")
    with line.container(horizontal=True, vertical_alignment="center"):
        st.badge(user.state, color=COLORS[user.state])
        st.markdown(f"**{plain(user.name)}**", width="content")
        quota_text = "own quota" if user.quota_runs is not None else "instance's quota"
        st.caption(
            f"{user.role} · since {show_time(user.created_at)} · {show_count(quota.used)} of "
            f"{show_count(quota.limit)} runs this month ({quota_text})",
            width="content",
        )
    with action.popover("Manage", key=f"manage:{user.user_id}"):
        _show_quota(user, caller, workbench)
        if user.user_id == caller.user_id:
            st.caption("Your own role and access are changed by another administrator.")
        else:
            _show_role(user, caller, workbench)
            _show_access(user, caller, workbench)


def _show_quota(user: User, caller: Caller, workbench: Workbench) -> None:
    runs = st.number_input(
        "Runs a month",
        min_value=0,
        value=user.quota_runs,
        placeholder="the instance's",
        key=f"quota:{user.user_id}",
    )
    if st.button("Set quota", key=f"set-quota:{user.user_id}"):
        quota = None if runs is None else int(runs)
        act(lambda: accounts.set_quota(workbench.stores, caller, user.user_id, quota))


def _show_role(user: User, caller: Caller, workbench: Workbench) -> None:
    role = st.selectbox("Role", ROLES, ROLES.index(user.role), key=f"role:{user.user_id}")
    if st.button("Set role", key=f"set-role:{user.user_id}", disabled=role == user.role):
        act(lambda: accounts.set_role(workbench.stores, caller, user.user_id, role))


def _show_access(user: User, caller: Caller, workbench: Workbench) -> None:
    stores, user_id = workbench.stores, user.user_id
    if user.disabled_at is not None:
        if st.button("Enable", key=f"enable:{user_id}"):
            act(lambda: accounts.enable(stores, caller, user_id))
        is_sure = st.checkbox(
            "Also delete its runs, files, lists, and alerts", key=f"sure:{user_id}"
        )
        if st.button("Delete", key=f"delete:{user_id}", disabled=not is_sure):
            act(lambda: accounts.delete(stores, caller, user_id))
        return
    signed_in = len(stores.users.sessions(user_id))
    if signed_in and st.button(f"End {signed_in} sessions", key=f"end-sessions:{user_id}"):
        act(lambda: accounts.end_all_sessions(stores, caller, user_id))
    if user.role != "api-only":
        _show_reset(user, caller, workbench)
    if stores.factors.is_on(user_id) and st.button(
        "Remove second factor", key=f"remove-factor:{user_id}"
    ):
        act(lambda: accounts.remove_factor(stores, caller, user_id))
    if st.button("Disable", key=f"disable:{user_id}", icon=":material/block:"):
        act(lambda: accounts.disable(stores, caller, user_id))


def _show_reset(user: User, caller: Caller, workbench: Workbench) -> None:
    is_revoking = st.checkbox(
        "Its keys end, too",
        key=f"revoke:{user.user_id}",
        help="Whoever knew the password may have made keys.",
    )
    if st.button("New password link", key=f"reset:{user.user_id}"):
        act(lambda: _reset(user, caller, workbench, is_revoking))


def _reset(user: User, caller: Caller, workbench: Workbench, is_revoking: bool) -> None:
    token = accounts.reset_password(workbench.stores, caller, user.user_id, is_revoking=is_revoking)
    words = (
        f"The password of {plain(user.name)} no longer works. Send this link: it sets a new one "
        "once, within a day, and is shown only now."
    )
    keep_to_show(words, base_address() + accounts.LINK + token)
