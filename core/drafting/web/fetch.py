"""Opens pages; the only code that opens an address it was given.

A name is resolved once, every address it leads to must be public, and the connection is made to
that address, so that no second answer of a name server counts. The same holds for each redirect.
A proxy resolves names by itself: behind one, pages are opened only at hosts that the settings list,
and the list takes the place of the check.
"""

import re
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser

import urllib3
from urllib3.exceptions import HTTPError, TimeoutError
from urllib3.response import BaseHTTPResponse

from core.drafting.anthropic_model import call_within
from core.drafting.web.addresses import Address, is_public, read_address, refuse_address
from core.evidence.sources.live.replies import RunReplies
from core.evidence.sources.live.web import LocalRates, NoAnswer, Reply
from core.model_ports import NoReply, PageRefused
from core.ports import Rates
from core.settings import Settings

LARGEST_PAGE = 5_000_000
"""Bytes of a page, unpacked."""
LARGEST_ROBOTS = 500_000
"""Bytes of a site's rules that are read; RFC 9309 asks for as many."""
PAGE_S = 10.0
"""Seconds for a page with its redirects and the rules of its sites, waits for its turn aside."""
MOST_PAGES = 20
MOST_REDIRECTS = 3
MOST_AT_ONCE = 2
"""Pages of one host that are read at once."""
PAUSE_S = 1.0
"""Seconds between two requests to one host."""
PART = "web"
"""Name of the parts of a run that hold what came from the web."""
AGENT = "biopharma-workbench"
TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain", "application/pdf"})
_PORTION = 65_536
_OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.I)
T = TypeVar("T")


@dataclass(frozen=True)
class Fetched:
    """What came from an address.

    Attributes:
        url: The address after redirects.
        content: The bytes, unpacked.
        kind: Type of the content, one of `TYPES`.
        charset: Encoding that the site names; "" where it names none.
    """

    url: str
    content: bytes
    kind: str
    charset: str = ""


