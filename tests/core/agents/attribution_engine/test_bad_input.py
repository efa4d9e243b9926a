"""Bad and awkward input: what is refused with its path, what is answered with a warning."""

import json
import math

import pytest

from api.validation import read_request
from core.agents.attribution_engine import AGENT
from core.errors import InvalidInput
from tests.rows import over_rows

REQUIRED = {
    "events": ("date", "asset", "event_type", "relationship", "confirmed"),
    "returns": ("date", "stock", "market"),
}


def as_json(data):
    """Return an answer as it goes over the wire; NaN and Infinity are refused."""

    def no_number(word):
        raise AssertionError(f"{word} in the answer")

    return json.loads(data.model_dump_json(by_alias=True), parse_constant=no_number)


def refuse(body):
    with pytest.raises(InvalidInput) as caught:
        read_request(AGENT.request, body)
    return caught.value.record()


def codes(data):
    return {text.split(":")[0] for text in data.warnings}


@pytest.fixture
def planted(story):
    return story().jump(300, 0.2).event(300).event(350).event(380).event(390)


@over_rows(
    ("place", "field", "value", "code"),
    [
        ("events", "date", "2020-02-30", "value_malformed"),
        ("events", "date", "20200229", "value_malformed"),
        ("events", "date", "2020-02-29T00:00:00", "value_malformed"),
        ("events", "date", 20200229, "wrong_type"),
        ("events", "confirmed", "true", "wrong_type"),
        ("events", "confirmed", 1, "wrong_type"),
        ("events", "asset", None, "wrong_type"),
        ("events", "expected_abs_move", -0.1, "value_out_of_range"),
        ("events", "expected_abs_move", "0.1", "wrong_type"),
        ("events", "session", "noon", "value_not_allowed"),
        ("events", "announced_at", "2020-01-01T10:00:00", "value_malformed"),
        ("returns", "date", "2019-13-01", "value_malformed"),
        ("returns", "stock", "0.1", "wrong_type"),
        ("returns", "stock", True, "wrong_type"),
        ("returns", "stock", -1.01, "value_out_of_range"),
        ("returns", "market", -2, "value_out_of_range"),
        ("returns", "market", 1e9, "value_out_of_range"),
        ("returns", "market", math.nan, "value_out_of_range"),
        *(("events", name, ..., "missing_field") for name in REQUIRED["events"]),
        *(("returns", name, ..., "missing_field") for name in REQUIRED["returns"]),
    ],
)
def test_a_bad_or_missing_value_is_refused_with_its_path(planted, place, field, value, code):
    body = planted.body()
    body[place] = [dict(row) for row in body[place]]
    body[place][3][field] = value
    if value is ...:
        del body[place][3][field]
    error = refuse(body)
    assert error.status == 400
    assert [(d.field, d.code) for d in error.details] == [(f"{place}[3].{field}", code)]


@over_rows(
    ("name", "value"),
    [
        ("sig_z", -1),
        ("min_abs_move", -0.01),
        ("estimation_window", 0),
        ("gap", 0),
        ("min_obs", 9),
        ("min_obs", 251),
        ("max_lag", -1),
        ("leakage_window", -1),
        ("outlier_z", 0),
        ("partial_ratio", -0.1),
    ],
)
def test_settings_out_of_bounds_are_refused_naming_them(planted, name, value):
    error = refuse(planted.body(config={name: value}))
    assert [(d.field, d.code) for d in error.details] == [(f"config.{name}", "value_out_of_range")]
    assert any(character.isdigit() for character in error.message)


@over_rows(
    ("fields", "path", "code"),
    [
        ({"unexplained_window": -1}, "unexplained_window", "value_out_of_range"),
        ({"unexplained_window": 2.5}, "unexplained_window", "wrong_type"),
        ({"config": {"exclusion": "all"}}, "config.exclusion", "value_not_allowed"),
        ({"config": {"max_lag": True}}, "config.max_lag", "wrong_type"),
        (
            {"config": {"min_obs": 121, "estimation_window": 120}},
            "config.min_obs",
            "value_out_of_range",
        ),
        ({"benchmark": 5}, "benchmark", "wrong_type"),
        ({"bench": "XBI"}, "bench", "unknown_field"),
        ({"returns": {}}, "returns", "wrong_type"),
    ],
)
def test_fields_of_the_request_are_strict(planted, fields, path, code):
    (detail,) = refuse(planted.body(**fields)).details
    assert (detail.field, detail.code) == (path, code)


def test_whole_floats_are_integers(answer, planted):
    data = answer(planted.body(unexplained_window=4.0, config={"gap": 12.0}))
    assert (data.config.unexplained_window, data.config.gap) == (4, 12)


def test_percent_is_refused(planted):
    body = planted.body()
    for row in body["returns"]:
        row["stock"] *= 100
    error = refuse(body)
    assert (error.code, error.details[0].field) == ("looks_like_percent", "returns")
    assert "divide by 100" in error.message


def test_a_unit_that_changes_is_refused(planted):
    body = planted.body()
    for row in body["returns"][-200:]:
        row["stock"] *= 40
    error = refuse(body)
    assert (error.code, error.details[0].field) == ("looks_like_percent", "returns")


