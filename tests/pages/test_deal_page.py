"""The page of deal sourcing: candidates in a table with filters, memos that repeat nothing."""

import pytest

from core.registry import all_agents
from core.results import load_view
from core.runner import start_run

AGENT = all_agents()["deal-sourcing"]


@pytest.fixture
def answer(app, workbench, caller, complete, evidence):
    evidence(AGENT.name)
    request = AGENT.request.model_validate({"thesis": "asthma"})
    run = start_run(AGENT, request, caller, workbench)
    complete(run, caller)
    run = workbench.stores.runs.get(caller.user_id, run.run_uuid)
    app.switch_page("deal_sourcing.py")
    app.query_params["run"] = run.run_uuid
    return app.run(), load_view(run, workbench)


def test_table_holds_every_candidate_and_filters_narrow_it(answer) -> None:
    page, data = answer
    assets = [one.entities.asset for one in data.deals]
    assert len(assets) > 1
    table = next(one.value for one in page.dataframe if "Asset" in one.value)
    assert list(table["Asset"]) == assets
    tile = {one.label: one.value for one in page.metric}
    assert tile["Candidates"] == str(len(assets))
    owner = data.deals[0].entities.company
    page = next(one for one in page.multiselect if one.label == "Owner").set_value([owner]).run()
    table = next(one.value for one in page.dataframe if "Asset" in one.value)
    assert list(table["Asset"]) == [
        one.entities.asset for one in data.deals if one.entities.company == owner
    ]


def test_memos_say_what_most_share_once_and_lead_with_the_asset(answer) -> None:
    page, data = answer
    page.session_state["tabs"] = "Mini-memos"
    page = page.run()
    assert not page.exception
    text = "\n".join(one.value for one in page.markdown).replace("\\", "")
    every = [claim.text for deal in data.deals for part in deal.memo_parts for claim in part.claims]
    shared = {one for one in every if every.count(one) > max(1, len(data.deals) / 2)}
    assert shared
    assert all(text.count(one) <= 1 for one in shared)
    assert all(deal.memo_parts[0].claims[0].text.split(" ")[0] in text for deal in data.deals)
