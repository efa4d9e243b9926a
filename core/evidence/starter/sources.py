"""Which files at hand may fill rows of the starter pack: those marked F in their folder's README.

What is marked R (ChEMBL, lists of others without a licence) stands in no row of `sources.csv`,
so that nothing of it can enter.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TABLE = Path(__file__).with_name("sources.csv")


@dataclass(frozen=True)
class SourceOfRows:
    """A file or folder that may fill rows.

    Attributes:
        source: Source of its records.
        file: Path below the folder of evidence.
        title: How a row names it.
        url: Where the source is.
        as_of: Date of the state that it shows, where its records carry none.
    """

    source: str
    file: str
    title: str
    url: str
    as_of: str


@lru_cache(maxsize=1)
def load_sources() -> tuple[SourceOfRows, ...]:
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        return tuple(SourceOfRows(**row) for row in csv.DictReader(text))


def source_named(source: str) -> SourceOfRows:
    """Return what a source's records are called; of several files the newest."""
    return max((one for one in load_sources() if one.source == source), key=lambda one: one.as_of)
