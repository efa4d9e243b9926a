"""The plane of the compounds, whose thousands of points Plotly draws fast enough to pick from."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from core.agents.compound_map.charts import name_owners
from core.agents.compound_map.records import Compound
from core.agents.compound_map.schema import CompoundMapData
from pages.ui.look import group_colors

LONGEST_LABEL = 30


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