def test_what_looks_odd_in_returns_is_warned_of(answer, story, planted):
    s = story()
    s.stock *= 12
    assert "looks_like_percent" in codes(answer(s.body()))
    assert "looks_like_percent" not in codes(answer(story().body()))
    planted.stock[20] = 11.0
    assert "huge_return" in codes(answer(planted.body()))
    planted.event(400, expected_abs_move=20)
    assert "expected_looks_like_percent" in codes(answer(planted.body()))


@pytest.mark.parametrize("name", ["stock", "market"])
def test_prices_are_refused(planted, name):
    body = planted.body()
    for number, row in enumerate(body["returns"]):
        row[name] = 20 + number / 10
    assert refuse(body).code == "looks_like_prices"


def test_a_date_with_two_different_returns_is_refused_naming_it(planted):
    body = planted.body()
    body["returns"].append({**body["returns"][9], "stock": 0.5})
    error = refuse(body)
    assert (error.details[0].field, error.code) == ("returns[500].date", "duplicate_date")
    assert str(planted.days[9]) in error.message


def test_exact_repeats_of_rows_and_events_are_dropped_with_a_warning(answer, planted):
    plain = answer(planted.body())
    body = planted.body()
    body["returns"].append(dict(body["returns"][9]))
    body["events"].append(dict(body["events"][1]))
    data = answer(body)
    assert codes(data) - codes(plain) == {"duplicate_date", "duplicate_event"}
    assert as_json(data)["attributions"] == as_json(plain)["attributions"]
    assert as_json(data)["events_without_move"] == as_json(plain)["events_without_move"]


def test_missing_returns_are_unusable_not_zero(answer, planted):
    body = planted.body()
    for row in body["returns"][100:110]:
        row["market"] = None
    data = answer(body)
    assert data.summary.n_usable == 490
    assert any(text.startswith("unusable_rows: 10 rows") for text in data.warnings)
    rows = as_json(data)["daily"]
    assert rows[100]["ar"] is None
    assert rows[100]["excluded"] == "unusable"
    assert rows[200]["n_obs"] == 200 - 11 + 1 - 10


@pytest.mark.parametrize("n_rows", [0, 1, 40, 70])
def test_too_few_rows_answer_empty_with_a_warning(answer, planted, n_rows):
    body = planted.body()
    data = answer({**body, "returns": body["returns"][:n_rows]})
    found = as_json(data)
    assert (found["attributions"], found["unexplained"]) == ([], [])
    assert found["summary"]["n_tested"] == 0
    assert "no_testable_day" in codes(data)


def test_one_testable_day_and_no_events_are_answered(answer, planted):
    body = planted.body()
    assert answer({**body, "returns": body["returns"][:71]}).summary.n_tested == 1
    data = answer(planted.body(events=[]))
    assert [record.state for record in data.attributions] == ["unexplained"]
    assert data.unexplained == data.attributions


def test_unknown_settings_are_named_with_the_nearest_known_one(answer, planted):
    data = answer(planted.body(config={"min_abs_moves": 0.5, "zzz": 1}))
    texts = [text for text in data.warnings if text.startswith("unknown_config_key:")]
    assert "did you mean min_abs_move?" in texts[0]
    assert len(texts) == 2
    assert data.config.min_abs_move == 0.05


def test_overlapping_events_are_kept_out_of_each_others_estimation(answer, story):
    s = story().jump(300, 0.3).event(300).jump(320, 0.3).event(320)
    sigma = [record.sigma for record in answer(s.body()).attributions]
    assert sigma[1] == pytest.approx(sigma[0], rel=0.1)


def test_constant_series_are_warned_of_and_not_tested(answer, planted):
    body = planted.body()
    for row in body["returns"]:
        row["market"] = 0.001
    data = answer(body)
    assert "constant_market" in codes(data)
    assert {record["beta"] for record in as_json(data)["attributions"]} == {0.0}
    body = planted.body()
    for row in body["returns"]:
        row["stock"] = row["market"]
    data = answer(body)
    assert "constant_stock" in codes(data)
    as_json(data)


@pytest.mark.parametrize("value", [0.0, 0.003])
def test_constant_stock_is_not_tested(answer, planted, value):
    body = planted.body()
    for row in body["returns"]:
        row["stock"] = value
    data = answer(body)
    assert "constant_stock" in codes(data)
    assert data.summary.n_tested == 0
    as_json(data)


def test_gaps_and_thin_trading_are_warned_of(answer, planted):
    body = planted.body()
    del body["returns"][100:110]
    (text,) = [text for text in answer(body).warnings if text.startswith("calendar_gap:")]
    assert f"{planted.days[99]} to {planted.days[110]}" in text
    planted.stock[::4] = 0
    assert "thin_trading" in codes(answer(planted.body()))


def test_deep_or_long_free_fields_are_refused(planted):
    deep: object = 1
    for _ in range(9):
        deep = [deep]
    body = planted.body()
    body["events"][0]["source"] = deep
    assert refuse(body).code == "too_deep"
    body["events"][0]["source"] = "x" * 70_000
    assert refuse(body).code == "value_too_long"


@pytest.mark.parametrize("size", [1e5, 1e-9, 0.0])
def test_extreme_settings_and_returns_stay_finite(answer, planted, size):
    planted.stock[[200, 420]] = size
    config = {"sig_z": 0, "min_abs_move": 0, "exclusion": "none", "max_lag": 0}
    as_json(answer(planted.body(config=config, unexplained_window=0)))
