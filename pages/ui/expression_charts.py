"""Gene plots of thousands of points, which Plotly draws fast enough to be picked from."""

import plotly.graph_objects as go

from core.agents.differential_expression.gene_plots import CALL_COLORS, NOT_SIGNIFICANT, GenePlot
from pages.ui.look import colors


def volcano(plot: GenePlot) -> go.Figure:
    """Return the volcano: log2 fold change against -log10 p, the strongest genes named."""
    figure = _scatter(plot)
    for cutoff in plot.lines:
        figure.add_vline(x=cutoff, line={"dash": "dot", "width": 1, "color": colors()["no call"]})
    figure.add_trace(
        go.Scatter(
            x=plot.names["x"],
            y=plot.names["y"],
            text=plot.names["label"],
            mode="text",
            textposition="top center",
            textfont={"size": 11, "color": colors()["ink"]},
            showlegend=False,
            hoverinfo="skip",
            customdata=plot.names[["gene_id"]],
        )
    )
    return figure


def mean_difference(plot: GenePlot) -> go.Figure:
    """Return the MA plot: mean normalized count against log2 fold change."""
    figure = _scatter(plot)
    figure.update_xaxes(type="log", dtick=1)
    figure.add_hline(y=0, line={"width": 1, "color": colors()["no call"]})
    return figure


def _scatter(plot: GenePlot) -> go.Figure:
    figure = go.Figure()
    # A template acts on braces and markup, so the groups' names in the titles stay out of it.
    measures = [title.partition(" (")[0] for title in (plot.x_title, plot.y_title)]
    for call in CALL_COLORS:
        is_quiet = call == NOT_SIGNIFICANT
        points = plot.points[plot.points["call"] == call]
        figure.add_trace(
            go.Scattergl(
                x=points["x"],
                y=points["y"],
                mode="markers",
                name=plot.legend[call],
                customdata=points[["gene_id"]],
                marker={
                    "color": colors()["no call" if is_quiet else call],
                    "size": 4 if is_quiet else 5,
                    "opacity": 0.7,
                },
                hovertemplate=f"%{{customdata[0]}}<br>{measures[0]} %{{x:.3g}}<br>{measures[1]} "
                "%{y:.3g}<extra></extra>",
            )
        )
    figure.update_xaxes(title=plot.x_title)
    figure.update_yaxes(title=plot.y_title)
    return figure
