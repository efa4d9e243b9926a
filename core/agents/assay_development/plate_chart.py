"""The plate of a protocol as a picture: one colored, lettered well a code."""

from itertools import cycle

from core.agents.assay_development.records import Layout
from core.reports.document import Chart

_STEP = {96: 26, 384: 18}
"""Pixels a well."""
_COLORS = ("#0B6E6E", "#C2571A", "#5B5FA8", "#8A6D00", "#A8326E", "#4D6B2F", "#2F6DB5")
_EDGE = "#D5DBDE"
EDGE = "E"
"""Code of wells at the edge that are not read."""


def draw_plate(layout: Layout, assay: str) -> Chart | None:
    """Draw the wells of a plate with row and column labels and a legend; None without a plate."""
    if not layout.rows:
        return None
    meanings = {kind.code: kind.meaning for kind in layout.legend}
    rows = [
        {
            "row": line.row,
            "column": number,
            "well": f"{line.row}{number}",
            "code": code,
            "content": f"{code}: {meanings.get(code, code)}",
        }
        for line in layout.rows
        for number, code in enumerate(line.wells, start=1)
    ]
    contents = [f"{kind.code}: {kind.meaning}" for kind in layout.legend]
    colors = cycle(_COLORS)
    palette = [_EDGE if kind.code == EDGE else next(colors) for kind in layout.legend]
    step = _STEP.get(layout.wells, 26)
    axis = {"orient": "top", "labelAngle": 0, "ticks": False, "domain": False}
    encoding = {"type": "ordinal", "title": None, "sort": None}
    color = {
        "field": "content",
        "type": "nominal",
        "title": None,
        "scale": {"domain": contents, "range": palette},
        "legend": {"orient": "bottom", "columns": 1, "labelLimit": 520, "symbolType": "circle"},
    }
    ink = {"condition": {"test": f"datum.code === '{EDGE}'", "value": "#46545c"}, "value": "white"}
    layers = [
        {
            "mark": {"type": "circle", "size": (step - 3) ** 2, "opacity": 1},
            "encoding": {"color": color},
        },
        {
            "mark": {"type": "text", "fontSize": step // 2 - 2},
            "encoding": {"text": {"field": "code", "type": "nominal"}, "color": ink},
        },
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "width": {"step": step},
        "height": {"step": step},
        "encoding": {
            "x": {"field": "column", **encoding, "axis": axis},
            "y": {"field": "row", **encoding, "axis": {"ticks": False, "domain": False}},
            "tooltip": [{"field": name} for name in ("well", "content")],
        },
        "layer": layers,
    }
    caption = f"Plate of {assay}: {layout.wells} wells, {layout.replicates} replicates"
    return Chart(spec, caption, f"Plate layout of {assay}", len(rows))
