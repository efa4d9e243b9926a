"""The screen and the report draw gene plots from the same data by the same rules."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from core.agents.differential_expression.charts import (
    MOST_NAMED,
    MOST_QUIET,
    draw_ma,
    draw_volcano,
    label_calls,
    plot_mean_difference,
    plot_volcano,
)
from core.agents.differential_expression.records import CALL_COLORS
from pages.ui import expression_result, look

N_GENES = 9_000


@pytest.fixture(autouse=True)
def light_theme(monkeypatch):
    monkeypatch.setattr(look, "is_dark", lambda: False)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    p = draw.random(N_GENES) ** 3
    p[:3] = [0.0, 1e-120, np.nan]
    change = draw.normal(0, 2, N_GENES)
    return pd.DataFrame(
        {
            "gene_id": [f"g{number}" for number in range(N_GENES)],
            "symbol": [f"S{number}" if number % 2 else None for number in range(N_GENES)],
            "base_mean": draw.lognormal(5, 2, N_GENES),
            "log2FC": change,
            "pvalue": p,
            "padj": p,
            "significant": (p < 0.001) & (np.abs(change) >= 1),
        }
    )


RESULT = SimpleNamespace(method="DESeq2", n_tested=N_GENES, n_up=1, n_down=1)


def find_layers(spec: dict) -> dict[str, dict]:
    """Return the layers of a chart of the report by mark."""
    layers = spec.get("layer", [spec])
    return {layer["mark"]["type"]: {**spec, **layer} for layer in layers}


def describe_report(spec: dict) -> dict[str, object]:
    """Return what a chart of the report shows."""
    layers = find_layers(spec)
    sets = spec.get("datasets", {})
    dots = layers["circle"]
    scale = dots["encoding"]["color"]["scale"]
    rows = {
        mark: layer["data"].get("values") or sets[layer["data"]["name"]]
        for mark, layer in layers.items()
    }
    return {
        "points": sorted((row["call"], row["x"], row["y"]) for row in rows["circle"]),
        "colors": dict(zip(scale["domain"], scale["range"], strict=True)),
        "titles": [dots["encoding"][axis]["title"] for axis in "xy"],
        "names": sorted((row["label"], row["x"], row["y"]) for row in rows.get("text", ())),
        "lines": sorted(row["cutoff"] for row in rows.get("rule", ())),
    }


def describe_screen(figure) -> dict[str, object]:
    """Return what a chart of the screen shows."""
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    names = [trace for trace in figure.data if trace.mode == "text"]
    points = [
        (trace.name, *point) for trace in dots for point in zip(trace.x, trace.y, strict=True)
    ]
    lines = [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1]
    return {
        "points": sorted(points),
        "colors": {trace.name: trace.marker.color for trace in dots},
        "titles": [figure.layout.xaxis.title.text, figure.layout.yaxis.title.text],
        "names": sorted(
            name for trace in names for name in zip(trace.text, trace.x, trace.y, strict=True)
        ),
        "lines": sorted(lines),
    }


@pytest.mark.parametrize("cutoff", [1.0, 0.0])
def test_the_volcano_of_the_screen_is_that_of_the_report(table, cutoff):
    report = describe_report(draw_volcano(RESULT, table, "b vs a", cutoff).spec)
    plot = plot_volcano(label_calls(table), "b vs a", cutoff)
    assert describe_screen(expression_result.volcano(plot)) == report
    assert len(report["names"]) == MOST_NAMED
    assert report["lines"] == ([-1.0, 1.0] if cutoff else [])
    assert set(report["colors"].values()) == set(CALL_COLORS.values())
    n_called = int(table["significant"].sum())
    assert len(report["points"]) in range(MOST_QUIET + n_called - 1, MOST_QUIET + n_called + 1)
    assert max(y for _, _, y in report["points"]) == 121


def test_two_genes_far_away_do_not_squeeze_the_others_in_print(table):
    chart = draw_volcano(RESULT, table, "b vs a", 1.0)
    scale = find_layers(chart.spec)["circle"]["encoding"]["y"]["scale"]
    assert scale["clamp"]
    assert scale["domain"][1] < 20
    assert "2 genes beyond the axes are drawn at their ends" in chart.caption
    usual = draw_volcano(RESULT, table.iloc[3:], "b vs a", 1.0)
    assert "scale" not in find_layers(usual.spec)["circle"]["encoding"]["y"]


def test_labels_of_a_volcano_do_not_lie_on_each_other(table):
    names = plot_volcano(label_calls(table), "b vs a", 1.0).names
    x, y = names["x"].to_numpy(), names["y"].clip(upper=20).to_numpy()
    for row in range(len(names)):
        near = (np.abs(x - x[row]) < 0.5) & (np.abs(y - y[row]) < 0.3)
        assert near.sum() == 1


def test_the_mean_difference_of_the_screen_is_that_of_the_report(table):
    report = describe_report(draw_ma(RESULT, table, "b vs a").spec)
    plot = plot_mean_difference(label_calls(table), "b vs a")
    screen = describe_screen(expression_result.mean_difference(plot))
    assert {**screen, "lines": []} == report
