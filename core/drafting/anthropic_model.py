"""Anthropic's models; the only module that imports their package.

The client is made after the fork, with a client for HTTP of its own: no proxy or address of the
environment, no redirect, no retries but ours.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.model_ports import NoReply
from core.records.model import CallOutcome, Prompt, Provider, Reply

if TYPE_CHECKING:
    from anthropic import Anthropic

ADDRESS = "https://api.anthropic.com"
MODELS = {
    "sonnet": "claude-sonnet-5-5",
    "opus": "claude-opus-5-5",
    "haiku": "claude-haiku-5-5",
}
"""Newest model of each family in anthropic 2.14."""
SEARCH_TOOL = "web_search_20260318"
"""Version of the search that the service runs."""
_FOUND = "web_search_tool_result"
BUSY = frozenset({408, 429, *range(500, 600)})
_WHY = {
    400: "it refused the form of the request",
    401: "its key was refused",
    402: "its account must be paid for",
    403: "its key does not allow this",
    404: "it has no such model",
    429: "it is asked too often",
    529: "it is overloaded",
}
_STOPS: Mapping[str | None, CallOutcome] = {
    "end_turn": "answered",
    "stop_sequence": "answered",
    "refusal": "declined",
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
}


def failed_status(status: int, retry_after: str | None) -> NoReply:
    """Return what to raise for a status that is no answer.

    Args:
        status: HTTP status.
        retry_after: What its header asks to wait, in seconds.
    """
    why = _WHY.get(status, f"it answered with status {status}")
    if status not in BUSY:
        return NoReply("rejected", why)
    wait = retry_after.strip() if retry_after else ""
    seconds = float(wait) if wait.replace(".", "", 1).isdecimal() and len(wait) < 9 else 0.0
    return NoReply("busy", why, seconds)


def call_within(timeout_s: float, call: Callable[[], Any]) -> Any:
    """Return what a call returns, or give it up: a service that drips would never time out.

    The thread of a call that was given up ends with its process.

    Raises:
        NoReply: It took longer than `timeout_s`.
    """
    outcomes: list[tuple[Any, BaseException | None]] = []

    def work() -> None:
        try:
            outcomes.append((call(), None))
        except BaseException as failure:  # noqa: BLE001 - raised again by whoever waits
            outcomes.append((None, failure))

    thread = threading.Thread(target=work, daemon=True, name="model-call")
    thread.start()
    thread.join(timeout_s)
    if not outcomes:
        raise NoReply("timed_out", "it did not answer in time")
    value, raised = outcomes[0]
    if raised is not None:
        raise raised
    return value


@dataclass
class AnthropicModel:
    """One model of Anthropic.

    Attributes:
        name: Its identifier.
        key: The key; it is written nowhere.
        address: Base address of the service.
        ca_bundle: File with the company's certificate authorities; "" for the system's.
    """

    name: str
    key: str = field(repr=False)
    address: str = ADDRESS
    ca_bundle: str = ""

    @property
    def provider(self) -> Provider:
        """Return who runs it."""
        return "anthropic"

    @property
    def needs_probe(self) -> bool:
        """Return False: the service holds its answers to the schema."""
        return False

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        """Send one request, once. Raises NoReply."""
        form: Any = {"format": {"type": "json_schema", "schema": dict(prompt.schema)}}
        return self._send(prompt, timeout_s, {"output_config": form}, self._read)

    def search(self, prompt: Prompt, timeout_s: float, hosts: Sequence[str]) -> Reply:
        """Let the model search the web once; its reply is hits as JSON. Raises NoReply.

        Args:
            prompt: What to search for.
            timeout_s: Seconds.
            hosts: Hosts to which the search is limited; none for all.
        """
        tool: Any = {"type": SEARCH_TOOL, "name": "web_search", "max_uses": 1}
        tool |= {"allowed_callers": ["direct"]}
        tool |= {"allowed_domains": list(hosts)} if hosts else {}
        return self._send(prompt, timeout_s, {"tools": [tool]}, self._read_hits)

    def _send(
        self,
        prompt: Prompt,
        timeout_s: float,
        options: Mapping[str, Any],
        read: Callable[[Any], Reply],
    ) -> Reply:
        """Send one request and read its answer. Raises NoReply."""
        import httpx2
        from anthropic import (
            AnthropicError,
            APIConnectionError,
            APIStatusError,
            APITimeoutError,
        )

        try:
            return read(call_within(timeout_s, lambda: self._create(prompt, timeout_s, options)))
        except (APITimeoutError, httpx2.TimeoutException):
            raise NoReply("timed_out", "it did not answer in time") from None
        except APIStatusError as failure:
            retry_after = failure.response.headers.get("retry-after")
            raise failed_status(failure.status_code, retry_after) from None
        except (APIConnectionError, httpx2.HTTPError):
            raise NoReply("dropped", "the connection failed", 0.0) from None
        except (AnthropicError, ValueError, TypeError, AttributeError):
            raise NoReply("malformed", "its answer was not readable") from None

    def _create(self, prompt: Prompt, timeout_s: float, options: Mapping[str, Any]) -> Any:
        turns: Any = [{"role": turn.role, "content": turn.content} for turn in prompt.turns]
        with self._open() as client:
            return client.messages.create(
                model=self.name,
                max_tokens=prompt.most_tokens,
                system=prompt.system,
                messages=turns,
                timeout=timeout_s,
                **options,
            )

    def _open(self) -> "Anthropic":
        """Return a client for one request; whoever sends it closes its connection."""
        from anthropic import Anthropic, DefaultHttpxClient

        http = DefaultHttpxClient(
            trust_env=False, follow_redirects=False, verify=self.ca_bundle or True
        )
        return Anthropic(
            api_key=self.key,
            base_url=self.address,
            max_retries=0,
            http_client=http,
            open_telemetry=False,
        )

    def _read(self, message: Any) -> Reply:
        """Return a message as a reply. Raises NoReply."""
        stop, counts = message.stop_reason, _count_tokens(message.usage)
        texts = [block.text for block in message.content or () if block.type == "text"]
        if stop == "pause_turn":
            return Reply("answered", "", *counts, paused=message.content)
        outcome = _STOPS.get(stop)
        if outcome is None or (outcome == "answered" and not all(map(_is_text, texts or [None]))):
            raise NoReply("malformed", "its answer was not readable")
        text = "".join(texts) if outcome == "answered" else ""
        return Reply(outcome, text.replace(self.key, ""), *counts)

    def _read_hits(self, message: Any) -> Reply:
        """Return the hits of a search as JSON; what the model says of them is not read."""
        counts = _count_tokens(message.usage)
        if message.stop_reason == "refusal":
            return Reply("declined", "", *counts)
        if not message.content or message.stop_reason is None:
            raise NoReply("malformed", "its answer was not readable")
        found = [block.content for block in message.content if block.type == _FOUND]
        hits = [
            {"url": hit.url, "title": hit.title, "day": hit.page_age or ""}
            for content in found
            if isinstance(content, list)
            for hit in content
            if hit.type == "web_search_result" and _is_text(hit.url)
        ]
        faults = [getattr(content, "error_code", "") for content in found]
        used = getattr(message.usage, "server_tool_use", None)
        n_searches = getattr(used, "web_search_requests", None) or len(found)
        answer = {"hits": hits, "searches": n_searches, "fault": next(filter(None, faults), "")}
        return Reply("answered", json.dumps(answer).replace(self.key, ""), *counts)


@dataclass
class AnthropicSearch:
    """A model's search of the web, asked like a model so that it is paid for like one.

    Attributes:
        model: The model.
        hosts: Hosts to which the search is limited; none for all.
    """

    model: AnthropicModel
    hosts: Sequence[str] = ()

    @property
    def provider(self) -> Provider:
        """Return who runs it."""
        return self.model.provider

    @property
    def name(self) -> str:
        """Return the identifier of the model."""
        return self.model.name

    @property
    def needs_probe(self) -> bool:
        """Return False: no schema is asked for."""
        return False

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        """Search once. Raises NoReply."""
        return self.model.search(prompt, timeout_s, self.hosts)


def _count_tokens(usage: Any) -> tuple[int, int, int]:
    """Return the tokens read, written, and read from the cache."""
    counts = [
        int(getattr(usage, name, None) or 0)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    return sum(counts), int(getattr(usage, "output_tokens", None) or 0), counts[2]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)
