"""Rows of a count matrix that a quantifier adds for reads it assigned to no gene."""

from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class SummaryRow(TableRow):
    """A row that is no gene.

    Attributes:
        name: What stands in the column of gene IDs.
        tool: The quantifier that writes it.
    """

    name: str
    tool: str


@cache
def list_summary_rows() -> frozenset[str]:
    """Return the names of all summary rows."""
    return frozenset(row.name for row in load_rows("summary_rows", SummaryRow))
