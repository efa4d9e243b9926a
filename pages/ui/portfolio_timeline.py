"""The next events of a company's drugs over time."""

import pandas as pd
import plotly.graph_objects as go

from core.agents.company_asset_searcher.columns import ASSETS, EVENT_VIEW
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherData
from core.briefs.columns import show_rows
from core.records.runs import RunRecord
from pages.ui.charts import show_plotly
from pages.ui.look import group_colors

_FEW = 20


def show_timeline(_run: RunRecord, data: CompanyAssetSearcherData) -> None:
    """Draw the dated next events by time and weight; nothing where there is none."""
    ahead = [one for one in data.drugs if one.next_catalyst.weight_score > 0]
    dated = [one for one in ahead if one.next_catalyst.date != "TBD"]
    if not dated:
        return
    frame = pd.DataFrame(show_rows(ASSETS, ("name", "phase", *EVENT_VIEW), dated))
    show_plotly(
        _timeline(frame),
        frame,
        name="next-events",
        caption="Data that active trials may give: registered primary completion plus the "
        "months that a trial of its phase takes to report; the larger, the weightier.",
        describe="Next event of each drug by month",
    )


def _timeline(frame: pd.DataFrame) -> go.Figure:
    """Return one dot an event, by month and drug."""
    shown = frame.sort_values(["When", "Drug"]).head(_FEW)
    figure = go.Figure(
        go.Scatter(
            x=shown["When"],
            y=shown["Drug"],
            mode="markers",
            customdata=shown[["Drug", "Next event", "Weight"]],
            marker={"size": 8 + shown["Weight"] / 6, "color": group_colors()[0], "opacity": 0.85},
            hovertemplate="%{customdata[1]}<br>%{x}, weight %{customdata[2]}<extra></extra>",
        )
    )
    figure.update_xaxes(type="date", tickformat="%b %Y")
    figure.update_yaxes(autorange="reversed", automargin=True)
    return figure
