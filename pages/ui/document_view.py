"""Draws the blocks of a report: what a page shows that needs no views of its own."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.reports.document import (
    Block,
    Bullets,
    Chart,
    Document,
    Grid,
    Heading,
    Paragraph,
    Sources,
)
from core.reports.markdown import grid_caption
from pages.ui.charts import show_chart
from pages.ui.citing import addresses, cited
from pages.ui.plain import file_stem, plain
from pages.ui.tables import SHORT_ROWS, draw_table

SOURCES = "Numbered sources"
"""Stands for the numbered sources among the headings of a report."""
HEIGHT = 520


def links_of(document: Document) -> dict[str, str]:
    """Return the addresses to which the numbers in the texts lead."""
    lists = [block.sources for block in document.blocks if isinstance(block, Sources)]
    return addresses(source for listed in lists for source in listed)


def split(document: Document) -> dict[str, list[Block]]:
    """Return the blocks below each heading; below "" those before the first."""
    sections: dict[str, list[Block]] = {"": []}
    name = ""
    for block in document.blocks:
        if isinstance(block, Heading) and block.level == 1:
            name = block.text
            sections.setdefault(name, [])
        else:
            heading = SOURCES if isinstance(block, Sources) else name
            sections.setdefault(heading, []).append(block)
    return sections


def draw_section(
    name: str, blocks: Iterable[Block], links: Mapping[str, str], *, has_heading: bool = True
) -> None:
    """Draw the blocks below a heading of a report, with the heading.

    Args:
        name: The heading.
        blocks: What stands below it.
        links: Addresses by number of the source.
        has_heading: Whether the heading is drawn; a tab of the same name says it already.
    """
    if has_heading:
        st.subheader(plain(name), anchor=False)
    for block in blocks:
        _draw(block, links)


def _draw(block: Block, links: Mapping[str, str]) -> None:
    match block:
        case Heading(text, level):
            st.markdown(f"{'###' if level == 1 else '#####'} {plain(text)}", anchors=False)
        case Paragraph(text):
            st.markdown(_text(text, links))
        case Bullets(items):
            st.markdown("\n".join(f"- {_text(item, links)}" for item in items))
        case Grid():
            _draw_grid(block)
        case Chart():
            show_chart(block, file_stem(block.caption))
        case Sources(sources):
            _draw_sources(sources)


def _text(text: str, links: Mapping[str, str]) -> str:
    """Return inline text; bold type is a matter of print."""
    return cited(text.replace("**", ""), links)


def _draw_grid(grid: Grid) -> None:
    frame = pd.DataFrame(list(grid.rows), columns=list(grid.columns))
    st.markdown(f"**{plain(grid_caption(grid))}**")
    height = HEIGHT if len(frame) > SHORT_ROWS else "auto"
    draw_table(frame, grid.caption, csv=file_stem(grid.caption), height=height)


def _draw_sources(sources: tuple[Any, ...]) -> None:
    columns = ["id", "title", "source_type", "url"]
    frame = pd.DataFrame([vars(source) for source in sources], columns=columns)
    if frame.empty:
        st.info("Nothing is cited.")
        return
    link = {"url": st.column_config.LinkColumn("address", width="medium")}
    draw_table(frame, "Numbered sources", csv="sources", columns=link)