class _Got(NamedTuple):
    """One answer of a site; the body only of those with status 200."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass
class Fetcher:
    """Opens pages for one run.

    Attributes:
        settings: Of the instance.
        rates: Reserves requests; shared by all processes of an instance.
        replies: Keeps the rules of sites for the day; None keeps them for the run.
        left: Seconds that are left of the run.
        clock: Seconds that only grow.
        sleep: Waits.
        pages: Pages that were asked for.
    """

    settings: Settings
    rates: Rates = field(default_factory=LocalRates)
    replies: RunReplies | None = None
    left: Callable[[], float] = lambda: 600.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    pages: int = field(default=0, init=False)
    _rules: dict[str, RobotFileParser | PageRefused] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _turns: dict[str, threading.Semaphore] = field(
        default_factory=lambda: defaultdict(lambda: threading.Semaphore(MOST_AT_ONCE)), init=False
    )

    def fetch(self, url: str) -> Fetched:
        """Return what lies at an address. Raises PageRefused."""
        address = self._read(url)
        with self._lock:
            if self.pages >= MOST_PAGES:
                raise PageRefused("page_limit", f"A run reads at most {MOST_PAGES} pages.")
            self.pages += 1
        timer = _Timer(min(PAGE_S, self.left()), self.clock)
        return _check_page(*self._follow(address, timer))

    def _follow(
        self, address: Address, timer: "_Timer", *, is_rules: bool = False
    ) -> tuple[Address, _Got]:
        """Return where an address leads in the end, and what is there. Raises PageRefused."""
        for _ in range(MOST_REDIRECTS + 1):
            if not is_rules and not self._rules_of(address, timer).can_fetch(AGENT, address.url):
                raise PageRefused("robots", f"{address.host} asks programs not to read this page.")
            largest = LARGEST_ROBOTS if is_rules else LARGEST_PAGE
            got = self._get(address, timer, largest, cuts=is_rules)
            if got.status not in _REDIRECTS:
                return address, got
            address = self._read(urljoin(address.url, got.headers.get("location", "")))
        raise PageRefused("redirects", f"The page leads on more than {MOST_REDIRECTS} times.")

    def _read(self, url: str) -> Address:
        """Return an address that this instance may open. Raises PageRefused."""
        takes_loopback = self.settings.web_loopback
        address = read_address(url, hosts=self.settings.web_hosts, takes_loopback=takes_loopback)
        if self.settings.offline and not address.is_loopback:
            raise PageRefused("offline", "This instance opens no connections (BPW_OFFLINE=1).")
        if self.settings.proxy and not self.settings.web_hosts:
            raise PageRefused("proxy", "Behind a proxy only hosts in BPW_WEB_HOSTS are read.")
        return address

    def _rules_of(self, address: Address, timer: "_Timer") -> RobotFileParser:
        """Return what a site asks of programs. Raises PageRefused, also where it does not say."""
        site = f"{address.scheme}://{address.host}:{address.port}"
        if site not in self._rules:
            try:
                rules = RobotFileParser()
                rules.parse(self._read_rules(address, site, timer).splitlines())
                self._rules[site] = rules
            except PageRefused as refusal:
                self._rules[site] = refusal
        rules_or_refusal = self._rules[site]
        if isinstance(rules_or_refusal, PageRefused):
            raise PageRefused(rules_or_refusal.reason, str(rules_or_refusal))
        return rules_or_refusal

    def _read_rules(self, address: Address, site: str, timer: "_Timer") -> str:
        """Return the text of a site's rules; "" where it has none. Raises PageRefused."""
        question = f"robots {site}".encode()
        if (stored := recall(self.replies, question)) is not None:
            return stored.decode("utf-8", "replace")
        _, got = self._follow(replace(address, target="/robots.txt"), timer, is_rules=True)
        if got.status != _OK and not 400 <= got.status < 500:
            raise PageRefused("robots", f"{address.host} does not say what programs may read.")
        content = got.content if got.status == _OK else b""
        if got.status in {401, 403}:
            content = b"User-agent: *\nDisallow: /"
        store(self.replies, question, content, for_day=True)
        return content.decode("utf-8", "replace")

    def _get(self, address: Address, timer: "_Timer", largest: int, *, cuts: bool = False) -> _Got:
        """Ask a site in its turn. Raises PageRefused."""
        host = address.host
        with self._lock:
            turn = self._turns[host]
        with turn:
            self._pace(host)
            try:
                got = timer.spend(lambda end: self._ask(address, end, largest, cuts=cuts))
            except (NoReply, TimeoutError):
                self.rates.note(host, is_alive=False)
                raise PageRefused("timed_out", f"{host} did not answer in time.") from None
            except (HTTPError, OSError, ValueError):
                self.rates.note(host, is_alive=False)
                raise PageRefused("no_answer", f"The connection to {host} failed.") from None
        self.rates.note(host, is_alive=True)
        return got

    def _pace(self, host: str) -> None:
        """Wait for the next request that a host's rate allows. Raises PageRefused."""
        if self.rates.resting(host) > 0:
            raise PageRefused("no_answer", f"{host} did not answer several times.")
        wait = self.rates.reserve(host, PAUSE_S, max(0.0, self.left()))
        if wait is None or self.left() <= 0:
            raise PageRefused("deadline", "The time of the run is nearly used up.")
        if wait > 0:
            self.sleep(wait)

    def _ask(self, address: Address, end: float, largest: int, *, cuts: bool) -> _Got:
        """Send one request and read the bounded answer; runs in a thread that may be given up."""
        left = max(0.1, end - self.clock())
        with self._open(address) as connections:
            response = connections.urlopen(
                "GET",
                address.url if self.settings.proxy and not address.is_loopback else address.target,
                headers=self._headers(address),
                redirect=False,
                retries=False,
                preload_content=False,
                assert_same_host=False,
                timeout=urllib3.Timeout(connect=left, read=left),
            )
            try:
                headers = {name.lower(): value for name, value in response.headers.items()}
                content = b""
                if response.status == _OK:
                    content = self._read_body(response, headers, end, largest, cuts=cuts)
                return _Got(response.status, headers, content)
            finally:
                response.close()

    def _open(self, address: Address) -> Any:
        """Return connections to the one address that a name leads to. Raises PageRefused."""
        bundle = self.settings.ca_bundle or None
        if self.settings.proxy and not address.is_loopback:
            return urllib3.ProxyManager(self.settings.proxy, ca_certs=bundle)
        number = resolve(address)
        if address.scheme == "http":
            return urllib3.HTTPConnectionPool(number, address.port)
        return urllib3.HTTPSConnectionPool(
            number, address.port, server_hostname=address.host, ca_certs=bundle
        )

    def _headers(self, address: Address) -> dict[str, str]:
        contact = self.settings.contact
        port = f":{address.port}" if address.is_loopback else ""
        return {
            "Host": f"{address.host}{port}",
            "User-Agent": f"{AGENT} ({contact})" if contact else AGENT,
            "Accept": "text/html, application/xhtml+xml, application/pdf, text/plain",
            "Accept-Encoding": "gzip",
        }

    def _read_body(
        self,
        response: BaseHTTPResponse,
        headers: Mapping[str, str],
        end: float,
        largest: int,
        *,
        cuts: bool,
    ) -> bytes:
        """Return the body while it is small enough and in time. Raises PageRefused."""
        if not cuts:
            _read_kind(headers)
        if headers.get("content-encoding", "").strip().lower() not in {"", "identity", "gzip"}:
            raise PageRefused("type", "The page is packed in a way that was not asked for.")
        content = bytearray()
        while portion := response.read1(_PORTION, decode_content=True):
            content += portion
            if len(content) > largest and not cuts:
                raise PageRefused("too_large", f"The page has more than {largest // 10**6} MB.")
            if len(content) > largest:
                break
            if self.clock() > end:
                raise PageRefused("timed_out", "The page did not come in time.")
        return bytes(content[:largest])


