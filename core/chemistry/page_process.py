"""A document open in a process of its own: bounded in memory, and in seconds for each page."""

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from core.chemistry.page_reader import LENGTH
from core.errors import InvalidInput

MEMORY = 1 << 30
PAGE_S = 15.0
START_S = 60.0
MOST_FAULTS = 5
"""Pages that end the process before the rest of the document is given up."""
TOO_COSTLY = "it takes too much memory or time"
_GIVEN_UP = "too many pages before it took too much memory or time"
_ROOT = Path(__file__).resolve().parents[2]
_LONGEST_LINE = 64 << 20
_PART = 1 << 20


class Answer(NamedTuple):
    """What came of a page: a fault in words, or a description and bytes."""

    fault: str
    said: Mapping[str, Any]
    content: bytes


class PageProcess:
    """Reads the pages of one document; a page that ends the process costs that page alone."""

    def __init__(self, content: bytes, largest: int) -> None:
        """Keep the document in a temporary file and open it.

        Args:
            content: A PDF.
            largest: Most pixels of a page's image.

        Raises:
            InvalidInput: It is no PDF, damaged, or protected by a password.
        """
        self._largest = largest
        self._n_faults = 0
        self._file = tempfile.NamedTemporaryFile(prefix="bpw-pdf-", suffix=".pdf")  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._file.write(content)
            self._file.flush()
            self.n_pages = self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the document."""
        self.close()

    def close(self) -> None:
        """End the process and remove the file."""
        self._end()
        self._file.close()

    def read(self, kind: Literal["image", "text"], number: int) -> Answer:
        """Read a page.

        Args:
            kind: Its image or its lines of text.
            number: From 0.
        """
        if self._n_faults >= MOST_FAULTS:
            return Answer(_GIVEN_UP, {}, b"")
        try:
            if self._process is None:
                self._start()
            return self._ask(f"{kind} {number}\n")
        except (EOFError, OSError, TimeoutError, InvalidInput):
            self._n_faults += 1
            self._end()
            return Answer(TOO_COSTLY, {}, b"")

    def _start(self) -> int:
        """Start the process and return how many pages the document has."""
        arguments = (self._file.name, str(MEMORY), str(self._largest))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "core.chemistry.page_reader", *arguments],
            cwd=_ROOT,
            env={"PATH": os.environ.get("PATH", ""), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            fault, message, _ = self._receive(START_S)
        except (EOFError, OSError, TimeoutError):
            fault, message = TOO_COSTLY, {}
        if fault:
            raise InvalidInput(
                "the file is no readable PDF; a protected one must be sent without its password",
                code="unreadable_pdf",
            )
        return int(message["pages"])

    def _ask(self, line: str) -> Answer:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        process.stdin.write(line.encode())
        process.stdin.flush()
        return self._receive(PAGE_S)

    def _receive(self, within_s: float) -> Answer:
        """Return an answer.

        Raises:
            EOFError: The process ended.
            TimeoutError: There is none in time.
        """
        end = time.monotonic() + within_s
        (length,) = LENGTH.unpack(self._take(LENGTH.size, end))
        message = json.loads(self._take(min(length, _LONGEST_LINE), end))
        size = min(int(message["size"]), self._largest)
        return Answer(str(message.get("fault", "")), message, self._take(size, end))

    def _take(self, size: int, end: float) -> bytes:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        parts: list[bytes] = []
        left = size
        while left:
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError
            chunk = os.read(process.stdout.fileno(), min(left, _PART))
            if not chunk:
                raise EOFError
            parts.append(chunk)
            left -= len(chunk)
        return b"".join(parts)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
