"""One site over the network: a fixed host, bounded answers, shared rates, one deadline per run.

Nothing that a source says decides which host is asked: only redirects on the same host are
followed. Connections are pooled by urllib3 and live as long as the process.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urljoin, urlsplit

import structlog
import urllib3
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from core.evidence.sources.live.base import SourceAnswer
from core.ports import Rates
from core.records.sources import AnswerStatus
from core.settings import Settings

if TYPE_CHECKING:
    from core.evidence.sources.live.replies import RunReplies

LARGEST_ANSWER = 30_000_000
"""Bytes of one answer, unpacked."""
MOST_TRIES = 3
MOST_REDIRECTS = 3
LONGEST_STEP_S = 15.0
"""Seconds for connecting and for each portion of an answer."""
SHORTEST_WAIT_S = 0.5
PORTION = 65_536
_BUSY = frozenset({429, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OK, _UNCHANGED, _MISSING = 200, 304, 404
_KEY_REFUSED = ("API_KEY_INVALID", "API_KEY_MISSING")
_LONGEST_DETAIL = 300
NO_CONTACT = "the source requires a contact: set BPW_CONTACT to an e-mail address"


class NoAnswer(Exception):  # noqa: N818 - what a connector turns into its answer
    """A question that a source did not answer, with the status of the answer then.

    Attributes:
        status: Status of the answer.
        message: One sentence for a reader.
        detail: What the site said, on one line, for the log; untrusted.
        is_too_large: Whether a question for less may be answered.
    """

    def __init__(
        self, status: AnswerStatus, message: str, detail: str = "", *, is_too_large: bool = False
    ) -> None:
        """Set status, sentence and detail."""
        super().__init__(message)
        self.status: AnswerStatus = status
        self.message = message
        self.detail = detail
        self.is_too_large = is_too_large


class LocalRates:
    """Rates of one process, where no others ask (core.ports.Rates)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Set the clock: seconds that only grow."""
        self._clock = clock
        self._next: dict[str, float] = {}

    def reserve(self, host: str, pause_s: float, longest_wait_s: float) -> float | None:
        """Reserve the next request to a host and return the seconds to wait for it."""
        now = self._clock()
        slot = max(now, self._next.get(host, now))
        if slot - now > longest_wait_s:
            return None
        self._next[host] = slot + pause_s
        return slot - now

    def resting(self, host: str) -> float:
        """Return 0: one process leaves no host alone."""
        del host
        return 0.0

    def note(self, host: str, *, is_alive: bool) -> None:
        """Forget it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a site sent.

    Attributes:
        status: HTTP status: 200, 304 or 404.
        content: Body, unpacked.
        content_type: Its type in lower case.
        headers: Headers by their names in lower case (paging, limits, validators).
    """

    status: int
    content: bytes
    content_type: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_missing(self) -> bool:
        """Return whether the site says that there is no such thing."""
        return self.status == _MISSING

    @property
    def is_unchanged(self) -> bool:
        """Return whether the site says that nothing changed since the copy that was named."""
        return self.status == _UNCHANGED


@dataclass
class Site:
    """Asks one site within a budget.

    Attributes:
        source: Short name of the source.
        address: Base address; its host is the only one that is asked.
        contact: Who asks, in the User-Agent.
        budget_s: Seconds for all questions together.
        pause_s: Least seconds between two questions to the host.
        rates: Reserves requests; shared by all processes of an instance.
        left: Seconds that are left of the run; the budget ends with it.
        proxy: Address of the company's proxy; "" for none.
        ca_bundle: File with the company's certificate authorities; "" for the system's.
        largest: Most bytes of one answer, unpacked; 0: `LARGEST_ANSWER`.
        kept: Answers of the day and of the run; None asks each time.
        needs_contact: Whether the site is asked only by somebody who can be reached.
        clock: Seconds that only grow.
        sleep: Waits.
    """

    source: str
    address: str
    contact: str = ""
    budget_s: float = 60.0
    pause_s: float = 0.2
    rates: Rates | None = None
    left: Callable[[], float] | None = None
    proxy: str = ""
    ca_bundle: str = ""
    largest: int = 0
    kept: "RunReplies | None" = None
    needs_contact: bool = False
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _started: float | None = field(default=None, init=False)
    _read: list[tuple[bytes, str]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        """Use rates of this process alone where none are shared."""
        self._rates = self.rates or LocalRates(self.clock)
        self._host = urlsplit(self.address).netloc

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """Return an answer of status 200, 304 or 404; a busy site is asked again.

        Raises:
            NoAnswer: The site is down, busy, refuses, breaks off, or the budget is used up; or it
                asks for a contact, and none is set.
        """
        path += f"?{urlencode(query)}" if query else ""
        url = f"{self.address.rstrip('/')}{path}"
        if self.kept is None:
            return self._ask(method, url, headers or {}, body)
        question = f"{method} {path} ".encode() + (body or b"")
        if known := self.kept.find(self.source, question):
            return known
        try:
            reply = self._ask(method, url, headers or {}, body)
        except NoAnswer as failure:
            self.kept.add(self.source, question, failure)
            raise
        self._read.append((question, self.kept.add(self.source, question, reply)))
        return reply

    def _ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """Send a request, again where the site is busy or leads on. Raises NoAnswer."""
        if self.needs_contact and "@" not in self.contact:
            raise NoAnswer("not_configured", NO_CONTACT)
        redirects, attempt = 0, 1
        while True:
            self._pace()
            reply = self._send(method, url, {**self._headers(), **headers}, body)
            if reply.status in {_OK, _UNCHANGED, _MISSING}:
                self._rates.note(self._host, is_alive=True)
                return reply
            if reply.status in _REDIRECTS:
                redirects += 1
                url = self._redirected(url, reply, redirects)
            elif reply.status not in _BUSY or attempt == MOST_TRIES:
                raise self._failure(reply, headers.values())
            else:
                self._wait(max(_asked_wait(reply), SHORTEST_WAIT_S * 2**attempt))
                attempt += 1

    def accept(self) -> None:
        """Keep for the day what was answered since the last time: its reader understood it."""
        if self.kept is not None:
            for question, digest in self._read:
                self.kept.keep(self.source, question, digest)
        self._read.clear()

    def _headers(self) -> dict[str, str]:
        agent = f"biopharma-workbench ({self.contact})" if self.contact else "biopharma-workbench"
        return {"User-Agent": agent, "Accept-Encoding": "gzip"}

    def _left(self) -> float:
        """Return the seconds that are left of the budget, which begins with the first use."""
        if self._started is None:
            self._started = self.clock()
        of_budget = self.budget_s - (self.clock() - self._started)
        return min(of_budget, self.left()) if self.left else of_budget

    def _wait(self, seconds: float) -> None:
        if seconds >= self._left():
            message = f"{self.source} asks for a longer wait than the time that is left"
            raise NoAnswer("over_budget", message)
        self.sleep(seconds)

    def _pace(self) -> None:
        """Wait for the next request that the host's rate allows."""
        left = self._left()
        if left <= 0:
            raise NoAnswer("over_budget", f"the time for {self.source} is used up")
        if self._rates.resting(self._host) > 0:
            message = f"{self.source} did not answer several times and is left alone for a while"
            raise NoAnswer("unavailable", message)
        wait = self._rates.reserve(self._host, self.pause_s, left)
        if wait is None:
            raise NoAnswer("over_budget", f"{self.source} is asked by others; no time is left")
        if wait > 0:
            self._wait(wait)

    def _redirected(self, url: str, reply: Reply, count: int) -> str:
        """Return where a redirect leads on the same host. Raises NoAnswer."""
        target = urljoin(url, reply.headers.get("location", ""))
        before, after = urlsplit(url), urlsplit(target)
        is_same = (before.scheme, before.netloc) == (after.scheme, after.netloc)
        if not is_same or count > MOST_REDIRECTS or target == url:
            message = f"{self.source} answered with {reply.status} and leads elsewhere"
            raise NoAnswer("unavailable", message)
        return target

    def _failure(self, reply: Reply, secrets: Iterable[str]) -> NoAnswer:
        """Return what an answer of another status comes to; keys that it repeats are taken out."""
        detail = " ".join(reply.content[:2_000].decode("utf-8", "replace").split())
        for secret in (word for value in secrets for word in value.split()):
            detail = detail.replace(secret, "...")
        detail = "".join(sign for sign in detail if sign.isprintable())[:_LONGEST_DETAIL]
        structlog.get_logger("live").warning(
            "source did not answer", source=self.source, status=reply.status, detail=detail
        )
        is_alive = reply.status not in _BUSY
        self._rates.note(self._host, is_alive=is_alive)
        if reply.status in {401, 403} and (
            reply.status == 401 or any(word in detail for word in _KEY_REFUSED)  # noqa: PLR2004
        ):
            message = f"the key of {self.source} was refused"
            return NoAnswer("not_configured", message, detail)
        if reply.status in {400, 405, 406, 413, 414, 415, 422}:
            message = f"{self.source} refused the question ({reply.status})"
            return NoAnswer("refused", message, detail)
        return NoAnswer("unavailable", f"{self.source} answered with {reply.status}", detail)

    def _send(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """Send one request and read the bounded answer. Raises NoAnswer."""
        step = max(0.1, min(LONGEST_STEP_S, self._left()))
        response: BaseHTTPResponse | None = None
        try:
            response = _pool(self.proxy, self.ca_bundle).request(
                method,
                url,
                body=body,
                headers=dict(headers),
                redirect=False,
                retries=False,
                preload_content=False,
                timeout=urllib3.Timeout(connect=step, read=step),
            )
            content = b"".join(self._portions(response))
            declared = response.headers.get("Content-Length", "")
            if declared.isdecimal() and int(declared) != response.tell():
                raise NoAnswer("unavailable", f"the answer of {self.source} broke off")
            response.release_conn()
        except (HTTPError, OSError) as failure:
            self._rates.note(self._host, is_alive=False)
            reason = type(failure).__name__
            raise NoAnswer("unavailable", f"{self.source} did not answer ({reason})") from failure
        except NoAnswer:
            if response is not None:
                response.close()
            raise
        sent = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status, content, sent.get("content-type", "").lower(), sent)

    def _portions(self, response: BaseHTTPResponse) -> Iterator[bytes]:
        """Yield the body while it is small enough and in time."""
        size, largest = 0, self.largest or LARGEST_ANSWER
        while portion := response.read1(PORTION, decode_content=True):
            size += len(portion)
            if size > largest:
                message = f"{self.source} sent more than {largest // 10**6} MB"
                raise NoAnswer("unavailable", message, is_too_large=True)
            if self._left() <= 0:
                raise NoAnswer("over_budget", f"{self.source} was too slow")
            yield portion


