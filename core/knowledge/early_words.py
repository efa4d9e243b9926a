"""Words by which a title or abstract tells of an early asset: what is done to a target, or not."""

import re
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

EarlyWordKind = Literal[
    "action", "asset", "discovery", "no asset", "not meant", "not own", "relation"
]


class EarlyWordRow(TableRow):
    """A group of words.

    Attributes:
        kind: "action" on a target; "asset", what an abstract is about; "discovery", what a title of
            a paper or grant on a new asset says; "no asset" in a title; "not meant" behind an
            action; "not own" before a target; "relation" behind a target that is only a marker.
        word: Name of the group; of an action, its word for readers.
        pattern: Regular expression, without regard to case.
    """

    kind: EarlyWordKind
    word: str
    pattern: str


@cache
def action_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the words of each action on a target."""
    rows = load_rows("early_words", EarlyWordRow)
    return tuple(
        (row.word, compile_pattern(row.pattern, "early_words"))
        for row in rows
        if row.kind == "action"
    )


@cache
def early_words(kind: EarlyWordKind) -> re.Pattern[str]:
    """Return what finds the words of a kind."""
    rows = load_rows("early_words", EarlyWordRow)
    joined = "|".join(f"(?:{row.pattern})" for row in rows if row.kind == kind)
    return compile_pattern(joined, "early_words")
