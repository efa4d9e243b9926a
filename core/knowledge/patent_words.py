"""Words of patents: what stands beside a symbol that is also a word, what a title announces."""

import re
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

PatentWordKind = Literal[
    "combination", "context", "formulation", "owner", "process", "solid form", "use"
]


class PatentWordRow(TableRow):
    """A group of words.

    Attributes:
        kind: "context" of a target's symbol, common in names of an "owner", or what kind of patent
            a title announces.
        word: Name of the group.
        pattern: Regular expression, without regard to case.
    """

    kind: PatentWordKind
    word: str
    pattern: str


@cache
def context_words() -> re.Pattern[str]:
    """Return the words beside which a symbol is a target and no plain word."""
    return _join("context")


@cache
def owner_words() -> re.Pattern[str]:
    """Return the words that names of owners share without being of one house."""
    return _join("owner")


def _join(kind: PatentWordKind) -> re.Pattern[str]:
    rows = load_rows("patent_words", PatentWordRow)
    joined = "|".join(row.pattern for row in rows if row.kind == kind)
    return compile_pattern(rf"\b(?:{joined})\b", "patent_words")


@cache
def title_kinds() -> tuple[tuple[PatentWordKind, re.Pattern[str]], ...]:
    """Return the kinds that a title may announce, with the words that do."""
    return tuple(
        (row.kind, compile_pattern(row.pattern, "patent_words"))
        for row in load_rows("patent_words", PatentWordRow)
        if row.kind not in {"context", "owner"}
    )
