"""The attribution page: form with files, examples, the result in every tab."""

import json
from dataclasses import replace
from datetime import date, timedelta

import pytest

from core.registry import all_agents
from core.results import load_view, read_table
from core.runner import start_run
from core.workbench import install
from tests.core.evidence.loopback import Asked, Sent, serving

AGENT = all_agents()["attribution-engine"]
DAYS = [date(2020, 1, 6) + timedelta(days=7 * (n // 5) + n % 5) for n in range(90)]
PRICES = "Date,Open,High,Low,Close,Adj Close,Volume\n" + "".join(
    f"{day},1,1,1,{20 + n % 3},{10 + n % 3},5\n" for n, day in enumerate(DAYS)
)
BENCHMARK = "Date,Close/Last,Volume,Open,High,Low\n" + "".join(
    f"{day:%m/%d/%Y},${90 + n % 4},5,$1,$1,$1\n" for n, day in enumerate(DAYS)
)
EVENTS = f"date,asset,event_type,relationship,confirmed\n{DAYS[80]},A,readout,own,yes\n"


@pytest.fixture
def page(app):
    return app.switch_page("attribution_engine.py").run()


def read_input(run, workbench):
    with workbench.stores.blobs.open(run.input_sha256) as body:
        return json.load(body)


def upload(page, *contents):
    for box, (name, text) in zip(page.file_uploader, contents, strict=False):
        if text:
            box.upload(name, text.encode())
    return page.run()


def test_three_files_become_a_request_with_notes(page, workbench, caller) -> None:
    upload(page, ("stock.csv", PRICES), ("xbi.csv", BENCHMARK), ("events.csv", EVENTS))
    assert not page.exception
    told = " ".join(box.value for box in page.info)
    assert "Yahoo" in told
    assert "Nasdaq" in told
    assert "turned into simple returns" in told
    assert "not marked as adjusted" in told
    page.button(key="run").click().run()
    assert not page.exception
    (run,) = workbench.stores.runs.list(caller.user_id)
    sent = read_input(run, workbench)
    assert len(sent["returns"]) == 89
    assert sent["returns"][0] == {
        "date": str(DAYS[1]),
        "stock": pytest.approx(0.1),
        "market": pytest.approx(1 / 90),
        "volume": 5,
        "sector": None,
        "ticker": None,
    }
    assert sent["events"][0]["event_type"] == "readout"
    assert any("Adjusted prices were used" in note for note in sent["input_notes"])


def test_a_file_that_cannot_be_read_says_why(page) -> None:
    upload(page, ("stock.csv", PRICES))
    assert not page.exception
    assert "no column for the benchmark" in page.error[0].value


def test_run_without_a_file_names_what_is_missing(page) -> None:
    page.button(key="run").click().run()
    assert not page.exception
    assert any("Returns" in error.value for error in page.error)


def test_settings_of_the_form_are_sent(page, workbench, caller) -> None:
    upload(page, ("stock.csv", PRICES), ("xbi.csv", BENCHMARK))
    boxes = {box.label: box for box in page.number_input}
    boxes["Min abs move"].set_value(0.08)
    boxes["Gap"].set_value(14)
    page.run()
    page.button(key="run").click().run()
    assert not page.exception
    (run,) = workbench.stores.runs.list(caller.user_id)
    config = read_input(run, workbench)["config"]
    assert (config["min_abs_move"], config["gap"], config["sig_z"]) == (0.08, 14, 2.58)


@pytest.mark.parametrize("example", AGENT.examples, ids=lambda example: example.name)
def test_examples_start_a_run(page, workbench, caller, example) -> None:
    page.button(key=f"example:{example.name}").click().run()
    assert not page.exception
    assert len(workbench.stores.runs.list(caller.user_id)) == 1


@pytest.fixture(params=range(len(AGENT.examples)), ids=[one.name for one in AGENT.examples])
def run(request, workbench, caller, complete):
    wanted = AGENT.request.model_validate(AGENT.examples[request.param].request)
    queued = start_run(AGENT, wanted, caller, workbench)
    complete(queued, caller)
    return workbench.stores.runs.get(caller.user_id, queued.run_uuid)


@pytest.fixture
def result(app, run):
    app.switch_page("attribution_engine.py")
    app.query_params["run"] = run.run_uuid
    return app.run()


def test_key_figures_equal_the_stored_result(result, run, workbench) -> None:
    assert not result.exception
    data = load_view(run, workbench)
    shown = {metric.label: metric.value for metric in result.metric}
    assert shown["Moves"] == str(data.summary.n_moves)
    assert shown["Unexplained"] == str(len(data.unexplained))
    assert shown["Patterns to check"] == str(data.summary.n_leakage_flags)


def test_every_tab_draws(result) -> None:
    names = [tab.label for tab in result.tabs]
    assert len(names) == 6
    for name in names:
        result.session_state["tabs"] = name
        result.run()
        assert not result.exception, name


def test_edit_and_run_sends_the_same_request_again(result, run, workbench, caller) -> None:
    result.button(key="edit").click().run()
    assert not result.exception
    assert "run" not in result.query_params
    result.button(key="run").click().run()
    assert not result.exception
    newest, oldest = workbench.stores.runs.list(caller.user_id)
    assert newest.run_uuid != oldest.run_uuid
    first, second = read_input(oldest, workbench), read_input(newest, workbench)
    first["config"]["min_obs"] = 60
    assert second == first


def test_tables_of_a_run_are_served(run, workbench) -> None:
    data = load_view(run, workbench)
    assert len(read_table(run, "moves", workbench)) == len(data.attributions)
    assert len(read_table(run, "daily", workbench)) == data.summary.n_rows


def test_a_file_of_several_stocks_is_read_by_ticker(page, workbench, caller) -> None:
    wide = "Date,AAA,BBB,XBI\n" + "".join(
        f"{day},{20 + n % 3},{7 + n % 4},{90 + n % 5}\n" for n, day in enumerate(DAYS)
    )
    events = f"date,ticker,event_type\n{DAYS[80]},AAA,readout\n"
    upload(page, ("stocks.csv", wide), ("", ""), ("events.csv", events))
    assert not page.exception
    assert next(box for box in page.selectbox if "Benchmark" in box.label).value == "XBI"
    assert next(box for box in page.multiselect if box.label == "Stocks").value == ["AAA", "BBB"]
    page.button(key="run").click().run()
    assert not page.exception
    (run,) = workbench.stores.runs.list(caller.user_id)
    sent = read_input(run, workbench)
    assert [row["ticker"] for row in sent["returns"]] == ["AAA"] * 89 + ["BBB"] * 89
    assert sent["events"][0]["ticker"] == "AAA"


def test_prices_come_by_ticker_where_a_key_is_set(app, workbench, caller) -> None:
    prices = {"ACME": PRICES, "XBI": PRICES.replace(",5\n", ",7\n")}

    def answer(asked: Asked) -> Sent:
        text = prices[asked.path.split("/")[3]].replace("Adj Close", "adjClose")
        return Sent(text.replace("Date,", "date,").encode(), headers={"Content-Type": "text/csv"})

    page = app.switch_page("attribution_engine.py").run()
    assert "Get prices" not in [button.label for button in page.button]
    with serving(answer) as server:
        settings = workbench.settings.model_copy(
            update={"tiingo_api_key": "secret", "live_addresses": {"tiingo": server.address}}
        )
        install(replace(workbench, settings=settings))
        page.run()
        page.text_input(key="form:attribution-engine:prices-stock").set_value("acme")
        days = (DAYS[0], DAYS[-1])
        page.date_input(key="form:attribution-engine:prices-days").set_value(days)
        page.button(key="form:attribution-engine:prices-get").click().run()
    assert not page.exception
    page.button(key="run").click().run()
    (run,) = workbench.stores.runs.list(caller.user_id)
    sent = read_input(run, workbench)
    assert len(sent["returns"]) == 89
    assert sent["returns"][0]["stock"] == sent["returns"][0]["market"] == pytest.approx(0.1)
