"""A small client of the API for Python programs.

    bench = Client("http://127.0.0.1:8501", "bpw_live_...")
    answer = bench.run("competitive-landscaping", {"query": "KRAS inhibitors"})
    answer.data["drugs"]

A request is sent again only where that is safe: reading, and starting a run under its own
`Idempotency-Key`, which a server answers once.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import requests

from core.records.failure import ErrorBody
from core.records.runs import FINAL

_AGAIN = frozenset({429, 502, 503, 504})
_LONGEST_WAIT_S = 30.0
_POLL_S = (0.2, 2.0)
Progress = Callable[[str, int, int], None]
"""Called with a step, how much of it is done, and of how much."""


class Reply(Protocol):
    """What the client reads of an answer."""

    status_code: int
    content: bytes
    headers: Mapping[str, str]

    def json(self) -> Any:
        """Return the body."""
        ...


class Sender(Protocol):
    """What sends requests, such as `requests.Session`."""

    def request(self, method: str, url: str, **options: Any) -> Any:
        """Send one request and return its reply."""
        ...


class ApiError(Exception):
    """A refusal or failure in the API's own words.

    Attributes:
        status: HTTP status.
        error: Type, code, message and details.
        request_id: Names the request in the server's log.
    """

    def __init__(self, status: int, error: ErrorBody, request_id: str) -> None:
        """Keep the parts."""
        super().__init__(f"{status} {error.code}: {error.message}")
        self.status = status
        self.error = error
        self.request_id = request_id


class RunResult(NamedTuple):
    """An answer with its run.

    Attributes:
        run_id: The run.
        data: The agent's `data`, with all its tables.
    """

    run_id: str
    data: dict[str, Any]


class Client:
    """Calls one instance with one key."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        tries: int = 4,
        timeout_s: float = 60,
        http: Sender | None = None,
    ) -> None:
        """Open nothing yet.

        Args:
            url: Address of the instance, such as http://127.0.0.1:8501.
            key: An API key.
            tries: How often a request that may be repeated is sent at most.
            timeout_s: Seconds for each request.
            http: Sends the requests, where proxies or certificates need a client of your own.
        """
        self._http: Any = http or requests.Session()
        self._timeout_s = timeout_s
        self._url = url.rstrip("/")
        self._key = key
        self._tries = tries

    def run(
        self, agent: str, request: Mapping[str, Any], *, on_progress: Progress | None = None
    ) -> RunResult:
        """Run an agent and return its answer.

        Args:
            agent: Name of the agent.
            request: Its request body.
            on_progress: Called whenever a step has moved on.

        Raises:
            ApiError: The request is refused, or the run failed.
        """
        body = {"agent": agent, "input": dict(request)}
        started = _parse(self._call("POST", "/v1/runs", json=body, is_once=True))
        run_id = str(started["run_id"])
        self.wait(run_id, on_progress=on_progress)
        answer = _parse(self._call("GET", f"/v1/runs/{run_id}/report.json"))
        return RunResult(run_id, answer["data"])

    def wait(self, run_id: str, *, on_progress: Progress | None = None) -> dict[str, Any]:
        """Wait until a run has ended and return it as `GET /v1/runs/{run_id}` does.

        Raises:
            ApiError: The run failed, was canceled or timed out.
        """
        seen: dict[str, int] = {}
        wait_s, longest_s = _POLL_S
        while True:
            reply = self._call("GET", f"/v1/runs/{run_id}")
            run: dict[str, Any] = _parse(reply)
            for step in run["steps"]:
                if on_progress and seen.get(step["step"]) != step["done"]:
                    seen[step["step"]] = step["done"]
                    on_progress(step["step"], step["done"], step["total"])
            if run["run"]["status"] in FINAL:
                break
            time.sleep(wait_s)
            wait_s = min(wait_s * 1.5, longest_s)
        if run["error"] is not None:
            raise ApiError(500, ErrorBody(**run["error"]), reply.headers.get("x-request-id", ""))
        return run

    def upload(self, path: Path) -> str:
        """Upload a file and return its id, which requests name."""
        with path.open("rb") as content:
            files = {"file": (path.name, content)}
            reply = self._call("POST", "/v1/files", files=files)
        return str(_parse(reply)["file_id"])

    def table(self, run_id: str, name: str, *, form: str = "csv") -> bytes:
        """Return a table of a run as csv, json or parquet."""
        path = f"/v1/runs/{run_id}/tables/{name}"
        return self._call("GET", path, params={"format": form}).content

    def report(self, run_id: str, form: str = "pdf") -> bytes:
        """Return the report of a run as md, pdf, json, xlsx or pptx."""
        return self._call("GET", f"/v1/runs/{run_id}/report.{form}").content

    def get(self, path: str, **params: Any) -> Any:
        """Return what an address below `/v1` answers, such as `get("/alerts/hits", days=7)`."""
        return _parse(self._call("GET", f"/v1{path}", params=params))

    def _call(self, method: str, path: str, *, is_once: bool = False, **options: Any) -> Reply:
        """Send a request, again where that is safe; return its reply or raise its error."""
        headers = {"Authorization": f"Bearer {self._key}"}
        if is_once:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        tries = self._tries if method == "GET" or is_once else 1
        for left in range(tries - 1, -1, -1):
            wait_s = float(2 ** (tries - 1 - left)) / 4
            try:
                url = f"{self._url}{path}"
                reply: Reply = self._http.request(
                    method, url, headers=headers, timeout=self._timeout_s, **options
                )
            except OSError:
                if not left:
                    raise
            else:
                if reply.status_code < 300:
                    return reply
                if reply.status_code not in _AGAIN or not left:
                    raise _error_of(reply)
                wait_s = _wait_of(reply, wait_s)
            time.sleep(min(wait_s, _LONGEST_WAIT_S))
        raise AssertionError("a last try returns or raises")


def _wait_of(reply: Reply, otherwise: float) -> float:
    text = reply.headers.get("retry-after", "")
    return float(text) if text.isdigit() else otherwise


def _parse(reply: Reply) -> Any:
    """Return the JSON of an answer; a page of a proxy or a sign-in is an error."""
    try:
        return reply.json()
    except ValueError:
        raise _error_of(reply) from None


def _error_of(reply: Reply) -> ApiError:
    request_id = reply.headers.get("x-request-id", "")
    try:
        error = ErrorBody(**reply.json()["error"])
    except (ValueError, KeyError, TypeError):
        error = ErrorBody(
            type="agent_failed",
            code="no_answer",
            message="not an answer of the API, but a page of something in between",
            details=[],
        )
    return ApiError(reply.status_code, error, request_id)