class _Timer:
    """The seconds that a page may take; waits for its turn do not count."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._left = seconds
        self._clock = clock

    def spend(self, call: Callable[[float], T]) -> T:
        """Call something within what is left; it is given the instant of the end.

        Raises:
            NoReply: It took longer.
        """
        if self._left <= 0:
            raise NoReply("timed_out", "the time is used up")
        began = self._clock()
        try:
            answer: T = call_within(self._left, lambda: call(began + self._left))
            return answer
        finally:
            self._left -= self._clock() - began


def recall(replies: RunReplies | None, question: bytes) -> bytes | None:
    """Return what a run keeps for a question; None where it must be asked."""
    try:
        reply = replies.find(PART, question) if replies is not None else None
    except NoAnswer:
        return None
    return reply.content if reply is not None else None


def store(
    replies: RunReplies | None, question: bytes, content: bytes, *, for_day: bool = False
) -> None:
    """Keep with a run what came, and for the day where other runs may read it too."""
    if replies is not None:
        digest = replies.add(PART, question, Reply(_OK, content, "application/octet-stream"))
        if for_day:
            replies.keep(PART, question, digest)


def resolve(address: Address) -> str:
    """Return the address of the network to which a connection is made, that of IPv4 first.

    Raises:
        PageRefused: `not_found`, or `address` where the name leads to any that is not public.
    """
    try:
        answers = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise PageRefused("not_found", f"{address.host} was not found.") from None
    numbers = [str(answer[4][0]) for answer in answers]
    if not numbers:
        raise PageRefused("not_found", f"{address.host} was not found.")
    if not address.is_loopback and not all(map(is_public, numbers)):
        raise refuse_address(f"{address.host} leads to an address that is not public")
    return min(numbers, key=lambda number: ":" in number)


def _read_kind(headers: Mapping[str, str]) -> str:
    """Return the type of a page. Raises PageRefused."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in TYPES:
        raise PageRefused("type", "Only HTML, text and PDF are read.")
    return kind


def _check_page(address: Address, got: _Got) -> Fetched:
    """Return an answer that is a page. Raises PageRefused."""
    if got.status != _OK:
        raise PageRefused("status", f"{address.host} answered with status {got.status}.")
    charset = _CHARSET.search(got.headers.get("content-type", ""))
    return Fetched(address.url, got.content, _read_kind(got.headers), charset[1] if charset else "")
