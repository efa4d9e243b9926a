"""The page of label strategy: slots of the draft are choices that sentence and cards follow."""

import time

import pytest

from core.registry import all_agents
from core.results import load_view
from core.runner import start_run
from tests.core.agents.label_strategy.conftest import BASE

AGENT = all_agents()["label-strategy"]


@pytest.fixture
def answer(app, workbench, caller, complete, evidence):
    evidence(AGENT.name)
    run = start_run(
        AGENT,
        AGENT.request.model_validate(BASE | {"line_of_therapy": "first line"}),
        caller,
        workbench,
    )
    complete(run, caller)
    run = workbench.stores.runs.get(caller.user_id, run.run_uuid)
    app.switch_page("label_strategy.py")
    app.query_params["run"] = run.run_uuid
    return app.run(), load_view(run, workbench)


def sentence(page) -> str:
    return next(one.value for one in page.markdown if one.value.startswith("**Draft:** "))


def choose(page, slot: str, value: str):
    return next(one for one in page.selectbox if one.label == slot).set_value(value).run()


def test_sentence_and_cards_follow_a_slot_and_reset_returns_them(answer, workbench) -> None:
    page, data = answer
    before, n_runs = sentence(page), len(workbench.executor.taken)
    slot = next(one for one in data.proposed_indication_language.slots if one.slot == "line")
    option = next(one for one in slot.options if any(r.claim_element == "line" for r in one.rows))
    began = time.perf_counter()
    page = choose(page, "Line", option.value)
    assert time.perf_counter() - began < 2  # a whole page; its fragment alone is faster
    assert sentence(page) != before
    card = next(row for row in option.rows if row.claim_element == "line")
    assert any(f"Line: {card.proposed}" in one.value for one in page.markdown)
    page = next(one for one in page.button if one.label.startswith("Reset")).click().run()
    assert sentence(page) == before
    assert len(workbench.executor.taken) == n_runs
    assert not page.exception


def test_saving_a_line_starts_a_run_with_it(answer, workbench, caller) -> None:
    page, _ = answer
    page = choose(page, "Line", "previously treated")
    next(one for one in page.button if one.label.startswith("Save")).click().run()
    new = workbench.stores.runs.get(caller.user_id, workbench.executor.taken[-1])
    with workbench.stores.blobs.open(new.input_sha256) as body:
        told = AGENT.request.model_validate_json(body.read())
    assert told.line_of_therapy == "previously treated"
