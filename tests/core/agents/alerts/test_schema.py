"""Which requests are taken, and which field is named where one is not."""

import pytest

from api.validation import read_request
from core.agents.alerts.schema import AlertsRequest
from core.errors import InvalidInput
from tests.rows import over_rows


@over_rows(
    ("body", "field", "code"),
    [
        ({}, "action", "missing_field"),
        ({"action": "dance"}, "action", "value_not_allowed"),
        ({"action": "enable_from_query"}, "query_id", "missing_field"),
        ({"action": "remove"}, "query_id", "missing_field"),
        ({"action": "remove", "query_id": None}, "query_id", "missing_field"),
        ({"action": "remove", "query_id": "7"}, "query_id", "wrong_type"),
        ({"action": "list", "query_id": "7"}, "query_id", "wrong_type"),
        ({"action": "list", "query_id": True}, "query_id", "wrong_type"),
        ({"action": "remove", "query_id": -1}, "query_id", "value_out_of_range"),
        ({"action": "remove", "query_id": 10**30}, "query_id", "value_out_of_range"),
        ({"action": "add_manual"}, "drug_name", "missing_field"),
        ({"action": "add_manual", "drug_name": " "}, "drug_name", "value_malformed"),
        ({"action": "add_manual", "drug_name": "+-*/"}, "drug_name", "value_malformed"),
        ({"action": "add_manual", "drug_name": "a" * 10_000}, "drug_name", "value_too_long"),
        ({"action": "list", "drug_name": 7}, "drug_name", "wrong_type"),
        ({"action": "list", "signal_level": "loud"}, "signal_level", "value_not_allowed"),
        ({"action": "list", "query": 7}, "query", "unknown_field"),
    ],
)
def test_wrong_request_names_its_field(body, field: str, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_request(AlertsRequest, body)
    assert [(one.field, one.code) for one in caught.value.details] == [(field, code)]


@over_rows(
    "body",
    [
        {"action": "list", "query_id": -5, "drug_name": " "},
        {"action": "remove", "query_id": 7.0, "drug_name": ""},
        {"action": "add_manual", "drug_name": "パドセブ", "query_id": -1},
    ],
)
def test_what_an_action_does_not_use_is_ignored(body) -> None:
    assert read_request(AlertsRequest, body).action == body["action"]
