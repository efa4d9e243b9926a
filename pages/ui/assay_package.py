"""The assays of a plan: filter by category, pick one to see why it was chosen."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.agents.assay_development.schema import AssayDevelopmentData
from core.agents.assay_development.tables import FORMATS, Line
from core.briefs.columns import show_rows
from core.records.runs import RunRecord
from pages.ui.citing import addresses, cited
from pages.ui.downloads import offer_csv, run_stem
from pages.ui.drug_rows import choose, filter_menu, open_drawer, pick_row
from pages.ui.plain import plain

VIEW = ("category", "name", "priority", "need", "stage", "readouts", "weeks")


def show_package(run: RunRecord, data: AssayDevelopmentData) -> None:
    """Draw the table of assays; a picked row opens its trace, controls and criteria."""
    lines = [(entry, assay) for entry in data.recommended_assay_package for assay in entry.formats]
    if not lines:
        st.info("No assay is planned for this request.")
        return
    shown = _filter(lines)
    frame = pd.DataFrame(show_rows(FORMATS, VIEW, shown))
    row = pick_row(
        frame,
        {
            "Assay": st.column_config.TextColumn(width="large"),
            "Weeks": st.column_config.NumberColumn(width="small"),
        },
        "assays",
        "Assays by category",
    )
    offer_csv(frame, f"{run_stem(run)}_assays", key="csv:assays", total=len(lines))
    st.caption("Pick a row to see why it was chosen, its controls and its limits.")
    if row is not None:
        open_drawer(shown[row][1].name, partial(_draw_assay, data, shown[row]))
    for paragraph in data.assay_strategy.split("\n\n"):
        st.markdown(cited(paragraph, addresses(data.sources)))


def _filter(lines: Sequence[Line]) -> list[Line]:
    with filter_menu("category", "priority"):
        names = list(dict.fromkeys(entry.category for entry, _ in lines))
        categories = choose("Category", "category", names)
        present = {assay.priority for _, assay in lines}
        levels = [level for level in ("high", "medium", "low") if level in present]
        priorities = choose("Priority", "priority", levels)
    return [
        (entry, assay)
        for entry, assay in lines
        if (not categories or entry.category in categories)
        and (not priorities or assay.priority in priorities)
    ]


def _draw_assay(data: AssayDevelopmentData, line: Line) -> None:
    """Draw one assay: principle, readouts, controls, limits, trace."""
    entry, assay = line
    links = addresses(data.sources)
    st.caption(plain(f"{entry.category}; priority {assay.priority}; {assay.weeks} weeks"))
    st.markdown(plain(assay.principle))
    _bullets("Readouts", assay.readouts)
    _bullets("Controls", assay.controls)
    limits = [x for x in data.validation_plan.parameters if x.assay == assay.name]
    marks = ["".join(f"[{n}]" for n in x.source_ids) for x in limits]
    st.markdown("**Criteria**")
    for limit, mark in zip(limits, marks, strict=True):
        text = f"{limit.parameter}: {limit.criterion} ({limit.basis}) {mark}"
        st.markdown(f"- {cited(text, links)}")
    _bullets("Why it was chosen", assay.reasoning_trace)


def _bullets(title: str, items: Sequence[str]) -> None:
    st.markdown(f"**{title}**\n" + "\n".join(f"- {plain(item)}" for item in items))
