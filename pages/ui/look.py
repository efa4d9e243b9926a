"""Colors of the reader's theme, where Streamlit does not choose them itself."""

import json
import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.agents.differential_expression.records import CALL_COLORS, NOT_SIGNIFICANT

LIGHT = {
    "higher": CALL_COLORS["higher"],
    "lower": CALL_COLORS["lower"],
    "no call": CALL_COLORS[NOT_SIGNIFICANT],
    "ink": "#17222B",
}
DARK = {"higher": "#F2A65A", "lower": "#4DBDB8", "no call": "#6F7E88", "ink": "#E7EDF0"}
GROUPS_LIGHT = ("#0B6E6E", "#C2571A", "#5B5FA8", "#8A6D00", "#A8326E", "#4D6B2F", "#55636B")
GROUPS_DARK = ("#4DBDB8", "#F2A65A", "#A9ADF0", "#D8BE4A", "#EE8FBE", "#A6C98A", "#9AA8B1")
ON_ACCENT_DARK = "#06201F"
_DARK_TWINS = dict(
    zip((*LIGHT.values(), *GROUPS_LIGHT), (*DARK.values(), *GROUPS_DARK), strict=True)
)
"""Colors of charts on white, as print shows them, each with the one that the dark theme shows."""
_COLOR = re.compile("|".join(_DARK_TWINS), re.IGNORECASE)


def is_dark() -> bool:
    """Return whether the reader sees the dark theme."""
    return st.context.theme.type == "dark"


def colors() -> dict[str, str]:
    """Return the colors of calls, and of ink on the background."""
    return DARK if is_dark() else LIGHT


def group_colors() -> tuple[str, ...]:
    """Return the colors of groups; they repeat after the seventh."""
    return GROUPS_DARK if is_dark() else GROUPS_LIGHT


def recolor(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chart's specification in the colors of the reader's theme."""
    if not is_dark():
        return dict(spec)
    text = json.dumps(spec)
    return dict(json.loads(_COLOR.sub(lambda match: _DARK_TWINS[match[0].upper()], text)))


def on_accent(label: str) -> str:
    """Return a primary button's label, readable on the accent color of both themes.

    Streamlit writes it white, which on the dark theme's lighter accent has too little contrast.
    """
    return f':color[{label}]{{foreground="{ON_ACCENT_DARK}"}}' if is_dark() else label
