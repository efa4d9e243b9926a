"""The weeks of a plan as a picture: one bar an activity."""

from collections.abc import Sequence

from core.agents.assay_development.planning import REAGENTS, REPORT
from core.agents.assay_development.records import TimelineStep
from core.reports.document import Chart

MOST_BARS = 18
LONGEST = 44


def draw_weeks(steps: Sequence[TimelineStep], most: int | None = MOST_BARS) -> Chart | None:
    """Draw developing and validating by week; None without activities."""
    rows = [row for step in steps if (row := _row(step))]
    if len(rows) < 2:
        return None
    names = list(dict.fromkeys(str(row["assay"]) for row in rows))
    n_assays = len(names)
    names = names[:most]
    shown = [row for row in rows if row["assay"] in names]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": shown},
        "width": 300,
        "height": {"step": 24},
        "mark": {"type": "bar", "height": 15},
        "encoding": {
            "y": {
                "field": "assay",
                "type": "nominal",
                "sort": names,
                "title": None,
                "axis": {"labelLimit": 320, "labelOverlap": False},
            },
            "x": {"field": "from", "type": "quantitative", "title": "Week"},
            "x2": {"field": "to"},
            "color": {
                "field": "activity",
                "type": "nominal",
                "title": None,
                "legend": {"orient": "bottom"},
            },
            "tooltip": [{"field": field} for field in ("assay", "activity", "from", "to")],
        },
    }
    left = n_assays - len(names)
    caption = (
        f"Timeline by week, three assays in parallel{f'; {left} more in the table' * (left > 0)}"
    )
    return Chart(spec, caption, "Gantt chart of activities by week", len(shown))


def _row(step: TimelineStep) -> dict[str, object] | None:
    if step.activity == REPORT:
        return None
    word, colon, name = step.activity.partition(": ")
    name = name if colon else step.activity
    short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"
    kind = "prepare" if step.activity == REAGENTS else word.lower()
    return {"assay": short, "activity": kind, "from": step.start_week, "to": step.end_week}
