"""Draws an answer as its report has it: what a page shows that needs no views of its own."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.execution.rendering import StoredTables
from core.exports import describe_run
from core.records.runs import RunRecord
from core.registry import all_agents
from core.reports.document import (
    Block,
    Bullets,
    Chart,
    Document,
    Grid,
    Heading,
    KeyFigures,
    Paragraph,
    Sources,
)
from core.workbench import current
from pages.ui.charts import show_altair
from pages.ui.citing import addresses, cited
from pages.ui.plain import file_stem, plain
from pages.ui.result_parts import show_warnings
from pages.ui.tables import draw_table, show_table


def show_document(run: RunRecord, data: object) -> None:
    """Draw the report of a run: warnings, key figures, texts, grids, charts, sources.

    Args:
        run: The run.
        data: Its result.
    """
    agent, workbench = all_agents()[run.agent], current()
    parts = [one for one in run.artifacts if one.kind == "table"]
    tables = StoredTables({one.name: str(workbench.stores.blobs.path(one.sha256)) for one in parts})
    draw_document(agent.load_report()(data, tables, describe_run(run, agent, workbench)))


def draw_document(document: Document) -> None:
    """Draw the blocks of a document in reading order; a number in its texts leads to its source."""
    show_warnings(document.warnings)
    lists = [one.sources for one in document.blocks if isinstance(one, Sources)]
    links = addresses(source for listed in lists for source in listed)
    for block in document.blocks:
        _draw(block, links)


def _draw(block: Block, links: Mapping[str, str]) -> None:
    match block:
        case Heading(text, level):
            st.markdown(f"{'###' if level == 1 else '#####'} {plain(text)}")
        case Paragraph(text):
            st.markdown(_text(text, links))
        case Bullets(items):
            with st.container(border=True):
                st.markdown("\n".join(f"- {_text(one, links)}" for one in items))
        case KeyFigures(figures):
            with st.grid(len(figures), min_column_width=130):
                for label, figure in figures:
                    st.metric(label, figure, border=True)
        case Grid():
            _draw_grid(block)
        case Chart():
            frame = pd.DataFrame(block.spec.get("data", {}).get("values", []))
            name = file_stem(block.caption)
            spec = dict(block.spec)
            show_altair(spec, frame, name=name, caption=block.caption, describe=block.alt)
        case Sources(sources):
            _draw_sources(sources)


def _text(text: str, links: Mapping[str, str]) -> str:
    """Return inline text; bold type is a matter of print."""
    return cited(text.replace("**", ""), links)


def _draw_grid(grid: Grid) -> None:
    frame = pd.DataFrame(list(grid.rows), columns=list(grid.columns))
    st.caption(plain(grid.caption))
    total = len(frame) if grid.total is None else grid.total
    show_table(frame, total=total, name=file_stem(grid.caption), formats={}, describe=grid.caption)


def _draw_sources(sources: tuple[Any, ...]) -> None:
    columns = ["id", "title", "source_type", "url"]
    frame = pd.DataFrame([vars(one) for one in sources], columns=columns)
    if frame.empty:
        st.info("Nothing is cited.")
        return
    link = {"url": st.column_config.LinkColumn("address", width="medium")}
    draw_table(frame, "Numbered sources", csv="sources", columns=link)
