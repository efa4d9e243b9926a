"""The main figure of the attribution engine, whose two panes zoom together and can be picked from.

It shows what `core.agents.attribution_engine.charts.draw_moves` prints, from the same rows.
"""

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.agents.attribution_engine.charts import (
    MOST_WORDS,
    STATE_COLORS,
    STATE_WORDS,
    mark_events,
    mark_moves,
    shade_leakage,
    trace_days,
)
from core.agents.attribution_engine.schema import AttributionEngineData
from pages.ui.look import colors, recolor

SYMBOLS = {
    "confirmed": "circle",
    "read_through": "triangle-up",
    "partial": "square",
    "unexplained": "diamond",
}
DOUBLING = 0.30103  # a tick at each, in powers of ten


def state_colors() -> dict[str, str]:
    """Return the colors of states; the word is always next to them."""
    return recolor({state: STATE_COLORS[state] for state in SYMBOLS})


def moves_over_time(
    data: AttributionEngineData, daily: pd.DataFrame, moves: pd.DataFrame, events: pd.DataFrame
) -> tuple[go.Figure, pd.DataFrame]:
    """Return the stock against its fitted path over the abnormal return of every day."""
    days = trace_days(daily, data.config)
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.04, row_heights=[0.6, 0.4]
    )
    _draw_paths(figure, days)
    _draw_markers(figure, mark_moves(moves, days), mark_events(events, days))
    _draw_band(figure, days)
    _draw_bars(figure, days, data.config.min_abs_move)
    for first, last in shade_leakage(data.attributions, daily):
        figure.add_vrect(
            x0=first, x1=last, fillcolor=state_colors()["partial"], opacity=0.25, line_width=0
        )
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
        group = moves[moves["state"] == state]
        figure.add_trace(
            go.Scatter(
                x=group["day"],
                y=group["height"],
                mode="markers+text" if has_room else "markers",
                text=group["word"],
                textposition="top center",
                textfont={"size": 11},
                name=f"{STATE_WORDS[state]} ({len(group)})",
                customdata=group[["move_date", "car"]],
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
        group = days[(state == name) & days["ar"].notna()]
        word = STATE_WORDS.get(name, "no move")
        figure.add_trace(
            go.Bar(
                x=group["day"],
                y=group["ar"],
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
