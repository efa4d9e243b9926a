"""Pages of a PDF as gray images, at their own resolution where a page is one scan.

A document open in a process of its own: bounded in memory, and in seconds for each page. Text of
PDF pages, line by line with its place; nothing where a page is a picture.
"""

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from core.chemistry.page_reader import LENGTH
from core.chemistry.segmentation import LARGEST_PAGE, Image
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
            process = self._process
            assert process is not None
            assert process.stdin is not None
            process.stdin.write(f"{kind} {number}\n".encode())
            process.stdin.flush()
            return self._receive(PAGE_S)
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


MOST_PAGES = 200


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        number: From 1.
        image: Gray values.
    """

    number: int
    image: Image


class LeftOut(dict[int, str]):
    """Pages that cannot be read, by number from 1, each with the reason."""

    def say(self) -> str:
        """Return this as a sentence's part, the pages of one reason together; "" for none."""
        reasons = dict.fromkeys(self.values())
        return "; ".join(f"{self._pages(reason)} skipped: {reason}" for reason in reasons)

    def _pages(self, reason: str) -> str:
        numbers = sorted(number for number, why in self.items() if why == reason)
        shown = ", ".join(map(str, numbers[:5])) + (" and more" if len(numbers) > 5 else "")
        return f"page{'s' if len(numbers) > 1 else ''} {shown}"


def read_pages(
    content: bytes, most: int = MOST_PAGES, left_out: LeftOut | None = None
) -> Iterator[Page]:
    """Yield the pages of a PDF; those that cannot be read are left out.

    Args:
        content: The file.
        most: Pages after which reading ends.
        left_out: Takes the pages that are left out.

    Raises:
        InvalidInput: It is no PDF, damaged, or protected by a password.
    """
    with PageProcess(content, LARGEST_PAGE) as document:
        for index in range(min(document.n_pages, most)):
            fault, message, pixels = document.read("image", index)
            if fault:
                if left_out is not None:
                    left_out[index + 1] = fault
                continue
            shape = (message["rows"], message["columns"])
            image = np.frombuffer(pixels, np.uint8).reshape(shape).copy()
            yield Page(index + 1, image)


FEWEST_SIGNS = 20
"""A page with fewer is a picture: its sections cannot be recognized."""
_LEAST_ACROSS = 0.2
_FEWEST_LINES = 10
_LEFT, _MIDDLE, _RIGHT = 0.45, 0.5, 0.55


@dataclass(frozen=True, slots=True)
class Placed:
    """A line with its place.

    Attributes:
        text: As the page has it.
        page: From 1.
        x0: Left end, as a share of the page's width.
        x1: Right end.
        y: Upper edge from above, as a share of the page's height.
    """

    text: str
    page: int
    x0: float
    x1: float
    y: float


@dataclass(frozen=True)
class PageText:
    """The lines of one page.

    Attributes:
        number: From 1.
        lines: In the order of reading.
        has_columns: Whether it is set in two columns.
    """

    number: int
    lines: tuple[Placed, ...]
    has_columns: bool

    def place(self, x0: float, x1: float, y: float) -> tuple[int, int, float]:
        """Return where something stands in the order of reading: page, column, height."""
        is_right = self.has_columns and (x0 + x1) / 2 > _MIDDLE and x0 > _LEFT
        return self.number, int(is_right), y


def read_text(content: bytes, most: int = MOST_PAGES) -> Iterator[PageText]:
    """Yield the text of each page; pages that are pictures have no lines.

    Args:
        content: A PDF.
        most: Pages after which reading ends.

    Raises:
        InvalidInput: It is no readable PDF.
    """
    with PageProcess(content, LARGEST_PAGE) as document:
        for index in range(min(document.n_pages, most)):
            answer = document.read("text", index)
            yield _order(answer.said.get("lines", ()), index + 1)


def _order(read: Sequence[tuple[str, float, float, float]], number: int) -> PageText:
    """Return the lines of a page in the order of reading."""
    lines = [Placed(text, number, x0, x1, y) for text, x0, x1, y in read]
    if sum(len(line.text) for line in lines) < FEWEST_SIGNS:
        return PageText(number, (), has_columns=False)
    wide = [line for line in lines if line.x1 - line.x0 > _RIGHT - _LEFT]
    across = sum(entry.x0 < _LEFT and entry.x1 > _RIGHT for entry in wide)
    has_columns = len(wide) >= _FEWEST_LINES and across < _LEAST_ACROSS * len(wide)
    empty = PageText(number, (), has_columns)
    ordered = sorted(lines, key=lambda line: empty.place(line.x0, line.x1, line.y))
    return PageText(number, tuple(ordered), has_columns)
