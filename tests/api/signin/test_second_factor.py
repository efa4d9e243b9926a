"""Setting a second factor up, signing in with it, and turning it off."""

import re
import time
from collections.abc import Callable
from types import SimpleNamespace

import pyotp
import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.page_streams import PageStreams
from core.ports import Stores
from core.settings import Settings
from core.workbench import install

SignIn = Callable[..., Response]
PASSWORD = "correct horse battery"
PATH, CODE, CONFIRM = "/auth/factor", "/auth/code", "/auth/factor/confirm"


def token_in(page: Response) -> str:
    """Return the sealed token of a form."""
    found = re.search(r'name="token" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]


def app_in(page: Response) -> pyotp.TOTP:
    """Return an authenticator with the key that a page shows."""
    found = re.search(r"<code>([A-Z2-7 ]+)</code>", page.text)
    assert found, page.text
    return pyotp.TOTP(found[1].replace(" ", ""))


@pytest.fixture
def recovery_codes(client: TestClient, sign_in: SignIn) -> list[str]:
    """Turn anna's factor on from the Account page, sign her out, return her recovery codes."""
    sign_in()
    page = client.post(PATH, data={"password": PASSWORD})
    assert "<svg" in page.text
    wrong = client.post(CONFIRM, data={"token": token_in(page), "code": "000000"})
    assert (wrong.status_code, app_in(wrong).secret) == (401, app_in(page).secret)
    fields = {"token": token_in(page), "code": app_in(page).now(), "next": "/account"}
    done = client.post(CONFIRM, data=fields)
    client.post("/auth/logout")
    return re.findall(r"<li>([a-z0-9-]+)</li>", done.text)


def test_a_password_alone_opens_nothing(
    client: TestClient, sign_in: SignIn, recovery_codes: list[str], stores: Stores
) -> None:
    assert len(set(recovery_codes)) == 10
    assert {len(code.replace("-", "")) for code in recovery_codes} == {24}
    page = sign_in(next="/runs")
    assert page.status_code == 200
    assert "set-cookie" not in page.headers
    assert client.get("/home").status_code == 401
    refused = client.post(CODE, data={"token": token_in(page), "code": "123456"})
    assert refused.status_code == 401
    answer = client.post(CODE, data={"token": token_in(refused), "code": recovery_codes[0]})
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs")
    assert client.get("/home").text == "anna"
    again = client.post(CODE, data={"token": token_in(page), "code": recovery_codes[0]})
    assert again.status_code == 401
    actions = [entry.action for entry in stores.audit.list()]
    assert {"factor.on", "signin", "signin_failed"} <= set(actions)


@pytest.mark.parametrize("token", ["", "forged", "gAAAAA"])
def test_a_code_needs_its_password_first(
    client: TestClient, recovery_codes: list[str], token: str
) -> None:
    answer = client.post(CODE, data={"token": token, "code": recovery_codes[0]})
    assert answer.status_code == 400
    assert client.post(CODE, content=b"{}").status_code == 400
    assert client.get("/home").status_code == 401


def test_a_code_counts_only_with_the_password_of_its_sign_in(
    client: TestClient, sign_in: SignIn, recovery_codes: list[str], stores: Stores
) -> None:
    token = token_in(sign_in())
    stores.users.reset(1)
    answer = client.post(CODE, data={"token": token, "code": recovery_codes[0]})
    assert answer.status_code == 400
    assert client.get("/home").status_code == 401


def test_codes_are_not_guessed(
    client: TestClient, sign_in: SignIn, recovery_codes: list[str]
) -> None:
    statuses = []
    for _ in range(6):
        page = sign_in()
        fields = {"token": token_in(page), "code": "123456"}
        statuses.append(client.post(CODE, data=fields).status_code)
    assert statuses == [401] * 5 + [429]


def test_turning_it_off_takes_password_and_code(
    client: TestClient, sign_in: SignIn, recovery_codes: list[str], stores: Stores
) -> None:
    client.post(CODE, data={"token": token_in(sign_in()), "code": recovery_codes[0]})
    for fields in (
        {"password": PASSWORD},
        {"password": PASSWORD, "code": "123456"},
        {"password": "wrong", "code": recovery_codes[1]},
    ):
        assert client.post(PATH, data=fields).status_code == 401
        assert stores.factors.is_on(1)
    fields = {"password": PASSWORD, "code": recovery_codes[1]}
    assert client.post(PATH, data=fields).status_code == 303
    assert "Set up" in client.get(PATH).text
    client.post("/auth/logout")
    assert sign_in().status_code == 303


def test_an_instance_may_require_it(
    client: TestClient, sign_in: SignIn, stores: Stores, settings: Settings
) -> None:
    strict = settings.model_copy(update={"second_factor": "required"})
    install(SimpleNamespace(settings=strict, stores=stores, streams=PageStreams()))
    page = sign_in(next="/runs")
    assert client.get("/home").status_code == 401
    fields = {"token": token_in(page), "code": app_in(page).at(int(time.time())), "next": "/runs"}
    done = client.post(CONFIRM, data=fields)
    assert 'href="/runs"' in done.text
    assert client.get("/home").text == "anna"


def test_who_is_not_signed_in_changes_nothing(client: TestClient, stores: Stores) -> None:
    for answer in (client.get(PATH), client.post(PATH, data={"password": PASSWORD})):
        assert answer.headers["location"].startswith("/auth/login")
    assert client.post(CONFIRM, data={"token": "forged", "code": "1"}).status_code == 400
    assert not stores.factors.is_on(1)
