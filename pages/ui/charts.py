"""Charts with name, caption and data: none is shown without all three.

Whatever names a chart holds, it is drawn as text: captions are plain, and Plotly, which reads
some HTML in every label, gets no angle bracket.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.typing import PlotlyState

from core.reports.document import Chart
from pages.ui.downloads import offer_csv
from pages.ui.look import colors, group_colors, recolor
from pages.ui.plain import plain

HEIGHT = 430
_WORDS = ("name", "text", "hovertext", "x", "y", "customdata")
_MARKUP = str.maketrans({"<": "‹", ">": "›"})


def show_chart(
    chart: Chart, name: str, *, frame: pd.DataFrame | None = None, caption: str = ""
) -> None:
    """Draw a chart, in the reader's theme, with its caption and its data as CSV.

    Args:
        chart: As the report prints it.
        name: File name of the CSV and key.
        frame: What is drawn, one row a mark; None takes the chart's own data.
        caption: What the reader sees and what to look for; "" takes the chart's.
    """
    st.vega_lite_chart(spec=fit(chart.spec), alt=chart.alt, key=f"chart:{name}")
    _show_foot(name, caption or chart.caption, chart_rows(chart.spec) if frame is None else frame)


def fit(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a specification in the reader's colors; a single view takes the page's width."""
    shown = recolor(spec)
    if isinstance(shown.get("width"), int) and "column" not in shown.get("encoding", {}):
        shown["width"] = "container"
    ink = {"mark": {"color": group_colors()[0]}, "text": {"color": colors()["ink"]}}
    return {**shown, "config": {**ink, **shown.get("config", {})}}


def chart_rows(spec: Mapping[str, Any]) -> pd.DataFrame:
    """Return the data inside a specification as a table; of several sets the longest."""
    sets = [*spec.get("datasets", {}).values(), *_values(spec)]
    return pd.DataFrame(max(sets, key=len, default=[]))


def _values(view: Mapping[str, Any]) -> Iterator[list[Any]]:
    if "values" in view.get("data", {}):
        yield view["data"]["values"]
    for key in ("layer", "vconcat", "hconcat"):
        for inner in view.get(key, ()):
            yield from _values(inner)


def _show_foot(name: str, caption: str, frame: pd.DataFrame) -> None:
    st.caption(plain(caption))
    offer_csv(frame, name, key=f"csv:{name}")


def show_plotly(
    figure: go.Figure, frame: pd.DataFrame, *, name: str, caption: str, describe: str
) -> list[str]:
    """Draw a Plotly chart whose points can be picked.

    Args:
        figure: Each point's `customdata` begins with its identifier.
        frame: What is drawn, one row a point.
        name: File name of the CSV and key.
        caption: What the reader sees and what to look for; shown as it stands.
        describe: The same for readers who do not see it.

    Returns:
        Identifiers of the picked points.
    """
    names = dict(_take_markup_out(figure))
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
    _show_foot(name, caption, frame)
    return _picked(event, names)


def _picked(event: PlotlyState, names: Mapping[str, str]) -> list[str]:
    """Return the identifiers of the picked points as they are in the data."""
    points = [point for point in event.selection.points if "customdata" in point]
    shown = [str(point["customdata"][0]) for point in points]
    return [names.get(label, label) for label in shown]


def _take_markup_out(figure: go.Figure) -> Iterator[tuple[str, str]]:
    """Exchange the angle brackets in all words of a figure.

    Yields:
        Identifiers that are drawn otherwise than they are, with what they are.
    """
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        if axis.title.text:
            axis.title.text = axis.title.text.translate(_MARKUP)
    for trace in figure.data:
        for word in _WORDS:
            words = getattr(trace, word, None)
            if isinstance(words, str):
                trace[word] = words.translate(_MARKUP)
            elif words is not None and _has_markup(words):
                drawn = _as_text(words)
                if word == "customdata":
                    yield from ((a[0], b[0]) for a, b in zip(drawn, words, strict=True))
                trace[word] = drawn


def _has_markup(words: object) -> bool:
    values = np.asarray(words)
    return values.dtype.kind in "OUS" and any(
        isinstance(value, str) and ("<" in value or ">" in value) for value in values.ravel()
    )


def _as_text(words: object) -> np.ndarray:
    values = np.array(words, dtype=object)
    flat = [
        value.translate(_MARKUP) if isinstance(value, str) else value for value in values.ravel()
    ]
    drawn = np.empty(len(flat), dtype=object)
    drawn[:] = flat
    return drawn.reshape(values.shape)


def show_findings(texts: list[str]) -> None:
    """Draw sentences of a result as a list of plain text."""
    st.markdown("\n".join(f"- {plain(text)}" for text in texts))
