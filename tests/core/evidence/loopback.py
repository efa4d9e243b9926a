"""A site on this host that answers as a test says, and remembers what it was asked."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Sent:
    """One answer.

    Attributes:
        status: HTTP status.
        content: Body.
        headers: Further headers.
        cut: Bytes that are announced and not sent.
        drip_s: Seconds between two bytes of the body.
    """

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    drip_s: float = 0.0


@dataclass(frozen=True)
class Asked:
    """One question: method, path, query and headers."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]


def as_json(said: object, **options: object) -> Sent:
    """Return an answer of JSON."""
    return Sent(json.dumps(said).encode(), headers={"Content-Type": "application/json"}, **options)  # type: ignore[arg-type]


Answering = Callable[[Asked], Sent]


@dataclass
class Loopback:
    """The running site."""

    address: str
    asked: list[Asked]


@contextmanager
def serving(answer: Answering) -> Iterator[Loopback]:
    """Serve until the end of the block."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            self.rfile.read(length)
            place = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(place.query).items()}
            said = Asked(self.command, place.path, query, dict(self.headers))
            asked.append(said)
            self._send(answer(said))

        do_POST = do_GET

        def _send(self, sent: Sent) -> None:
            self.send_response(sent.status)
            for name, value in sent.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent.content) + sent.cut))
            self.end_headers()
            try:
                for at in range(len(sent.content)) if sent.drip_s else ():
                    self.wfile.write(sent.content[at : at + 1])
                    time.sleep(sent.drip_s)
                if not sent.drip_s:
                    self.wfile.write(sent.content)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def log_message(self, *said: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield Loopback(f"http://127.0.0.1:{server.server_port}", asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
