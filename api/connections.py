"""Connections of the web server: how many, how long without a request, and what is logged.

A connection costs a file descriptor. Whoever opens one has some seconds to send a whole request
head; when very many wait like this, the one that has waited longest makes room for the newest, so
that somebody who opens thousands shuts out nobody but himself.
"""

import asyncio
import logging
import resource
import socket
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import structlog
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from core.logs import adopt_loggers, log_everything
from core.settings import Settings
from core.version import product_version

EVENT_LOOP, PARSER = "asyncio", "h11"
"""Of uvicorn's choices: the one parser whose request heads are bounded and that passes unknown
methods and contradicting lengths on, so that they are refused in the API's own form."""
_GRACE_S = 30
_MOST_FILES = 65_536
_MOST_AT_ONCE = 2_048
_MOST_WAITING = 512
_BACKLOG = 64
"""Connections taken in one turn of the event loop, and therefore before any can be ended."""
_QUEUE = 2_048
"""Connections that the system keeps until they are taken."""
_RESERVE = 128
"""File descriptors for the database, children and results."""
_ACCEPT_LOG_EVERY_S = 10.0
_ACCEPT_MESSAGE = "system resource"


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 on one connection that must send its request heads in time."""

    head_limit_s = 10.0
    most_waiting = _MOST_WAITING
    _waiting: ClassVar[dict["BoundedProtocol", None]] = {}  # of all connections, oldest first
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self.access_log = False
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; a part of a request head does not lengthen the wait for the rest."""
        super().data_received(data)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        has_left = self.transport.is_closing() or self.transport.get_protocol() is not self
        if is_answering or has_left:
            self._stop_waiting()
        else:
            self._await_head()

    def on_response_complete(self) -> None:
        """Wait for the next request, as a connection among those that may make room."""
        super().on_response_complete()
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            self._await_head()

    def _await_head(self) -> None:
        """Begin the time of a request head, unless it runs already."""
        if self._timer is not None:
            return
        self._timer = self.loop.call_later(self.head_limit_s, self._end)
        self._waiting[self] = None
        if len(self._waiting) > self.most_waiting:
            next(iter(self._waiting))._end()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waiting.pop(self, None)

    def _end(self) -> None:
        """Close; an answer that is still on its way is sent to its end."""
        self._stop_waiting()
        self.transport.close()


class QueueingServer(uvicorn.Server):
    """The web server, with a longer queue of connections than it takes in one turn."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve; the event loop would use the same number for both."""
        await super().startup(sockets=sockets)
        for listening in sockets or ():
            listening.listen(_QUEUE)


class RareMessage(logging.Filter):
    """Lets a message of the event loop through once in a while: it comes by the thousand."""

    def __init__(self, words: str, every_s: float) -> None:
        """Keep what to look for.

        Args:
            words: Part of the message.
            every_s: Seconds in which it is logged once.
        """
        super().__init__()
        self._words = words
        self._every_s = every_s
        self._next_at = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged."""
        if self._words not in str(record.msg):
            return True
        now = time.monotonic()
        if now < self._next_at:
            return False
        self._next_at = now + self._every_s
        record.exc_info = None
        return True


def raise_file_limit() -> int:
    """Use as many file descriptors as the system allows, and return how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        soft = limit
    return limit if soft == resource.RLIM_INFINITY else soft


def quiet_addresses() -> None:
    """Join the web server's log to ours, without the addresses that were asked for.

    They may hold what opens a door.

    The pages' framework turns the web server's log of requests on again whenever it reads its
    own settings.
    """
    adopt_loggers("uvicorn")
    logging.getLogger("uvicorn.access").disabled = True
    server = logging.getLogger("uvicorn.error")
    if not any(isinstance(each, _WarningsAlone) for each in server.filters):
        server.addFilter(_WarningsAlone())


class _WarningsAlone(logging.Filter):
    """Drops the line that is written for each websocket, with its address."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens nowhere else.

    The protocol is named, so that the event loop turns Nagle's algorithm off: with it, every
    answer on a kept connection waits 40 ms.

    Raises:
        SystemExit: The port is taken, or the address is not one of this machine.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise SystemExit(
            f"cannot listen on {host} port {port}: {reason}; choose another by BPW_PORT"
        ) from None
    return listening


def serve(application: ASGIApp, settings: Settings, port: int | None = None) -> None:
    """Serve an application until the process is told to end.

    The pages are served this way too: the socket that Streamlit binds itself leaves Nagle's
    algorithm on.

    Args:
        application: What answers.
        settings: `host`, `trusted_proxies`, `header_limit_s`.
        port: Port to listen on; that of the settings when left out.
    """
    listening = bind(settings.host, port or settings.port)
    files = raise_file_limit()
    BoundedProtocol.head_limit_s = settings.header_limit_s
    BoundedProtocol.most_waiting = min(_MOST_WAITING, max(16, (files - _RESERVE) // 4))
    logging.getLogger("asyncio").addFilter(RareMessage(_ACCEPT_MESSAGE, _ACCEPT_LOG_EVERY_S))
    config: dict[str, Any] = {
        "http": BoundedProtocol,
        "loop": EVENT_LOOP,
        "log_config": None,
        "log_level": "warning",
        "access_log": False,
        "backlog": min(_BACKLOG, max(16, (files - _RESERVE) // 4)),
        "limit_concurrency": min(_MOST_AT_ONCE, max(32, files - _RESERVE)),
        "proxy_headers": bool(settings.trusted_proxies),
        "forwarded_allow_ips": list(settings.trusted_proxies),
        "timeout_graceful_shutdown": _GRACE_S,
    }
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    _address_file(settings).write_text(f"{settings.host}:{port or settings.port}")
    log_everything()
    server = QueueingServer(uvicorn.Config(application, **config))
    quiet_addresses()
    address = f"http://{settings.host}:{port or settings.port}"
    structlog.get_logger("server").info("serving", address=address, release=product_version())
    if sys.stdout.isatty():
        sys.stdout.write(f"Open {address} in a browser. Ctrl-C ends the server.\n")
    with listening:
        try:
            server.run(sockets=[listening])
        finally:
            _address_file(settings).unlink(missing_ok=True)


def served_address(settings: Settings) -> str:
    """Return host and port of the server that uses the instance now; "" where there is none."""
    try:
        return _address_file(settings).read_text()
    except FileNotFoundError:
        return ""


def _address_file(settings: Settings) -> Path:
    return settings.home / "address"
