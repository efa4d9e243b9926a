"""Words of callers stay words."""

from pages.ui.account_view import browser_name
from pages.ui.plain import plain
from tests.rows import over_rows


@over_rows(
    ("text", "link"),
    [
        ("see http://evil.example/x", "://"),
        ("see HTTPS://evil.example", "://"),
        ("see WWW.evil.example", "WWW\\."),
        ("carla@example.org", "a@e"),
    ],
)
def test_an_address_in_a_text_makes_no_link(text: str, link: str) -> None:
    shown = plain(text)
    assert link not in shown
    assert shown.replace("\u2060", "").replace("\\", "") == text


@over_rows(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/140.0 Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; like Mac OS X) Version/19 Safari/604.1", "Safari on iPhone"),
        ("curl/8.5", "curl/8.5"),
        ("", "Unknown browser"),
    ],
)
def test_a_browser_is_named_as_people_do(agent: str, name: str) -> None:
    assert browser_name(agent) == name
