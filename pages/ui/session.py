"""Who is looking: checked anew in every script run."""

from typing import NoReturn
from urllib.parse import urlsplit

import streamlit as st

from core.errors import NotAuthenticated
from core.logs import log_refusal
from core.records.runs import Caller
from core.workbench import current
from pages.ui.media import stream_id

SIGN_IN = "/auth/login"
SIGN_OUT = "/auth/logout"
GUIDES = "/docs/index.html"
SECOND_FACTOR = "/auth/factor"


def signed_in_caller() -> Caller:
    """Return who is signed in; without a valid session, say so and draw no more.

    The session's cookie is checked against the stored sessions each time, so that a page left
    open after sign-out shows nothing new. Tests put a caller into the session state.
    """
    if "caller" in st.session_state:
        caller: Caller = st.session_state["caller"]
        return caller
    token = session_token()
    if token is None:
        _ask_to_sign_in()
    try:
        signed_in = current().stores.users.find_session(token)
    except NotAuthenticated:
        _ask_to_sign_in()
    stream = stream_id()
    if stream is not None and not current().streams.bind(stream, signed_in.user_id):
        _ask_to_sign_in()
    return signed_in


def session_token() -> str | None:
    """Return the token of this browser's session, if it has sent one."""
    token = st.context.cookies.get(current().settings.session_cookie)
    return token if isinstance(token, str) else None


def base_address() -> str:
    """Return the address of this app without path, as the browser knows it."""
    url = st.context.url
    if url and url.startswith(("http://", "https://")):
        return "/".join(url.split("/")[:3])
    settings = current().settings
    return f"http://{settings.host}:{settings.port}"


def require_admin() -> Caller:
    """Return the administrator who is signed in; others are told that nothing is here."""
    caller = signed_in_caller()
    if not caller.is_admin:
        note_refusal(caller)
        st.info("There is nothing at this address.")
        st.stop()
    return caller


def note_refusal(caller: Caller) -> None:
    """Log that this page does not show what its address names."""
    address = urlsplit(st.context.url or "").path
    log_refusal(address, status=404, user_id=caller.user_id)


def _ask_to_sign_in() -> NoReturn:
    st.info("You are not signed in, or your session has ended.")
    st.link_button("Sign in", SIGN_IN)
    st.stop()
