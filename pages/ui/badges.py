"""Badges whose words may be of anybody."""

import streamlit as st

from pages.ui.plain import plain


def show_badge(text: str, color: str = "gray", icon: str | None = None) -> None:
    """Draw a badge in which the text stays text.

    Args:
        text: Any text.
        color: One of Streamlit's color names.
        icon: An icon of ours before the text.
    """
    st.badge(badge_label(text), color=color, icon=icon)  # type: ignore[arg-type]


def badge_label(text: str) -> str:
    r"""Return a text as `st.badge` wants it: plain but for brackets, which the badge escapes.

    Escaped twice, a bracket is a backslash and a bracket again, and the link around it lives.

    >>> badge_label("[a](b) *c*")
    '[a](b) \\*c\\*'
    """
    return plain(text).replace("\\[", "[").replace("\\]", "]")
