"""Text of PDF pages, line by line with its place; nothing where a page is a picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.chemistry.page_process import PageProcess
from core.chemistry.pages import MOST_PAGES
from core.chemistry.segmentation import LARGEST_PAGE

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
