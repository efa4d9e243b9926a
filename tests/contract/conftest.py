"""The description of the API as it is served."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from api.service import make_service


@pytest.fixture(scope="session")
def description() -> dict[str, Any]:
    """Return openapi.json; serving it needs no instance."""
    answer = TestClient(make_service()).get("/v1/openapi.json")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found
