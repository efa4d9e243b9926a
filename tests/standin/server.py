"""A threaded server on the loopback address: both endpoints, and a script of failures."""

import json
import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.standin.models import CANARY, KEY, Answer, as_text, data_of, honest

STATUSES = (
    *(400, 401, 402, 403, 404, 408, 409, 412, 413, 422, 429, 431, 499),
    *(500, 501, 502, 503, 504, 529, 307),
)
SCRIPTS = (
    *(f"status {status}" for status in STATUSES),
    *("status 429 after 1", "status 429 after 4000", "sleep", "drip", "drop", "drop within"),
    *("html", "no json", "malformed", "empty", "unknown block", "truncation", "refusal"),
    *("pause_turn", "context exceeded", "schema ignored", "huge", "echo"),
)
"""What may happen to one request."""
PATIENCE_S = 30.0


@dataclass
class StandIn:
    """What the server does, and what it was asked.

    Attributes:
        answer: The model.
        script: What happens to each request in turn; "ok" or one of `SCRIPTS`; the last one stays.
        sleep_s: Seconds of a sleep.
        seed: Of the model's chance.
        bodies: Requests that came.
        faults: What was wrong with requests.
    """

    answer: Answer = honest
    script: Sequence[str] = ("ok",)
    sleep_s: float = PATIENCE_S
    seed: int = 1
    bodies: list[dict[str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    base_url: str = ""
    ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, body: dict[str, Any]) -> str:
        """Note a request and return what happens to it."""
        with self._lock:
            self.bodies.append(body)
            return self.script[min(len(self.bodies), len(self.script)) - 1]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: StandIn

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length))
        is_local = self.path.endswith("/chat/completions")
        if self.headers.get("authorization") != f"Bearer {KEY}":
            self.stand_in.faults.append("no key")
        if not is_local:
            self.stand_in.faults += _check_anthropic(self.headers, body)
        action = self.stand_in.take(body)
        if action.startswith("status "):
            self._fail(action)
        elif not self._misbehave(action, is_local):
            text, stop = self._answer(body, action, is_local)
            self._send(200, _envelope(text, stop, action, is_local))

    def _fail(self, action: str) -> None:
        _, status, *more = action.split()
        headers = {"retry-after": more[-1]} if more else {}
        headers |= {"location": "http://127.0.0.1:9/"} if status == "307" else {}
        error = {"type": "api_error", "message": f"{CANARY} {KEY}"}
        self._send(int(status), {"type": "error", "error": error}, headers)

    def _misbehave(self, action: str, is_local: bool) -> bool:
        """Answer with something that is no answer; False where the action is another one."""
        if action == "sleep":
            self.stand_in.ended.wait(self.stand_in.sleep_s)
            self.close_connection = True
        elif action == "drop":
            self.close_connection = True
        elif action in {"drip", "drop within"}:
            self._drip(forever=action == "drip")
        elif action in {"html", "no json", "empty"}:
            texts = {"html": f"<html>{CANARY}</html>", "no json": '{"id": ', "empty": ""}
            kind = "text/html" if action == "html" else "application/json"
            self._send_bytes(200, texts[action].encode(), {"content-type": kind})
        elif action == "malformed":
            self._send(200, {"unexpected": CANARY})
        else:
            return False
        return True

    def _drip(self, *, forever: bool) -> None:
        """Send the body sign by sign, or end within it."""
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "100000")
        self.end_headers()
        end = time.monotonic() + (self.stand_in.sleep_s if forever else 0.05)
        while time.monotonic() < end and not self.stand_in.ended.wait(0.02):
            try:
                self.wfile.write(b" ")
                self.wfile.flush()
            except OSError:
                break
        self.close_connection = True

    def _answer(self, body: dict[str, Any], action: str, is_local: bool) -> tuple[str, str]:
        """Return the text of the model, and why it stopped."""
        schema = (
            body["response_format"]["json_schema"]["schema"]
            if is_local
            else body["output_config"]["format"]["schema"]
        )
        turns = [turn for turn in body["messages"] if turn["role"] != "system"]
        data = data_of(turns[0]["content"])
        chance = random.Random(f"{self.stand_in.seed} {data}")
        text = as_text(self.stand_in.answer(data, schema, chance))
        texts = {
            "schema ignored": f"Here you are: {CANARY}",
            "huge": json.dumps(CANARY * 50_000),
            "echo": json.dumps({"lead": [KEY], "lines": [], "answers": True}),
            "truncation": text[: len(text) // 2],
        }
        stops = {
            "truncation": "max_tokens",
            "refusal": "refusal",
            "pause_turn": "pause_turn",
            "context exceeded": "model_context_window_exceeded",
        }
        return texts.get(action, text), stops.get(action, "end_turn")

    def _send(
        self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        content = json.dumps(body).encode()
        self._send_bytes(status, content, {"content-type": "application/json", **(headers or {})})

    def _send_bytes(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _check_anthropic(headers: Any, body: dict[str, Any]) -> list[str]:
    """Return what the service itself would refuse, or what we must not send."""
    known = {"model", "max_tokens", "messages", "system", "output_config"}
    faults = [f"unknown key {key}" for key in body.keys() - known]
    faults += [] if headers.get("anthropic-version") else ["no version"]
    if body["messages"][-1]["role"] != "user" and "tool" not in json.dumps(body["messages"][-1]):
        paused = isinstance(body["messages"][-1]["content"], list)
        faults += [] if paused else ["prefilled answer"]
    return faults


def _envelope(text: str, stop: str, action: str, is_local: bool) -> dict[str, Any]:
    """Return an answer in the form of an endpoint."""
    if is_local:
        reason = {"max_tokens": "length", "refusal": "content_filter"}.get(stop, "stop")
        message = {"role": "assistant", "content": None if reason == "content_filter" else text}
        return {
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 40},
        }
    block = {"type": "text", "text": text}
    if action == "unknown block":
        block = {"type": "new", "words": CANARY}
    answer: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [] if stop == "refusal" else [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 120, "output_tokens": 40},
    }
    if stop == "refusal":
        answer["stop_details"] = {"type": "refusal", "category": "bio", "explanation": CANARY}
    return answer


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that gave a request up."""


@contextmanager
def serve(stand_in: StandIn) -> Iterator[StandIn]:
    """Serve a stand-in on a free port of this machine, and end with the block."""
    handler = type("Handler", (_Handler,), {"stand_in": stand_in})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    stand_in.base_url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield stand_in
    finally:
        stand_in.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
