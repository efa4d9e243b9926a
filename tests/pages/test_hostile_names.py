"""Names of an attacker in files, requests and sources stay text on every page."""

import csv
import io

import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

from core.evidence.sources.import_state import (
    AreaRow,
    Coverage,
    FileResult,
    ImportState,
    write_coverage,
    write_state,
)
from core.records.failure import ErrorDetail, ErrorRecord
from core.records.runs import Caller, RunRecord
from core.registry import all_agents
from core.runner import start_run
from pages.ui import charts, drug_rows
from pages.ui.plain import plain
from tests.hostile import (
    LEADS,
    MARKS,
    find_live,
    find_live_elsewhere,
    shown_markdown,
    spoil,
)
from tests.pages.conftest import SHELL
from tests.rows import over_rows

PAGES = SHELL.parent


def assert_all_text(page: AppTest) -> int:
    """Check what a page shows and return in how many places an attacker's words stand."""
    assert not page.exception
    shown = list(shown_markdown(page))
    live = {place: found for place, text in shown if (found := find_live(text))}
    assert not live
    assert find_live_elsewhere(page) == []
    return sum("evil" in text for _, text in shown)


@over_rows("mark", [*LEADS, *MARKS.split(" "), MARKS])
def test_no_mark_of_an_attacker_is_more_than_text(mark: str) -> None:
    assert find_live(plain(f"{mark} evil")) == []


def test_marks_that_are_not_made_plain_are_found() -> None:
    found = find_live(f"evil {MARKS}")
    assert len(found) >= 10


def open_run(app: AppTest, run: RunRecord) -> AppTest:
    app.switch_page(f"{all_agents()[run.agent].slug}.py")
    app.query_params["run"] = run.run_uuid
    return app.run()


