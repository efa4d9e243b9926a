"""Texts with numbered citations: text stays text, a number leads to its source."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from core.records.sources import Source
from core.reports.document import SourceLine
from pages.ui.plain import plain

_MARK = re.compile(r"\\\[(\d+)\\\]")
_SAFE = "/:?&=#%.,~+@;-_"


def web_address(text: object) -> str | None:
    """Return an address that leads to the web or to a record of this instance.

    Anything else, `javascript:` above all, is none.

    >>> web_address("https://x.org/a"), web_address("javascript:a()"), web_address("/record?id=a")
    ('https://x.org/a', None, '/record?id=a')
    """
    is_web = isinstance(text, str) and text.startswith(("https://", "http://", "/record?id="))
    return str(text) if is_web else None


def addresses(sources: Iterable[Source | SourceLine]) -> dict[str, str]:
    """Return the web addresses of sources by number; anything else than https or http is none."""
    return {
        source.id: quote(source.url, safe=_SAFE) for source in sources if web_address(source.url)
    }


def web_link(word: str, url: str | None) -> str:
    """Return a word for Streamlit's Markdown that leads to a web address; the word if it is none.

    >>> web_link("source", "https://x.org/a (b)"), web_link("source", "javascript:a()")
    ('[source](https://x.org/a%20%28b%29)', 'source')
    """
    return f"[{plain(word)}]({quote(url, safe=_SAFE)})" if url and web_address(url) else plain(word)


def cited(text: str, links: Mapping[str, str]) -> str:
    r"""Return a text for Streamlit's Markdown in which only citations are links.

    Args:
        text: Sentence with marks such as [3].
        links: Addresses by number.

    >>> cited("a *b* [3]", {"3": "https://x.org/a"})
    'a \\*b\\* [\\[3\\]](https://x.org/a)'
    """

    def link(match: re.Match[str]) -> str:
        address = links.get(match[1])
        return f"[{match[0]}]({address})" if address else match[0]

    return _MARK.sub(link, plain(text))
