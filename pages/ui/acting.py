"""Buttons that change something: done, said, or refused in plain words."""

from collections.abc import Callable

import streamlit as st

from core.errors import WorkbenchError
from pages.ui.plain import plain

_ONCE = "shown_once"


def act(action: Callable[[], object]) -> None:
    """Do what a button says and draw the page anew, or say why not.

    Args:
        action: Changes something; its errors are shown where the button is.
    """
    try:
        action()
    except WorkbenchError as error:
        st.error(plain(error.message))
        return
    st.rerun()


def keep_to_show(words: str, secret: str = "") -> None:
    """Keep a sentence, and a secret that is shown with it, for the next drawing of the page."""
    st.session_state[_ONCE] = (words, secret)


def show_kept() -> None:
    """Show what the last button left to say, this once."""
    if _ONCE in st.session_state:
        words, secret = st.session_state.pop(_ONCE)
        st.success(words)
        if secret:
            st.code(secret, language=None)
