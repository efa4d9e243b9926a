"""Views of a compound map: scaffolds in claims, clinical compounds drawn, series."""

import pandas as pd
import streamlit as st

from core.agents.compound_map.charts import draw_owners, draw_time
from core.agents.compound_map.columns import say_stage
from core.agents.compound_map.records import ScaffoldRow
from core.agents.compound_map.schema import CompoundMapData
from core.chemistry.drawing import draw_svg
from core.records.runs import RunRecord
from core.results import read_table
from core.workbench import current
from pages.ui.badges import show_badge
from pages.ui.charts import show_chart
from pages.ui.map_drawn import picture_url
from pages.ui.plain import plain
from pages.ui.tables import draw_table

_COLORS = {"crowded": "red", "occupied": "orange", "known drug": "orange", "not drawn": "gray"}
MOST_CARDS = 12


def show_claims(_run: RunRecord, data: CompoundMapData) -> None:
    """Draw what the claims draw, scaffold by scaffold, owners and time."""
    freedom_to_operate = data.freedom_to_operate
    if not freedom_to_operate.scaffolds:
        st.info("No scaffold is on the map.")
        return
    states = [scaffold.state for scaffold in freedom_to_operate.scaffolds]
    counts = ", ".join(f"{states.count(word)} {word}" for word in _COLORS)
    st.markdown(f"**Largest scaffolds**: {counts}")
    for start in range(0, min(len(freedom_to_operate.scaffolds), MOST_CARDS), 3):
        for column, scaffold_row in zip(
            st.columns(3), freedom_to_operate.scaffolds[start : start + 3], strict=False
        ):
            with column:
                _show_scaffold(scaffold_row)
    _show_owners(data)


def _show_scaffold(row: ScaffoldRow) -> None:
    with st.container(border=True):
        st.image(picture_url(draw_svg(row.scaffold)), width=220, alt="Structure of the scaffold")
        show_badge(row.state, color=_COLORS[row.state])
        until = f", est. until {row.last_expiry_on}" if row.last_expiry_on else ""
        st.caption(
            plain(
                f"{row.reason}. {len(row.granted)} granted, {len(row.pending)} pending, "
                f"{len(row.pct)} PCT{until}."
            )
        )


def _show_owners(data: CompoundMapData) -> None:
    """Draw owners by scaffold, and documents over time."""
    owners, documents = draw_owners(data), draw_time(data)
    if owners is not None:
        rows = pd.DataFrame([cell.model_dump() for cell in data.assignee_scaffolds])
        show_chart(owners, "owners", frame=rows)
    if documents is not None:
        rows = pd.DataFrame(
            [disclosure.model_dump(exclude={"source_ids"}) for disclosure in data.timeline]
        )
        show_chart(documents, "time", frame=rows)


def show_clinical(_run: RunRecord, data: CompoundMapData) -> None:
    """Draw the clinical compounds of the target that have a structure."""
    if not data.clinical_reference:
        st.info("No clinical compound of this target was found.")
    drawn = [row for row in data.clinical_reference if row.smiles]
    for start in range(0, len(drawn), 4):
        for column, clinical in zip(st.columns(4), drawn[start : start + 4], strict=False):
            with column, st.container(border=True):
                st.image(
                    picture_url(draw_svg(clinical.smiles)),
                    width=220,
                    alt="Structure of the compound",
                )
                nearest = clinical.nearest
                nearest_text = (
                    f"; nearest {nearest.id} at {nearest.tanimoto:.2f}" if nearest else ""
                )
                match_text = f"is {clinical.match}" if clinical.match else "no match in the sample"
                st.caption(
                    plain(
                        f"{clinical.name}, {say_stage(clinical.stage)}: {match_text}{nearest_text}"
                    )
                )


def show_series(run: RunRecord, data: CompoundMapData) -> None:
    """Draw the largest series with what varies, and matched pairs."""
    if not data.series:
        st.info("No scaffold has three or more compounds.")
        return
    table = read_table(run, "r_groups", current())
    names = [series.id for series in data.series]
    chosen = st.segmented_control("Series", names, default=names[0], key="series")
    series = next((each for each in data.series if each.id == chosen), data.series[0])
    left, right = st.columns([1, 2])
    with left:
        core = picture_url(draw_svg(series.core, (320, 240)))
        st.image(core, width=320, alt=f"Core of series {series.id}")
        st.caption(
            plain(
                f"{series.n_members} members, {series.n_decomposed} in the table. {series.message}"
            )
        )
    with right:
        rows = table[table["series"] == series.id]
        wide = rows.pivot_table(
            index="compound_id", columns="position", values="group", aggfunc="first", sort=False
        )
        draw_table(
            wide.reset_index(),
            "Groups of the series by compound and position",
            csv=f"{series.id}_groups",
        )
    st.markdown("**Matched pairs**: compounds that differ in one group alone")
    pairs = read_table(run, "matched_pairs", current())
    draw_table(pairs, "Matched pairs", csv="matched-pairs", height=320)