def open_site(  # noqa: PLR0913 - what differs by source and by use
    settings: Settings,
    name: str,
    address: str,
    budget_s: float,
    *,
    pause_s: float,
    rates: Rates | None = None,
    left: Callable[[], float] | None = None,
    largest: int = 0,
    kept: "RunReplies | None" = None,
) -> Site:
    """Return how a source is asked from an instance (see `Site`)."""
    return Site(
        name,
        settings.live_addresses.get(name, address),
        settings.contact or "",
        budget_s,
        pause_s,
        rates,
        left,
        proxy=settings.proxy or "",
        ca_bundle=settings.ca_bundle or "",
        largest=largest,
        kept=kept,
    )


def _asked_wait(reply: Reply) -> float:
    """Return the seconds that a busy site asks to wait, in either form of Retry-After."""
    header = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,6}", header):
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


@lru_cache(maxsize=4)
def _pool(proxy: str, ca_bundle: str) -> urllib3.PoolManager:
    """Return the connections of this process through a proxy, or directly."""
    certificates = ca_bundle or None
    if proxy:
        return urllib3.ProxyManager(proxy, num_pools=16, maxsize=4, ca_certs=certificates)
    return urllib3.PoolManager(num_pools=16, maxsize=4, ca_certs=certificates)


def unanswered(source: str, failure: NoAnswer) -> SourceAnswer:
    """Return the answer of a source that did not answer."""
    return SourceAnswer(source, failure.status, message=failure.message)


def changed(source: str, field: str = "") -> NoAnswer:
    """Return what to raise for an answer that is not of the known shape.

    Args:
        source: Short name of the source.
        field: Field that differs; "" where it is the answer as such.
    """
    where = f" (field {field})" if field else ""
    return NoAnswer("unavailable", f"{source} answers in another form than it used to{where}")
