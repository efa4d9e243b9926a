"""Which part of a patent a place of its pages belongs to, told by headings."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from core.chemistry.pages import PageText
from core.knowledge.patent_headings import section_headings
from core.records.patents import PatentText, Section, TextLine

LONGEST_HEADING = 200
MOST_LINES = 100_000
Place = tuple[int, int, float]


@dataclass(frozen=True)
class Sections:
    """Where the sections of one document begin.

    Attributes:
        marks: Headings by place, with what begins below them.
        pages: Pages with text, by number.
    """

    marks: Sequence[tuple[Place, Section]] = ()
    pages: Sequence[PageText] = ()

    @cached_property
    def _by_number(self) -> dict[int, PageText]:
        return {page.number: page for page in self.pages if page.lines}

    def find(self, page: int, x0: float, x1: float, y: float) -> Section:
        """Return the section of a place; "" on a page without text, or where nothing tells it.

        Args:
            page: From 1.
            x0: Left end, as a share of the page's width.
            x1: Right end.
            y: Height from above, as a share of the page's height.
        """
        page_text = self._by_number.get(page)
        return "" if page_text is None else self.at(page_text.place(x0, x1, y))

    def at(self, location: Place) -> Section:
        """Return the section of a place in the order of reading."""
        before = bisect_right([mark for mark, _ in self.marks], location)
        if before:
            return self.marks[before - 1][1]
        is_last = bool(self.marks) and self.marks[0][1] == "claims"
        return "description" if is_last else ""

    @property
    def has_claims(self) -> bool:
        """Return whether a heading tells where the claims begin."""
        return any(section == "claims" for _, section in self.marks)


def find_sections(pages: Iterable[PageText]) -> Sections:
    """Return the sections of the pages of a document."""
    all_pages = list(pages)
    marks = [
        (page.place(line.x0, line.x1, line.y), heading)
        for page in all_pages
        for line in page.lines
        if (heading := _read_heading(line.text))
    ]
    return Sections(sorted(marks, key=lambda mark: mark[0]), all_pages)


def read_sections(sections: Sections) -> list[PatentText]:
    """Return the text of pages, section by section in the order of reading."""
    lines = [
        (sections.at(page.place(line.x0, line.x1, line.y)), TextLine(line.text, line.page))
        for page in sections.pages
        for line in page.lines
    ]
    return _group(lines)


def split_text(text: str) -> list[PatentText]:
    """Return a text without pages, section by section."""
    lines = [line.strip() for line in text.splitlines() if line.strip()][:MOST_LINES]
    marks = [
        ((0, 0, float(number)), heading)
        for number, line in enumerate(lines)
        if (heading := _read_heading(line))
    ]
    sections = Sections(marks)
    return _group(
        [(sections.at((0, 0, float(at))), TextLine(line)) for at, line in enumerate(lines)]
    )


def _group(lines: Sequence[tuple[Section, TextLine]]) -> list[PatentText]:
    return [
        PatentText(section, tuple(line for _, line in group))
        for section, group in groupby(lines, key=lambda line: line[0])
    ]


def _read_heading(line: str) -> Section:
    """Return what begins below a line; "" for a line that is no heading."""
    if len(line) > LONGEST_HEADING:
        return ""
    text = line.strip()
    return next((name for name, form in section_headings() if form.fullmatch(text)), "")
