"""Saved lists in the pages: made and changed, filled from rows, used as filter and input."""

import pytest

from core.registry import all_agents
from core.runner import start_run
from pages.ui.form import state_key
from tests.core.agents.competitive_landscaping.conftest import (
    empty_curators_table,
    hold,
    identity_rows,
)
from tests.core.agents.competitive_landscaping.drugs import field_of_three
from tests.pages.test_landscape_page import REQUEST

LANDSCAPE = all_agents()["competitive-landscaping"]


def button(app, label):
    (found,) = [one for one in app.button if one.label == label]
    return found


def test_a_list_is_made_from_pasted_names_and_changed(app, workbench, caller) -> None:
    app.switch_page("lists.py").run()
    assert "no list yet" in app.info[0].value
    app.text_input[0].set_value("KRAS")
    app.text_area[0].set_value("sotorasib\nadagrasib\nSotorasib\n")
    button(app, "Make list").click().run()
    (held,) = workbench.stores.lists.of(caller.user_id)
    assert (held.name, held.kind, held.entries) == ("KRAS", "drug", ("Sotorasib", "adagrasib"))
    assert "holds 2" in app.success[0].value
    app.text_area[0].set_value("divarasib")
    app.multiselect[0].set_value(["adagrasib"])
    app.run()
    button(app, "Save").click().run()
    assert workbench.stores.lists.of(caller.user_id)[0].entries == ("Sotorasib", "divarasib")
    button(app, "Delete").click().run()
    assert workbench.stores.lists.of(caller.user_id) == []


def test_a_bad_name_is_said_and_the_names_stay_in_the_form(app, workbench, caller) -> None:
    app.switch_page("lists.py").run()
    app.text_area[0].set_value("sotorasib")
    button(app, "Make list").click().run()
    assert "blank" in app.error[0].value
    assert app.text_area[0].value == "sotorasib"


@pytest.fixture
def answered(app, workbench, tmp_path, monkeypatch, caller, complete):
    """The page of a landscape of three drugs."""
    workbench.stores.identity.build(identity_rows(), (), "test names")
    empty_curators_table(monkeypatch)
    hold(workbench.stores.evidence, field_of_three(), tmp_path)
    request = LANDSCAPE.request.model_validate(REQUEST)
    run = start_run(LANDSCAPE, request, caller, workbench, title="three")
    complete(run, caller)
    app.query_params["run"] = run.run_uuid
    return app.switch_page("competitive_landscaping.py").run()


def drugs(app) -> list[str]:
    """Return the drugs of the table, which stands first."""
    table = next(one for one in app.dataframe if {"Drug", "Standing"} <= set(one.value.columns))
    return list(table.value["Drug"])


def test_rows_are_put_into_a_list_and_narrowed_to_it(answered, workbench, caller) -> None:
    every = drugs(answered)
    lists = workbench.stores.lists
    made = lists.make(caller.user_id, "One", "drug")
    lists.change(caller.user_id, made.list_id, add=[every[0].upper()])
    (name,) = [one for one in answered.text_input if one.label == "Name"]
    name.set_value("one")
    button(answered, "Add").click().run()
    assert f"It holds {len(every)}" in answered.success[0].value
    assert "1 stood there already" in answered.success[0].value
    two = lists.make(caller.user_id, "Two", "drug")
    lists.change(caller.user_id, two.list_id, add=[every[0].upper()])
    answered.run()
    (choice,) = [one for one in answered.multiselect if one.label == "In list"]
    choice.set_value(["Two"]).run()
    assert len(every) > 1
    assert drugs(answered) == every[:1]


def test_a_form_takes_the_names_of_a_list(app, workbench, caller) -> None:
    agent = all_agents()["label-strategy"]
    lists = workbench.stores.lists
    made = lists.make(caller.user_id, "Rivals", "drug")
    lists.change(caller.user_id, made.list_id, add=["alphamab", "betamab"])
    firms = lists.make(caller.user_id, "Firms", "company")
    lists.change(caller.user_id, firms.list_id, add=["Acme"])
    app.switch_page("label_strategy.py").run()
    assert not [one for one in app.button if one.label.startswith("Firms")]
    button(app, "Rivals (2)").click().run()
    assert app.session_state[state_key(agent, "competitor_assets")] == ["alphamab", "betamab"]
