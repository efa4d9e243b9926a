"""The pictures of the strategy: power grid, looks, scenarios."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from core.agents.clinical_trial_design.schema import ClinicalTrialDesignData
from core.reports.document import Chart

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_WIDTH = 420
LONGEST = 64
MOST_LINES = 4
LINE_HEIGHT = 1.6
"""Units of the scheme, of 9 pixels each."""


def draw_grid(data: ClinicalTrialDesignData) -> Chart | None:
    """Draw participants, or events where N is withheld, by effect and power."""
    statistics = data.statistical_design_recommendations
    has_n = any(point.n is not None for point in statistics.grid)
    word = "participants" if has_n else "events"
    rows = [
        {"effect": f"{point.effect:g}", "power": f"{point.power:.0%}", word: value}
        for point in statistics.grid
        if (value := point.n if has_n else point.events) is not None
    ]
    if not rows:
        return None
    unit = statistics.effect.unit if statistics.effect.value is not None else _unit_of_grid(data)
    no_effect = 1.0 if "ratio" in unit else 0.0
    is_margin = statistics.sample_size.inputs.get("margin") and statistics.effect.value == no_effect
    name = "Margin" if is_margin else "Effect"
    axes = {
        "x": {"field": "effect", "type": "nominal", "title": f"{name} ({unit})", "sort": None}
        | {"axis": {"labelAngle": 0}},
        "y": {"field": "power", "type": "nominal", "title": "Power", "sort": "descending"},
    }
    dark = max(int(str(row[word])) for row in rows) * 0.55
    color = {
        "field": word,
        "type": "quantitative",
        "scale": {"scheme": "teals", "domainMin": 0},
        "legend": None,
    }
    ink = {"condition": {"test": f"datum.{word} > {dark}", "value": "white"}, "value": "black"}
    layers = [
        {"mark": "rect", "encoding": {"color": color}},
        {
            "mark": {"type": "text", "fontSize": 12},
            "encoding": {
                "text": {"field": word, "type": "quantitative", "format": ",d"},
                "color": ink,
            },
        },
    ]
    spec = _spec(rows, {"encoding": axes, "layer": layers, "height": {"step": 26}})
    caption = f"{word.capitalize()} by effect and power, loss and looks included"
    return Chart(spec, caption, f"Grid of {word} by effect and power", len(rows))


def _unit_of_grid(data: ClinicalTrialDesignData) -> str:
    kind = data.statistical_design_recommendations.endpoint_type
    return "hazard ratio, assumed" if kind == "time to event" else "standard deviations, assumed"


def _spec(rows: Sequence[Mapping[str, object]], encoding: Mapping[str, Any]) -> dict[str, Any]:
    return {"$schema": _SCHEMA, "data": {"values": list(rows)}, "width": _WIDTH, **encoding}


def draw_schema(data: ClinicalTrialDesignData) -> Chart:
    """Draw the trial from screening to the final analysis, one box a part."""
    trial_schema = data.proposed_trial_schema
    arms = [f"{_cut(arm.name)}{f' (n {arm.n:,})' if arm.n else ''}" for arm in trial_schema.arms]
    middle = (len(arms) - 1) / 2
    looks = (
        f"{trial_schema.interim_looks} looks, then the end"
        if trial_schema.interim_looks
        else "final analysis"
    )
    endpoint = next((endpoint.endpoint for endpoint in data.endpoint_strategy), "endpoint open")
    split = (
        f"randomized {trial_schema.randomization.ratio}"
        if trial_schema.randomization
        else "treated"
    )
    boxes = [(0, middle, "screening"), (1, middle, f"{split}, {trial_schema.blinding}")]
    boxes += [(2, index, arm) for index, arm in enumerate(arms)]
    boxes += [(3, middle, f"{_cut(endpoint)}; {looks}")]
    rows = [
        {"x": x * 10, "x2": x * 10 + 9, "y": y * 10, "y2": y * 10 + 7, "mid": x * 10 + 4.5}
        | _lines(text, y * 10 + 3.5)
        for x, y, text in boxes
    ]
    axis = {"axis": None, "type": "quantitative"}
    low = {"scale": {"domain": [-1, len(arms) * 10]}}
    box = {"x": {"field": "x", **axis}, "x2": {"field": "x2"}, "y": {"field": "y", **axis, **low}}
    layers = [
        {
            "mark": {"type": "rect", "fillOpacity": 0.12, "strokeWidth": 1, "stroke": "#0b6b66"},
            "encoding": {**box, "y2": {"field": "y2"}},
        },
    ]
    for line in range(1, MOST_LINES + 1):
        encoding = {
            "x": {"field": "mid", **axis},
            "y": {"field": f"level {line}", **axis, **low},
            "text": {"field": f"line {line}", "type": "nominal"},
        }
        mark = {"type": "text", "fontSize": 11, "baseline": "middle"}
        layers.append({"mark": mark, "encoding": encoding})
    spec = _spec(rows, {"layer": layers, "height": 90 * len(arms)}) | {"width": 640}
    return Chart(spec, "From screening to the final analysis", "Scheme of the trial", len(rows))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "\u2026"


def _lines(text: str, middle: float) -> dict[str, object]:
    """Return the lines of a text that a box bears, each at its height."""
    lines = textwrap.wrap(text, 24)[:MOST_LINES]
    lines_by_key: dict[str, object] = {}
    for number in range(MOST_LINES):
        lines_by_key[f"line {number + 1}"] = lines[number] if number < len(lines) else ""
        lines_by_key[f"level {number + 1}"] = middle + ((len(lines) - 1) / 2 - number) * LINE_HEIGHT
    return lines_by_key


def draw_looks(data: ClinicalTrialDesignData) -> Chart | None:
    """Draw the bounds over the information; None without looks."""
    interim = data.statistical_design_recommendations.interim
    if interim is None:
        return None
    rows: list[dict[str, object]] = []
    for look in interim.looks:
        month = f"month {look.month:g}" if look.month is not None else "month not reported"
        rows.append({"information": look.information, "z": look.z, "bound": "success", "at": month})
        low = look.futility_z
        if low is not None:
            rows.append(
                {"information": look.information, "z": low, "bound": "futility", "at": month}
            )
    encoding = {
        "x": {
            "field": "information",
            "type": "quantitative",
            "title": "Share of the events",
            "axis": {"format": "%"},
            "scale": {"domain": [0.4, 1.02]},
        },
        "y": {"field": "z", "type": "quantitative", "title": "z"},
        "color": {"field": "bound", "type": "nominal", "title": None},
        "tooltip": [{"field": name} for name in ("bound", "z", "at")],
    }
    layers = [
        {"mark": {"type": "line", "point": {"size": 60}}},
        {
            "mark": {"type": "text", "dy": -12, "fontSize": 11},
            "encoding": {"text": {"field": "z", "type": "quantitative", "format": ".2f"}},
        },
    ]
    spec = _spec(rows, {"encoding": encoding, "layer": layers, "height": 180})
    return Chart(spec, "Bounds of success and futility at each look", "Bounds by look", len(rows))


def draw_scenarios(data: ClinicalTrialDesignData) -> Chart:
    """Draw the probability of each scenario with its interval."""
    rows = [
        {
            "way": scenario.name,
            "value": scenario.success_probability.value,
            "low": scenario.success_probability.low,
            "high": scenario.success_probability.high,
            "label": f"{scenario.success_probability.value:.0%}",
        }
        for scenario in data.strategy_scenarios
    ]
    way = {"field": "way", "type": "nominal", "title": None, "sort": None}
    scale = {"scale": {"domain": [0, 1]}, "axis": {"format": "%"}}
    layers = [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {
                "x": {"field": "low", "type": "quantitative", "title": "Success of the study"}
                | scale,
                "x2": {"field": "high"},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90},
            "encoding": {"x": {"field": "value", "type": "quantitative"}},
        },
        {
            "mark": {"type": "text", "dy": -12},
            "encoding": {
                "x": {"field": "value", "type": "quantitative"},
                "text": {"field": "label", "type": "nominal"},
            },
        },
    ]
    spec = _spec(rows, {"encoding": {"y": way}, "layer": layers, "height": {"step": 40}})
    caption = "Probability that the study reaches the next step, 95 % interval"
    return Chart(spec, caption, "Success by scenario", len(rows))
