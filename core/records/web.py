"""What passes between the product and the web: hits of a search, and pages."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

SearchKind = Literal["include_llm_web_search", "include_neuralsearch", "include_opensearch"]
"""Searches of the web, by the request field that switches each."""
SearchStatus = Literal["used", "not_configured", "skipped", "failed"]
"""What became of a search: `skipped` where a switch or the budget rules it out."""


@dataclass(frozen=True)
class WebHit:
    """One address that a search returned; all of it is untrusted.

    Attributes:
        url: Address.
        title: Title, "" where the search gives none.
        published_on: Day that the search gives; None where it gives none.
        snippet: Excerpt, "" where the search gives none.
    """

    url: str
    title: str = ""
    published_on: date | None = None
    snippet: str = ""


@dataclass(frozen=True)
class SearchAnswer:
    """What a search came to.

    Attributes:
        status: Whether it was made.
        hits: Addresses, best first.
        message: One sentence for a reader where it was not made or failed.
        requests: Searches that were sent.
    """

    status: SearchStatus
    hits: tuple[WebHit, ...] = ()
    message: str = ""
    requests: int = 0


@dataclass(frozen=True)
class WebPage:
    """The main text of a page or document, as data.

    Attributes:
        url: Address after redirects; "" for text that a person gave.
        title: Title, "" where the page has none.
        text: Main text with paragraphs on lines of their own, without hidden text.
        published_on: Day from the page's metadata or dateline; None where it states none.
        fetched_at: Instant of the fetch.
        sha256: Digest of the bytes that came, hexadecimal.
        is_suspicious: Whether the text gives orders to a language model, or shows its letters in
            another order than it has them.
    """

    url: str
    title: str
    text: str
    published_on: date | None
    fetched_at: datetime
    sha256: str
    is_suspicious: bool = False
