"""Two to five drugs side by side."""

import re
from collections.abc import Sequence

import streamlit as st

from core.briefs.entities.profiles import DrugProfile
from core.briefs.entities.tables import DRUGS, RESULTS, SOURCE
from core.evidence.proof.citations import Cite
from core.reports.phrases import show_date
from pages.ui.entities.frame import frame_of, show_table
from pages.ui.plain import plain
from pages.ui.projects.offering import offer_project, table_block
from pages.ui.tables import draw_table

_DAY = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")
MOST = 5
LEAST = 2
MOST_PILLS = 12
"""Drugs that are offered side by side; more are offered as a list."""


def show_compare(drugs: Sequence[DrugProfile], cite: Cite) -> None:
    """Draw the drugs that are chosen side by side, with their results below.

    Args:
        drugs: Drugs to choose from.
        cite: Knows the addresses of sources.
    """
    named = {drug.name: drug for drug in drugs}
    label, default = f"Compare {LEAST} to {MOST} drugs", list(named)[: min(3, len(named))]
    if len(named) <= MOST_PILLS:
        chosen = st.pills(
            label,
            list(named),
            selection_mode="multi",
            default=default,
            key="compare",
            format_func=plain,
        )[:MOST]
    else:
        chosen = st.multiselect(
            label, list(named), default=default, max_selections=MOST, key="compare"
        )
    if len(chosen) < LEAST:
        st.info(f"Choose at least {LEAST} drugs.")
        return
    picked = [named[name] for name in chosen]
    frame = frame_of(DRUGS, picked, cite).drop(columns=[SOURCE]).set_index("Drug").T
    frame.index.name = "Field"
    shown = frame.fillna("").astype(str).map(_show_dates).reset_index()
    draw_table(shown, "Drugs side by side", csv="comparison")
    title = " vs ".join(chosen)
    offer_project(lambda: table_block(shown, title, "Side by side"), "compare", "this comparison")
    rows = [
        outcome for drug in picked for outcome in drug.asset.outcomes if outcome.kind == "efficacy"
    ]
    if not rows:
        st.caption("No efficacy result found for these drugs.")
        return
    st.caption("Cross-trial comparison: populations and designs differ.")
    for drug in picked:
        outcomes = [outcome for outcome in drug.asset.outcomes if outcome.kind == "efficacy"]
        if outcomes:
            st.markdown(f"**{plain(drug.name)}**")
            show_table(RESULTS, outcomes, cite, f"results-{drug.name}", f"Results of {drug.name}")


def _show_dates(text: str) -> str:
    return _DAY.sub(lambda match: show_date(match.group()), text)
