"""How many genes each set of methods calls: the chart of differential expression's overview."""

import json
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from core.agents.differential_expression.records import Consensus
from pages.ui.look import colors, is_dark


def upset_spec(consensus: Consensus, methods: list[str]) -> tuple[dict[str, Any], pd.DataFrame]:
    """Return what `upset` draws as a specification, kept for the next page that shows it.

    Building one takes longer than all else on the page, and there are few different ones.
    """
    parts = tuple((tuple(part.methods), part.n_genes) for part in consensus.overlaps)
    spec, frame = _kept_upset(parts, tuple(methods), is_dark())
    return json.loads(spec), frame


@lru_cache(maxsize=64)
def _kept_upset(
    parts: tuple[tuple[tuple[str, ...], int], ...], methods: tuple[str, ...], _is_dark: bool
) -> tuple[str, pd.DataFrame]:
    chart, frame = upset(parts, list(methods))
    return chart.to_json(indent=None), frame


def upset(
    overlaps: tuple[tuple[tuple[str, ...], int], ...], methods: list[str]
) -> tuple[alt.VConcatChart, pd.DataFrame]:
    """Return how many genes each exact set of methods calls: bars above the sets' members.

    Args:
        overlaps: Sets of methods, each with the number of genes that exactly these call.
        methods: The completed methods, in their order.
    """
    parts = sorted(overlaps, key=lambda part: (-part[1], part[0]))
    frame = pd.DataFrame(
        [{"methods": " + ".join(names), "genes": number} for names, number in parts],
        columns=["methods", "genes"],
    )
    order = frame["methods"].tolist()
    x = alt.X("methods:N", sort=order, axis=None)
    bars = alt.Chart(frame, width=54 * max(len(order), 2), height=200).encode(
        x=x, y=alt.Y("genes:Q", title="genes called by exactly these methods")
    )
    words = bars.mark_text(dy=-7, color=colors()["ink"]).encode(
        text=alt.Text("genes:Q", format=",")
    )
    rows = [
        {"methods": name, "method": method, "in": method in names, "genes": number}
        for name, (names, number) in zip(order, parts, strict=True)
        for method in methods
    ]
    dots = alt.Chart(
        pd.DataFrame(rows, columns=["methods", "method", "in", "genes"]),
        width=54 * max(len(order), 2),
        height=26 * len(methods),
    ).encode(x=x, y=alt.Y("method:N", sort=methods, title=None))
    lines = (
        dots.transform_filter("datum.in")
        .mark_line(color=colors()["ink"])
        .encode(detail="methods:N")
    )
    members = dots.mark_circle(size=130, opacity=1).encode(
        color=alt.condition("datum.in", alt.value(colors()["ink"]), alt.value(colors()["no call"])),
        opacity=alt.condition("datum.in", alt.value(1), alt.value(0.35)),
        tooltip=["methods", "genes"],
    )
    chart = alt.vconcat(alt.layer(bars.mark_bar(), words), alt.layer(lines, members), spacing=4)
    return chart, frame
