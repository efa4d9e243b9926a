"""Figures of the report: drugs by indication and phase."""

from core.agents.competitive_landscaping.schema import CompetitiveLandscapingData
from core.reports.document import Chart
from core.vocabulary.stages import PHASE_BANDS

MOST_INDICATIONS = 14
LONGEST_LABEL = 260
"""Pixels of the name of an indication."""


def _density_rows(data: CompetitiveLandscapingData) -> list[dict[str, object]]:
    """Return drugs per indication and phase band over all targets, the fullest indications.

    A drug that acts on two targets counts once.
    """
    drugs: dict[tuple[str, str], set[str]] = {}
    for cell in data.density:
        drugs.setdefault((cell.indication, cell.phase_band), set()).update(cell.drugs)
    totals: dict[str, int] = {}
    for (indication, _), found in drugs.items():
        totals[indication] = totals.get(indication, 0) + len(found)
    kept = sorted(totals, key=lambda one: (-totals[one], one))[:MOST_INDICATIONS]
    return [
        {
            "indication": indication,
            "phase": band,
            "drugs": len(drugs[(indication, band)]),
            "names": ", ".join(sorted(drugs[(indication, band)])[:12]),
        }
        for indication in kept
        for band in PHASE_BANDS
        if (indication, band) in drugs
    ]


def draw_density(data: CompetitiveLandscapingData) -> Chart | None:
    """Return the map of drugs by indication and phase; None where there is nothing to draw."""
    rows = _density_rows(data)
    if not rows:
        return None
    order = list(dict.fromkeys(str(row["indication"]) for row in rows))
    color = {
        "field": "drugs",
        "type": "quantitative",
        "title": "Drugs",
        "scale": {"scheme": "teals", "domainMin": 0},
    }
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": rows},
        "width": 380,
        "height": {"step": 20},
        "encoding": _place(order),
        "layer": [
            {"mark": "rect", "encoding": {"color": color, "tooltip": {"field": "names"}}},
            {
                "mark": {"type": "text", "fontSize": 9},
                "encoding": {
                    "text": {"field": "drugs", "type": "quantitative"},
                    "color": {
                        "condition": {
                            "test": f"datum.drugs > {_dark(rows)}",
                            "value": "white",
                        },
                        "value": "black",
                    },
                },
            },
        ],
    }
    caption = "Drugs by indication and phase; a drug counts once at each of its programs"
    described = "Map of the number of drugs per indication and phase"
    return Chart(spec, caption, described, points=len(rows))


def _place(order: list[str]) -> dict[str, object]:
    """Return the axes: phases from early to late, indications in their order."""
    return {
        "x": {
            "field": "phase",
            "type": "ordinal",
            "sort": list(PHASE_BANDS[::-1]),
            "axis": {"title": None, "labelAngle": 0},
        },
        "y": {
            "field": "indication",
            "type": "nominal",
            "sort": order,
            "axis": {"title": None, "labelLimit": LONGEST_LABEL},
        },
    }


def _dark(rows: list[dict[str, object]]) -> float:
    """Return the count from which on a field is too dark for black letters."""
    return max(int(str(row["drugs"])) for row in rows) * 0.55
