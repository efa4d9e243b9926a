"""The page of company assets: the head and the sections of its report, and its own views."""

import pytest

from core.registry import all_agents
from core.results import load_view
from core.runner import start_run

AGENT = all_agents()["company-asset-searcher"]
TABS = ["Answer", "Timeline"]


@pytest.fixture
def run(workbench, caller, complete, evidence):
    evidence(AGENT.name)
    request = AGENT.request.model_validate({"company": "Acme Bio", "include_old": True})
    queued = start_run(AGENT, request, caller, workbench)
    complete(queued, caller)
    return workbench.stores.runs.get(caller.user_id, queued.run_uuid)


@pytest.fixture
def result(app, run):
    app.switch_page("company_asset_searcher.py")
    app.query_params["run"] = run.run_uuid
    return app.run()


def open_tab(page, name: str):
    page.session_state["tabs"] = name
    page.run()
    assert not page.exception, name
    return page


def grids(page) -> list:
    return [one.value for one in page.dataframe]


def test_every_tab_draws(result) -> None:
    assert [tab.label for tab in result.tabs] == TABS
    for name in TABS:
        open_tab(result, name)


def test_head_shows_company_figures_and_summary_of_the_result(result, run, workbench) -> None:
    data = load_view(run, workbench)
    assert [box.value for box in result.title] == [run.title]
    shown = {metric.label: metric.value for metric in result.metric}
    assert shown["Drugs"] == str(len(data.drugs))
    told = " ".join(box.value for box in result.markdown)
    assert data.claims
    assert all(claim.text.split("[")[0][:30] in told for claim in data.claims)


def test_programs_are_those_of_the_report_whole(result, run, workbench) -> None:
    programs = [part for drug in load_view(run, workbench).drugs for part in drug.programs]
    shown = next(one for one in grids(open_tab(result, "Answer")) if "Indication" in one)
    assert list(shown["Indication"]) == [part.indication for part in programs]
    assert shown["Sources"].str.match(r"(\[\d+\])+…?$").all()


def test_sources_are_links_by_number(result, run, workbench) -> None:
    page = result.button(key="methods").click().run()
    shown = next(one for one in grids(page) if "url" in one)
    sources = load_view(run, workbench).sources
    assert list(shown["id"]) == [one.id for one in sources]
    assert list(shown["url"]) == [one.url or None for one in sources]


def test_without_drugs_there_are_no_tiles_and_no_timeline(app, workbench, caller, complete) -> None:
    request = AGENT.request.model_validate({"company": "Nobody Knows Pharma"})
    queued = start_run(AGENT, request, caller, workbench)
    complete(queued, caller)
    app.switch_page("company_asset_searcher.py")
    app.query_params["run"] = queued.run_uuid
    page = app.run()
    assert [tab.label for tab in page.tabs] == ["Answer"]
    assert not page.metric
    assert any("No drug of this company" in box.value for box in page.info)