@pytest.fixture
def picked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every chart and table be shown with a picked point or row, which opens its drawer."""
    for page in ("landscape_table", "portfolio_table", "map_view", "deal_table", "label_views"):
        monkeypatch.setattr(f"pages.ui.{page}.pick_row", pick_first)
    for page in ("expression_result", "attribution_result"):
        monkeypatch.setattr(f"pages.ui.{page}.show_plotly", pick_some)


def pick_first(*arguments: object) -> int:
    drug_rows.pick_row(*arguments)
    return 0


def pick_some(figure: object, frame: pd.DataFrame, **words: str) -> list[str]:
    charts.show_plotly(figure, frame, **words)
    column = "date" if "date" in frame else frame.columns[0]
    return [str(one) for one in frame[column].head(300)]


@pytest.mark.parametrize("name", list(all_agents()))
def test_a_result_of_hostile_names_is_text_in_every_tab(name, spoiled, app, picked) -> None:
    page = open_run(app, spoiled(name))
    places = assert_all_text(page)
    for tab in [one.label for one in page.tabs]:
        page.session_state["tabs"] = tab
        places += assert_all_text(page.run())
    places += assert_all_text(page.button(key="methods").click().run())
    assert places > 3


def test_a_picked_point_with_markup_in_its_name_is_still_known(workbench) -> None:
    figure = go.Figure(go.Scatter(x=[1], y=[1], customdata=[["<a href='//evil'>G1</a>", 2]]))
    known = dict(charts._take_markup_out(figure))
    (shown,) = figure.data[0].customdata
    assert "<" not in shown[0]
    assert known[shown[0]] == "<a href='//evil'>G1</a>"


def test_a_failed_run_of_hostile_words_is_text(app, workbench, caller) -> None:
    agent = all_agents()["differential-expression"]
    request = agent.request.model_validate(agent.examples[0].request)
    run = start_run(agent, request, caller, workbench, spoil("title")[:200])
    runs = workbench.stores.runs
    runs.start(run.run_uuid, worker_pid=1, at=workbench.now())
    runs.report(run.run_uuid, spoil("step"), 1, 3, spoil("note"), workbench.now())
    assert assert_all_text(open_run(app, run))
    detail = ErrorDetail(field=spoil("field"), code="x", message=spoil("detail"))
    error = ErrorRecord(
        type="invalid_request", code="x", message=spoil("cause"), details=[detail], status=400
    )
    runs.finish(run.run_uuid, "failed", at=workbench.now(), error=error)
    assert assert_all_text(open_run(app, run)) > 2


def test_titles_are_text_in_lists_of_runs(app, workbench, caller, spoiled) -> None:
    spoiled("differential-expression")
    for page in ("home.py", "runs.py"):
        assert assert_all_text(app.switch_page(page).run())


def test_uploaded_tables_of_hostile_names_are_text_in_the_form(app) -> None:
    samples, groups = [spoil(f"s{n}") for n in range(6)], [spoil("control"), spoil("treated")]
    counts, metadata = io.StringIO(), io.StringIO()
    csv.writer(counts).writerows(
        [["gene", *samples], *([spoil(f"G{n}"), *range(6)] for n in range(9))]
    )
    csv.writer(metadata).writerows(
        [["sample", spoil("dex"), spoil("cell")]]
        + [[name, groups[n > 2], spoil(f"c{n % 2}")] for n, name in enumerate(samples)]
    )
    page = app.switch_page("differential_expression.py").run()
    page.file_uploader[0].upload(f"{MARKS}.csv", counts.getvalue().encode())
    page.file_uploader[1].upload(f"{MARKS}.tsv", metadata.getvalue().encode())
    assert assert_all_text(page.run()) > 1
    page.button(key="run").click().run()
    assert_all_text(page)


def test_refused_events_of_hostile_words_are_text(app) -> None:
    page = app.switch_page("attribution_engine.py").run()
    for box in page.file_uploader:
        table = f"{spoil('date')},stock\n{spoil('x')},{spoil('y')}\n"
        box.upload(f"{MARKS}.csv", table.encode())
    assert assert_all_text(page.run())


def test_own_documents_of_hostile_names_are_text_in_the_form(app) -> None:
    page = app.switch_page("compound_map.py").run()
    page.file_uploader[0].upload(f"{MARKS}.txt", b"evil")
    page.file_uploader[1].upload(f"{MARKS}.csv", b"evil")
    page.text_input(key="form:compound-map:target").set_value(MARKS[:60])
    page.run()
    page.button(key="run").click().run()
    assert_all_text(page)


def test_names_of_people_and_keys_are_text(workbench, monkeypatch) -> None:
    monkeypatch.setattr("storage.users.PASSWORD_ROUNDS", 4)
    users = workbench.stores.users
    chief = users.create("chief", "correct horse battery", "admin")
    workbench.stores.keys.create(chief.user_id, spoil("key")[:80])
    users.open_session(chief.user_id, address=spoil("1.1.1.1")[:60], agent=spoil("agent"))
    workbench.stores.audit.add(spoil("actor"), "x", spoil("subject"), spoil("note"))
    caller = Caller(user_id=chief.user_id, name=spoil("chief"), role="admin")
    names = ("account", "keys", "admin_keys", "admin_users", "admin_audit")
    shown = {name: assert_all_text(open_page(caller, f"{name}.py")) for name in names}
    assert all(shown[name] for name in ("account", "keys", "admin_keys")), shown


def open_page(caller: Caller, page: str) -> AppTest:
    test = AppTest.from_file(str(SHELL), default_timeout=30)
    test.session_state["caller"] = caller
    return test.run().switch_page(page).run()


@pytest.mark.parametrize("status", ["running", "done", "failed"])
def test_names_in_the_evidence_are_text(workbench, evidence, status) -> None:
    evidence("company-asset-searcher")
    states = workbench.stores.states
    file = FileResult(name=spoil("a"), kind="x", records=1, damaged=1)
    state = ImportState(
        status=status,
        worker=workbench.executor.worker,
        by=spoil("by"),
        started_at="2026-11-21T12:00:00+00:00",
        finished_at="2026-11-21T12:00:00+00:00",
        step=spoil("step"),
        files=[file],
        left_out=[spoil("b")],
        error=spoil("error"),
    )
    write_state(states, state)
    write_coverage(states, Coverage(rows=[AreaRow(area=spoil("z"), trials=1, labels=1, drugs=1)]))
    caller = Caller(user_id=1, name="chief", role="admin")
    assert assert_all_text(open_page(caller, "evidence.py"))


def test_only_one_module_draws_tables_and_one_draws_badges() -> None:
    allowed = {
        "st.dataframe(": {"tables.py", "upload.py"},
        "st.badge(": {"badges.py", "account_view.py", "key_list.py", "user_list.py"},
        "st.plotly_chart(": {"charts.py"},
        "unsafe_allow_html": set(),
        "st.html(": set(),
    }
    for path in (*PAGES.glob("*.py"), *PAGES.glob("ui/*.py")):
        text = path.read_text(encoding="utf-8")
        assert not {mark for mark, names in allowed.items() if mark in text} - {
            mark for mark, names in allowed.items() if path.name in names
        }, path.name


def test_cells_leave_the_browser_through_our_safe_csv_alone() -> None:
    assert config.get_option("client.disableDataExport") is True
