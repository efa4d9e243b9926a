"""A folder, a page and tests are all that a further agent takes.

The copy of the product with the throw-away agents is asked for its routes, its description, its
commands and its menu.
"""

import json
from pathlib import Path

import pytest

from core.registry import all_agents
from tests.contract.conftest import ask

NAME, OTHER = "letter-count", "target-stages"
NAMES = sorted([*all_agents(), NAME, OTHER])

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("copy")]


def test_registry_and_list_name_it(product: Path) -> None:
    assert ask(product, "-m", "api", "list").splitlines() == NAMES


_DESCRIBE = """
import json
from starlette.testclient import TestClient
from api.service import make_service
client = TestClient(make_service())
answer = client.get("/v1/openapi.json").json()
refused = client.post("/v1/agents/letter-count", json={})
print(json.dumps({
    "paths": list(answer["paths"]),
    "starts": [branch["properties"]["agent"]["const"]
               for branch in answer["components"]["schemas"]["StartRun"]["oneOf"]],
    "listed": [agent["name"] for agent in client.get("/v1/agents").json()["agents"]],
    "status": refused.status_code,
}))
"""


def test_route_and_description_have_it(product: Path) -> None:
    found = json.loads(ask(product, "-c", _DESCRIBE))
    assert f"/v1/agents/{NAME}" in found["paths"]
    assert found["starts"] == found["listed"] == NAMES
    assert found["status"] == 401


_DRAW = """
import json
from unittest import mock
import streamlit as st
from streamlit.testing.v1 import AppTest
from api.startup import open_workbench
from core.records.runs import Caller
shown = []
ask = st.navigation
def note(pages, **place):
    shown.extend((page.title, page.url_path) for page in pages)
    return ask(pages, **place)
with open_workbench() as bench:
    user = bench.stores.users.create("anna", "correct horse battery")
    test = AppTest.from_file("pages/shell.py", default_timeout=60)
    test.session_state["caller"] = Caller(user_id=user.user_id, name="anna")
    with mock.patch.object(st, "navigation", note):
        test.run()
    test.switch_page("explore.py").run()
    cards = " ".join(link.proto.label for link in test.get("page_link"))
    test.switch_page("letter_count.py").run()
    print(json.dumps({
        "menu": shown,
        "card": "Letter count" in cards,
        "title": [text.value for text in test.title],
        "buttons": [button.label for button in test.button],
        "failed": [text.value for text in test.exception],
    }))
"""


def test_explore_and_its_page_have_it(product: Path) -> None:
    found = json.loads(ask(product, "-c", _DRAW).splitlines()[-1])
    assert ["Letter count", NAME] in found["menu"]
    assert found["card"]
    assert found["title"] == ["Letter count"]
    assert found["failed"] == []
    assert "Example: One word" in found["buttons"]


def test_command_line_runs_it(product: Path) -> None:
    envelope = json.loads(ask(product, "-m", "api", "run", NAME, "--input", "-", stdin=_REQUEST))
    assert envelope["data"]["letters"][0] == {"letter": "a", "count": 2}


_REQUEST = json.dumps({"text": "banal"})


def test_contract_tests_visit_both(product: Path) -> None:
    files = ["tests/contract/test_every_agent.py", "tests/contract/test_openapi.py"]
    both = f"{NAME} or {OTHER}"
    told = ask(product, "-m", "pytest", "-q", "-k", both, "-p", "no:cacheprovider", *files)
    assert "failed" not in told
    passed = int(told.rsplit(" passed", 1)[0].split()[-1])
    assert passed >= 24
