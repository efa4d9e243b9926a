"""Figures of differential expression, drawn from the stored tables and quality records."""

from itertools import cycle

import altair as alt
import pandas as pd
import plotly.graph_objects as go

from core.agents.differential_expression.gene_plots import CALL_COLORS, NOT_SIGNIFICANT, GenePlot
from core.agents.differential_expression.quality_records import SampleQc
from pages.ui.look import colors, group_colors

MOST_LABELS = 24
AT_FLOOR = 1e-6
"""Dispersions at the estimation's lower limit; a log axis down to them would hide the rest."""


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


def principal_components(
    quality: SampleQc, groups: list[str], column: str | None = None
) -> tuple[go.Figure, pd.DataFrame]:
    """Return the samples on their first two principal components.

    Args:
        quality: Quality of the samples.
        groups: The groups, reference first: each keeps its color in every figure.
        column: Metadata column to color by; None colors by group.
    """
    frame = pd.DataFrame([point.model_dump() for point in quality.pca.points])
    figure, named = go.Figure(), len(frame) <= MOST_LABELS
    chosen = next(
        (grouping for grouping in quality.sample_groupings if grouping.column == column), None
    )
    if chosen is not None and chosen.is_numeric:
        frame["shown"] = [float(value) for value in chosen.values]
        scale = {"color": frame["shown"], "colorscale": "Viridis", "showscale": True}
        figure.add_trace(_samples(frame, chosen.column, scale, named=named))
    else:
        frame["shown"] = frame["group"] if chosen is None else chosen.values
        levels = groups if chosen is None else sorted(set(chosen.values))
        for level, color in zip(levels, cycle(group_colors())):
            part = frame[frame["shown"] == level]
            figure.add_trace(_samples(part, level, {"color": color}, named=named))
    shares = [*quality.pca.variance_share, 0.0, 0.0]
    figure.update_xaxes(title=f"PC1 ({shares[0]:.0%} of the variance)")
    figure.update_yaxes(title=f"PC2 ({shares[1]:.0%} of the variance)")
    return figure, frame.rename(columns={"shown": column or "shown"})


def _samples(
    part: pd.DataFrame, name: str, marker: dict[str, object], *, named: bool
) -> go.Scatter:
    return go.Scatter(
        x=part["pc1"],
        y=part["pc2"],
        mode="markers+text" if named else "markers",
        text=part["sample_id"],
        textposition="top center",
        name=name,
        customdata=part[["sample_id", "group", "shown"]],
        marker={"size": 11, **marker},
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}, %{customdata[2]}<br>"
        "%{x:.2f}, %{y:.2f}<extra></extra>",
    )


def distances(quality: SampleQc) -> tuple[alt.Chart, pd.DataFrame] | None:
    """Return the heat map of distances between samples, if there is one."""
    sample_distances = quality.sample_distances
    if sample_distances is None:
        return None
    frame = pd.DataFrame(
        [
            {"sample": a, "other sample": b, "distance": value}
            for a, row in zip(sample_distances.sample_ids, sample_distances.matrix, strict=True)
            for b, value in zip(sample_distances.sample_ids, row, strict=True)
        ]
    )
    axis = alt.Axis(labelOverlap=False, labelFlush=False, labelLimit=140, title=None)
    chart = (
        alt.Chart(frame, height=min(760, 130 + 26 * len(sample_distances.sample_ids)))
        .mark_rect()
        .encode(
            x=alt.X("sample:N", sort=sample_distances.sample_ids, axis=axis),
            y=alt.Y("other sample:N", sort=sample_distances.sample_ids, axis=axis),
            color=alt.Color("distance:Q", scale=alt.Scale(scheme="tealblues", reverse=True)),
            tooltip=["sample", "other sample", alt.Tooltip("distance:Q", format=".2f")],
        )
    )
    return chart, frame


