"""Words by which an investment thesis states its terms: owner, partner, stop reason, signal."""

import re
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

TermKind = Literal[
    "owner",
    "partner",
    "rights",
    "stop",
    "signal",
    "copies",
    "kind",
    "reads",
    "soft",
    "plain",
    "unread",
]
"""Rights outside the owner's home leave that home ("home" or "other" of the pattern) in the text;
an unread term asks for what the evidence does not hold."""


class ThesisWordRow(TableRow):
    """A term and how theses write it.

    Attributes:
        rank: Place in the order in which terms are looked for; a found one is taken out.
        kind: What it is a term of.
        word: The term.
        pattern: How it is written.
    """

    rank: int
    kind: TermKind
    word: str
    pattern: str


@cache
def load_terms() -> tuple[tuple[TermKind, str, re.Pattern[str]], ...]:
    """Return the terms in the order in which they are looked for."""
    rows = load_rows("thesis_words", ThesisWordRow)
    return tuple((row.kind, row.word, compile_pattern(row.pattern, "thesis_words")) for row in rows)
