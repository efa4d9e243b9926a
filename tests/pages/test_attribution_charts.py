"""Figures of the attribution engine: states with word and color, bands, shaded rows."""

import json

import pandas as pd
import pytest

from core.agents.attribution_engine.charts import (
    draw_moves,
    draw_paths,
    draw_sizes,
    draw_strip,
    trace_days,
)
from core.agents.attribution_engine.pipeline import run as run_agent
from core.registry import all_agents
from core.reports.charts import draw
from pages.ui import attribution_charts, charts, look

AGENT = all_agents()["attribution-engine"]


class Quiet:
    """A run context that nobody watches."""

    def progress(self, *_):
        """Take no notice."""


@pytest.fixture(scope="module")
def data():
    request = AGENT.request.model_validate(AGENT.examples[1].request)
    return run_agent(request, Quiet())


@pytest.fixture(autouse=True)
def light(monkeypatch):
    monkeypatch.setattr(look, "is_dark", lambda: False)


def draw_first(data):
    return draw_moves(data, *tables(data))


def tables(data):
    return data.daily.frame, data.moves.frame, data.event_outcomes.frame


def list_marks(view, sets=None) -> list[dict]:
    """Return type, rows and encoding of every mark of a chart."""
    sets = sets or view["datasets"]
    marks = []
    if "mark" in view:
        rows = sets[view["data"]["name"]]
        marks.append({"type": view["mark"]["type"], "rows": rows, **view["encoding"]})
    for key in ("layer", "vconcat"):
        for inner in view.get(key, ()):
            marks += list_marks(inner, sets)
    return marks


def test_every_move_has_a_marker_with_word_and_symbol(data) -> None:
    marks = list_marks(draw_first(data).spec)
    dots = next(mark for mark in marks if mark["type"] == "point" and "shape" in mark)
    printed = [row["word"] for row in dots["rows"]]
    assert printed == ["confirmed", "unexplained"]
    assert len(set(dots["shape"]["scale"]["range"])) == 5
    labels = next(mark for mark in marks if mark["type"] == "text")
    assert [row["word"] for row in labels["rows"]] == printed
    figure, _ = attribution_charts.moves_over_time(data, *tables(data))
    traces = [trace for trace in figure.data if getattr(trace, "mode", "") == "markers+text"]
    assert [word for trace in traces for word in trace.text] == printed
    assert len({trace.marker.symbol for trace in traces}) == 4
    days = [day for trace in traces for day, _ in trace.customdata]
    assert days == [row["move_date"] for row in dots["rows"]]


def test_floor_band_and_leakage_rows_are_drawn(data) -> None:
    marks = {mark["type"]: mark for mark in list_marks(draw_first(data).spec)}
    assert sorted(row["at"] for row in marks["rule"]["rows"]) == [-0.05, 0.05]
    flagged = [move for move in data.attributions if move.leakage_flag and move.leakage]
    assert len(flagged) == 1
    expected = (str(flagged[0].leakage.from_date), str(flagged[0].leakage.to_date))
    assert [(row["from"], row["to"]) for row in marks["rect"]["rows"]] == [expected]
    assert marks["area"]["y2"]["field"] == "z_limit"
    figure, _ = attribution_charts.moves_over_time(data, *tables(data))
    levels = sorted(shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1)
    assert levels == [-0.05, 0.05]
    rects = {(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.type == "rect"}
    assert rects == {expected}
    assert "z band" in [trace.name for trace in figure.data]


def test_moves_of_another_stock_shade_nothing(data) -> None:
    moves = [move.model_copy(update={"ticker": "OTHER"}) for move in data.attributions]
    other = data.model_copy(update={"attributions": moves})
    assert "rect" not in {mark["type"] for mark in list_marks(draw_first(other).spec)}
    figure, _ = attribution_charts.moves_over_time(other, *tables(data))
    assert not [shape for shape in figure.layout.shapes if shape.type == "rect"]


def test_paths_begin_together_and_end_as_compounded(data) -> None:
    daily = data.daily.frame
    frame = trace_days(daily, data.config)
    start = int(daily["sar"].notna().to_numpy().argmax())
    assert (frame["stock_path"].iloc[:start] == 1).all()
    expected = (1 + daily["stock"].iloc[start:]).prod()
    assert frame["stock_path"].iloc[-1] == pytest.approx(expected)


def test_band_is_where_a_day_becomes_significant(data) -> None:
    frame = trace_days(data.daily.frame, data.config)
    tested = frame[frame["ar"].notna()]
    over = tested["ar"].abs() > tested["z_limit"]
    assert (over == (tested["sar"].abs() > data.config.sig_z)).all()


@pytest.mark.parametrize("is_dark", [False, True])
def test_page_and_print_draw_each_figure_from_one_specification(data, monkeypatch, is_dark) -> None:
    monkeypatch.setattr(look, "is_dark", lambda: is_dark)
    daily = data.daily.frame
    figures = [
        draw_first(data),
        draw_paths(data.attributions, daily),
        draw_sizes(data.attributions, data.config.partial_ratio),
        draw_strip(daily),
    ]
    for figure in figures:
        shown = charts.fit(figure.spec)
        assert charts.chart_rows(shown).equals(charts.chart_rows(figure.spec))
        assert not is_dark or "#17222B" not in json.dumps(shown)
        assert draw(figure).content
    paths = charts.chart_rows(figures[1].spec)
    assert set(paths["rel"]) <= set(range(-10, 11))
    assert paths["leak"].any()


def test_without_moves_there_are_no_paths_and_no_sizes(data) -> None:
    empty = data.model_copy(update={"attributions": []})
    assert draw_paths([], data.daily.frame) is None
    assert draw_sizes([], data.config.partial_ratio) is None
    nothing = pd.DataFrame(columns=data.moves.frame.columns)
    assert draw(draw_moves(empty, data.daily.frame, nothing, data.event_outcomes.frame)).content
