"""Words that stand in labels of drugs and companies without naming them: forms, devices, places.

One row is one alternative of a pattern, in the order in which it is tried.
"""

from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, load_rows

Kind = Literal[
    "aside",
    "class as a word",
    "class of drugs",
    "ending of biologics",
    "form",
    "gene or virus",
    "general word of companies",
    "in brackets",
    "legal form",
    "no drug",
    "place of a company",
    "presentation",
    "presentation of a brand",
]


class LabelWordRow(TableRow):
    """One alternative of a pattern.

    Attributes:
        kind: Of which words it is one.
        rank: When it is tried among those of its kind.
        pattern: How it is written.
    """

    kind: Kind
    rank: int
    pattern: str


@cache
def alternatives(kind: Kind) -> str:
    """Return the words of a kind as one alternation, to stand in a pattern.

    >>> alternatives("gene or virus").startswith("CD|IL|HLA")
    True
    """
    rows = sorted(load_rows("label_words", LabelWordRow), key=lambda row: row.rank)
    return "|".join(row.pattern for row in rows if row.kind == kind)
