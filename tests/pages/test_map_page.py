"""The page of the compound map: form, filters, search, every tab, proofs."""

import json
import shutil

import pytest

from core.agents.compound_map import pipeline
from core.registry import all_agents
from core.runner import start_run
from tests.core.agents.compound_map.conftest import (
    ASPIRIN_AMIDES,
    GENERIC,
    KINASE_LIKE,
    PIECE,
    Pool,
    document,
    drawn,
    identity_rows,
)

AGENT = all_agents()["compound-map"]
TABS = ["Answer", "Claims", "Clinical compounds", "Series", "Documents"]


@pytest.fixture
def run(workbench, caller, complete, empty_home, monkeypatch):
    """A completed run on two documents."""
    names = workbench.settings.home / "evidence"
    shutil.copytree(empty_home / "evidence", names, dirs_exist_ok=True)
    pool = Pool()
    number, other = "US1000001B2", "US20240000002A1"
    pool.add(document(number), drawn(number, "claims", *ASPIRIN_AMIDES, GENERIC, PIECE))
    pool.add(
        document(other, legal="pending", assignees=("**Beta** <b>Pharma</b> Ltd",)),
        drawn(other, "claims", *KINASE_LIKE),
    )
    monkeypatch.setattr(pipeline, "open_patents", lambda *_: pool)
    request = AGENT.request.model_validate({"target": "KRAS", "seed": "s"})
    queued = start_run(AGENT, request, caller, workbench)
    complete(queued, caller)
    return workbench.stores.runs.get(caller.user_id, queued.run_uuid)


@pytest.fixture
def result(app, run):
    app.switch_page("compound_map.py")
    app.query_params["run"] = run.run_uuid
    return app.run()


def told(page) -> str:
    return " ".join(box.value for box in (*page.markdown, *page.caption))


def test_form_sends_what_stands_in_it(app, workbench, caller) -> None:
    page = app.switch_page("compound_map.py").run()
    assert not page.exception
    page.text_input(key="form:compound-map:target").set_value("NLRP3")
    page.button(key="run").click().run()
    (queued,) = workbench.stores.runs.list(caller.user_id)
    with workbench.stores.blobs.open(queued.input_sha256) as body:
        sent = json.load(body)
    assert (sent["target"], sent["max_patents"], sent["file_ids"]) == ("NLRP3", 20, [])


def test_result_hides_what_is_in_doubt_and_says_how_many(result) -> None:
    assert not result.exception
    assert "8 of 9 compounds; 0 confirmed by a second witness; 1 with doubts hidden" in told(
        result
    ).replace("\\", "")
    result.toggle(key="unsure").set_value(True).run()
    assert "9 of 9 compounds" in told(result)


def test_only_compounds_that_contain_the_structure_are_kept(result) -> None:
    result.text_input(key="structure").set_value("N1CCNCC1").run()
    assert not result.exception
    cards = [box.value for box in result.caption if "Pharma" in box.value]
    assert len(cards) == len(KINASE_LIKE)


def test_text_that_is_no_structure_is_told(result) -> None:
    result.text_input(key="structure").set_value("c1cc(").run()
    assert "no SMARTS or SMILES" in result.error[0].value


def test_every_tab_draws(result) -> None:
    names = [tab.label for tab in result.tabs]
    assert names == [one for one in TABS if one in names]
    for tab in names:
        result.session_state["tabs"] = tab
        result.run()
        assert not result.exception


def test_names_of_sources_are_shown_as_text(result) -> None:
    assert "<b>Pharma" not in told(result).replace("\\<b\\>Pharma", "")


def test_target_without_documents_says_what_to_import(app, workbench, caller, complete) -> None:
    workbench.stores.identity.build(identity_rows(), (), "test names")
    request = AGENT.request.model_validate({"target": "NLRP3"})
    queued = start_run(AGENT, request, caller, workbench)
    complete(queued, caller)
    app.switch_page("compound_map.py")
    app.query_params["run"] = queued.run_uuid
    page = app.run()
    assert not page.exception
    warned = " ".join(box.value for box in page.warning).replace("\\", "")
    assert "evidence import uspto-chem" in warned
    assert not page.metric
