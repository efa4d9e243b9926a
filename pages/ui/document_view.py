"""Draws an answer as its report has it: what a page shows that needs no views of its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import pandas as pd
import streamlit as st

from core.briefs.records import NOTHING
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
from core.reports.markdown import grid_caption
from core.workbench import current
from pages.ui.charts import show_altair
from pages.ui.citing import addresses, cited
from pages.ui.plain import file_stem, plain
from pages.ui.result_parts import show_figures, show_tabs, show_warnings
from pages.ui.tables import SHORT_ROWS, draw_table

SOURCES = "Numbered sources"
"""Stands for the numbered sources among the headings of a report."""
HEIGHT = 520
_KEPT = "document"
Part = str | Callable[[RunRecord, Any], None]


def show_document(run: RunRecord, data: object) -> None:
    """Draw the report of a run: warnings, key figures, texts, grids, charts, sources.

    Args:
        run: The run.
        data: Its result.
    """
    document = _compose(run, data)
    show_warnings(document.warnings)
    _draw_all(document.blocks, _links(document))


def show_result(run: RunRecord, data: object, tabs: Mapping[str, Sequence[Part]]) -> None:
    """Draw a result: what its report opens with, then tabs.

    Args:
        run: The run.
        data: Its result.
        tabs: By name, the page's own views, and headings of the report whose blocks are drawn.
    """
    document = _compose(run, data)
    links, sections = _links(document), _split(document)
    first = next(name for name in sections if name)
    st.subheader(plain(document.title.partition(": ")[2]), anchor=False)
    _draw_all(sections[""], links)
    show_warnings(document.warnings)
    with st.container(border=True):
        _draw_all(sections[first], links)

    def draw(parts: Sequence[Part]) -> None:
        for part in parts:
            if not isinstance(part, str):
                part(run, data)
            elif part in sections:
                _draw_all(sections[part], links)
            elif len(parts) == 1:
                st.info(NOTHING)

    show_tabs({name: lambda *_, own=parts: draw(own) for name, parts in tabs.items()}, run, data)


def _compose(run: RunRecord, data: object) -> Document:
    """Return the report of a run; that of the run shown last is kept, since drawing takes time."""
    kept: tuple[str, Document] | None = st.session_state.get(_KEPT)
    if kept is None or kept[0] != run.run_uuid:
        kept = st.session_state[_KEPT] = (run.run_uuid, _write(run, data))
    return kept[1]


def _write(run: RunRecord, data: object) -> Document:
    agent, workbench = all_agents()[run.agent], current()
    parts = [one for one in run.artifacts if one.kind == "table"]
    tables = StoredTables({one.name: str(workbench.stores.blobs.path(one.sha256)) for one in parts})
    return agent.load_report()(data, tables, describe_run(run, agent, workbench))


def _links(document: Document) -> dict[str, str]:
    """Return the addresses to which the numbers in the texts lead."""
    lists = [one.sources for one in document.blocks if isinstance(one, Sources)]
    return addresses(source for listed in lists for source in listed)


def _split(document: Document) -> dict[str, list[Block]]:
    """Return the blocks below each heading; below "" those before the first."""
    sections: dict[str, list[Block]] = {"": []}
    name = ""
    for block in document.blocks:
        if isinstance(block, Heading) and block.level == 1:
            name = block.text
            sections.setdefault(name, [])
        else:
            place = SOURCES if isinstance(block, Sources) else name
            sections.setdefault(place, []).append(block)
    return sections


def _draw_all(blocks: Iterable[Block], links: Mapping[str, str]) -> None:
    for block in blocks:
        _draw(block, links)


def _draw(block: Block, links: Mapping[str, str]) -> None:
    match block:
        case Heading(text, level):
            st.markdown(f"{'###' if level == 1 else '#####'} {plain(text)}")
        case Paragraph(text):
            st.markdown(_text(text, links))
        case Bullets(items):
            st.markdown("\n".join(f"- {_text(one, links)}" for one in items))
        case KeyFigures(figures, notes):
            told = zip_longest(figures, notes, fillvalue="")
            show_figures((label, value, note) for (label, value), note in told)
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
    st.markdown(f"**{plain(grid_caption(grid))}**")
    height = HEIGHT if len(frame) > SHORT_ROWS else "auto"
    draw_table(frame, grid.caption, csv=file_stem(grid.caption), height=height)


def _draw_sources(sources: tuple[Any, ...]) -> None:
    columns = ["id", "title", "source_type", "url"]
    frame = pd.DataFrame([vars(one) for one in sources], columns=columns)
    if frame.empty:
        st.info("Nothing is cited.")
        return
    link = {"url": st.column_config.LinkColumn("address", width="medium")}
    draw_table(frame, "Numbered sources", csv="sources", columns=link)
