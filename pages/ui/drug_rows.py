"""What every table of drugs does: filters in the address, a picked row, a drawer with its proof."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.briefs.report import CELL, as_bubbles
from core.records.stages import STAGE_WORDS
from core.reports.document import Chart
from pages.ui.citing import cited
from pages.ui.plain import plain
from pages.ui.tables import draw_table

_HEIGHT = 560
_SHORT = 14
"""Up to so many rows a table is as high as its rows; a longer one scrolls."""
_TURN = "drawer-turn"
_SHAPES = ("Numbers", "Bubbles")
_SHARES = (5, 2)
"""Widths of the table and of the picture next to it."""


def choose(label: str, key: str, options: Sequence[str]) -> list[str]:
    """Draw a filter whose values stand in the address, and return what is chosen."""
    return list(
        st.multiselect(
            label,
            options,
            key=key,
            bind="query-params",
            format_func=lambda stage: STAGE_WORDS.get(stage, stage),
            width=180,
        )
    )


def filter_menu(*keys: str) -> DeltaGenerator:
    """Return the menu that holds the filters of a table; its label counts those that are set.

    Args:
        keys: Keys of its filters.
    """
    n_set = sum(bool(st.session_state.get(key)) for key in keys)
    label = f"Filters ({n_set})" if n_set else "Filters"
    return st.popover(label, icon=":material/filter_list:", key="filters")


def pick_row(frame: pd.DataFrame, columns: Mapping[str, object], key: str, alt: str) -> int | None:
    """Draw a table and return the row that is picked.

    Args:
        frame: The rows.
        columns: Streamlit column settings by column.
        key: Of the table.
        alt: What the table holds, for readers who do not see it.
    """
    turn = st.session_state.setdefault(_TURN, 0)
    picked = draw_table(
        frame,
        alt,
        columns=columns,
        height=_HEIGHT if len(frame) > _SHORT else "auto",
        on_select="rerun",
        selection_mode="single-cell",
        key=f"{key}:{turn}",
    )
    rows = [row for row, _ in picked.selection.cells]
    return rows[0] if rows and rows[0] < len(frame) else None


def beside(chart: Chart | None) -> tuple[DeltaGenerator, set[str] | None]:
    """Draw a picture of drugs at the right of what comes.

    Args:
        chart: Its data name in `members` the drugs of each cell; None: there is no picture.

    Returns:
        Where the table belongs, and the drugs of the cells that are picked; None: no cell is.
    """
    if chart is None:
        return st.container(), None
    left, right = st.columns(_SHARES)
    with right:
        picked = pick_cells(chart)
    return left, picked


def pick_cells(chart: Chart) -> set[str] | None:
    """Draw a picture of drugs, and return those of the cells that are picked."""
    shape = st.segmented_control(
        "Picture",
        [*_SHAPES],
        default=_SHAPES[0],
        key="picture",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    chart = as_bubbles(chart) if shape == _SHAPES[1] else chart
    state = st.vega_lite_chart(
        spec=dict(chart.spec),
        alt=chart.alt,
        key="chart:pipeline",
        on_select="rerun",
        selection_mode=CELL,
        width="stretch",
    )
    st.caption(plain(f"{chart.caption}. Pick a cell to see its drugs alone."))
    cells = [(cell["group"], cell["phase"]) for cell in state.selection.get(CELL, ())]
    if not cells:
        return None
    values = chart.spec["data"]["values"]
    return {
        name for row in values if (row["group"], row["phase"]) in cells for name in row["members"]
    }


def _close() -> None:
    """Forget the picked row, so that a later run of the page does not open it again."""
    st.session_state[_TURN] += 1


def open_drawer(name: str, draw: Callable[[], None]) -> None:
    """Open the side drawer of a drug.

    Args:
        name: The drug.
        draw: Draws what is in the drawer.
    """
    st.dialog(plain(name), width="medium", position="right", on_dismiss=_close)(draw)()


def show_known(facts: Mapping[str, str], links: Mapping[str, str]) -> None:
    """Draw what is known of a drug, citations as links; what is empty is left out.

    Args:
        facts: Texts by name.
        links: Addresses by number of the source.
    """
    shown = {name: cited(text, links) for name, text in facts.items() if text}
    st.table(shown, border="horizontal", alt="What is known of the drug")
