"""Parts of a result that every agent's page has: warnings and tabs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.records.runs import RunRecord
from pages.ui.plain import plain

MOST_IN_A_ROW = 7
"""Key figures that fit side by side; more of them stand in two rows."""
FEW_WARNINGS = 3
"""Up to so many warnings stand open."""


def show_warnings(warnings: Sequence[str]) -> None:
    """Draw the warnings of a result, code first; more than a few are folded away."""
    if not warnings:
        return
    title = f"{len(warnings)} warning{'s' if len(warnings) > 1 else ''}"
    with st.expander(title, expanded=len(warnings) <= FEW_WARNINGS, icon=":material/warning:"):
        for text in warnings:
            code, colon, rest = text.partition(":")
            st.markdown(f"**{plain(code)}** {plain(rest)}" if colon else plain(text))


def show_tabs(
    tabs: Mapping[str, Callable[[RunRecord, Any], None]], run: RunRecord, data: object
) -> None:
    """Draw tabs, of which only the open one is computed.

    Args:
        tabs: What each tab draws, by its name.
        run: The run.
        data: Its result.
    """
    for tab, draw in zip(
        st.tabs(list(tabs), on_change="rerun", key="tabs"), tabs.values(), strict=True
    ):
        if tab.open:
            with tab:
                draw(run, data)


def show_figures(figures: Iterable[tuple[str, str, str]]) -> None:
    """Draw key figures large: label, value, and a note where there is one."""
    told = list(figures)
    columns = len(told) if len(told) <= MOST_IN_A_ROW else -(-len(told) // 2)
    with st.grid(columns, min_column_width=130):
        for label, value, note in told:
            with st.container(border=True):
                st.metric(label, plain(value))
                if note:
                    st.caption(plain(note))
