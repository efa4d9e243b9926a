"""The frame of an entity page: title, chips, sentences, tables with their sources, the rail."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import streamlit as st

from core.briefs.entities.tables import SOURCE, PageTable
from core.evidence.proof.citations import Cite
from core.records.evidence import Record
from core.reports.document import Chart
from pages.ui.badges import show_badge
from pages.ui.citing import addresses, cited
from pages.ui.look import colors
from pages.ui.plain import file_stem, plain
from pages.ui.projects.offering import chart_block, offer_project
from pages.ui.tables import SHORT_ROWS, draw_table

WIDTHS = (4, 1)
"""Widths of the page and of the rail at its right."""
HEIGHT = 520
MARGIN = 18
"""Height that a container takes beyond its chart; with a set height it scrolls sideways."""


def show_head(title: str, chips: Sequence[tuple[str, str]], caption: str = "") -> None:
    """Draw the title with small facts beside it.

    Args:
        title: Name of the thing.
        chips: Text and color of each fact.
        caption: A line of names and codes.
    """
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.title(plain(title), anchor=False, width="content")
            for text, color in chips:
                show_badge(text, color)
        if caption:
            st.caption(plain(caption))


def show_sentences(sentences: Sequence[str], cite: Cite) -> None:
    """Draw sentences whose citations lead to their sources."""
    links = links_of(cite)
    st.markdown("\n".join(f"- {cited(sentence, links)}" for sentence in sentences))


def links_of(cite: Cite) -> Mapping[str, str]:
    """Return the addresses of the records that were cited, by number."""
    return addresses(cite.citations.sources(cite.records))


def cite_from(records: Mapping[str, Record]) -> Cite:
    """Return what numbers the records of a page."""
    return Cite(records)


def show_table(
    table: PageTable, rows: Sequence[Any], cite: Cite, name: str, describe: str, **look: Any
) -> Any:
    """Draw a table of a page; columns that no row fills are left out.

    Args:
        table: Its columns.
        rows: What they read.
        cite: Knows the addresses of sources.
        name: File name of its CSV.
        describe: What it holds, for readers who do not see it.
        look: Further arguments of `draw_table`.

    Returns:
        What `st.dataframe` returns; None where there are no rows.
    """
    frame = frame_of(table, rows, cite)
    if frame.empty:
        return None
    return draw_table(
        frame,
        describe,
        csv=file_stem(name),
        columns={SOURCE: st.column_config.LinkColumn(SOURCE, display_text="open")},
        height=HEIGHT if len(frame) > SHORT_ROWS else "auto",
        **look,
    )


def frame_of(table: PageTable, rows: Sequence[Any], cite: Cite) -> pd.DataFrame:
    """Return the rows of a table as people see them, without columns that no row fills."""
    frame = pd.DataFrame(table.rows(rows, cite))
    return frame.dropna(axis="columns", how="all")


def show_chart(chart: Chart | None, key: str, subject: str = "") -> None:
    """Draw a chart with its caption; nothing where there is none.

    A chart of a set width takes the width of the page; one of set steps scrolls where it is wider.
    """
    if chart is None:
        return
    text = {"color": colors()["ink"]}
    spec = {**chart.spec, "config": {**chart.spec.get("config", {}), "text": text}}
    fits, height = not isinstance(spec.get("width"), dict), spec.get("height")
    if fits:
        spec["width"] = "container"
    scrolls = not fits and isinstance(height, int)
    with st.container(height=height + MARGIN if scrolls else "content", border=False):
        width: Literal["content", "stretch"] = "stretch" if fits else "content"
        st.vega_lite_chart(spec=spec, alt=chart.alt, key=key, width=width)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(plain(chart.caption), width="content")
        title = f"{subject}: {chart.caption}" if subject else chart.caption
        offer_project(lambda: chart_block(chart, title), key, "this chart")


def show_sources(cite: Cite) -> None:
    """Draw the numbered sources that the page cites."""
    sources = cite.citations.sources(cite.records)
    if not sources:
        st.info("Nothing is cited.")
        return
    frame = pd.DataFrame(
        {
            "No.": [source.id for source in sources],
            "Title": [source.title for source in sources],
            "Type": [source.source_type.replace("_", " ") for source in sources],
            "As of": [cite.records[record_id].told_on for record_id in cite.citations.cited],
            "Address": [source.url for source in sources],
        }
    )
    link = {"Address": st.column_config.LinkColumn("Address", width="medium")}
    draw_table(frame, "Numbered sources", csv="sources", columns=link)
