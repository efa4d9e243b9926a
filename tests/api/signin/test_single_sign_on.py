"""Signing in through an identity provider on the loopback address."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from httpx import Response
from pydantic import ValidationError
from starlette.testclient import TestClient

from core.page_streams import PageStreams
from core.ports import Stores
from core.settings import Settings
from core.workbench import install
from tests.standin.provider import CLIENT, SECRET, Provider, serve_provider

START, BACK = "/auth/oidc", "/auth/oidc/callback"
JOURNEY = "bpw_journey"
METADATA = "/.well-known/openid-configuration"


@pytest.fixture
def provider(stores: Stores, settings: Settings) -> Iterator[Provider]:
    """Return the provider of the instance."""
    with serve_provider() as served:
        give(settings, stores, served)
        yield served


def give(settings: Settings, stores: Stores, provider: Provider, **changes: Any) -> None:
    """Set an instance up for single sign-on."""
    values: dict[str, Any] = {
        "home": settings.home,
        "oidc_issuer": provider.issuer,
        "oidc_client_id": CLIENT,
        "oidc_client_secret": SECRET,
        "oidc_roles": {"bench-users": "analyst", "bench-admins": "admin"},
    }
    chosen = Settings(**(values | changes))
    install(SimpleNamespace(settings=chosen, stores=stores, streams=PageStreams()))


@pytest.fixture
def travel(client: TestClient, provider: Provider) -> Callable[..., Response]:
    """Return what signs in and gives the answer to the browser that comes back."""

    def go(**changes: str) -> Response:
        answer = client.get(START, params={"next": "/runs"})
        assert answer.status_code == 303, answer.text
        returned = provider.authorize(answer.headers["location"])
        return client.get(BACK, params=returned | changes)

    return go


def test_the_way_there_and_back(
    client: TestClient, provider: Provider, travel: Callable[..., Response], stores: Stores
) -> None:
    assert START in client.get("/auth/login").text
    answer = travel()
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs")
    assert client.get("/home").text == "carla@example.org"
    assert JOURNEY not in client.cookies
    assert [entry.action for entry in stores.audit.list()] == ["signin", "user.create"]
    assert travel().status_code == 303  # a second sign-in, with the keys of the first
    assert provider.asked.count("/keys") == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"claims": {"iss": "https://evil.example"}},
        {"claims": {"aud": "another client"}},
        {"claims": {"exp": 1_700_000_000}},
        {"claims": {"iat": 4_000_000_000}},
        {"claims": {"nonce": "of another sign-in"}},
        {"claims": {"nonce": None}},
        {"claims": {"sub": None}},
        {"claims": {"groups": ["strangers"]}},
        {"claims": {"groups": None}, "userinfo": {"sub": "249", "groups": ["bench-admins"]}},
        {"claims": {"preferred_username": "anna"}},
        {"claims": {"preferred_username": "a b\n<script>"}},
        {"claims": {"preferred_username": 7}},
        {"claims": {"sub": ""}},
        {"claims": {"sub": "9" * 256}},
        {"claims": {"groups": None}, "userinfo": ["no object"]},
        {
            "claims": {
                "preferred_username": "C@x.org",
                "email": "c@X.org",
                "email_verified": "false",
            }
        },
        {"claims": {"preferred_username": None, "email": "c@x.org"}},
        {"claims": {"preferred_username": None, "email": "c@x.org", "email_verified": False}},
        {"forge": "none"},
        {"forge": "hmac"},
        {"forge": "other key"},
        {"statuses": {"/token": 500}},
    ],
    ids=str,
)
def test_a_lying_answer_opens_nothing(
    client: TestClient,
    provider: Provider,
    travel: Callable[..., Response],
    stores: Stores,
    changes: dict[str, Any],
) -> None:
    for name, value in changes.items():
        setattr(provider, name, value)
    answer = travel()
    assert answer.status_code in {403, 503}
    assert "<script>" not in answer.text
    assert client.get("/home").status_code == 401
    assert [user.name for user in stores.users.list()] == ["anna"]


@pytest.mark.parametrize(
    ("claims", "userinfo", "role"),
    [
        ({"groups": ["bench-users", "bench-admins"]}, {}, "admin"),
        ({"groups": "bench-admins"}, {}, "admin"),
        ({"groups": None}, {"sub": "248", "groups": ["bench-users"]}, "analyst"),
        ({"aud": [CLIENT]}, {}, "analyst"),
    ],
    ids=str,
)
def test_groups_become_roles(
    provider: Provider,
    travel: Callable[..., Response],
    stores: Stores,
    claims: dict[str, Any],
    userinfo: dict[str, Any],
    role: str,
) -> None:
    provider.claims, provider.userinfo = claims, userinfo
    assert travel().status_code == 303
    assert stores.users.by_name("carla@example.org").role == role


def test_an_answer_counts_in_the_browser_that_asked_and_once(
    client: TestClient, provider: Provider, travel: Callable[..., Response]
) -> None:
    assert travel(state="of somebody else").status_code == 400
    assert travel(code="guessed").status_code == 403
    assert travel(code="").status_code == 403
    returned = provider.authorize(client.get(START).headers["location"])
    kept = client.cookies[JOURNEY]
    for cookie in ("", "forged", kept[:-4] + "AAAA"):
        client.cookies.clear()
        if cookie:
            client.cookies[JOURNEY] = cookie
        assert client.get(BACK, params=returned).status_code == 400
    client.cookies.clear()
    client.cookies[JOURNEY] = kept
    assert client.get(BACK, params=returned).status_code == 303
    client.cookies.clear()
    client.cookies[JOURNEY] = kept
    assert client.get(BACK, params=returned).status_code == 403


@pytest.mark.parametrize(
    "changes",
    [
        {"statuses": {METADATA: 500}},
        {"statuses": {METADATA: 302}},
        {"metadata": {"issuer": "https://evil.example"}},
        {"metadata": {"authorization_endpoint": "http://evil.example/authorize"}},
        {"metadata": {"authorization_endpoint": "javascript:alert(1)"}},
        {"metadata": {"padding": "x" * 1_000_001}},
    ],
    ids=["down", "redirect", "other issuer", "no tls", "script", "huge"],
)
def test_without_its_provider_an_instance_offers_the_password(
    client: TestClient, provider: Provider, sign_in: Callable[..., Response], changes: Any
) -> None:
    for name, value in changes.items():
        setattr(provider, name, value)
    answer = client.get(START)
    assert answer.status_code == 503
    assert 'href="/auth/login"' in answer.text
    assert sign_in().status_code == 303


def test_new_keys_of_the_provider_are_taken(
    provider: Provider, travel: Callable[..., Response]
) -> None:
    assert travel().status_code == 303
    provider.key = Provider().key
    assert travel().status_code == 303


def test_an_instance_without_a_provider_offers_none(
    client: TestClient, stores: Stores, settings: Settings
) -> None:
    assert START not in client.get("/auth/login").text
    assert client.get(START).status_code == 404
    assert client.get(BACK).status_code == 400


@pytest.mark.parametrize(
    "values",
    [
        {"oidc_issuer": "http://login.example.org", "oidc_client_id": "a"},
        {"oidc_issuer": "https://login.example.org"},
        {"oidc_issuer": "https://login.example.org", "oidc_client_id": "a"},
        {"oidc_roles": {"*": "owner"}},
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Settings(**values)


def test_an_administrator_links_an_account_that_was_there(
    client: TestClient, provider: Provider, travel: Callable[..., Response], stores: Stores
) -> None:
    provider.claims = {"preferred_username": "anna"}
    assert "users link anna 248" in travel().text
    stores.users.link(stores.users.by_name("anna").user_id, provider.issuer, "248")
    assert travel().status_code == 303
    assert client.get("/home").text == "anna"
