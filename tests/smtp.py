"""A mail server on the loopback that notes what it is sent, or refuses it."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage


class Postbox(socketserver.ThreadingTCPServer):
    """Takes mails.

    Attributes:
        mails: What came, with the addresses it was sent to.
        refuses: Whether it takes none.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), _Session)
        self.mails: list[tuple[list[str], EmailMessage]] = []
        self.refuses = False

    @property
    def port(self) -> int:
        """Return where it listens."""
        return int(self.server_address[1])


class _Session(socketserver.StreamRequestHandler):
    server: Postbox

    def handle(self) -> None:
        to: list[str] = []
        self._say("220 loopback")
        while line := self.rfile.readline().decode().strip():
            verb = line.split(":")[0].split(" ")[0].upper()
            if verb == "RCPT":
                to.append(line.partition("<")[2].partition(">")[0])
            if verb == "DATA":
                self._take(to)
            elif verb == "MAIL" and self.server.refuses:
                self._say("554 not today")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _take(self, to: list[str]) -> None:
        self._say("354 go on")
        lines = []
        while (line := self.rfile.readline()) not in {b".\r\n", b""}:
            lines.append(line[1:] if line.startswith(b"..") else line)
        mail = message_from_bytes(b"".join(lines), policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.server.mails.append((to, mail))
        self._say("250 taken")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def postbox() -> Iterator[Postbox]:
    """Yield a mail server that ends with the block."""
    with Postbox() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
