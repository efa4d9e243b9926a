"""Citations lead to sources; nothing else in a text is markup, and no odd address is a link."""

import re

from core.records.sources import Source
from pages.ui.citing import addresses, cited
from tests.rows import over_rows


def source(number: str, url: str) -> Source:
    return Source(id=number, title="A trial", url=url, source_type="paper")


@over_rows("url", ["javascript:alert(1)", "", "ftp://x.org", "data:text/html,x"])
def test_only_web_addresses_are_linked(url: str) -> None:
    assert addresses([source("1", url)]) == {}


def test_address_cannot_end_its_link_early() -> None:
    found = addresses([source("1", "https://x.org/a) [b](https://evil.example")])
    assert ")" not in found["1"]
    assert " " not in found["1"]


def test_text_stays_text_beside_a_citation() -> None:
    shown = cited("**bold** [x](https://evil.example) <b> [1][2]", {"1": "https://x.org"})
    assert len(re.findall(r"(?<!\\)\]\(", shown)) == 1
    assert "[\\[1\\]](https://x.org)" in shown
    assert "\\[2\\]" in shown
