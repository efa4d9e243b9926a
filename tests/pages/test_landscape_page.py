"""The landscape page: form, notice without evidence, memo, table, drawer, filters, every tab."""

import json

import pytest

from core.agents.competitive_landscaping.records import WordChange, WordRead
from core.registry import all_agents
from core.results import load_view
from core.runner import start_run
from core.vocabulary.lines import Line
from pages.ui.asked_chips import rewrite
from pages.ui.starting import stored_request
from tests.core.agents.competitive_landscaping.conftest import (
    empty_curators_table,
    hold,
    identity_rows,
)
from tests.core.agents.competitive_landscaping.drugs import (
    Drug,
    Figure,
    Study,
    drug,
    field_of_three,
)
from tests.rows import over_rows

AGENT = all_agents()["competitive-landscaping"]
REQUEST = {
    "query": "PD-1/VEGF bispecifics",
    "query_type": "clinical",
    "candidate_asset_description": "A PD-1/VEGF bispecific in first-line NSCLC",
}
TABS = ["Answer", "Timeline", "Compare"]


def in_phase_2(number: int, line: Line, rate: float) -> Study:
    return Study(number, phase="PHASE2", line=line, figure=Figure(rate))


@pytest.fixture
def page(app):
    return app.switch_page("competitive_landscaping.py").run()


@pytest.fixture
def further() -> list[Drug]:
    """Drugs besides the three; a test may name some."""
    return []


@pytest.fixture
def landscape(workbench, tmp_path, monkeypatch, further) -> None:
    """Put three drugs, and further ones, into the evidence of the workbench."""
    stores = workbench.stores
    stores.identity.build(identity_rows(), (), "test names")
    empty_curators_table(monkeypatch)
    hold(stores.evidence, [*field_of_three(), *further], tmp_path)


@pytest.fixture
def run(landscape, workbench, caller, complete):
    queued = start_run(AGENT, AGENT.request.model_validate(REQUEST), caller, workbench)
    complete(queued, caller)
    return workbench.stores.runs.get(caller.user_id, queued.run_uuid)


@pytest.fixture
def result(app, run):
    app.switch_page("competitive_landscaping.py")
    app.query_params["run"] = run.run_uuid
    return app.run()


def told(page) -> str:
    return " ".join(box.value for box in page.markdown)


def test_without_evidence_the_form_says_what_to_do(page) -> None:
    assert not page.exception
    assert "No evidence is imported" in page.warning[0].value
    assert "python -m api evidence import" in page.code[0].value


def test_with_evidence_there_is_no_notice(landscape, page) -> None:
    assert not page.exception
    assert list(page.warning) == []


def test_form_sends_what_stands_in_it(page, workbench, caller) -> None:
    page.text_area(key="form:competitive-landscaping:query").set_value("PD-1 in NSCLC")
    page.selectbox(key="form:competitive-landscaping:query_type").set_value("both")
    page.multiselect(key="form:competitive-landscaping:without").set_value(["stopped"])
    page.run()
    page.button(key="run").click().run()
    assert not page.exception
    (run,) = workbench.stores.runs.list(caller.user_id)
    with workbench.stores.blobs.open(run.input_sha256) as body:
        sent = json.load(body)
    assert (sent["query"], sent["query_type"]) == ("PD-1 in NSCLC", "both")
    assert sent["without"] == ["stopped"]
    assert sent["region"] is None


def test_blank_query_is_refused_on_the_form(page, workbench, caller) -> None:
    page.button(key="run").click().run()
    assert "Question" in page.error[0].value
    assert workbench.stores.runs.list(caller.user_id) == []


def test_key_figures_equal_the_stored_result(result, run, workbench) -> None:
    assert not result.exception
    data = load_view(run, workbench)
    shown = {metric.label: metric.value for metric in result.metric}
    assert shown["Drugs"] == str(len(data.drugs)) == "3"
    assert shown["Readouts in a year"] == str(len(data.events))
    assert shown["Companies"] == str(data.concentration.n_companies)
    assert len(shown) == 4


def test_memo_shows_every_section_with_links_to_its_sources(result, run, workbench) -> None:
    text = told(result)
    for section in load_view(run, workbench).memo:
        assert section.title in text
    assert "](https://clinicaltrials.gov/study/NCT" in text


def test_every_tab_draws(result) -> None:
    assert [tab.label for tab in result.tabs] == TABS
    for name in TABS:
        result.session_state["tabs"] = name
        result.run()
        assert not result.exception, name


def test_filter_keeps_the_rows_that_pass(result) -> None:
    result.multiselect(key="stage").set_value(["PHASE1"]).run()
    assert not result.exception
    table = next(one.value for one in result.dataframe if "Drug" in one.value)
    assert list(table["Drug"]) == ["gammamab"]


