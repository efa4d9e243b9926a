"""Abbreviations and other words for what records write out.

They are used to find records, never to join names: HFpEF also asks for "heart failure with
preserved ejection fraction". The table is the curators' own knowledge.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from core.vocabulary.tables import TableRow, load_rows


class SynonymRow(TableRow):
    """A word, and one that records write for it."""

    said: str
    also: str


@dataclass(frozen=True)
class Synonyms:
    """A word and what records write for it."""

    said: str
    also: tuple[str, ...]


@cache
def load_synonyms() -> tuple[Synonyms, ...]:
    """Return the words, each once."""
    words: dict[str, list[str]] = defaultdict(list)
    for row in load_rows("synonyms", SynonymRow):
        words[row.said].append(row.also)
    return tuple(Synonyms(word, tuple(also)) for word, also in words.items())
