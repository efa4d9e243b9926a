"""Signing in and out through the forms."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from httpx import Response
from starlette.testclient import TestClient

from api.browser_sessions import safe_target
from core.page_streams import PageStreams
from core.ports import Stores
from core.settings import Settings
from core.workbench import install

COOKIE = "bpw_session"
SignIn = Callable[..., Response]
PASSWORD = "correct horse battery"


def test_the_right_password_opens_the_pages(client: TestClient, sign_in: SignIn) -> None:
    answer = sign_in(next="/runs?agent=alerts")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs?agent=alerts")
    assert client.get("/home").text == "anna"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(sign_in: SignIn) -> None:
    cookie = sign_in().headers.get_list("set-cookie")[0].lower()
    assert cookie.startswith(f"{COOKIE}=")
    assert {"httponly", "samesite=lax", "path=/", "max-age=604800"} <= set(cookie.split("; "))
    assert "secure" not in cookie


def test_behind_tls_the_cookie_travels_by_https_only(
    stores: Stores, settings: Settings, sign_in: SignIn
) -> None:
    safe = settings.model_copy(update={"secure_cookie": True})
    install(SimpleNamespace(settings=safe, stores=stores, streams=PageStreams()))
    planted = sign_in().headers.get_list("set-cookie")
    assert [cookie.partition("=")[0] for cookie in planted] == [
        "__Host-bpw_session",
        "__Host-bpw_device",
    ]
    for cookie in planted:
        assert {"secure", "httponly", "path=/"} <= set(cookie.lower().split("; "))
        assert "domain" not in cookie.lower()


def test_wrong_name_and_wrong_password_get_one_and_the_same_page(sign_in: SignIn) -> None:
    pages = [sign_in(password="wrong"), sign_in(name="nobody")]
    assert [page.status_code for page in pages] == [401, 401]
    for page in pages:
        assert "The name or the password is wrong." in page.text
        assert "set-cookie" not in page.headers


def test_the_form_keeps_the_name_and_the_way_back_but_not_the_password(sign_in: SignIn) -> None:
    text = sign_in(password="a wrong guess", next="/runs").text
    assert 'value="anna"' in text
    assert 'value="/runs"' in text
    assert "a wrong guess" not in text


def test_what_is_typed_comes_back_as_text_never_as_markup(sign_in: SignIn) -> None:
    text = sign_in(name='"><script>alert(1)</script>', password="x").text
    assert "<script>" not in text
    assert "&quot;&gt;&lt;script&gt;" in text


def test_repeated_failures_have_to_wait(sign_in: SignIn) -> None:
    for _ in range(5):
        assert sign_in(password="wrong").status_code == 401
    answer = sign_in()
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 60
    assert f"try again in {answer.headers['retry-after']} seconds." in answer.text


def test_strangers_do_not_lock_the_browser_that_was_here_before(
    client: TestClient, sign_in: SignIn
) -> None:
    sign_in()
    client.post("/auth/logout")
    known = client.cookies["bpw_device"]
    client.cookies.clear()
    for _ in range(6):
        locked = sign_in(password="wrong")
    assert locked.status_code == 429
    client.cookies["bpw_device"] = known
    assert sign_in().status_code == 303


def test_so_many_sign_ins_at_once_are_told_to_come_back(
    sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.hashing.MOST_OF_ONE", 0)
    answer = sign_in()
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert "try again in a few seconds" in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "http://testserver:8502"},
        {"origin": "null"},
    ],
    ids=["cross-site", "same-site", "other origin", "other port", "no origin"],
)
@pytest.mark.parametrize("path", ["/auth/login", "/auth/logout"])
def test_a_form_of_another_site_is_refused(
    client: TestClient, path: str, headers: dict[str, str], sign_in: SignIn
) -> None:
    sign_in()
    fields = {"name": "anna", "password": PASSWORD}
    answer = client.post(path, data=fields, headers=headers)
    assert answer.status_code == 403
    assert client.get("/home").text == "anna"


@pytest.mark.parametrize(
    "headers",
    [{"sec-fetch-site": "same-origin"}, {"origin": "http://testserver"}, {}],
    ids=["told by the browser", "same origin", "program"],
)
def test_an_own_form_is_taken(client: TestClient, headers: dict[str, str]) -> None:
    fields = {"name": "anna", "password": PASSWORD}
    assert client.post("/auth/login", data=fields, headers=headers).status_code == 303


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "evil",
        "",
        "/auth/logout",
        "/" + "a" * 2000,
    ],
)
def test_a_way_back_that_leads_elsewhere_becomes_the_home_page(
    target: str, sign_in: SignIn
) -> None:
    assert safe_target(target) == "/"
    assert sign_in(next=target).headers["location"] == "/"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"name=anna", "application/json"),
        (b"name=%ff", "application/x-www-form-urlencoded"),
        (b"name=" + b"a" * 9000, "application/x-www-form-urlencoded"),
        (b"&".join(b"a=1" for _ in range(50)), "application/x-www-form-urlencoded"),
    ],
    ids=["type", "encoding", "size", "fields"],
)
def test_a_form_that_cannot_be_read_is_a_400(client: TestClient, content: bytes, kind: str) -> None:
    answer = client.post("/auth/login", content=content, headers={"content-type": kind})
    assert answer.status_code == 400


def test_an_old_cookie_no_longer_works_after_signing_out(
    client: TestClient, sign_in: SignIn
) -> None:
    sign_in()
    token = client.cookies[COOKIE]
    answer = client.post("/auth/logout")
    assert (answer.status_code, answer.headers["location"]) == (303, "/auth/login")
    assert COOKIE not in client.cookies
    assert client.get("/home", headers={"cookie": f"{COOKIE}={token}"}).status_code == 401


def test_signing_in_again_ends_the_former_session(client: TestClient, sign_in: SignIn) -> None:
    sign_in()
    token = client.cookies[COOKIE]
    sign_in()
    assert client.cookies[COOKIE] != token
    client.cookies.clear()
    assert client.get("/home", headers={"cookie": f"{COOKIE}={token}"}).status_code == 401


def test_a_link_to_sign_out_asks_first(client: TestClient, sign_in: SignIn) -> None:
    sign_in()
    page = client.get("/auth/logout")
    assert page.status_code == 200
    assert '<form method="post" action="/auth/logout">' in page.text
    assert client.get("/home").text == "anna"


def test_who_is_signed_in_is_not_asked_again(client: TestClient, sign_in: SignIn) -> None:
    assert client.get("/auth/login").status_code == 200
    sign_in()
    answer = client.get("/auth/login?next=/runs")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs")


def test_signing_in_failing_and_signing_out_are_audited(
    client: TestClient, stores: Stores, sign_in: SignIn
) -> None:
    sign_in(password="wrong")
    sign_in(name="my secret password")
    sign_in()
    client.post("/auth/logout")
    lines = [(line.actor, line.action, line.subject) for line in stores.audit.list()]
    assert lines == [
        ("anna", "signout", "anna"),
        ("anna", "signin", "anna"),
        ("unknown", "signin_failed", "unknown account"),
        ("unknown", "signin_failed", "anna"),
    ]


def test_the_page_loads_nothing_and_runs_its_own_script_alone(client: TestClient) -> None:
    page = client.get("/auth/login")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'nonce-")
    assert "<script src" not in page.text
    assert page.text.count("<script") == 1
    assert f"script-src 'nonce-{page.text.split('<script nonce=')[1][1:23]}'; " in policy
    assert "http" not in page.text
    assert page.headers["cache-control"] == "no-store"


def test_each_page_has_a_nonce_of_its_own(client: TestClient) -> None:
    policies = {client.get("/auth/login").headers["content-security-policy"] for _ in range(3)}
    assert len(policies) == 3
