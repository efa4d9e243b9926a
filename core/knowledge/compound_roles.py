"""By what a compound of a patent is told to be an example, an intermediate or a comparator."""

from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

Told = Literal["heading", "group", "leaving group"]


class RoleRow(TableRow):
    """One sign.

    Attributes:
        kind: A heading (regular expression) or a group of atoms (SMARTS); one that leaves in the
            next step is no part of an end product, claimed or not.
        name: What it is, in words.
        pattern: The expression.
        role: What a compound with it is.
        rationale: Why.
    """

    kind: Told
    name: str
    pattern: str
    role: Literal["example", "intermediate", "comparator"]
    rationale: str


@cache
def load_signs(kind: Told) -> tuple[RoleRow, ...]:
    """Return the signs of a kind, in the order of the table; "group" brings leaving groups too."""
    return tuple(row for row in load_rows("compound_roles", RoleRow) if row.kind.endswith(kind))