def test_what_was_understood_stands_first_and_is_asked_again_without_a_chip(
    result, workbench, caller
) -> None:
    chips = result.button_group[0]
    assert any("bispecific" in one for one in chips.options)
    kept = [one for one in chips.options if "bispecific" not in one]
    chips.set_value(kept).run()
    again = next(one for one in result.button if one.label == "Ask again")
    again.click().run()
    newest = workbench.stores.runs.list(caller.user_id)[0]
    asked = stored_request(AGENT, newest)
    assert asked.query == "PD-1/VEGF"


@over_rows(
    ("dropped", "chosen", "query"),
    [
        ((), (), "MET inhibitors in AD"),
        ((1,), (), "MET in AD"),
        ((), (0,), "MET inhibitors in atopic dermatitis"),
        ((0, 1), (0,), "in atopic dermatitis"),
    ],
)
def test_a_question_is_written_again_from_its_chips(dropped, chosen, query) -> None:
    said = (("MET", "target"), ("inhibitors", "mechanism"), ("in", "plain"), ("AD", "disease"))
    words = [WordRead(said=word, became=became, meant="") for word, became in said]
    swaps = [WordChange(said="AD", meant="atopic dermatitis", why="ambiguous")]
    taken = [words[one] for one in dropped]
    assert rewrite(words, taken, [swaps[one] for one in chosen]) == query


def test_result_without_a_drug_says_so(landscape, app, workbench, caller, complete) -> None:
    request = AGENT.request.model_validate({"query": "zzzzmab"})
    queued = start_run(AGENT, request, caller, workbench)
    complete(queued, caller)
    app.switch_page("competitive_landscaping.py")
    app.query_params["run"] = queued.run_uuid
    page = app.run()
    assert not page.exception
    assert any("No matching drug" in box.value for box in page.info)


def test_method_tells_why_there_is_no_estimate_of_completeness(result) -> None:
    result.button(key="methods").click().run()
    assert not result.exception
    assert "no drugs on both lists; an estimate needs 7 drugs on both" in told(result)


@pytest.mark.parametrize(
    "further",
    [
        [
            drug("deltamab", in_phase_2(11, Line.FIRST, 70)),
            drug("epsilonmab", in_phase_2(12, Line.SECOND, 99)),
        ]
    ],
)
def test_drugs_are_ordered_by_efficacy_only_within_equal_endpoint_and_line(result) -> None:
    page = result
    ranked = list(drug_table(page)["Drug"])
    order = page.selectbox(key="order")
    way = next(one for one in order.options if "first line" in one)
    order.set_value(way.removesuffix(" (2 drugs)")).run()
    assert not page.exception
    shown = drug_table(page)
    assert list(shown["Drug"][:2]) == ["deltamab", "alphamab"]
    assert list(shown["Compared"][:2]) == [70, 41]
    rest = [name for name in ranked if name not in {"deltamab", "alphamab"}]
    assert list(shown["Drug"][2:]) == rest
    said = " ".join(box.value for box in page.caption)
    assert "objective response in %, first line" in said
    assert "stand below in their rank" in said


def drug_table(page):
    return next(one.value for one in page.dataframe if "Drug" in one.value)


def test_any_disease_names_what_it_adds_and_runs_the_wider_question(
    app, workbench, caller, complete, evidence
) -> None:
    evidence(AGENT.name)
    request = {"query": "PD-1/VEGF bispecifics in NSCLC", "query_type": "clinical"}
    run = start_run(AGENT, AGENT.request.model_validate(request), caller, workbench)
    complete(run, caller)
    run = workbench.stores.runs.get(caller.user_id, run.run_uuid)
    left = [one for one in load_view(run, workbench).excluded if "no program in" in one.reason]
    assert left
    app.switch_page("competitive_landscaping.py")
    app.query_params["run"] = run.run_uuid
    page = app.run()
    page = page.toggle(key="any-disease").set_value(True).run()
    assert not page.exception
    shown = next(one.value for one in page.dataframe if list(one.value) == ["Drug", "Why"])
    assert list(shown["Drug"]) == [one.drug_name for one in left]
    page.button(key="wider").click().run()
    new = workbench.stores.runs.get(caller.user_id, workbench.executor.taken[-1])
    asked = stored_request(AGENT, new)
    assert (asked.query, asked.indication) == ("PD-1/VEGF bispecifics", None)


@pytest.mark.parametrize(
    "further", [[drug("deltamab", Study(8, line=Line.FIRST), mechanism="PD-L1/VEGF")]]
)
def test_drugs_on_sister_targets_are_a_switch_away(result) -> None:
    switch = next(one for one in result.toggle if one.key == "sister-targets")
    page = switch.set_value(True).run()
    assert not page.exception
    assert ["deltamab"] in [
        list(one.value["Drug"]) for one in page.dataframe if "Drug" in one.value
    ]
