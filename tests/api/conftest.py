"""Calling the fault probe through the API."""

from collections.abc import Callable
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

PATH = "/v1/agents/fault-probe"
ERROR_FIELDS = {"ok", "agent", "error", "elapsed_s", "run_id", "request_id"}


def read_error(response: Response, status: int) -> dict[str, Any]:
    """Return the `error` of an answer after holding the answer against the contract."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    body: dict[str, Any] = response.json()
    assert set(body) == ERROR_FIELDS
    assert body["ok"] is False
    assert body["elapsed_s"] >= 0
    assert response.headers["x-request-id"] == body["request_id"]
    error: dict[str, Any] = body["error"]
    assert set(error) == {"type", "code", "message", "details"}
    assert all(set(detail) == {"field", "code", "message"} for detail in error["details"])
    return error


@pytest.fixture
def expect_error() -> Callable[[Response, int], dict[str, Any]]:
    """Return what checks the form of an error and gives its `error` member."""
    return read_error


@pytest.fixture
def post(client: TestClient) -> Callable[..., Response]:
    """Return what posts raw bytes to the fault probe with anna's key."""

    def send(body: bytes, content_type: str | None = "application/json") -> Response:
        headers = {"Content-Type": content_type} if content_type else {}
        return client.post(PATH, content=body, headers=headers)

    return send
