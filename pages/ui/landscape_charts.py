"""The density map and the timeline of readouts."""

import pandas as pd
import plotly.graph_objects as go

from core.agents.competitive_landscaping.charts import density_rows
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.records.stages import phase_words
from core.vocabulary.stages import PHASE_BANDS
from pages.ui.look import colors, group_colors, is_dark

LONGEST_LABEL = 34
_LIGHT_SCALE = [[0, "#E3F1F0"], [1, "#0B6E6E"]]
_DARK_SCALE = [[0, "#173536"], [1, "#4DBDB8"]]


def density_map(data: CompetitiveLandscapingData) -> tuple[go.Figure, pd.DataFrame] | None:
    """Return the map of drugs by indication and phase, with its rows."""
    frame = pd.DataFrame(density_rows(data))
    if frame.empty:
        return None
    bands = list(PHASE_BANDS[::-1])
    order = list(dict.fromkeys(frame["indication"]))[::-1]
    grid = frame.pivot_table(index="indication", columns="phase", values="drugs", aggfunc="sum")
    grid = grid.reindex(index=order, columns=bands)
    names = frame.set_index(["indication", "phase"])["names"]
    texts = [[names.get((row, band), "") for band in bands] for row in order]
    figure = go.Figure(
        go.Heatmap(
            z=grid.to_numpy(),
            x=bands,
            y=[_short(row) for row in order],
            customdata=texts,
            texttemplate="%{z:.0f}",
            hovertemplate="%{y}, %{x}<br>%{z:.0f} drugs: %{customdata}<extra></extra>",
            colorscale=_DARK_SCALE if is_dark() else _LIGHT_SCALE,
            showscale=False,
            zmin=0,
            zmax=max(4, int(frame["drugs"].max())),
            xgap=2,
            ygap=2,
        )
    )
    figure.update_xaxes(side="top", showgrid=False)
    figure.update_yaxes(showgrid=False, automargin=True)
    return figure, frame


def _short(text: str) -> str:
    """Return a label that fits, in which Plotly finds no markup."""
    cut = text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1].rstrip() + "…"
    return cut.replace("<", "‹").replace(">", "›")


def timeline(data: CompetitiveLandscapingData) -> tuple[go.Figure, pd.DataFrame] | None:
    """Return the readouts ahead over time, with their rows."""
    frame = pd.DataFrame([one.model_dump(exclude={"source_ids"}) for one in data.events])
    if frame.empty:
        return None
    frame["day"] = pd.to_datetime(frame["expected_on"].map(_day))
    frame["phase"] = frame["phase"].map(lambda one: phase_words(one) or "phase not given")
    figure = go.Figure()
    for number, (phase, part) in enumerate(frame.groupby("phase", sort=True)):
        figure.add_scatter(
            x=part["day"],
            y=[_short(name) for name in part["drug_name"]],
            mode="markers",
            name=str(phase),
            marker={"size": 12, "color": group_colors()[number % len(group_colors())]},
            customdata=part[["trial_id", "indication"]].map(_short).to_numpy(),
            hovertemplate="%{y}<br>%{customdata[0]}: %{customdata[1]}<br>%{x|%Y-%m-%d}"
            "<extra></extra>",
        )
    figure.update_xaxes(showgrid=True, gridcolor=colors()["no call"], griddash="dot")
    figure.update_yaxes(automargin=True, autorange="reversed")
    return figure, frame.drop(columns=["day"])


def _day(said: str) -> str:
    """Return a date with a day: the middle of a month that is told without one."""
    parts = said.split("-")
    return "-".join([*parts, *["06", "15"][len(parts) - 1 :]][:3])
