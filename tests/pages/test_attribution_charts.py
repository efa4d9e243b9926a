"""Figures of the attribution page: states with word and color, bands, shaded rows."""

import json

import pandas as pd
import pytest

from core.agents.attribution_engine.pipeline import run as run_agent
from core.registry import all_agents
from pages.ui import attribution_charts as charts

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
    monkeypatch.setattr("pages.ui.attribution_charts.is_dark", lambda: False)
    monkeypatch.setattr("pages.ui.attribution_charts.colors", charts_ink)


def charts_ink():
    return {"ink": "#17222B", "no call": "#9AA5AC"}


def tables(data):
    return data.daily.frame, data.moves.frame, data.event_outcomes.frame


def test_every_move_has_a_marker_with_word_and_symbol(data) -> None:
    figure, _ = charts.moves_over_time(data, *tables(data))
    marks = [t for t in figure.data if t.type == "scatter" and t.mode == "markers+text"]
    marked = {trace.name.split(" (")[0]: list(trace.text) for trace in marks if len(trace.text)}
    assert marked == {"confirmed": ["confirmed"], "unexplained": ["unexplained"]}
    symbols = {trace.marker.symbol for trace in marks}
    assert len(symbols) == 4


def test_floor_band_and_leakage_rows_are_drawn(data) -> None:
    figure, _ = charts.moves_over_time(data, *tables(data))
    levels = sorted(shape.y0 for shape in figure.layout.shapes if shape.y0 == shape.y1)
    assert levels == [-0.05, 0.05]
    shaded = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    flagged = [one for one in data.attributions if one.leakage_flag and one.leakage]
    assert len(flagged) == 1
    assert {(s.x0, s.x1) for s in shaded} == {
        (str(flagged[0].leakage.from_date), str(flagged[0].leakage.to_date))
    }
    assert "z band" in [trace.name for trace in figure.data]


def test_paths_begin_together_and_end_as_compounded(data) -> None:
    daily = data.daily.frame
    _, frame = charts.moves_over_time(data, *tables(data))
    start = int(daily["sar"].notna().to_numpy().argmax())
    assert (frame["stock_path"].iloc[:start] == 1).all()
    expected = (1 + daily["stock"].iloc[start:]).prod()
    assert frame["stock_path"].iloc[-1] == pytest.approx(expected)


def test_band_is_where_a_day_becomes_significant(data) -> None:
    _, frame = charts.moves_over_time(data, *tables(data))
    tested = frame[frame["ar"].notna()]
    over = tested["ar"].abs() > tested["z_limit"]
    assert (over == (tested["sar"].abs() > data.config.sig_z)).all()


def test_other_figures_hold_their_data(data) -> None:
    daily = data.daily.frame
    chart, frame = charts.paths(data.attributions, daily)
    assert json.dumps(chart.to_dict())
    assert set(frame["rel"]) <= set(range(-10, 11))
    assert frame["leak"].any()
    chart, frame = charts.sizes(data)
    assert json.dumps(chart.to_dict())
    assert list(frame["state"]) == ["confirmed"]
    chart, frame = charts.estimation(daily)
    assert json.dumps(chart.to_dict())
    assert len(frame) == len(daily)


def test_without_moves_there_are_no_paths_and_no_sizes(data) -> None:
    empty = data.model_copy(update={"attributions": []})
    assert charts.paths([], data.daily.frame) is None
    assert charts.sizes(empty) is None
    nothing = pd.DataFrame(columns=data.moves.frame.columns)
    figure, _ = charts.moves_over_time(empty, data.daily.frame, nothing, data.event_outcomes.frame)
    assert figure.data
