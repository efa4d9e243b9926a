"""Hazards of which labels warn: one word for each, as boxed warnings and headings write them."""

from functools import cache
from re import Pattern

from core.vocabulary.tables import TableRow, compile_pattern, load_rows


class HazardRow(TableRow):
    """A hazard and how labels write it.

    Attributes:
        hazard: The word for it.
        pattern: How boxed warnings and headings write it.
        coarse: The wider word of the starter pack that stands for it; "" where none does.
    """

    hazard: str
    pattern: str
    coarse: str


@cache
def _patterns() -> tuple[tuple[str, Pattern[str]], ...]:
    rows = load_rows("hazards", HazardRow)
    return tuple((row.hazard, compile_pattern(row.pattern, "hazards")) for row in rows)


def find_hazards(text: str) -> tuple[str, ...]:
    """Return the hazards that a text names, in the order of the table.

    >>> find_hazards("WARNING: HEPATOTOXICITY and EMBRYO-FETAL TOXICITY")
    ('embryo-fetal toxicity', 'hepatotoxicity')
    """
    return tuple(hazard for hazard, pattern in _patterns() if pattern.search(text))


@cache
def hazards_of_coarse() -> dict[str, str]:
    """Return the hazard that stands for each word of the starter pack."""
    return {row.coarse: row.hazard for row in load_rows("hazards", HazardRow) if row.coarse}
