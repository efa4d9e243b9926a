"""Invitations and resets through their page."""

import re

import pytest
from httpx import Response
from starlette.testclient import TestClient

from core.ports import Stores

NEW = "a quite different one"
PATH = "/auth/password"


def send(client: TestClient, token: str, password: str = NEW, again: str | None = None) -> Response:
    """Send the form."""
    fields = {"token": token, "password": password, "again": password if again is None else again}
    return client.post(PATH, data=fields)


def test_an_invited_person_sets_a_password_and_signs_in(client: TestClient, stores: Stores) -> None:
    _, token = stores.users.invite("carla")
    page = client.post(PATH, data={"token": token})
    assert page.status_code == 200
    assert "carla" in page.text
    answer = send(client, token)
    assert (answer.status_code, answer.headers["location"]) == (303, "/auth/login")
    assert "set-cookie" not in answer.headers
    fields = {"name": "carla", "password": NEW, "next": "/"}
    assert client.post("/auth/login", data=fields).status_code == 303
    assert client.get("/home").text == "carla"


def test_the_page_of_a_link_asks_nothing_and_takes_no_token_from_its_query(
    client: TestClient, stores: Stores
) -> None:
    _, token = stores.users.invite("carla")
    plain, asked = client.get(PATH), client.get(PATH, params={"token": token})
    for page in (plain, asked):
        assert page.status_code == 200
        assert "location.hash" in page.text
        assert "Switch JavaScript on" in page.text
        assert "carla" not in page.text
        assert token not in page.text
        nonce = re.search(r"script-src 'nonce-([^']+)'", page.headers["content-security-policy"])
        assert nonce
        assert f'<script nonce="{nonce[1]}">' in page.text


def test_looking_at_the_link_does_not_use_it_up(client: TestClient, stores: Stores) -> None:
    _, token = stores.users.invite("carla")
    for _ in range(3):
        client.post(PATH, data={"token": token})
    assert send(client, token).status_code == 303


def test_a_used_and_an_invented_link_get_one_and_the_same_page(
    client: TestClient, stores: Stores
) -> None:
    _, token = stores.users.invite("carla")
    send(client, token)
    pages = [send(client, token), send(client, "invented"), client.post(PATH, data={"token": ""})]
    assert [page.status_code for page in pages] == [404, 404, 404]
    assert all("Ask your administrator" in page.text and "carla" not in page.text for page in pages)


@pytest.mark.parametrize(
    ("password", "again", "said"),
    [("short", "short", "at least 12"), (NEW, "another", "differ"), ("a" * 80, "a" * 80, "72")],
    ids=["weak", "differing", "long"],
)
def test_a_refused_password_is_said_and_the_link_still_works(
    client: TestClient, stores: Stores, password: str, again: str, said: str
) -> None:
    _, token = stores.users.invite("carla")
    page = send(client, token, password, again)
    assert page.status_code == 400
    assert said in page.text
    assert password not in page.text
    assert send(client, token).status_code == 303


def test_a_form_of_another_site_sets_nothing(client: TestClient, stores: Stores) -> None:
    _, token = stores.users.invite("carla")
    fields = {"token": token, "password": NEW, "again": NEW}
    answer = client.post(PATH, data=fields, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403
    assert stores.users.find_link(token).user.name == "carla"


def test_a_reset_signs_every_browser_out(client: TestClient, stores: Stores) -> None:
    client.post("/auth/login", data={"name": "anna", "password": "correct horse battery"})
    assert client.get("/home").text == "anna"
    token = stores.users.reset(stores.users.by_name("anna").user_id)
    assert client.get("/home").status_code == 401
    assert send(client, token).status_code == 303
    assert [line.action for line in stores.audit.list()] == ["password.set", "signin"]


def test_the_token_comes_back_as_text_never_as_markup(client: TestClient) -> None:
    page = client.post(PATH, data={"token": '"><script>alert(1)</script>'})
    assert "<script>" not in page.text
    assert page.headers["referrer-policy"] == "same-origin"
    assert page.headers["cache-control"] == "no-store"
