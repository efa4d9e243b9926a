"""The page of trial design: inputs of the sample size on the answer, recomputed in place."""

import math
import re
import time

import pytest

from core.registry import all_agents
from core.results import load_view
from core.runner import start_run
from core.stats.trial_design.survival import schoenfeld_events
from tests.core.agents.clinical_trial_design.conftest import LUNG

AGENT = all_agents()["clinical-trial-design"]


@pytest.fixture
def answer(app, workbench, caller, complete, evidence):
    """Return what runs the agent and opens its answer at a tab."""

    def open_at(tab: str, **fields: object):
        evidence(AGENT.name)
        request = AGENT.request.model_validate({**LUNG, **fields})
        queued = start_run(AGENT, request, caller, workbench)
        complete(queued, caller)
        run = workbench.stores.runs.get(caller.user_id, queued.run_uuid)
        app.switch_page("clinical_trial_design.py")
        app.query_params["run"] = run.run_uuid
        app.query_params["tabs"] = tab
        return app.run(), load_view(run, workbench).statistical_design_recommendations

    return open_at


def knob(page, label: str):
    return next(one for one in page.number_input if one.label.startswith(label))


def read_size(page) -> tuple[int, int]:
    """Return the participants and events that the page tells."""
    text = next(one.value for one in page.markdown if "participants**" in one.value)
    total, events = re.search(r"([\d,]+) participants.* ([\d,]+) events", text).groups()
    return int(total.replace(",", "")), int(events.replace(",", ""))


def test_the_page_starts_from_the_sizes_of_the_run(answer) -> None:
    page, told = answer("Statistics")
    size = told.sample_size
    assert read_size(page) == (size.inflated_total, size.events)


def test_changed_inputs_recompute_in_place_and_reset_to_the_run(answer, workbench) -> None:
    page, told = answer("Statistics")
    before, n_runs = read_size(page), len(workbench.executor.taken)
    ratio = told.effect.value - 0.1
    began = time.perf_counter()
    page = knob(page, "Hazard ratio").set_value(ratio).run()
    assert time.perf_counter() - began < 2  # a whole page; its fragment alone takes 0.2 s
    events = schoenfeld_events(ratio, 0.025, 0.9) * told.interim.inflation
    assert read_size(page)[1] == math.ceil(events)
    uneven = next(one for one in page.selectbox if one.label.startswith("Allocation"))
    assert read_size(uneven.set_value("2:1").run())[1] == math.ceil(events * 9 / 8)
    page = next(one for one in page.button if one.label.startswith("Reset")).click().run()
    assert read_size(page) == before
    assert len(workbench.executor.taken) == n_runs
    assert not page.exception


def test_a_missing_input_is_named_and_once_entered_sizes_the_trial(answer) -> None:
    page, told = answer("Answer", preferred_endpoint="disease-free survival")
    assert told.sample_size.total is None
    assert any("median" in one.value and "hazard ratio" in one.value for one in page.info)
    page = knob(page, "Control median").set_value(12.0).run()
    page = knob(page, "Hazard ratio").set_value(0.7).run()
    assert all(size > 0 for size in read_size(page))


def test_saving_starts_a_run_with_the_values_of_the_page(answer, workbench, caller) -> None:
    page, _ = answer("Answer", preferred_endpoint="disease-free survival")
    page = knob(page, "Control median").set_value(12.0).run()
    page = knob(page, "Hazard ratio").set_value(0.7).run()
    next(one for one in page.button if one.label.startswith("Save")).click().run()
    new = workbench.stores.runs.get(caller.user_id, workbench.executor.taken[-1])
    with workbench.stores.blobs.open(new.input_sha256) as body:
        own = AGENT.request.model_validate_json(body.read()).preliminary_efficacy_data
    assert (own["value"], own["control_value"]) == (0.7, 12.0)


@pytest.mark.parametrize(
    ("endpoint", "values"),
    [
        ("objective response rate", {"Control rate": 20.0, "Rate with": 40.0}),
        ("change in body weight", {"Difference": -5.0, "Standard deviation": 10.0}),
    ],
)
def test_every_type_of_endpoint_can_be_sized(answer, endpoint, values) -> None:
    page, _ = answer("Statistics", preferred_endpoint=endpoint)
    for label, value in values.items():
        page = knob(page, label).set_value(value).run()
    assert any("participants**" in one.value for one in page.markdown)
    assert not page.exception
