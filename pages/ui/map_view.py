"""Plane, grid and table of the compounds with one selection, and the filters above them."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.agents.compound_map.charts import name_owners
from core.agents.compound_map.columns import COMPOUNDS
from core.agents.compound_map.records import SURE, Compound
from core.agents.compound_map.schema import CompoundMapData
from core.briefs.columns import show_rows
from core.chemistry.similarity import Query, read_query, search
from core.errors import AgentTimeout, WorkbenchError
from core.records.runs import RunRecord
from core.reports.spreadsheet import safe_csv
from core.results import read_table
from core.workbench import current
from pages.ui.charts import show_plotly
from pages.ui.drug_rows import choose, open_drawer, pick_row
from pages.ui.look import group_colors
from pages.ui.map_drawn import show_card, show_compound
from pages.ui.plain import plain, show_count

LONGEST_LABEL = 30


def _short(text: str) -> str:
    """Return a label that fits, in which Plotly finds no markup."""
    cut = text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1].rstrip() + "…"
    return cut.replace("<", "‹").replace(">", "›")


def plane(data: CompoundMapData, compounds: Sequence[Compound]) -> tuple[go.Figure, pd.DataFrame]:
    """Return the compounds in the plane, one color an owner, claims as large dots."""
    owners = name_owners(data)
    frame = pd.DataFrame(
        [
            {
                "id": compound.id,
                "x": compound.xy[0],
                "y": compound.xy[1],
                "owner": owners[compound.id],
                "claimed": compound.claimed,
                "role": compound.role.replace("_", " "),
                "smiles": compound.smiles,
            }
            for compound in compounds
        ]
    )
    figure = go.Figure()
    names = list(dict.fromkeys(frame["owner"]))
    colors = group_colors()
    shades = {name: colors[index % len(colors)] for index, name in enumerate(names)}
    for name in names:
        subset = frame[frame["owner"] == name]
        figure.add_trace(
            go.Scattergl(
                x=subset["x"],
                y=subset["y"],
                mode="markers",
                name=_short(name),
                customdata=subset[["id", "role"]].to_numpy(),
                hovertemplate="%{customdata[0]}, %{customdata[1]}<extra></extra>",
                marker={
                    "color": shades[name],
                    "size": [9 if is_claimed else 5 for is_claimed in subset["claimed"]],
                    "opacity": [0.9 if is_claimed else 0.55 for is_claimed in subset["claimed"]],
                },
            )
        )
    figure.update_xaxes(title="first component", zeroline=False)
    figure.update_yaxes(title="second component", zeroline=False)
    return figure, frame


CARDS, COLUMNS = 12, 4
VIEW = (
    *("id", "role", "confidence_score", "extraction_method", "claimed", "documents", "assignees"),
    *("first_disclosed_on", "molecular_weight", "clogp", "near", "smiles"),
)
SEARCH_S = 20.0


def show_map(run: RunRecord, data: CompoundMapData) -> None:
    """Draw the compounds that pass the filters: plane, grid, table, and one picked compound."""
    if not data.compounds:
        st.info("No compound was found; the warnings say what to import.")
        return
    kept_compounds = _filter(data)
    query = _draw_query(data)
    if query is not None:
        ids = _search(query, kept_compounds)
        kept_compounds = [compound for compound in kept_compounds if compound.id in ids]
    if not kept_compounds:
        st.info("No compound passes these filters. Clear one of them to see compounds again.")
        return
    figure, frame = plane(data, kept_compounds)
    picked = show_plotly(
        figure,
        frame,
        name="plane",
        caption="Compounds by likeness of their fingerprints (first two principal components); "
        "large dots are drawn in claims. Pick points to see them below.",
        describe="Compounds in two dimensions by owner",
    )
    shown = [
        compound for compound in kept_compounds if compound.id in set(picked)
    ] or kept_compounds
    _show_grid(shown, query)
    _show_table(run, data, shown)


def _filter(data: CompoundMapData) -> list[Compound]:
    """Draw the filters and return the compounds that pass; doubtful ones are hidden at first."""
    sound = [
        compound
        for compound in data.compounds
        if compound.confidence != "low" and not compound.doubts
    ]
    hidden = len(data.compounds) - len(sound)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        unsure = st.toggle(
            f"Show {show_count(hidden)} with doubts",
            value=not sound,  # a document of doubtful structures alone must not look empty
            key="unsure",
            bind="query-params",
            help="Structures with signs of error, such as heteroatoms lost to carbon, and R-group "
            f"pieces. A score of {SURE} or more means that a second witness confirms a structure.",
        )
        roles = choose(
            "Role", "role", list(dict.fromkeys(compound.role for compound in data.compounds))
        )
        owners = choose(
            "Owner",
            "owner",
            sorted({owner for compound in data.compounds for owner in compound.assignees}),
        )
        claimed = st.toggle("Only drawn in claims", key="claimed", bind="query-params")
    kept_compounds = [
        compound
        for compound in (data.compounds if unsure else sound)
        if (not roles or compound.role in roles)
        and (not owners or set(owners) & set(compound.assignees))
        and (not claimed or compound.claimed)
    ]
    st.caption(
        f"{show_count(len(kept_compounds))} of {show_count(len(data.compounds))} compounds; "
        f"{show_count(data.n_sure)} confirmed by a second witness; "
        f"{show_count(0 if unsure else hidden)} with doubts hidden."
    )
    return kept_compounds


def _draw_query(data: CompoundMapData) -> Query | None:
    """Draw the field for a structure and return what it asks for; None without one."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        text = st.text_input(
            "Substructure or likeness",
            key="structure",
            bind="query-params",
            max_chars=400,
            placeholder="SMARTS or SMILES, such as c1ccc2[nH]ncc2c1",
            help="Compounds that contain it, or are like it.",
        )
    with right:
        kind = st.segmented_control(
            "Find", ["contains", "is like"], default="contains", key="structure_kind"
        )
    if not text:
        return None
    try:
        return read_query(text, is_like=kind == "is like")
    except WorkbenchError as error:
        st.error(plain(error.message), icon=":material/error:")
        return None


