"""Requests that stock frameworks answer wrongly, each with the answer of the contract."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.records.runs import Caller
from core.workbench import Workbench

PATH = "/v1/agents/fault-probe"
JSON = "application/json"
Post = Callable[..., Response]
ExpectError = Callable[[Response, int], dict[str, Any]]
OVERSIZED = b'{"word": "' + b"x" * (1 << 20) + b'"}'


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"{not json", JSON),
        (OVERSIZED, JSON),
        (b"{}", "text/plain"),
        (b"{}", None),
        (b'{"unknown": 1}', JSON),
        (b'{"count": 0}', JSON),
    ],
)
def test_without_a_key_whatever_is_wrong_besides_is_401(
    body: bytes, content_type: str | None, anonymous: TestClient, expect_error: ExpectError
) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    response = anonymous.post(PATH, content=body, headers=headers)
    assert expect_error(response, 401)["type"] == "authentication"
    assert response.headers["www-authenticate"] == "Bearer"


@pytest.fixture
def wrong_keys(
    workbench: Workbench, anna: Caller, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[tuple[str, str]]]:
    """Return headers by what is wrong with them."""
    keys = workbench.stores.keys
    made, revoked = keys.create(anna.user_id, "revoked")
    keys.revoke(made.key_id)
    now = datetime.now(UTC)
    with monkeypatch.context() as earlier:
        earlier.setattr(keys, "_now", lambda: now - timedelta(days=2))
        _, expired = keys.create(anna.user_id, "expired", expires_at=now - timedelta(days=1))
    _, scoped = keys.create(anna.user_id, "other agent", scopes=["differential-expression"])
    _, good = keys.create(anna.user_id, "good")
    values = {
        "wrong shape": ["Bearer sesame"],
        "unknown": [f"Bearer bpw_live_{'0' * 32}"],
        "upper case": [f"Bearer {good.upper()}"],
        "revoked": [f"Bearer {revoked}"],
        "expired": [f"Bearer {expired}"],
        "other agent": [f"Bearer {scoped}"],
        "two headers": [f"Bearer {good}", f"Bearer {good}"],
        "basic": [f"Basic {good}"],
        "no scheme": [good],
        "empty": [""],
    }
    return {name: [("Authorization", value) for value in some] for name, some in values.items()}


def test_every_wrong_key_gets_one_and_the_same_answer(
    wrong_keys: dict[str, list[tuple[str, str]]], anonymous: TestClient, expect_error: ExpectError
) -> None:
    answers = set()
    for name, headers in wrong_keys.items():
        response = anonymous.post(PATH, content=b"{}", headers=[*headers, ("Content-Type", JSON)])
        error = expect_error(response, 401)
        answers.add((name, json.dumps(error), response.headers["www-authenticate"])[1:])
        assert "bpw_live_" not in response.text
    assert len(answers) == 1


@pytest.mark.parametrize(
    "content_type", [None, "text/plain", "application/json; charset=latin-1", "application/xml"]
)
def test_other_content_type_is_refused(
    content_type: str | None, post: Post, expect_error: ExpectError
) -> None:
    error = expect_error(post(b"{}", content_type), 400)
    assert error["code"] == "wrong_content_type"


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'Application/JSON; charset="utf-8"',
        "application/json; profile=plain; charset=utf-8",
    ],
)
def test_json_in_utf8_is_accepted(content_type: str, post: Post) -> None:
    assert post(b"{}", content_type).status_code == 200


@pytest.mark.parametrize("second", ["application/json", "text/plain"])
def test_two_content_types_are_refused(
    second: str, client: TestClient, expect_error: ExpectError
) -> None:
    headers = [("Content-Type", JSON), ("Content-Type", second)]
    error = expect_error(client.post(PATH, content=b"{}", headers=headers), 400)
    assert error["code"] == "wrong_content_type"


MALFORMED = {
    "empty": b"",
    "blank": b"  \n",
    "list": b"[1]",
    "string": b'"text"',
    "number": b"7",
    "null": b"null",
    "cut": b'{"count": 3',
    "trailing": b'{"count": 3} {}',
    "byte order mark": b"\xef\xbb\xbf{}",
    "utf-16": '{"count": 3}'.encode("utf-16"),
    "utf-16 without mark": '{"count": 3}'.encode("utf-16-le"),
    "invalid utf-8": b'{"word": "\xff"}',
    "encoded surrogate": b'{"word": "\xed\xa0\x80"}',
    "lone surrogate": b'{"word": "\\ud800"}',
    "lone surrogate key": b'{"\\udfff": 1}',
    "nul": b'{"word": "a\\u0000b"}',
    "raw control": b'{"word": "a\nb"}',
    "nan": b'{"seconds": NaN}',
    "infinity": b'{"seconds": Infinity}',
    "minus infinity": b'{"seconds": -Infinity}',
    "beyond double": b'{"seconds": 1e999}',
    "duplicate key": b'{"count": 3, "count": 4}',
    "duplicate by escape": b'{"count": 3, "c\\u006funt": 4}',
    "depth 33": b'{"word": ' + b"[" * 32 + b"]" * 32 + b"}",
    "depth 100000": b'{"word": ' + b"[" * 100_000,
    "900 digits": b'{"count": ' + b"9" * 900 + b"}",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_body_that_is_no_plain_json_object_is_malformed(
    name: str, post: Post, expect_error: ExpectError
) -> None:
    error = expect_error(post(MALFORMED[name]), 400)
    assert (error["type"], error["code"]) == ("invalid_request", "malformed_json")


def test_depth_32_is_read(post: Post, expect_error: ExpectError) -> None:
    body = b'{"word": ' + b"[" * 31 + b"]" * 31 + b"}"
    assert expect_error(post(body), 400)["code"] == "wrong_type"


def test_quotes_and_brackets_inside_text_do_not_count_as_depth(post: Post) -> None:
    word = '[{"\\' * 20
    response = post(json.dumps({"word": word}).encode())
    assert response.status_code == 200
    assert response.json()["data"]["squares"][0]["word"] == word


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ('"7"', "wrong_type"),
        ("true", "wrong_type"),
        ("7.5", "wrong_type"),
        ("null", "wrong_type"),
        ("[7]", "wrong_type"),
        ("0", "value_out_of_range"),
        ("31", "value_out_of_range"),
        ("31.0", "value_out_of_range"),
        ("-1e300", "value_out_of_range"),
    ],
)
def test_what_is_no_allowed_whole_number_is_refused_with_its_field(
    value: str, code: str, post: Post, expect_error: ExpectError
) -> None:
    error = expect_error(post(b'{"count": ' + value.encode() + b"}"), 400)
    assert error["code"] == code
    assert [(detail["field"], detail["code"]) for detail in error["details"]] == [("count", code)]


@pytest.mark.parametrize("value", ["30", "30.0", "3e1"])
def test_whole_number_in_any_spelling_is_accepted(value: str, post: Post) -> None:
    response = post(b'{"count": ' + value.encode() + b"}")
    assert len(response.json()["data"]["squares"]) == 30


def test_message_names_the_bound(post: Post, expect_error: ExpectError) -> None:
    error = expect_error(post(b'{"count": 31}'), 400)
    assert "less than or equal to 30" in error["message"]


def test_message_names_the_allowed_words(post: Post, expect_error: ExpectError) -> None:
    error = expect_error(post(b'{"action": "dance"}'), 400)
    assert error["code"] == "value_not_allowed"
    assert "'answer'" in error["message"]
    assert "dance" not in json.dumps(error)


def test_misspelt_field_is_refused_with_the_nearest_name(
    post: Post, expect_error: ExpectError
) -> None:
    error = expect_error(post(b'{"cuont": 3}'), 400)
    assert error["code"] == "unknown_field"
    assert error["details"][0]["field"] == "cuont"
    assert "did you mean 'count'?" in error["message"]


def test_every_field_at_fault_is_named(post: Post, expect_error: ExpectError) -> None:
    error = expect_error(post(b'{"count": 99, "seconds": "1", "colour": 1}'), 400)
    assert {detail["field"] for detail in error["details"]} == {"count", "seconds", "colour"}


def test_missing_required_fields_are_named(client: TestClient, expect_error: ExpectError) -> None:
    response = client.post("/v1/agents/differential-expression", json={})
    error = expect_error(response, 400)
    assert error["code"] == "missing_field"
    named = {detail["field"] for detail in error["details"]}
    assert named == {"condition_column", "reference_group", "comparison_group"}


def test_bad_value_is_never_echoed(post: Post) -> None:
    response = post(b'{"action": "do-not-repeat-me", "count": "nor-me", "seconds": 987654321}')
    assert response.status_code == 400
    for secret in ("do-not-repeat-me", "nor-me", "987654321"):
        assert secret not in response.text


def test_declared_length_over_the_limit_is_refused(post: Post, expect_error: ExpectError) -> None:
    response = post(OVERSIZED)
    assert expect_error(response, 400)["code"] == "body_too_large"
    assert response.headers["connection"] == "close"


def test_chunked_body_is_read_up_to_its_limit_only(
    client: TestClient, expect_error: ExpectError
) -> None:
    sent = []

    def chunks() -> Iterator[bytes]:
        for _ in range(64):
            sent.append(1)
            yield b" " * (1 << 16)

    response = client.post(PATH, content=chunks(), headers={"Content-Type": JSON})
    assert expect_error(response, 400)["code"] == "body_too_large"
    assert response.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", PATH + "/", 404),
        ("GET", PATH, 405),
        ("PUT", PATH, 405),
        ("DELETE", PATH, 405),
        ("POST", "/v1/agents/no-such-agent", 404),
        ("GET", "/v1/agents/no-such-agent", 404),
        ("GET", "/v1", 404),
        ("POST", "/v1", 404),
        ("GET", "/v1/", 404),
        ("GET", "/v1/anything", 404),
        ("POST", "/v1/anything/at/all", 404),
        ("PUT", "/v1/runs", 405),
        ("POST", "/v1/health", 405),
        ("PATCH", "/v1/files", 405),
    ],
)
def test_wrong_address_or_method_is_told_in_the_same_form(
    method: str, path: str, status: int, client: TestClient, expect_error: ExpectError
) -> None:
    response = client.request(method, path, content=b"{}", headers={"Content-Type": JSON})
    error = expect_error(response, status)
    kind = "not_found" if status == 404 else "method_not_allowed"
    assert (error["type"], error["code"]) == (kind, kind)
    assert ("allow" in response.headers) == (status == 405)


def test_405_names_every_method_that_the_address_takes(client: TestClient) -> None:
    allowed = client.put("/v1/runs").headers["allow"]
    assert {word.strip() for word in allowed.split(",")} >= {"GET", "POST"}


@pytest.mark.parametrize("path", ["/v1/health", "/v1/agents", "/v1/openapi.json", "/v1/docs"])
def test_open_addresses_need_no_key(path: str, anonymous: TestClient) -> None:
    assert anonymous.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/v1/docs", "/v1/redoc"])
def test_documentation_loads_nothing_from_elsewhere(path: str, anonymous: TestClient) -> None:
    page = anonymous.get(path).text
    assert "http://" not in page
    assert "https://" not in page
