"""What people see of a language model: the account page, the chip of a reading, and its undoing."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.registry import all_agents
from core.runner import start_run
from core.settings import Settings
from core.workbench import Workbench, install
from pages.ui.starting import stored_request
from tests.standin.models import KEY, make_reader
from tests.standin.server import StandIn, serve

AGENT = all_agents()["competitive-landscaping"]


@pytest.fixture
def workbench(workbench: Workbench) -> Iterator[Workbench]:
    """Return a workbench that asks a local server, which reads number words."""
    with serve(StandIn(answer=make_reader({"pd-one": "PD-1"}))) as stand_in:
        fields = {
            "home": workbench.settings.home,
            "database_url": workbench.settings.database_url,
            "model": "local",
            "model_base_url": f"{stand_in.base_url}/v1",
            "model_api_key": KEY,
            "model_names": {"sonnet": "small"},
            "model_prices": {"small": {"input": 100, "output": 1000, "as_of": "2026-11-01"}},
        }
        bench = replace(workbench, settings=Settings.model_validate(fields))
        install(bench)
        yield bench


def test_a_reading_of_the_model_is_labeled_and_undone_with_one_click(
    evidence, app, workbench: Workbench, caller, complete
) -> None:
    evidence("competitive-landscaping")
    request = AGENT.request.model_validate({"query": "PD-one antibodies in gastric cancer"})
    run = start_run(AGENT, request, caller, workbench)
    complete(run, caller)
    app.switch_page("competitive_landscaping.py")
    app.query_params["run"] = run.run_uuid
    page = app.run()
    assert not page.exception
    assert any("target, by the model" in chip for chip in page.button_group[0].options)
    assert any("by the model" in box.value for box in page.caption)
    page.button(key=f"undo-model:{run.run_uuid}").click().run()
    newest = workbench.stores.runs.list(caller.user_id)[0]
    asked = stored_request(AGENT, newest)
    assert newest.run_uuid != run.run_uuid
    assert (asked.query, asked.include_llm_reading) == (request.query, False)


def test_the_account_page_shows_tasks_words_that_leave_budget_and_costs(
    evidence, app, workbench: Workbench, caller, complete
) -> None:
    evidence("competitive-landscaping")
    request = AGENT.request.model_validate({"query": "PD-1/VEGF bispecifics"})
    complete(start_run(AGENT, request, caller, workbench), caller)
    page = app.switch_page("account.py").run()
    assert not page.exception
    assert any("A server of your own" in box.value for box in page.markdown)
    tables = " ".join(table.value.to_string() for table in page.table)
    for words in ("What the model is sent", "select", "2026-11-01", "small"):
        assert words in tables
    assert "$0." in tables
    assert KEY not in " ".join([tables, *(box.value for box in (*page.markdown, *page.caption))])
