"""Figures of the attribution engine, drawn from the stored tables and records."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.agents.attribution_engine.chart_rows import (
    STATE_WORDS,
    as_days,
    compare_sizes,
    count_states,
    mark_events,
    mark_moves,
    pick_paths,
    trace_car,
    trace_days,
)
from core.agents.attribution_engine.records import Attribution
from core.agents.attribution_engine.schema import AttributionEngineData
from pages.ui.look import colors, is_dark

LIGHT = {
    "confirmed": "#0B6E6E",
    "read_through": "#5B5FA8",
    "partial": "#8A6D00",
    "unexplained": "#C2571A",
}
DARK = {
    "confirmed": "#4DBDB8",
    "read_through": "#A9ADF0",
    "partial": "#D8BE4A",
    "unexplained": "#F2A65A",
}
SYMBOLS = {
    "confirmed": "circle",
    "read_through": "triangle-up",
    "partial": "square",
    "unexplained": "diamond",
}
MOST_WORDS = 15  # beside their markers; more would cover each other
MOST_SHADES, MOST_PATHS = 60, 9
DOUBLING = 0.30103  # a tick at each, in powers of ten


def state_colors() -> dict[str, str]:
    """Return the colors of states; the word always stands beside them."""
    return DARK if is_dark() else LIGHT


def moves_over_time(
    data: AttributionEngineData, daily: pd.DataFrame, moves: pd.DataFrame, events: pd.DataFrame
) -> tuple[go.Figure, pd.DataFrame]:
    """Return the stock against its fitted path over the abnormal return of every day.

    Args:
        data: Its attributions give the shaded leakage rows.
        daily: The table `daily`.
        moves: The table `moves`.
        events: The table `events`.
    """
    days = trace_days(daily, data.config)
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.04, row_heights=[0.6, 0.4]
    )
    _draw_paths(figure, days)
    _draw_markers(figure, mark_moves(moves, days), mark_events(events, days))
    _draw_band(figure, days)
    _draw_bars(figure, days, data.config.min_abs_move)
    _shade(figure, data.attributions)
    figure.update_yaxes(
        title="growth of $1 (log)", type="log", dtick=DOUBLING, tickformat=".2~g", row=1, col=1
    )
    figure.update_yaxes(title="abnormal return", tickformat=".0%", row=2, col=1)
    figure.update_layout(barmode="overlay", bargap=0)
    return figure, days.drop(columns=["day"])


def _draw_paths(figure: go.Figure, days: pd.DataFrame) -> None:
    lines = {
        "stock": ("stock_path", colors()["ink"]),
        "fitted by beta": ("fitted_path", colors()["no call"]),
    }
    for name, (column, color) in lines.items():
        figure.add_trace(
            go.Scatter(
                x=days["day"],
                y=days[column],
                mode="lines",
                name=name,
                line={"width": 1.5, "color": color},
                hovertemplate="%{x|%Y-%m-%d} %{y:.1%}<extra>" + name + "</extra>",
            ),
            row=1,
            col=1,
        )


def _draw_markers(figure: go.Figure, moves: pd.DataFrame, quiet: pd.DataFrame) -> None:
    """Draw one marker a move with its state, and one an event that nothing followed."""
    has_room = len(moves) <= MOST_WORDS
    for state, color in state_colors().items():
        part = moves[moves["state"] == state]
        figure.add_trace(
            go.Scatter(
                x=part["day"],
                y=part["height"],
                mode="markers+text" if has_room else "markers",
                text=part["word"],
                textposition="top center",
                textfont={"size": 11},
                name=f"{STATE_WORDS[state]} ({len(part)})",
                customdata=part[["move_date", "car"]],
                marker={"size": 10, "color": color, "symbol": SYMBOLS[state]},
                hovertemplate="%{customdata[0]} %{customdata[1]:.1%}<extra>"
                + STATE_WORDS[state]
                + "</extra>",
            ),
            row=1,
            col=1,
        )
    figure.add_trace(
        go.Scatter(
            x=quiet["day"],
            y=quiet["height"],
            mode="markers",
            name=f"event without a move of its own ({len(quiet)})",
            marker={"size": 9, "color": colors()["no call"], "symbol": "x-thin-open"},
            hovertext=quiet["word"],
            hovertemplate="%{x|%Y-%m-%d} %{hovertext}<extra>event</extra>",
        ),
        row=1,
        col=1,
    )


def _draw_band(figure: go.Figure, days: pd.DataFrame) -> None:
    """Draw the band within which a day is not significant."""
    shown = days[days["z_limit"].notna()]
    look = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    figure.add_trace(go.Scatter(x=shown["day"], y=-shown["z_limit"], **look), row=2, col=1)
    figure.add_trace(
        go.Scatter(
            x=shown["day"],
            y=shown["z_limit"],
            mode="lines",
            line={"width": 0},
            fill="tonexty",
            fillcolor="rgba(140,150,158,0.25)",
            name="z band",
            hoverinfo="skip",
        ),
        row=2,
        col=1,
    )


def _draw_bars(figure: go.Figure, days: pd.DataFrame, floor: float) -> None:
    palette = {**state_colors(), "": colors()["no call"]}
    state = days["state"].fillna("")
    for name, color in palette.items():
        part = days[(state == name) & days["ar"].notna()]
        word = STATE_WORDS.get(name, "no move")
        figure.add_trace(
            go.Bar(
                x=part["day"],
                y=part["ar"],
                width=86_400_000 * 1.2,
                marker={"color": color, "line": {"width": 0}},
                showlegend=False,
                hovertemplate="%{x|%Y-%m-%d} %{y:.1%}<extra>" + word + "</extra>",
            ),
            row=2,
            col=1,
        )
    for level in {floor, -floor} - {0.0}:
        line = {"dash": "dot", "width": 1, "color": colors()["ink"]}
        figure.add_hline(y=level, line=line, row=2, col=1)


def _shade(figure: go.Figure, attributions: Sequence[Attribution]) -> None:
    """Shade the rows of the leakage check of every flagged move."""
    flagged = [
        attribution
        for attribution in attributions
        if attribution.leakage_flag and attribution.leakage is not None
    ]
    for one in flagged[:MOST_SHADES]:
        if one.leakage is not None:
            figure.add_vrect(
                x0=one.leakage.from_date.isoformat(),
                x1=one.leakage.to_date.isoformat(),
                fillcolor=state_colors()["partial"],
                opacity=0.25,
                line_width=0,
            )


def paths(
    attributions: Sequence[Attribution], daily: pd.DataFrame
) -> tuple[alt.FacetChart, pd.DataFrame] | None:
    """Return the cumulative abnormal return around the flagged and the largest moves."""
    picked = pick_paths(attributions, MOST_PATHS)
    if not picked:
        return None
    names = [f"{attribution.move_date} {STATE_WORDS[attribution.state]}" for attribution in picked]
    frame = pd.DataFrame(
        [
            {"move": name, **row}
            for name, one in zip(names, picked, strict=True)
            for row in trace_car(one, daily)
        ]
    )
    base = alt.Chart(frame)
    x = alt.X("rel:Q", title="trading days")
    axis = alt.Axis(format="%")
    shade = (
        base.mark_rect(color=state_colors()["partial"], opacity=0.2)
        .transform_filter("datum.leak")
        .encode(x="min(rel):Q", x2="max(rel):Q")
    )
    band = base.mark_area(color=colors()["no call"], opacity=0.25).encode(
        x=x, y="low:Q", y2="high:Q"
    )
    line = base.mark_line(color=colors()["ink"]).encode(
        x=x, y=alt.Y("car:Q", title=None, axis=axis)
    )
    chart = (
        alt.layer(shade, band, line)
        .properties(width=210, height=130)
        .facet(facet=alt.Facet("move:N", title=None, sort=names), columns=3)
        .resolve_scale(y="independent")
    )
    return chart, frame


def sizes(data: AttributionEngineData) -> tuple[alt.LayerChart, pd.DataFrame] | None:
    """Return realized over expected size of every move that has an expected one."""
    rows = compare_sizes(data.attributions)
    if not rows:
        return None
    frame = pd.DataFrame(rows)
    most = float(frame[["expected", "realized"]].max().max()) * 1.05
    words = [STATE_WORDS[state] for state in state_colors()]
    axis = alt.Axis(format="%")
    dots = (
        alt.Chart(frame, height=380)
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            x=alt.X("expected:Q", title="expected size", axis=axis),
            y=alt.Y("realized:Q", title="realized size", axis=axis),
            color=alt.Color(
                "state:N",
                title=None,
                scale=alt.Scale(domain=words, range=list(state_colors().values())),
            ),
            shape=alt.Shape(
                "state:N", title=None, scale=alt.Scale(domain=words, range=list(SYMBOLS.values()))
            ),
            tooltip=["date", "state", "expected", "realized"],
        )
    )
    return alt.layer(_draw_guides(most, data.config.partial_ratio), dots), frame


def _draw_guides(most: float, ratio: float) -> alt.Chart:
    """Draw the lines of moves as expected and of partial ones."""
    kinds = ["as expected", f"{ratio:g} times"]
    ends = {kinds[0]: most, kinds[1]: most * ratio}
    rows = [
        {"x": x, "y": y, "line": kind} for kind in kinds for x, y in ((0, 0), (most, ends[kind]))
    ]
    dashes = alt.Scale(domain=kinds, range=[[1, 0], [5, 4]])
    return (
        alt.Chart(pd.DataFrame(rows))
        .mark_line(color=colors()["no call"])
        .encode(x="x:Q", y="y:Q", strokeDash=alt.StrokeDash("line:N", title=None, scale=dashes))
    )


def states_by_stock(data: AttributionEngineData) -> tuple[alt.Chart, pd.DataFrame]:
    """Return the moves of every stock by state."""
    frame = pd.DataFrame(count_states(data.stocks))
    words = [STATE_WORDS[state] for state in state_colors()]
    chart = (
        alt.Chart(frame, height=max(120, 26 * len(data.stocks)))
        .mark_bar()
        .encode(
            x=alt.X("moves:Q", title="moves"),
            y=alt.Y("stock:N", title=None, axis=alt.Axis(labelOverlap=False)),
            color=alt.Color(
                "state:N",
                title=None,
                scale=alt.Scale(domain=words, range=list(state_colors().values())),
            ),
            tooltip=["stock", "state", "moves"],
        )
    )
    return chart, frame


def estimation(daily: pd.DataFrame) -> tuple[alt.LayerChart, pd.DataFrame]:
    """Return the residual deviation over time and the rows kept out of estimation."""
    days = as_days(daily["date"])
    frame = daily[["date", "sigma", "beta", "n_obs", "excluded"]].assign(day=days)
    line = (
        alt.Chart(frame, height=260)
        .mark_line(color=colors()["ink"])
        .encode(
            x=alt.X("day:T", title=None, axis=alt.Axis(format="%b %Y", labelOverlap=True)),
            y=alt.Y("sigma:Q", title="residual deviation a day", axis=alt.Axis(format=".1%")),
        )
    )
    ticks = (
        alt.Chart(frame[frame["excluded"].notna()])
        .mark_tick(thickness=1.5, size=12)
        .encode(
            x="day:T",
            y=alt.value(6),
            color=alt.Color("excluded:N", title="kept out"),
            tooltip=["date", "excluded"],
        )
    )
    return alt.layer(line, ticks), frame.drop(columns="day")
