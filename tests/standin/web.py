"""The web for tests: names that lead anywhere, sites on this machine with TLS, and searches."""

import datetime
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.core.evidence.loopback import Asked, Sent, as_json
from tests.standin.models import CANARY, KEY

PUBLIC = "93.184.216.34"
"""An address that is public; in tests it leads to a site of this machine, or nowhere."""


@dataclass
class Network:
    """Names, and every connection that was asked of the system.

    Attributes:
        names: What each name leads to; a function answers anew each time.
        ways: Where connections to an address go instead.
        connections: Where connections were asked for, in order.
        lookups: Names that were looked up.
    """

    names: dict[str, Sequence[str] | Callable[[], Sequence[str]]] = field(default_factory=dict)
    ways: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)
    connections: list[tuple[Any, ...]] = field(default_factory=list)
    lookups: list[str] = field(default_factory=list)


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    """Replace name servers, and note connections where the system makes them."""
    made = Network()
    connect = socket.socket.connect

    def watched(self: socket.socket, address: Any) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6}:
            made.connections.append(address[:2])
            address = made.ways.get(address[:2], address)
            if address[0] not in {"127.0.0.1", "::1"}:
                raise OSError("no network in tests")
        connect(self, address)

    def answer(host: Any, port: Any, *more: Any, **options: Any) -> Any:
        try:
            numbers: Sequence[str] = [str(ipaddress.ip_address(host))]
        except ValueError:
            made.lookups.append(host)
            meant = made.names.get(host)
            if meant is None:
                raise socket.gaierror(socket.EAI_NONAME, "no such name") from None
            numbers = meant() if callable(meant) else meant
        is_six = [":" in number for number in numbers]
        kinds = [socket.AF_INET6 if six else socket.AF_INET for six in is_six]
        return [
            (kind, socket.SOCK_STREAM, 6, "", (number, port, 0, 0) if six else (number, port))
            for kind, number, six in zip(kinds, numbers, is_six, strict=True)
        ]

    monkeypatch.setattr(socket.socket, "connect", watched)
    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return made


def make_certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Return certificate and key of a name, signed by itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / f"{name}.pem", folder / f"{name}.key"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


@contextmanager
def serve_raw(
    speak: Callable[[socket.socket], None], files: tuple[Path, Path] | None = None
) -> Iterator[int]:
    """Serve connections as a function speaks, with TLS where files are given; give the port."""
    server = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()
    context = None
    if files is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)

    def work() -> None:
        while not ended.is_set():
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    def answer(connection: socket.socket) -> None:
        try:
            if context is not None:
                connection = context.wrap_socket(connection, server_side=True)
            speak(connection)
        except OSError:
            pass
        finally:
            connection.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        ended.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()


HITS = (
    {
        "url": "https://www.novartis.com/news/one",
        "title": "Novartis announces results",
        "day": "2026-05-03",
        "text": "Results of a phase 2 trial",
    },
    {"url": "https://www.fda.gov/two", "title": "FDA approves", "day": "2026-04-01", "text": ""},
    {"url": "http://127.0.0.1/admin", "title": "Near", "day": "", "text": ""},
    {"url": "https://www.fda.gov/two", "title": "Again", "day": "", "text": ""},
)
"""What the searches find: two hits that can be read, one that cannot, one twice."""


_NAMES = {"exa": ("publishedDate", "text"), "searxng": ("publishedDate", "content")}
_BRAVE = ("page_age", "description")


def found_by(searcher: str, hits: Sequence[Mapping[str, str]] = HITS) -> dict[str, Any]:
    """Return hits in the form in which a search answers."""
    day, text = _NAMES.get(searcher, _BRAVE)
    results = [
        {
            "url": hit["url"],
            "title": hit["title"],
            day: f"{hit['day']}T00:00:00" if hit["day"] else None,
            text: f"<strong>{hit['text']}</strong>" if searcher == "brave" else hit["text"],
            "score": 0.2,
        }
        for hit in hits
    ]
    return {"results": results} if searcher in _NAMES else {"web": {"results": results}}


def failing(script: str) -> Sent:
    """Return an answer of a search that is none; it names key and canary."""
    words = f"{CANARY} {KEY}"
    if script.startswith("status "):
        return as_json({"error": words}, status=int(script.split()[1]))
    bodies: dict[str, tuple[str, str]] = {
        "html": (f"<html>{words}</html>", "text/html"),
        "no json": ('{"results": [', "application/json"),
        "a list": (json.dumps([words]), "application/json"),
        "other shape": (json.dumps({"results": words, "web": [words]}), "application/json"),
        "odd hits": (
            json.dumps(
                {
                    "results": [{"url": 7}, {"title": words}, words, {"url": None, "title": []}],
                    "web": {"results": [{"url": {}}, None]},
                }
            ),
            "application/json",
        ),
    }
    text, kind = bodies[script]
    return Sent(text.encode(), headers={"Content-Type": kind})


SEARCH_FAILURES = (
    *("status 400", "status 401", "status 403", "status 404", "status 429", "status 500"),
    *("html", "no json", "a list", "other shape"),
)
"""What may come instead of hits."""
Answering = Callable[[Asked], Sent]
