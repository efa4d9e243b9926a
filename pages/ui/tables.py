"""Tables: drawn in one way, long ones in pages, each with a CSV that is safe to open.

Streamlit's own download and copy of cells are off (`.streamlit/config.toml`): they would hand
over `=HYPERLINK(…)` as a formula. Every table therefore comes with our CSV, and none is drawn
but here.
"""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.reports.text import readable
from pages.ui.citing import web_address
from pages.ui.downloads import offer_csv
from pages.ui.plain import show_count

PAGE_ROWS = 20_000
_DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d){0,2}(?!\w|-)")
SHORT_ROWS = 12
"""Up to so many rows a table is as high as its rows; a longer one scrolls."""


def draw_table(
    frame: pd.DataFrame,
    describe: str,
    *,
    csv: str | None = None,
    columns: Mapping[str, object] | None = None,
    **look: Any,
) -> Any:
    """Draw a table; addresses in it are links only where they lead to the web.

    Args:
        frame: The rows.
        describe: What the table holds, for readers who do not see it.
        csv: File name of its CSV without ending; None where the caller offers one.
        columns: Streamlit column settings by column.
        look: Further arguments of `st.dataframe`.

    Returns:
        What `st.dataframe` returns.
    """
    settings = dict(columns or {})
    links = [name for name in settings if name in frame and _is_link(settings[name])]
    shown = frame.assign(**{name: frame[name].map(web_address) for name in links})
    for name in [each for each in frame if each not in links and frame[each].dtype == object]:
        days = pd.to_datetime(shown[name], format="%Y-%m-%d", errors="coerce").dt.date
        if days.notna().any() and (days.notna() == (shown[name].fillna("") != "")).all():
            shown[name] = days  # sorts by day
            settings.setdefault(str(name), st.column_config.DateColumn(format="D MMM YYYY"))
        elif days := _find_days(shown[name]):  # text would sort "Nov 2026" behind "3 Jan 2027"
            width = (settings.get(name) or {}).get("width")
            settings[name] = st.column_config.SelectboxColumn(
                options=days, format_func=readable, width=width
            )
        else:
            shown[name] = shown[name].map(
                lambda cell: readable(cell) if isinstance(cell, str) else cell
            )
    drawn = st.dataframe(
        shown,
        column_config=settings,
        **({"hide_index": True, "placeholder": "–"} | look),
        alt=describe,
    )
    if csv is not None and not frame.empty:
        offer_csv(frame, csv, key=f"csv-table:{csv}", label="CSV of this table")
    return drawn


def _find_days(cells: pd.Series) -> list[str]:
    """Return the days and months of a column of them; nothing where a cell begins otherwise."""
    texts = sorted({str(cell) for cell in cells.dropna() if cell != ""})
    dates = [_DATE.match(text) for text in texts]
    return texts if all(dates) and any(date and "-" in date[0] for date in dates) else []


def _is_link(setting: object) -> bool:
    kind = setting.get("type_config") if isinstance(setting, Mapping) else None
    return isinstance(kind, Mapping) and kind.get("type") == "link"


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
    height = 520 if len(shown) > SHORT_ROWS else "auto"
    draw_table(shown, describe, columns=formats, height=height)
    rows = f"{show_count(len(frame))} of {show_count(total)} rows pass the filters"
    page = (
        f"; rows {start + 1:,} to {start + len(shown):,} are shown"
        if len(shown) < len(frame)
        else ""
    )
    st.caption(f"{rows}{page}. The CSV holds exactly the rows that pass.")
    offer_csv(frame, name, key=f"csv:{name}", total=total)
