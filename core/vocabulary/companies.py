"""Names under which companies act, with the group under which each counts.

The table is the curators' own knowledge, unverified and without identifiers; takeovers of listed
companies are published and name the list of filings.
"""

from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

Relation = Literal[
    "own name",
    "legal name",
    "short name",
    "former name",
    "new name",
    "subsidiary",
    "acquired",
    "merged",
    "majority holding",
    "as registers write it",
]


class CompanyName(TableRow):
    """A name under which a company acts.

    Attributes:
        group: The company under which it counts.
        name: The name.
        relation: What the name is to the group.
        country: Country of the company; "" where the curators wrote none.
        from_on: Day or year since when, where known.
    """

    group: str
    name: str
    relation: Relation
    country: str
    from_on: str


@cache
def load_companies() -> tuple[CompanyName, ...]:
    """Return all names by group."""
    return load_rows("companies", CompanyName)
