"""Text of PDF pages, line by line with its place; nothing where a page is a picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2

from core.chemistry.pages import MOST_PAGES
from core.errors import InvalidInput

MOST_SIGNS = 40_000
"""Signs of one page that are read."""
FEWEST_SIGNS = 20
"""A page with fewer is a picture: its sections cannot be told."""
_HYPHENS = frozenset({"\x02", "\ufffe"})
"""How the reader of PDFs writes a hyphen at the end of a line."""
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
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise InvalidInput("the file is no readable PDF", code="unreadable_pdf") from error
    try:
        for place in range(min(len(document), most)):
            yield _read_page(document[place], place + 1)
    finally:
        document.close()


def _read_page(page: pypdfium2.PdfPage, number: int) -> PageText:
    width, height = page.get_size()
    try:
        held = page.get_textpage()
        lines = list(_read_lines(held, number, width, height))
        held.close()
    except (pypdfium2.PdfiumError, ValueError):
        lines = []
    if sum(len(one.text) for one in lines) < FEWEST_SIGNS:
        return PageText(number, (), has_columns=False)
    wide = [one for one in lines if one.x1 - one.x0 > _RIGHT - _LEFT]
    across = sum(one.x0 < _LEFT and one.x1 > _RIGHT for one in wide)
    has_columns = len(wide) >= _FEWEST_LINES and across < _LEAST_ACROSS * len(wide)
    empty = PageText(number, (), has_columns)
    ordered = sorted(lines, key=lambda one: empty.place(one.x0, one.x1, one.y))
    return PageText(number, tuple(ordered), has_columns)


def _read_lines(
    held: pypdfium2.PdfTextPage, number: int, width: float, height: float
) -> Iterator[Placed]:
    """Yield the stretches of a page, those of one line joined as the file joins them."""
    start, text = 0, ""
    n_signs = min(held.count_chars(), MOST_SIGNS)
    signs: Sequence[str] = held.get_text_range(0, n_signs)
    if len(signs) != n_signs:  # a sign beyond the first plane counts twice
        signs = [held.get_text_range(at, 1) for at in range(n_signs)]
    for at, sign in enumerate([*signs, "\n"]):
        if sign not in {"\r", "\n", "\r\n"}:
            text += "-" if sign in _HYPHENS else sign
            continue
        said = text.strip()
        if said:
            first = start + len(text) - len(text.lstrip())
            last = start + len(text.rstrip()) - 1
            left, _, _, top = held.get_charbox(first)
            _, _, right, _ = held.get_charbox(min(last, n_signs - 1))
            yield Placed(said, number, left / width, right / width, 1 - top / height)
        start, text = at + 1, ""
