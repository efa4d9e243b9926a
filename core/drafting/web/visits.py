"""What a run asks of the web: searches within their number, pages, and both kept with the run.

A replay reads what the run was given, also that a search was skipped, and asks nobody.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from pydantic import TypeAdapter

from core.drafting.drafter import Drafter
from core.drafting.ledger import RESERVE_S
from core.drafting.marking import on_one_line
from core.drafting.web.addresses import is_listed
from core.drafting.web.fetch import Fetcher, recall, store
from core.drafting.web.pages import READ_S, read_page
from core.drafting.web.search import (
    LONGEST_QUERY,
    MOST_HITS,
    USED_UP,
    CountedRates,
    ModelSearch,
    SiteSearch,
    write_search,
)
from core.evidence.sources.live.replies import RunReplies
from core.evidence.sources.live.web import LocalRates
from core.model_ports import PageRefused
from core.ports import Rates
from core.records.web import SearchAnswer, SearchKind, WebPage
from core.settings import Searcher, Settings

KINDS: Mapping[SearchKind, tuple[Searcher, ...]] = {
    "include_llm_web_search": ("anthropic",),
    "include_neuralsearch": ("exa",),
    "include_opensearch": ("searxng", "brave"),
}
"""Searches behind each switch of a request."""
MOST_SEARCHES = 12
"""Searches of a run whose request names no number."""
LEAST_S = 2.0
"""Seconds of the run for which a search is still begun."""
_ANSWER, _PAGE = TypeAdapter(SearchAnswer), TypeAdapter(WebPage)
_OPENED = b"searches"


@dataclass
class Web:
    """What one run may ask of the web.

    Attributes:
        settings: Of the instance.
        kinds: Switches of a request that lead to a search.
        most_searches: Searches that the run may send.
        drafter: Pays for the search of a model; None where there is none.
        replies: Keeps what came with the run; None keeps nothing.
        fetcher: Opens pages.
        left: Seconds that are left.
        now: Instant of a fetch.
        requests: Searches that were sent.
    """

    settings: Settings
    kinds: tuple[SearchKind, ...]
    most_searches: int
    drafter: Drafter | None
    replies: RunReplies | None
    fetcher: Fetcher
    left: Callable[[], float]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    requests: int = field(default=0, init=False)
    _answers: dict[bytes, SearchAnswer] = field(default_factory=dict, init=False)
    _pages: dict[str, WebPage | PageRefused] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def search(
        self,
        kind: SearchKind,
        query: str,
        limit: int = 10,
        since: date | None = None,
        hosts: Sequence[str] = (),
    ) -> SearchAnswer:
        """Return addresses for a query that code wrote; nothing is raised.

        Args:
            kind: Switch of the request, one of `KINDS`.
            query: The words; an equal search is sent once.
            limit: Most hits.
            since: First day of publication, where the search can tell.
            hosts: Hosts to which the hits are limited; those of the settings hold besides.
        """
        query, limit = on_one_line(query)[:LONGEST_QUERY], max(1, min(limit, MOST_HITS))
        asked = ["search", kind, query, limit, since and since.isoformat(), *hosts]
        question = json.dumps(asked).encode()
        with self._lock:
            if question in self._answers:
                return replace(self._answers[question], requests=0)
            if self.replies is not None and self.replies.is_replay:
                answer = self._replay(kind, query, question)
            else:
                answer = self._search(kind, question, (query, limit, since, hosts))
                store(self.replies, question, _ANSWER.dump_json(answer))
            self.requests += answer.requests
            self._answers[question] = answer
            return answer

    def _search(
        self, kind: SearchKind, question: bytes, what: tuple[str, int, date | None, Sequence[str]]
    ) -> SearchAnswer:
        allowed = self.settings.web_searchers
        searcher = next((name for name in KINDS[kind] if name in allowed), None)
        if searcher is None:
            return SearchAnswer("not_configured", message="this search is not set up")
        if self.requests >= self.most_searches:
            return SearchAnswer("skipped", message=USED_UP)
        if self.left() < LEAST_S:
            return SearchAnswer("skipped", message="the time of the run is nearly used up")
        query, limit, since, hosts = what
        listed = self.settings.web_hosts
        hosts = tuple(host for host in hosts if not listed or is_listed(host, listed)) or listed
        if searcher == "anthropic":
            if self.drafter is None:
                return SearchAnswer("not_configured", message="no language model is set up")
            asking = ModelSearch(self.drafter, self.settings, question)
            return asking.search(query, limit, since, hosts)
        rates = CountedRates(self.fetcher.rates, self.most_searches - self.requests)
        site = SiteSearch(searcher, self.settings, rates, self.left())
        return site.search(query, limit, since, hosts)

    def _replay(self, kind: SearchKind, query: str, question: bytes) -> SearchAnswer:
        """Return what the run that is replayed was given."""
        content = recall(self.replies, question)
        if content is None:
            return SearchAnswer("skipped", message="no answer is stored with the run")
        answer = _ANSWER.validate_json(content)
        if answer.requests and self.drafter is not None and "anthropic" in KINDS[kind]:
            self.drafter.search(question, None, write_search(query))
        return answer

    def fetch(self, url: str) -> WebPage:
        """Return the text of a page; one of today is not asked for again.

        Args:
            url: An address that a search or a record of the evidence gave, nobody else.

        Raises:
            PageRefused: It is not opened, or not read.
        """
        if url not in self._pages:
            self._pages[url] = self._fetch(url)
        page = self._pages[url]
        if isinstance(page, PageRefused):
            raise PageRefused(page.reason, str(page))
        return page

    def _fetch(self, url: str) -> WebPage | PageRefused:
        question = f"page {url}".encode("utf-8", "replace")
        if content := recall(self.replies, question):
            stored = json.loads(content)
            if "reason" in stored:
                return PageRefused(stored["reason"], stored["message"])
            return _PAGE.validate_json(content)
        if self.replies is not None and self.replies.is_replay:
            return PageRefused("not_stored", "No answer is stored with the run.")
        try:
            fetched = self.fetcher.fetch(url)
            page = read_page(fetched, self.now(), max(1.0, min(READ_S, self.left())))
        except PageRefused as refusal:
            told = {"reason": refusal.reason, "message": str(refusal)}
            store(self.replies, question, json.dumps(told).encode())
            return refusal
        store(self.replies, question, _PAGE.dump_json(page), for_day=True)
        return page


def open_web(  # noqa: PLR0913 - what differs by run
    settings: Settings,
    drafter: Drafter | None,
    replies: RunReplies | None,
    left_s: float,
    most_searches: int,
    *,
    rates: Rates | None = None,
) -> Web | None:
    """Return what a run may ask of the web; None where no search is set up.

    Args:
        settings: Of the instance.
        drafter: What the run may ask of a language model.
        replies: Where the run keeps what came; of a replay, what the run was given.
        left_s: Seconds that are left of the run's allowance.
        most_searches: Searches that the request allows.
        rates: How often hosts may be asked; None where a process asks alone.
    """
    kinds = tuple(kind for kind in KINDS if set(KINDS[kind]) & set(settings.web_searchers))
    if replies is not None and replies.is_replay:
        opened = recall(replies, _OPENED)
        if opened is None:
            return None
        kinds = tuple(json.loads(opened))
    elif not kinds:
        return None
    else:
        store(replies, _OPENED, json.dumps(kinds).encode())
    ends_at = time.monotonic() + left_s - RESERVE_S

    def left() -> float:
        return ends_at - time.monotonic()

    fetcher = Fetcher(settings, rates or LocalRates(), replies, left)
    return Web(settings, kinds, most_searches, drafter, replies, fetcher, left)