def _search(query: Query, compounds: Sequence[Compound]) -> set[str]:
    """Return the ids that answer a query; searched in a child that ends after 20 seconds."""
    texts = [compound.smiles for compound in compounds]
    try:
        places = current().executor.call(search, query, texts, timeout_s=SEARCH_S)
    except AgentTimeout:
        st.error("The search took too long; ask for a smaller or more exact part.")
        return set()
    return {compounds[index].id for index in places}


def _show_grid(compounds: Sequence[Compound], query: Query | None) -> None:
    """Draw a page of the grid."""
    pages = -(-len(compounds) // CARDS)
    number = 1
    if pages > 1:
        number = int(
            st.number_input(f"Page of the grid, of {pages}", 1, pages, 1, width=180, key="grid")
        )
    pattern = query.text if query is not None and not query.is_like else ""
    page = compounds[(number - 1) * CARDS : number * CARDS]
    for start in range(0, len(page), COLUMNS):
        for column, compound in zip(
            st.columns(COLUMNS), page[start : start + COLUMNS], strict=False
        ):
            with column:
                show_card(compound, pattern)


def _show_table(run: RunRecord, data: CompoundMapData, compounds: Sequence[Compound]) -> None:
    """Draw the table; a picked row opens the compound with its proof."""
    row = pick_row(
        pd.DataFrame(show_rows(COMPOUNDS, VIEW, compounds)),
        _columns(),
        "compounds",
        "Compounds by rank",
    )
    st.caption("Pick a row to see the compound with its places and proof.")
    if row is not None:
        compound = compounds[row]
        open_drawer(compound.id, partial(show_compound, run, data, compound))


def _columns() -> dict[str, object]:
    columns = st.column_config
    return {
        "Id": columns.TextColumn(pinned=True, width=70),
        "Score": columns.ProgressColumn(min_value=0, max_value=100, format="%d", width="small"),
        "Documents": columns.TextColumn(width="medium"),
        "Owners": columns.TextColumn(width="medium"),
        "SMILES": columns.TextColumn(width="large"),
    }


def all_compounds(run: RunRecord) -> bytes:
    """Return every compound of a run as CSV."""
    return safe_csv(read_table(run, "compounds", current()))
