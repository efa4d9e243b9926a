"""One site over the network: a fixed host, bounded answers, a budget of seconds, patience with 429.

Nothing that a source says decides where a request goes: redirects are not followed.
"""

import http.client
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlencode, urlsplit

from core.evidence.sources.live.base import AnswerStatus, SourceAnswer

LARGEST_ANSWER = 30_000_000
MOST_TRIES = 3
LONGEST_STEP_S = 15.0
"""Seconds for connecting and for each portion of an answer."""
SHORTEST_WAIT_S = 0.5
PORTION = 65_536
_AGAIN = frozenset({429, 502, 503, 504})
_OK = 200
_MISSING = 404


class NoAnswer(Exception):  # noqa: N818 - what a connector turns into its answer
    """A question that a source did not answer, with what the answer is then."""

    def __init__(self, status: AnswerStatus, message: str) -> None:
        """Keep the status and one sentence for a reader."""
        super().__init__(message)
        self.status: AnswerStatus = status
        self.message = message


@dataclass(frozen=True, slots=True)
class Reply:
    """What a site sent.

    Attributes:
        status: HTTP status.
        content: Body.
        content_type: Its type in small letters.
    """

    status: int
    content: bytes
    content_type: str

    @property
    def is_missing(self) -> bool:
        """Return whether the site says that there is no such thing."""
        return self.status == _MISSING


@dataclass
class Site:
    """Asks one site within a budget.

    Attributes:
        source: Short name of the source.
        address: Base address; its host is the only one that is asked.
        contact: Who asks, in the User-Agent.
        budget_s: Seconds for all questions together.
        pause_s: Least seconds between two questions.
        clock: Seconds that only grow.
        sleep: Waits.
    """

    source: str
    address: str
    contact: str = ""
    budget_s: float = 60.0
    pause_s: float = 0.2
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _started: float | None = field(default=None, init=False)
    _last: float | None = field(default=None, init=False)

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """Return an answer of status 200 or 404; a busy site is asked again.

        Raises:
            NoAnswer: The site is down, busy, refuses, breaks off, or the budget is used up.
        """
        address = urlsplit(self.address)
        target = f"{address.path.rstrip('/')}{path}" + (f"?{urlencode(query)}" if query else "")
        request_headers = {
            "User-Agent": self._agent(),
            "Accept-Encoding": "identity",
            **(headers or {}),
        }
        for attempt in range(1, MOST_TRIES + 1):
            self._pace()
            reply, wait = self._send(address, method, target, request_headers, body)
            if reply.status in {_OK, _MISSING}:
                return reply
            if reply.status not in _AGAIN or attempt == MOST_TRIES:
                raise NoAnswer("unavailable", f"{self.source} answered with {reply.status}")
            self._wait(max(wait, SHORTEST_WAIT_S * 2**attempt))
        raise NoAnswer("unavailable", f"{self.source} did not answer")

    def _agent(self) -> str:
        return f"biopharma-workbench ({self.contact})" if self.contact else "biopharma-workbench"

    def _left(self) -> float:
        """Return the seconds that are left of the budget, which begins with the first use."""
        if self._started is None:
            self._started = self.clock()
        return self.budget_s - (self.clock() - self._started)

    def _wait(self, seconds: float) -> None:
        if seconds >= self._left():
            message = f"{self.source} asks for a longer wait than the time that is left"
            raise NoAnswer("over_budget", message)
        self.sleep(seconds)

    def _pace(self) -> None:
        """Keep the least distance between two questions."""
        if self._left() <= 0:
            raise NoAnswer(
                "over_budget", f"the {self.budget_s:.0f} s for {self.source} are used up"
            )
        if self._last is not None:
            due = self._last + self.pause_s - self.clock()
            if due > 0:
                self._wait(due)
        self._last = self.clock()

    def _send(
        self,
        address: SplitResult,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> tuple[Reply, float]:
        """Send one request; return the answer and the wait that it asks for."""
        connection = self._connect(address)
        try:
            connection.request(method, target, body=body, headers=dict(headers))
            answer = connection.getresponse()
            content = b"".join(self._portions(answer))
        except (OSError, http.client.HTTPException) as failure:
            reason = type(failure).__name__
            raise NoAnswer("unavailable", f"{self.source} did not answer ({reason})") from failure
        finally:
            connection.close()
        declared = answer.headers.get("Content-Length", "")
        if declared.isdecimal() and int(declared) != len(content):
            raise NoAnswer("unavailable", f"the answer of {self.source} broke off")
        header = answer.headers.get("Retry-After", "")
        wait = float(header) if header.isdecimal() else 0.0
        kind = answer.headers.get("Content-Type", "").lower()
        return Reply(answer.status, content, kind), wait

    def _connect(self, address: SplitResult) -> http.client.HTTPConnection:
        step = max(0.1, min(LONGEST_STEP_S, self._left()))
        if address.scheme == "https":
            secure = ssl.create_default_context()
            return http.client.HTTPSConnection(address.netloc, timeout=step, context=secure)
        return http.client.HTTPConnection(address.netloc, timeout=step)

    def _portions(self, answer: http.client.HTTPResponse) -> Iterator[bytes]:
        """Yield the body while it is small enough and in time."""
        size = 0
        while portion := answer.read1(PORTION):
            size += len(portion)
            if size > LARGEST_ANSWER:
                limit = LARGEST_ANSWER // 10**6
                raise NoAnswer("unavailable", f"{self.source} sent more than {limit} MB")
            if self._left() <= 0:
                raise NoAnswer("over_budget", f"{self.source} was too slow")
            yield portion


def unanswered(source: str, failure: NoAnswer) -> SourceAnswer:
    """Return the answer of a source that did not answer."""
    return SourceAnswer(source, failure.status, message=failure.message)


def changed(source: str) -> NoAnswer:
    """Return what to raise for an answer that is not of the known shape."""
    return NoAnswer("unavailable", f"{source} answers in another form than it used to")
