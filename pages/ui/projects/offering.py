"""Adds what a page shows to a project: an answer, a table, a chart, or a card of an entity page."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from core.errors import WorkbenchError
from core.evidence.proof.citations import Cite
from core.records.projects import (
    LONGEST_TITLE,
    MOST_ROWS,
    BlockContent,
    BlockKind,
    FrozenSource,
    FrozenTable,
    ProjectLine,
)
from core.reports.document import Chart
from core.reports.projects import freeze_chart, freeze_rows
from core.workbench import current
from pages.ui.plain import plain, show_number, show_time
from pages.ui.session import signed_in_caller

NEW = "New project"
LONGEST_NAME = 120


def offer_project(make: Callable[[], BlockContent], key: str, noun: str = "this") -> None:
    """Draw the button that adds a block to a project.

    Args:
        make: Returns the block; called when the button is pressed.
        key: Tells this place of the page from another.
        noun: What is added, for readers who do not see the page.
    """
    with st.popover(
        "Add to project", icon=":material/library_add:", key=f"project:{key}", help=f"Adds {noun}"
    ):
        caller = signed_in_caller()
        store = current().stores.projects
        editable = {
            project.project_id: project
            for project in store.of(caller.user_id)
            if project.role != "reader"
        }
        choice = st.selectbox(
            "Project",
            [*editable, None],
            format_func=lambda project_id: (
                plain(_label(editable[project_id])) if project_id else NEW
            ),
            key=f"project-of:{key}",
        )
        name = ""
        if choice is None:
            name = st.text_input("Project name", max_chars=LONGEST_NAME, key=f"project-name:{key}")
        if not st.button("Add block", key=f"project-add:{key}", type="primary"):
            return
        try:
            content = make()
            target = editable[choice] if choice else store.make(caller.user_id, name)
            store.add(caller.user_id, target.project_id, content)
        except WorkbenchError as error:
            st.error(plain(error.message))
            return
        except ValidationError as error:
            st.error(plain(f"Too large for a block of a project: {error.errors()[0]['msg']}."))
            return
        st.success(plain(f"Added to “{target.name}”."))
        st.page_link(
            "projects.py",
            label="Open the project",
            icon=":material/arrow_forward:",
            query_params={"id": str(target.project_id)},
        )


def _label(line: ProjectLine) -> str:
    """Tell projects of the same name apart."""
    return f"{line.name} · {show_number(line.n_blocks, 'block')} · {show_time(line.updated_at)}"


def table_block(frame: pd.DataFrame, title: str, caption: str) -> BlockContent:
    """Return a table as people see it now, as a block."""
    return BlockContent(kind="table", title=_title(title), tables=(frozen(frame, caption),))


def chart_block(chart: Chart, title: str) -> BlockContent:
    """Return a chart with its data as a block."""
    return BlockContent(kind="chart", title=_title(title), chart=freeze_chart(chart))


def card_block(
    title: str,
    sentences: Sequence[str],
    cite: Cite,
    chart: Chart | None,
    tables: Sequence[FrozenTable],
    kind: BlockKind = "asset",
) -> BlockContent:
    """Return what an entity page says at its top as a block.

    Args:
        title: Name of the drug, company or field.
        sentences: With marks of citations.
        cite: Knows the sources of the marks.
        chart: Its chart.
        tables: Its tables; empty ones are dropped.
        kind: Kind of the block.
    """
    sources = tuple(
        FrozenSource(
            id=source.id,
            title=source.title,
            url=source.url,
            source_type=source.source_type,
            date=cite.records[record_id].told_on,
        )
        for source, record_id in zip(
            cite.citations.sources(cite.records), cite.citations.cited, strict=True
        )
        if any(f"[{source.id}]" in text for text in sentences)
    )
    return BlockContent(
        kind=kind,
        title=_title(title),
        sentences=tuple(sentences),
        chart=freeze_chart(chart),
        tables=tuple(table for table in tables if table.rows),
        sources=sources,
    )


def frozen(frame: pd.DataFrame, caption: str) -> FrozenTable:
    """Return a data frame as a block keeps it, its first rows where there are too many."""
    n_rows = len(frame)
    cut = f" (first {MOST_ROWS:,} of {n_rows:,} rows)" if n_rows > MOST_ROWS else ""
    rows = frame.head(MOST_ROWS).itertuples(index=False, name=None)
    return freeze_rows(list(frame.columns), rows, f"{caption}{cut}")


def _title(text: str) -> str:
    return " ".join(text.split())[:LONGEST_TITLE] or "Untitled"
