"""The links of mails: opening one changes nothing, the button or a mail program's post does."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from api.mail_links import ROUTES
from core.mail import CONFIRM, STOP
from core.records.runs import Caller
from core.workbench import Workbench


@pytest.fixture
def visitor(workbench: Workbench) -> TestClient:
    return TestClient(Starlette(routes=ROUTES))


def test_opening_changes_nothing_and_the_button_does(
    visitor: TestClient, workbench: Workbench, anna: Caller
) -> None:
    mailings = workbench.stores.mailings
    tokens = mailings.ask(anna.user_id, "ana@example.org", "day")
    page = visitor.get(f"{CONFIRM}?token={tokens.confirm}")
    assert page.status_code == 200
    assert "Confirm this address" in page.text
    assert not mailings.get(anna.user_id).is_confirmed
    assert visitor.post(f"{CONFIRM}?token={tokens.confirm}").status_code == 200
    assert mailings.get(anna.user_id).is_confirmed
    visitor.get(f"{STOP}?token={tokens.stop}")
    assert mailings.get(anna.user_id) is not None
    body = {"List-Unsubscribe": "One-Click"}
    assert visitor.post(f"{STOP}?token={tokens.stop}", data=body).status_code == 200
    assert mailings.get(anna.user_id) is None
    assert visitor.post(f"{STOP}?token={tokens.stop}").status_code == 404


def test_what_stands_in_the_address_is_text(visitor: TestClient) -> None:
    page = visitor.get(STOP, params={"token": '"><script>alert(1)</script>'})
    assert "<script>" not in page.text
    assert visitor.post(STOP).status_code == 404
