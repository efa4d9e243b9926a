"""The wire contract: fields, defaults, schema, a light declaration."""

import json

from core.agents.attribution_engine import AGENT


def test_defaults_are_those_of_the_contract(answer, story):
    data = answer(story().body())
    assert data.benchmark == "XBI"
    assert data.config.model_dump() == {
        "sig_z": 2.58,
        "min_abs_move": 0.05,
        "estimation_window": 250,
        "gap": 11,
        "min_obs": 60,
        "max_lag": 1,
        "leakage_window": 10,
        "outlier_z": 4.0,
        "partial_ratio": 0.5,
        "overshoot_ratio": 5.0,
        "check_direction": True,
        "exclusion": "events_and_outliers",
        "usual_moves": False,
        "variance": "constant",
        "set_aside": True,
        "short_history": "none",
        "exchange": "XNYS",
        "flag_chance": 0.1,
        "unexplained_window": 5,
    }
    data = answer(story().body(config={"estimation_window": 40}))
    assert data.config.min_obs == 40
    assert data.summary.n_tested == 450


def test_the_answer_has_every_field_of_the_specification(answer, story):
    s = story().jump(300, 0.2).event(300).jump(400, 0.2)
    found = json.loads(answer(s.body()).model_dump_json(by_alias=True))
    assert {"attributions", "benchmark", "config", "method", "unexplained"} <= set(found)
    assert not {"query_id", "run_uuid", "status", "input"} & set(found)
    kinds = {"move_date": str, "state": str, "car": float, "scar": float, "residual": float}
    kinds |= {"leakage_flag": bool, "note": str}
    for record in [*found["attributions"], *found["unexplained"]]:
        assert {name: type(record[name]) for name in kinds} == kinds
    assert {"from", "to"} <= set(found["attributions"][0]["leakage"])


def test_states_and_labels_are_those_of_the_specification(story):
    schema = AGENT.data.model_json_schema(mode="serialization")
    states = schema["$defs"]["Attribution"]["properties"]["state"]["enum"]
    assert states == ["confirmed", "read_through", "partial", "unexplained"]
    request = AGENT.request.model_validate(story().event(3).body())
    assert AGENT.label(request) == "2019-01-07 to 2020-12-04, 1 event of ASSET, against XBI"
    empty = AGENT.request.model_validate({"returns": [], "events": []})
    assert AGENT.label(empty) == "no returns, 0 events, against XBI"


def test_request_and_answer_survive_storage(story, answer):
    s = story().event(300, announced_at="2020-03-02T08:00:00-05:00", desk={"a": [1]})
    request = AGENT.request.model_validate(s.body(config={"other": 1}))
    again = AGENT.request.model_validate_json(request.model_dump_json(by_alias=True))
    assert again == request
    assert again.events[0].__pydantic_extra__ == {"desk": {"a": [1]}}
    data = answer(story().jump(300, 0.2).event(300).body())
    view = data.model_dump_json(by_alias=True, context={"tables": "reference"})
    again = AGENT.data.model_validate_json(view)
    assert again.attributions == data.attributions
    assert len(again.daily) == 0
