"""Repairs of systematic names as registers write them, so that a program can read them."""

import re
from functools import cache

from core.vocabulary.tables import TableRow, compile_pattern, load_rows


class NameRepairRow(TableRow):
    """A repair.

    Attributes:
        name: What is repaired.
        pattern: Regular expression of what is written.
        replacement: What is meant; a number refers to a group of the pattern.
        example: A piece of a name as written.
        repaired: The piece after this repair.
        rationale: Why the meaning stays the same.
    """

    name: str
    pattern: str
    replacement: str
    example: str
    repaired: str
    rationale: str


@cache
def name_repairs() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return patterns with what replaces them, in the order of the table."""
    return tuple(
        (compile_pattern(row.pattern, "name_repairs"), row.replacement)
        for row in load_rows("name_repairs", NameRepairRow)
    )
