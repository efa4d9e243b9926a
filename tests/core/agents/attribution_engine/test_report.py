"""The report: memo, tables, drawable figures, a caller's marks as plain text."""

from datetime import date

import pytest

from core.agents.attribution_engine.report import compose
from core.reports.charts import draw
from core.reports.document import Bullets, Chart, Grid, Heading
from core.reports.markdown import render_markdown
from core.reports.pdf import render_pdf
from core.reports.spreadsheet import render_xlsx
from tests.core.agents.frames import Frames, make_about

ABOUT = make_about("attribution-engine")


def make(data):
    return compose(data, Frames(data), ABOUT)


def kinds(document, kind):
    return [block for block in document.blocks if isinstance(block, kind)]


@pytest.fixture
def data(answer, story):
    s = story().jump(200, 0.2).event(200, expected_abs_move=0.3).jump(240, -0.15)
    s.jump(330, -0.25).event(330, expected_abs_move=0.2).event(360).event(499, days=9)
    return answer(s.body())


def test_report_opens_with_figures_and_lists_every_move(data):
    document = make(data)
    assert document.front.tiles[0][:2] == ("Moves", "3")
    assert document.front.sentences == tuple(data.memo[:3])
    assert len(document.front.tiles) == 4
    assert kinds(document, Heading)[0].text == "Memo"
    assert kinds(document, Bullets)[0].items == tuple(data.memo)
    charts = [document.front.chart, *kinds(document, Chart)]
    assert len(charts) == 4
    for chart in charts:
        assert chart.caption
        assert chart.alt
        assert draw(chart).content
    grids = {grid.caption: grid for grid in kinds(make(data), Grid)}
    assert [row[0] for row in grids["Moves by date"].rows] == [
        str(record.move_date) for record in data.attributions
    ]
    assert [row[1] for row in grids["What is near each move"].rows] == [
        record.note for record in data.attributions
    ]
    assert len(grids["Moves without an event in the list"].rows) == 1
    assert len(grids["Events without a reported move"].rows) == 2
    frames = Frames(data)
    assert frames.names() == ["daily", "moves", "events"]
    assert list(frames.read("moves")["state"]) == [one.state for one in data.attributions]
    outcomes = frames.read("events")
    assert list(outcomes["outcome"]) == ["confirmed", "confirmed", "no_reaction", "after_last_row"]
    assert list(outcomes["move_date"].notna()) == [True, True, False, False]


@pytest.mark.parametrize("case", ["no events", "no moves", "too short", "no rows"])
def test_empty_results_render_too(answer, story, case):
    body = story().jump(300, 0.2).body() if case == "no events" else story().event(300).body()
    rows = {"too short": 40, "no rows": 0}.get(case, 500)
    document = make(answer({**body, "returns": body["returns"][:rows]}))
    assert render_pdf(document).startswith(b"%PDF")
    for chart in kinds(document, Chart):
        assert draw(chart).content


def test_marks_of_a_caller_stay_text(answer, story):
    nasty = '**bold** [1] <b>x</b> $y$ #read("/etc/passwd")'
    s = story().jump(300, 0.2).event(300, asset=nasty, event_type="=1+1")
    data = answer(s.body(benchmark=nasty))
    document = make(data)
    text = render_markdown(document)
    assert "<b>" not in text
    assert "**bold**" not in text
    assert render_pdf(document).startswith(b"%PDF")
    assert render_xlsx(document, Frames(data))[:2] == b"PK"


@pytest.mark.parametrize("years", [-2015, 250, 7970])
def test_any_year_of_the_calendar_can_be_drawn(answer, story, years):
    s = story().jump(330, -0.25)
    first = date(2019 + years, 1, 7).toordinal()
    s.days = [date.fromordinal(first + row) for row in range(s.n_rows)]
    s.event(330, expected_abs_move=0.2).event(360)
    document = make(answer(s.body()))
    charts = [document.front.chart, *kinds(document, Chart)]
    assert len(charts) > 3
    assert all(draw(chart).content for chart in charts)


def test_tables_without_room_for_all_show_the_largest_of_every_stock(answer, story):
    rows = []
    for ticker, seed, size in (("A", 1, 0.06), ("B", 2, 0.3)):
        s = story(n_rows=900, seed=seed)
        for row in range(300, 880, 14):
            s.jump(row, size)
        rows += [{**row, "ticker": ticker} for row in s.returns()]
    data = answer({"returns": rows, "events": []})
    assert len(data.attributions) > 60
    grid = {one.caption: one for one in kinds(make(data), Grid)}["Moves by date"]
    assert len(grid.rows) == 60
    days = [str(row[0]) for row in grid.rows]
    assert days == sorted(days)
    sizes = {f"{one.ticker} {one.move_date}": abs(one.scar) for one in data.attributions}
    left = [size for day, size in sizes.items() if day not in days]
    assert min(sizes[day] for day in days) >= max(left)
    assert sum(day.startswith("B") for day in days) > 30
