"""Routes and kinds of drugs that go by needle; how texts write a route is a word of questions."""

from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

NEEDLE = "injection"
"""Any route by needle, where it is not known which one."""
INTERVAL = "long-acting"
"""What is asked for with routes, but says how often."""
RouteKind = Literal["modality", "route"]


class RouteRow(TableRow):
    """What goes by needle.

    Attributes:
        kind: Whether the word is a kind of drug or a route.
        word: The word of the table of modalities, or of routes in questions.
    """

    kind: RouteKind
    word: str


@cache
def by_needle(kind: RouteKind) -> frozenset[str]:
    """Return the kinds of drugs, or the routes, that go by needle."""
    return frozenset(row.word for row in load_rows("routes", RouteRow) if row.kind == kind)
