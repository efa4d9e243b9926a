"""One timeline of drugs: what happened, what lies ahead, until when each is protected."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.evidence.proof.claims import shorten
from core.reports.document import Chart

MOST_DRUGS = 24
MOST_YEARS = 6
"""Years ahead that are drawn; a bar that is longer is cut there."""
LONGEST_NAME = 34
KINDS = ("happened", "ahead", "protected")
_COLORS = ("#5b6770", "#0b6e6e", "#c9dede")


def draw_timeline(
    points: Sequence[Mapping[str, Any]], until: Mapping[str, str], as_of: str
) -> Chart | None:
    """Draw events of drugs by day, with a bar to the last day of protection.

    Args:
        points: Drug, day (YYYY-MM-DD, YYYY-MM), kind ("happened" or "ahead") and what.
        until: Last day of protection by drug; those without an event are left out.
        as_of: The day of the answer.

    Returns:
        The picture of the drugs with most events; None where there are fewer than two events.
    """
    dated = [
        dict(point) | {"day": f"{point['day']}-15"[: len("2026-11-15")]}  # of a month its middle
        for point in points
        if len(point["day"]) > 4
    ]
    if len(dated) < 2:
        return None
    names = _order(dated)
    last = f"{int(as_of[:4]) + MOST_YEARS}-12-31"
    shown = [
        point | {"drug": shorten(point["drug"], LONGEST_NAME)}
        for point in dated
        if point["drug"] in names
    ]
    bars = [
        {
            "drug": shorten(name, LONGEST_NAME),
            "from": as_of,
            "to": min(until[name], last),
            "kind": "protected",
        }
        for name in names
        if as_of < until.get(name, "")
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 420,
        "height": {"step": 18},
        "encoding": {
            "y": {
                "field": "drug",
                "type": "nominal",
                "sort": [shorten(name, LONGEST_NAME) for name in names],
                "title": None,
                "axis": {"labelLimit": 200, "labelOverlap": False},
            },
            "color": {
                "field": "kind",
                "type": "nominal",
                "title": None,
                "scale": {"domain": list(KINDS), "range": list(_COLORS)},
                "legend": {"orient": "bottom"},
            },
        },
        "layer": [
            {
                "data": {"values": bars},
                "mark": {"type": "bar", "height": 6},
                "encoding": {
                    "x": {"field": "from", "type": "temporal", "title": None},
                    "x2": {"field": "to"},
                    "tooltip": [{"field": "drug"}, {"field": "to", "title": "protected until"}],
                },
            },
            {
                "data": {"values": shown},
                "mark": {"type": "circle", "size": 70, "opacity": 0.9},
                "encoding": {
                    "x": {"field": "day", "type": "temporal", "title": None},
                    "tooltip": [{"field": "drug"}, {"field": "day"}, {"field": "what"}],
                },
            },
            _today(as_of),
        ],
    }
    caption = "Events by day; bars end at the last listed day of protection"
    return Chart(spec, caption, "Timeline of events and protection by drug", len(shown))


def _today(as_of: str) -> dict[str, Any]:
    return {
        "data": {"values": [{"day": as_of}]},
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": "#888"},
        "encoding": {
            "x": {"field": "day", "type": "temporal", "title": None},
            "y": None,
            "color": {"value": "#888"},
        },
    }


def _order(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the drugs in the order of their first event ahead, else of their last one."""
    first: dict[str, str] = {}
    for point in sorted(points, key=lambda point: (point["kind"] != "ahead", point["day"])):
        first.setdefault(str(point["drug"]), str(point["day"]))
    return list(first)[:MOST_DRUGS]
