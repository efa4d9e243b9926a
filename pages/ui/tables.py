"""Long tables: shown in pages, saved exactly as filtered."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from pages.ui.downloads import offer_csv
from pages.ui.plain import show_count

PAGE_ROWS = 20_000
SHORT_ROWS = 12
"""Up to so many rows a table is as high as its rows; a longer one scrolls."""


def show_table(
    frame: pd.DataFrame,
    *,
    total: int,
    name: str,
    formats: Mapping[str, object],
    describe: str,
) -> None:
    """Draw the rows that passed the filters and offer exactly these as CSV.

    Args:
        frame: Rows after filtering.
        total: Rows before filtering.
        name: File name of the CSV without ending.
        formats: Streamlit column settings by column.
        describe: What the table holds, for readers who do not see it.
    """
    if frame.empty:
        st.info("No row passes these filters. Clear one of them to see rows again.")
        return
    start = 0
    if len(frame) > PAGE_ROWS:
        pages = -(-len(frame) // PAGE_ROWS)
        number = st.number_input(f"Page, of {pages}", 1, pages, 1, width=140, key=f"page:{name}")
        start = (int(number) - 1) * PAGE_ROWS
    shown = frame.iloc[start : start + PAGE_ROWS]
    st.dataframe(
        shown,
        hide_index=True,
        height=520 if len(shown) > SHORT_ROWS else "auto",
        column_config=formats,
        placeholder="–",
        alt=describe,
    )
    rows = f"{show_count(len(frame))} of {show_count(total)} rows pass the filters"
    page = (
        f"; rows {start + 1:,} to {start + len(shown):,} are shown"
        if len(shown) < len(frame)
        else ""
    )
    st.caption(f"{rows}{page}. The CSV holds exactly the rows that pass.")
    offer_csv(frame, name, key=f"csv:{name}", total=total)
