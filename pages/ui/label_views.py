"""Label strategy: the claim part by part, uses side by side, shares with their labels."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.agents.label_strategy.columns import FREQUENCIES, MARKS
from core.agents.label_strategy.records import ClaimRow, ComparedUse, FrequencyRow
from core.agents.label_strategy.report import COMPARED, LEGEND, MATRIX, SHARES
from core.agents.label_strategy.schema import LabelStrategyData
from core.briefs.columns import show_rows
from core.records.runs import RunRecord
from core.reports.document import Grid
from core.reports.evidence_parts import marks
from pages.ui.badges import show_badge
from pages.ui.citing import addresses, cited
from pages.ui.composing import compose_document
from pages.ui.document_view import draw_section, split
from pages.ui.downloads import offer_csv, run_stem
from pages.ui.drug_rows import open_drawer, pick_row
from pages.ui.plain import file_stem, plain

HAVE_COLORS = {"yes": "green", "partial": "orange", "no": "red", "unknown": "gray"}
FEWEST, MOST = 3, 4
"""Uses that stand side by side at first, and at most."""
NARROW = ("class_name", "measure", "term", "share", "n_with", "n_labels")
LIST = ", "
CITED, DOT = "Sources", " \u00b7 "
"""Column of numbers of sources, and what stands between the cells of a row."""


def as_list(heading: str) -> Callable[[RunRecord, Any], None]:
    """Return what draws a section whose tables have whole sentences, row by row.

    Args:
        heading: Of the section.
    """

    def show(run: RunRecord, data: LabelStrategyData) -> None:
        blocks = split(compose_document(run, data)).get(heading, [])
        tables = [block for block in blocks if isinstance(block, Grid)]
        texts = [block for block in blocks if not isinstance(block, Grid)]
        if not blocks:
            return
        links = addresses(data.sources)
        draw_section(heading, texts, links)
        for table in tables:
            st.markdown(f"**{plain(table.caption)}**")
            st.markdown("\n".join(f"- {_row(table.columns, row, links)}" for row in table.rows))
            frame = pd.DataFrame(list(table.rows), columns=list(table.columns))
            name = file_stem(table.caption)
            offer_csv(frame, name, key=f"csv-table:{name}", label="CSV of this table")

    return show


def _row(
    columns: Sequence[str], cells: Sequence[str | float | int | None], links: Mapping[str, str]
) -> str:
    """Return a row of a table as a line: its first cell, then the others by name."""
    reported = [
        (name, str(cell)) for name, cell in zip(columns, cells, strict=True) if cell is not None
    ]
    further = [
        cited(text, links) if name == CITED else f"{name}: {cited(text, links)}"
        for name, text in reported[1:]
        if text
    ]
    return DOT.join((f"**{plain(reported[0][1])}**", *further))


def show_cards(rows: Sequence[ClaimRow], links: Mapping[str, str]) -> None:
    """Draw each part of the claim as a card: proposed, required, at hand, lacking, how to close."""
    st.subheader(MATRIX, anchor=False)
    for pair in [rows[index : index + 2] for index in range(0, len(rows), 2)]:
        for column, row in zip(st.columns(2), pair, strict=False):
            with column, st.container(border=True):
                _draw_part(row, links)


def _draw_part(row: ClaimRow, links: Mapping[str, str]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{row.claim_element.capitalize()}: {plain(row.proposed)}**")
        show_badge(f"evidence: {row.have}", HAVE_COLORS[row.have])
    rows_shown = {
        "Required": f"{row.required_evidence} {marks(row.source_ids)}",
        "Gap": row.gap,
        "To close it": row.how_to_close,
        "Precedent": row.precedent_figure or "",
        "Own": row.own_figure or "",
    }
    for name, text in rows_shown.items():
        if text:
            st.markdown(f"**{name}:** {cited(text, links)}")


def show_uses(run: RunRecord, data: LabelStrategyData) -> None:
    """Draw chosen uses beside the draft, each difference marked."""
    uses = data.competitor_label_comparison
    if not uses:
        return
    st.subheader("Side by side with the draft", anchor=False)
    names = [_name(index, use) for index, use in enumerate(uses)]
    picked = st.multiselect(
        "Compare uses with the draft",
        range(len(uses)),
        default=range(min(FEWEST, len(uses))),
        format_func=names.__getitem__,
        max_selections=MOST,
        key=f"uses:{run.run_uuid}",
    )
    links = addresses(data.sources)
    shown = {names[index]: _side(uses[index]) for index in picked}
    table = pd.DataFrame({"Draft": _draft(data), **shown}).fillna("–")
    st.table(table, border="horizontal", alt=COMPARED)
    st.caption(LEGEND)
    for index in picked:
        text = f"{uses[index].indication_summary} {marks(uses[index].source_ids)}"
        st.markdown(f"**{names[index]}:** {cited(text, links)}")


def _name(index: int, use: ComparedUse) -> str:
    return f"{index + 1}. {plain(use.asset)} ({use.match_score})"


def _draft(data: LabelStrategyData) -> dict[str, str]:
    """Return the parts of the draft by the sections of the comparison."""
    slots = data.proposed_indication_language.slots
    return {plain(slot.slot): plain(slot.value) or "not restricted" for slot in slots}


def _side(use: ComparedUse) -> dict[str, str]:
    """Return a use by section, with what is narrower or broader marked."""
    rows_shown = {
        plain(difference.section): f"{MARKS[difference.kind]} {plain(difference.text)}"
        for difference in use.differences
    }
    beside = {
        "approval": use.approval_type,
        "endpoint": use.endpoint_class or "",
        "effect": use.effect or "",
        "limitation of use": use.limitation_of_use or "",
        "boxed warning": LIST.join(use.boxed_terms),
        "label of": use.version_on or "",
    }
    return rows_shown | {name: plain(value) for name, value in beside.items() if value}


def show_shares(run: RunRecord, data: LabelStrategyData) -> None:
    """Draw the shares; a picked one opens the labels that it follows from."""
    rows = data.frequencies
    if not rows:
        return
    st.subheader(SHARES, anchor=False)
    frame = pd.DataFrame(show_rows(FREQUENCIES, NARROW, rows))
    wide = {"Class": st.column_config.TextColumn(width="medium")}
    index = pick_row(frame, wide, "shares", "Each share with the labels that it follows from")
    table = pd.DataFrame(
        show_rows(FREQUENCIES, [frequency.name for frequency in FREQUENCIES], rows)
    )
    offer_csv(table, f"{run_stem(run)}_shares", key="csv:shares", total=len(rows))
    st.caption("Pick a share to see the labels with it and those without.")
    if index is not None:
        row = rows[index]
        open_drawer(f"{row.term}, {row.class_name}", partial(_draw_share, row, data))


def _draw_share(row: FrequencyRow, data: LabelStrategyData) -> None:
    share = "n too small for a share" if row.share is None else f"{row.share:.0%}"
    st.markdown(
        f"{plain(row.measure.capitalize())}: {row.n_with} of {row.n_labels} labels ({share}); of "
        f"{row.n_unknown} more no full label is available."
    )
    _draw_labels("With it", row.labels_with)
    _draw_labels("Without it", row.labels_without)
    st.markdown(cited(f"Sources: {marks(row.source_ids)}", addresses(data.sources)))


def _draw_labels(head: str, names: Sequence[str]) -> None:
    st.markdown(f"**{head} ({len(names)})**")
    st.markdown("\n".join(f"- {plain(name)}" for name in names) or "None.")
