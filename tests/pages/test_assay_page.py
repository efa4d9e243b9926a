"""The page of assay development: timeline and plates are pictures."""

import pytest

from core.registry import all_agents
from core.runner import start_run

AGENT = all_agents()["assay-development"]


@pytest.fixture
def result(app, workbench, caller, complete):
    request = AGENT.request.model_validate(AGENT.examples[0].request)
    run = start_run(AGENT, request, caller, workbench)
    complete(run, caller)
    app.switch_page("assay_development.py")
    app.query_params["run"] = run.run_uuid
    return app.run()


@pytest.mark.parametrize("tab", ["Timeline", "Protocols"])
def test_tabs_draw_a_chart_and_no_drawing_in_text(result, tab) -> None:
    result.session_state["tabs"] = tab
    page = result.run()
    assert not page.exception
    assert page.get("vega_lite_chart")
    assert not [one for one in page.code if one.language not in {"bash", "python"}]


def test_each_protocol_can_be_chosen(result) -> None:
    result.session_state["tabs"] = "Protocols"
    page = result.run()
    for name in page.selectbox(key="protocol").options:
        page = page.selectbox(key="protocol").set_value(name).run()
        assert not page.exception
