"""The pictures of the strategy: power grid, scheme, looks, scenarios."""

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


def _spec(rows: Sequence[Mapping[str, object]], **more: object) -> dict[str, Any]:
    return {"$schema": _SCHEMA, "data": {"values": list(rows)}, "width": _WIDTH, **more}


def _number(field: str, **more: object) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", **more}


def _word(field: str, **more: object) -> dict[str, Any]:
    return {"field": field, "type": "nominal", **more}


def _text(size: int | None = None, dy: int | None = None, **more: object) -> dict[str, Any]:
    offset = {} if dy is None else {"dy": dy}
    return {"type": "text", **offset, **({} if size is None else {"fontSize": size}), **more}


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
    unit = statistics.effect.unit
    if statistics.effect.value is None:
        is_timed = statistics.endpoint_type == "time to event"
        unit = f"{'hazard ratio' if is_timed else 'standard deviations'}, assumed"
    no_effect = 1.0 if "ratio" in unit else 0.0
    is_margin = statistics.sample_size.inputs.get("margin") and statistics.effect.value == no_effect
    title = f"{'Margin' if is_margin else 'Effect'} ({unit})"
    axes = {
        "x": _word("effect", title=title, sort=None, axis={"labelAngle": 0}),
        "y": _word("power", title="Power", sort="descending"),
    }
    dark = max(int(str(row[word])) for row in rows) * 0.55
    color = _number(word, scale={"scheme": "teals", "domainMin": 0}, legend=None)
    ink = {"condition": {"test": f"datum.{word} > {dark}", "value": "white"}, "value": "black"}
    layers = [
        {"mark": "rect", "encoding": {"color": color}},
        {"mark": _text(12), "encoding": {"text": _number(word, format=",d"), "color": ink}},
    ]
    spec = _spec(rows, encoding=axes, layer=layers, height={"step": 26})
    caption = f"{word.capitalize()} by effect and power, loss and looks included"
    return Chart(spec, caption, f"Grid of {word} by effect and power", len(rows))


def draw_schema(data: ClinicalTrialDesignData) -> Chart:
    """Draw the trial from screening to the final analysis, one box a part."""
    schema, randomization = data.proposed_trial_schema, data.proposed_trial_schema.randomization
    arms = [f"{_cut(arm.name)}{f' (n {arm.n:,})' if arm.n else ''}" for arm in schema.arms]
    middle = (len(arms) - 1) / 2
    n_looks = schema.interim_looks
    looks = f"{n_looks} looks, then the end" if n_looks else "final analysis"
    endpoint = next((endpoint.endpoint for endpoint in data.endpoint_strategy), "endpoint open")
    split = f"randomized {randomization.ratio}" if randomization else "treated"
    boxes = [(0, middle, "screening"), (1, middle, f"{split}, {schema.blinding}")]
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
    frame = {"type": "rect", "fillOpacity": 0.12, "strokeWidth": 1, "stroke": "#0b6b66"}
    layers = [{"mark": frame, "encoding": {**box, "y2": {"field": "y2"}}}]
    for line in range(1, MOST_LINES + 1):
        encoding = {
            "x": {"field": "mid", **axis},
            "y": {"field": f"level {line}", **axis, **low},
            "text": _word(f"line {line}"),
        }
        layers.append({"mark": _text(11, baseline="middle"), "encoding": encoding})
    spec = _spec(rows, layer=layers, height=90 * len(arms)) | {"width": 640}
    return Chart(spec, "From screening to the final analysis", "Scheme of the trial", len(rows))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "\u2026"


def _lines(text: str, middle: float) -> dict[str, object]:
    """Return the lines of a text that a box has room for, each at its height."""
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
    rows: list[dict[str, object]] = [
        {
            "information": look.information,
            "z": z,
            "bound": bound,
            "at": "month not reported" if look.month is None else f"month {look.month:g}",
        }
        for look in interim.looks
        for bound, z in (("success", look.z), ("futility", look.futility_z))
        if z is not None
    ]
    share = {"axis": {"format": "%"}, "scale": {"domain": [0.4, 1.02]}}
    encoding = {
        "x": _number("information", title="Share of the events", **share),
        "y": _number("z", title="z"),
        "color": _word("bound", title=None),
        "tooltip": [{"field": name} for name in ("bound", "z", "at")],
    }
    layers = [
        {"mark": {"type": "line", "point": {"size": 60}}},
        {"mark": _text(11, dy=-12), "encoding": {"text": _number("z", format=".2f")}},
    ]
    spec = _spec(rows, encoding=encoding, layer=layers, height=180)
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
    scale = {"scale": {"domain": [0, 1]}, "axis": {"format": "%"}}
    low = _number("low", title="Success of the study", **scale)
    value, label = _number("value"), _word("label")
    layers = [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"x": low, "x2": {"field": "high"}},
        },
        {"mark": {"type": "point", "filled": True, "size": 90}, "encoding": {"x": value}},
        {"mark": _text(dy=-12), "encoding": {"x": value, "text": label}},
    ]
    way = _word("way", title=None, sort=None)
    spec = _spec(rows, encoding={"y": way}, layer=layers, height={"step": 40})
    caption = "Probability that the study reaches the next step, 95 % interval"
    return Chart(spec, caption, "Success by scenario", len(rows))
