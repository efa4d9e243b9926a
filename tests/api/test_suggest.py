"""What the bar suggests: names of the evidence, and runs of the person who types alone."""

from collections.abc import Callable

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from api.gate import Gate
from api.suggesting import ROUTES
from core.records.evidence_pack import ImportedFile
from core.records.runs import Caller, RunRecord
from core.workbench import Workbench
from tests.core.agents.company_asset_searcher import conftest as portfolio


@pytest.fixture
def suggest(workbench: Workbench) -> Callable[..., list[dict[str, str]]]:
    """Return what asks as somebody who is signed in, on a small evidence."""
    stores = workbench.stores
    stores.identity.build(portfolio.identity_rows(), (), "test names")
    with stores.evidence.next_generation() as writer:
        writer.add(portfolio.records())
        writer.finish_file(ImportedFile("a.json", "test", "0" * 64, "2026-11-21T12:00:00", 1, 0))
    app = Starlette(routes=ROUTES, middleware=[Middleware(Gate)])

    def ask(caller: Caller, text: str) -> list[dict[str, str]]:
        session = stores.users.open_session(caller.user_id, address="", agent="")
        client = TestClient(app, cookies={workbench.settings.session_cookie: session})
        answer = client.get("/suggest", params={"q": text})
        assert answer.headers["Cache-Control"] == "no-store"
        return answer.json()["suggestions"]

    return ask


def test_names_codes_and_tickers_lead_to_one_entry_each(suggest, anna: Caller) -> None:
    assert [one["name"] for one in suggest(anna, "alph") if one["kind"] == "drug"] == ["alphamab"]
    (company,) = suggest(anna, "ACMB")
    assert (company["kind"], company["said"]) == ("company", "ACMB")
    assert "asthma" in {one["name"] for one in suggest(anna, "asth")}
    assert suggest(anna, "") == suggest(anna, "no such thing") == suggest(anna, "%_'\"<b>") == []
    assert suggest(anna, "a" * 10_000) == []


def test_a_run_is_suggested_to_its_owner_alone(
    suggest, anna: Caller, boris: Caller, run_probe: Callable[..., RunRecord], workbench: Workbench
) -> None:
    run = run_probe(word="zebra")
    workbench.stores.runs.rename(anna.user_id, run.run_uuid, "zebra run")
    assert [one["id"] for one in suggest(anna, "zebra")] == [run.run_uuid]
    assert suggest(boris, "zebra") == []
