"""Abbreviations and other words for what records write out (`synonyms.csv`).

They are used to find records, never to join names: HFpEF also asks for "heart failure with
preserved ejection fraction". The table is the curators' own knowledge.
"""

import csv
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TABLE = Path(__file__).with_name("synonyms.csv")


@dataclass(frozen=True)
class Synonyms:
    """A word and what records write for it."""

    said: str
    also: tuple[str, ...]


@lru_cache(maxsize=1)
def load_synonyms() -> tuple[Synonyms, ...]:
    """Return the rows of the table, one a word."""
    found: dict[str, list[str]] = defaultdict(list)
    with TABLE.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            found[row["said"]].append(row["also"])
    return tuple(Synonyms(said, tuple(also)) for said, also in found.items())
