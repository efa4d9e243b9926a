"""Pages of other origins on the same machine, names turned to it, and what an answer tells."""

import pytest
from websockets.exceptions import InvalidStatus

from tests.api.edge.conftest import Visitor
from tests.live import LiveApp

pytestmark = pytest.mark.xdist_group("edge")

FOREIGN = ["http://127.0.0.1:8699", "http://localhost", "http://evil.example", "null", "https://"]
PAGE = "text/html"


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_origin_opens_no_websocket(anna: Visitor, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        anna.open_stream(origin=origin)
    assert refused.value.response.status_code == 403


def test_an_own_page_opens_its_websocket(anna: Visitor) -> None:
    with anna.open_stream(origin=anna.app.url) as socket:
        assert anna.show_page(socket, "keys")[0]


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/_stcore/upload_file/a/b"),
        ("POST", "/auth/logout"),
        ("POST", "/auth/password"),
        ("DELETE", "/_stcore/upload_file/a/b"),
        ("POST", "/v1/runs"),
    ],
)
def test_a_page_of_another_origin_changes_nothing(
    anna: Visitor, method: str, path: str, origin: str
) -> None:
    answer = anna.send(method, path, b"a=b", Origin=origin)
    assert answer.status == (400 if path.startswith("/v1/") else 403)
    assert "sent from another site" in answer.text
    assert anna.send("GET", "/home", Accept=PAGE).status == 200


@pytest.mark.parametrize("site", ["same-site", "cross-site"])
@pytest.mark.parametrize("path", ["/media/a.png", "/home", "/_stcore/metrics", "/v1/agents"])
def test_nothing_is_embedded_elsewhere_but_a_link_is_followed(
    anna: Visitor, site: str, path: str
) -> None:
    for mode, kind in (("no-cors", "image"), ("cors", "empty"), ("navigate", "iframe")):
        asked = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": mode, "Sec_Fetch_Dest": kind}
        answer = anna.send("GET", path, **asked)
        assert "sent from another site" in answer.text
    link = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert "sent from another site" not in anna.send("GET", path, **link).text


@pytest.mark.parametrize(
    "host", ["rebound.example", "127.0.0.1.evil.example", "a@127.0.0.1", "", "localhost/x"]
)
def test_a_foreign_name_turned_to_this_machine_is_refused(stranger: Visitor, host: str) -> None:
    for path in ("/healthz", "/home", "/v1/agents"):
        assert stranger.send("GET", path, Host=host).status == 400


@pytest.mark.parametrize("host", ["localhost", "localhost:9000", "127.0.0.1:1", "[::1]:8501"])
def test_the_machine_itself_may_be_called_by_its_addresses(stranger: Visitor, host: str) -> None:
    assert stranger.send("GET", "/healthz", Host=host).status == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/home"),
        ("GET", "/auth/login"),
        ("GET", "/auth/password"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/static/js/none.js"),
        ("GET", "/_stcore/health"),
        ("GET", "/media/none.png"),
        ("GET", "/v1/docs"),
        ("GET", "/v1/docs/assets/swagger-ui.css"),
        ("GET", "/v1/runs"),
        ("GET", "/v1/../x"),
        ("GET", "/v1"),
        ("POST", "/nothing"),
        ("DELETE", "/v1/agents"),
    ],
)
def test_every_answer_forbids_frames_guesses_and_foreign_use(
    anna: Visitor, stranger: Visitor, method: str, path: str
) -> None:
    for visitor in (anna, stranger):
        headers = visitor.send(method, path, Accept=PAGE, Origin=visitor.app.url).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


def test_a_foreign_origin_starts_no_search_for_the_own_address(anna: Visitor, app: LiveApp) -> None:
    for path in ("/_stcore/health", "/_stcore/host-config", "/media/none.png"):
        anna.send("GET", path, Origin="http://evil.example")
    with pytest.raises(InvalidStatus):
        anna.open_stream(origin="http://evil.example").close()
    assert not (app.folder / "outgoing").exists()


@pytest.mark.parametrize(
    "path", ["/v1/../home", "/v1/./runs", "/v1/runs/%2e%2e/x", "/v1//runs", "/v1/a%00b", "/v1/.x"]
)
def test_a_crooked_path_below_v1_gets_the_form_of_the_api(stranger: Visitor, path: str) -> None:
    answer = stranger.send("GET", path)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/json"
    assert '"code":"not_found"' in answer.text
