"""The plane of the compounds, owners by scaffold, and documents over time."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from core.agents.compound_map.charts import name_owners
from core.agents.compound_map.records import Compound
from core.agents.compound_map.schema import CompoundMapData
from pages.ui.look import group_colors, is_dark

LONGEST_LABEL = 30
MOST_SCAFFOLDS = 20
_LIGHT_SCALE = [[0, "#E3F1F0"], [1, "#0B6E6E"]]
_DARK_SCALE = [[0, "#173536"], [1, "#4DBDB8"]]
_SMALLEST_DOT, _LARGEST_DOT = 8, 30


def _short(text: str) -> str:
    """Return a label that fits, in which Plotly finds no markup."""
    cut = text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1].rstrip() + "…"
    return cut.replace("<", "‹").replace(">", "›")


def _shade(names: Sequence[str]) -> dict[str, str]:
    """Return a color a name."""
    colors = group_colors()
    return {name: colors[index % len(colors)] for index, name in enumerate(names)}


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
    shades = _shade(names)
    for name in names:
        part = frame[frame["owner"] == name]
        figure.add_trace(
            go.Scattergl(
                x=part["x"],
                y=part["y"],
                mode="markers",
                name=_short(name),
                customdata=part[["id", "role"]].to_numpy(),
                hovertemplate="%{customdata[0]}, %{customdata[1]}<extra></extra>",
                marker={
                    "color": shades[name],
                    "size": [9 if one else 5 for one in part["claimed"]],
                    "opacity": [0.9 if one else 0.55 for one in part["claimed"]],
                },
            )
        )
    figure.update_xaxes(title="first component", zeroline=False)
    figure.update_yaxes(title="second component", zeroline=False)
    return figure, frame


def matrix(data: CompoundMapData) -> tuple[go.Figure, pd.DataFrame] | None:
    """Return compounds by owner and scaffold."""
    frame = pd.DataFrame([scaffold.model_dump() for scaffold in data.assignee_scaffolds])
    if frame.empty:
        return None
    order = list(dict.fromkeys(frame["scaffold"]))[:MOST_SCAFFOLDS]
    frame = frame[frame["scaffold"].isin(order)]
    grid = frame.pivot_table(
        index="assignee", columns="scaffold", values="n_compounds", aggfunc="sum"
    ).reindex(columns=order)
    figure = go.Figure(
        go.Heatmap(
            z=grid.to_numpy(),
            x=[f"S{place}" for place in range(1, len(order) + 1)],
            y=[_short(name) for name in grid.index],
            customdata=[order] * len(grid),
            texttemplate="%{z:.0f}",
            hovertemplate="%{y}: %{z:.0f} compounds<br>%{customdata}<extra></extra>",
            colorscale=_DARK_SCALE if is_dark() else _LIGHT_SCALE,
            showscale=False,
            xgap=2,
            ygap=2,
        )
    )
    figure.update_xaxes(side="top", showgrid=False)
    figure.update_yaxes(showgrid=False, automargin=True)
    return figure, frame


def timeline(data: CompoundMapData) -> tuple[go.Figure, pd.DataFrame] | None:
    """Return the documents by priority date."""
    frame = pd.DataFrame([one.model_dump(exclude={"source_ids"}) for one in data.timeline])
    if frame.empty:
        return None
    most = max(1, int(frame["n_first"].max()))
    shades = _shade(sorted(set(frame["legal"])))
    figure = go.Figure()
    for state in sorted(set(frame["legal"])):
        part = frame[frame["legal"] == state]
        figure.add_trace(
            go.Scatter(
                x=pd.to_datetime(part["priority_on"]),
                y=part["publication_number"],
                mode="markers",
                name=state,
                customdata=part[["publication_number", "n_first", "assignee"]].to_numpy(),
                hovertemplate="%{customdata[0]}: %{customdata[1]} first<extra></extra>",
                marker={
                    "color": shades[state],
                    "size": _SMALLEST_DOT + (_LARGEST_DOT - _SMALLEST_DOT) * part["n_first"] / most,
                },
            )
        )
    figure.update_yaxes(automargin=True, autorange="reversed")
    return figure, frame
