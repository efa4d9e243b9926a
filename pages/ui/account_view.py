"""Quota, password and sessions of the person who is signed in."""

import streamlit as st

from core import accounts
from core.errors import WorkbenchError
from core.records.runs import Caller, SignIn
from core.workbench import Workbench
from pages.ui.acting import act
from pages.ui.plain import plain, show_count, show_time
from pages.ui.session import SECOND_FACTOR, session_token

FORM_WIDTH = 480
BROWSERS = (
    ("Edg/", "Edge"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
"""Marks in the order of looking: an Android browser also names Linux, Chrome also Safari."""


def browser_name(agent: str) -> str:
    """Return browser and system of a `User-Agent` as a person would name them.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140 Safari/5")
    'Chrome on Linux'
    """
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return agent[:60] or "Unknown browser"


def show_quota(caller: Caller, workbench: Workbench) -> None:
    """Draw how many runs of this month are used."""
    now = workbench.now()
    limit = workbench.settings.quota_runs
    state = workbench.stores.quotas.state(caller.user_id, limit=limit, at=now)
    share = min(1.0, state.used / state.limit) if state.limit else 1.0
    st.subheader("Quota", anchor=False)
    st.progress(share, f"{show_count(state.used)} of {show_count(state.limit)} runs", width=820)
    left = show_count(max(0, state.limit - state.used))
    st.caption(
        f"{left} runs are left in {now:%B %Y}. The count begins anew at "
        f"{show_time(state.resets_at)}. Stored answers and failed runs do not count."
    )


def show_password_form(caller: Caller, workbench: Workbench) -> None:
    """Draw the form that changes the password, where there is one."""
    if workbench.stores.users.by_id(caller.user_id).password_set_at is None:
        return
    ends_at = workbench.stores.users.password_ends_at(caller.user_id)
    if ends_at is not None:
        st.warning(f"Your generated password expires {show_time(ends_at)}. Choose a new one.")
    from streamlit_authenticator.utilities import ResetError

    from pages.ui.authenticator import AccountForms

    with st.container(width=FORM_WIDTH):
        try:
            is_changed = AccountForms(caller, workbench, session_token()).change_password()
        except (ResetError, WorkbenchError) as error:
            st.error(plain(f"{error}".rstrip(".")) + ".")
            return
        if is_changed:
            st.success("The password is changed; other browsers are signed out.")


def show_second_factor(caller: Caller, workbench: Workbench) -> None:
    """Draw whether signing in takes a code, and the way to change that."""
    if workbench.stores.users.by_id(caller.user_id).password_set_at is None:
        return
    is_on = workbench.stores.factors.is_on(caller.user_id)
    st.subheader("Two-factor authentication", anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge("on" if is_on else "off", color="green" if is_on else "gray")
        st.link_button("Change" if is_on else "Set up", SECOND_FACTOR)


def show_sessions(caller: Caller, workbench: Workbench, token: str | None) -> None:
    """Draw where this account is signed in, and what ends it."""
    st.subheader("Signed in", anchor=False)
    sessions = workbench.stores.users.sessions(caller.user_id, token=token)
    password = ""
    has_others = any(not session.is_current for session in sessions)
    if has_others and workbench.stores.users.by_id(caller.user_id).password_set_at is not None:
        password = st.text_input(
            "Current password, to sign out other browsers",
            type="password",
            key="end-password",
            width=FORM_WIDTH,
        )
    for session in sessions:
        _show_session(session, caller, workbench, password)
    if not sessions:
        st.caption("No browser is signed in.")
    if has_others and st.button("Sign out everywhere else", key="end-others"):
        act(lambda: accounts.end_other_sessions(workbench.stores, caller, token, password))


def _show_session(session: SignIn, caller: Caller, workbench: Workbench, password: str) -> None:
    line, action = st.columns([8, 1], vertical_alignment="center")
    with line.container(horizontal=True, vertical_alignment="center"):
        if session.is_current:
            st.badge("this browser", color="green")
        st.markdown(plain(browser_name(session.agent)), width="content")
        st.caption(
            f"{plain(session.address or 'unknown address')} · since "
            f"{show_time(session.created_at)} · last seen {show_time(session.last_seen_at)}",
            width="content",
        )
    if not session.is_current and action.button("End", key=f"end:{session.session_id}"):
        act(lambda: accounts.end_session(workbench.stores, caller, session.session_id, password))