def library_sizes(quality: SampleQc, groups: list[str]) -> tuple[alt.Chart, pd.DataFrame]:
    """Return the depth of each sample, colored by group, with its factors in the table."""
    frame = pd.DataFrame([size.model_dump() for size in quality.library_sizes])
    frame["size_factor"] = frame["sample_id"].map(quality.size_factors)
    frame["tmm_factor"] = frame["sample_id"].map(quality.tmm_factors)
    axis = alt.Axis(labelOverlap=False, labelFlush=False, labelLimit=160, title=None)
    chart = (
        alt.Chart(frame, height=min(900, 120 + 26 * len(frame)))
        .mark_bar()
        .encode(
            x=alt.X("library_size:Q", title="reads counted", axis=alt.Axis(format="~s")),
            y=alt.Y("sample_id:N", sort=None, axis=axis),
            color=alt.Color("group:N", title=None, sort=groups, legend=alt.Legend(orient="top")),
            tooltip=["sample_id", "group", "library_size", "n_genes_detected"],
        )
    )
    return chart, frame


def p_histogram(quality: SampleQc) -> tuple[alt.Chart, pd.DataFrame]:
    """Return the histogram of p values, one outline a method."""
    frame = pd.DataFrame([part.model_dump() for part in quality.pvalue_histogram])
    middles = frame.assign(p=(frame["bin_start"] + frame["bin_end"]) / 2)
    chart = (
        alt.Chart(middles, height=320)
        .mark_line(interpolate="step", strokeWidth=2)
        .encode(
            x=alt.X("p:Q", title="p value", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("n_genes:Q", title="genes in each of 20 bins"),
            color=alt.Color("method:N", title=None, legend=alt.Legend(orient="top")),
            tooltip=["method", "bin_start", "bin_end", "n_genes"],
        )
    )
    return chart, frame


def spread_trend(quality: SampleQc, method: str) -> tuple[alt.LayerChart, pd.DataFrame] | None:
    """Return a method's mean-spread trend: one point a gene and the fitted curve."""
    found = [trend for trend in quality.dispersion_trend if trend.method == method]
    if not found:
        return None
    frame = pd.DataFrame([point.model_dump() for point in found[0].points])
    log = alt.Scale(type="log") if method == "DESeq2" else alt.Scale(zero=False)
    shown = frame[(frame["raw"] > AT_FLOOR) & (frame["x"] > 0)] if method == "DESeq2" else frame
    names = ("mean normalized count", "dispersion")
    if method != "DESeq2":
        names = ("mean log2 count", "root standard deviation")
    few = alt.Axis(tickCount=6)
    x = alt.X("x:Q", title=names[0], scale=log, axis=few)
    base = alt.Chart(shown, height=340)
    dots = base.mark_circle(size=9, opacity=0.35, color=colors()["no call"]).encode(
        x=x, y=alt.Y("raw:Q", title=names[1], scale=log, axis=few)
    )
    line = base.mark_line(color=colors()["higher"], strokeWidth=2.5).encode(
        x=x, y=alt.Y("curve:Q", scale=log)
    )
    return alt.layer(dots, line), frame


def strip(frame: pd.DataFrame, groups: list[str]) -> alt.Chart:
    """Return one gene's normalized counts by group, a dot a sample."""
    color = alt.Color(
        "group:N", sort=groups, legend=None, scale=alt.Scale(range=list(group_colors()))
    )
    return (
        alt.Chart(frame.assign(count=frame["normalized count"] + 1), height=300)
        .transform_calculate(jitter="random() - 0.5")
        .mark_circle(size=70, opacity=0.8)
        .encode(
            x=alt.X("group:N", sort=groups, title=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("jitter:Q", scale=alt.Scale(domain=[-1, 1])),
            y=alt.Y(
                "count:Q",
                title="normalized count + 1",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(tickCount=4),
            ),
            color=color,
            tooltip=["sample", "group", "normalized count"],
        )
    )
