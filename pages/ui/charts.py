"""Charts with name, caption and data: none is shown without all three."""

import altair as alt
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.typing import PlotlyState

from pages.ui.downloads import offer_csv
from pages.ui.plain import plain

HEIGHT = 430


def show_altair(
    chart: alt.Chart | alt.LayerChart | alt.VConcatChart,
    frame: pd.DataFrame,
    *,
    name: str,
    caption: str,
    describe: str,
) -> None:
    """Draw an Altair chart with its caption and its data as CSV.

    Args:
        chart: Built on `frame`.
        frame: What is drawn, one row a mark.
        name: File name of the CSV and key.
        caption: What the reader sees and what to look for.
        describe: The same for readers who do not see it.
    """
    st.altair_chart(chart, alt=describe, key=f"chart:{name}")
    st.caption(caption)
    offer_csv(frame, name, key=f"csv:{name}")


def show_plotly(
    figure: go.Figure, frame: pd.DataFrame, *, name: str, caption: str, describe: str
) -> list[str]:
    """Draw a Plotly chart whose points can be picked.

    Args:
        figure: Each point's `customdata` begins with its identifier.
        frame: What is drawn, one row a point.
        name: File name of the CSV and key.
        caption: What the reader sees and what to look for.
        describe: The same for readers who do not see it.

    Returns:
        Identifiers of the picked points.
    """
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 56, "r": 12, "t": 12, "b": 48},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "title": None},
    )
    event: PlotlyState = st.plotly_chart(
        figure,
        key=f"chart:{name}",
        alt=describe,
        on_select="rerun",
        selection_mode=("points", "box"),
        config={"displaylogo": False, "scrollZoom": False},
    )
    st.caption(caption)
    offer_csv(frame, name, key=f"csv:{name}")
    return [
        str(point["customdata"][0]) for point in event.selection.points if "customdata" in point
    ]


def show_findings(texts: list[str]) -> None:
    """Draw sentences of a result as a list of plain text."""
    st.markdown("\n".join(f"- {plain(text)}" for text in texts))
