"""How often a structure of a source is right, until it is measured."""

from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class ConfidenceRow(TableRow):
    """The probability of one source and section.

    Attributes:
        method: How a string became a structure.
        section: Part of the document; "" for any.
        probability: Share that is expected to be right.
        rationale: Why so many.
    """

    method: str
    section: str
    probability: float
    rationale: str


@cache
def _table() -> dict[tuple[str, str], float]:
    rows = load_rows("structure_confidence", ConfidenceRow)
    return {(row.method, row.section): row.probability for row in rows}


def find_probability(method: str, section: str) -> float:
    """Return the probability of a source in a section; 0 for a source that is not listed."""
    table = _table()
    return table.get((method, section), table.get((method, ""), 0.0))
