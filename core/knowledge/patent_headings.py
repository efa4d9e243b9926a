"""Headings by which the sections of a patent are told where its text is a page's."""

import re
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

HeadedSection = Literal["claims", "description", "abstract"]


class PatentHeadingRow(TableRow):
    """One heading.

    Attributes:
        section: What begins below it.
        name: The heading in words.
        pattern: Regular expression of the whole line, without regard to case.
        rationale: Where such a heading stands.
    """

    section: HeadedSection
    name: str
    pattern: str
    rationale: str


@cache
def section_headings() -> tuple[tuple[HeadedSection, re.Pattern[str]], ...]:
    """Return the sections with the headings that begin them."""
    return tuple(
        (row.section, compile_pattern(row.pattern, "patent_headings"))
        for row in load_rows("patent_headings", PatentHeadingRow)
    )
