"""Biomarkers by which trials choose patients, as titles and conditions write them."""

import re
from functools import cache, lru_cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

BiomarkerRole = Literal["selection", "stratification", "pharmacodynamic", "resistance"]


class BiomarkerRow(TableRow):
    """A biomarker and how texts write it.

    Attributes:
        name: The biomarker.
        pattern: How texts write it.
        role: What it is for.
        excludes: Biomarkers that no patient has beside it, joined by "|".
        adjective: How it stands before the name of a tumor; "" where by its name.
    """

    name: str
    pattern: str
    role: BiomarkerRole
    excludes: str
    adjective: str


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], BiomarkerRow], ...]:
    rows = load_rows("biomarkers", BiomarkerRow)
    return tuple((compile_pattern(row.pattern, "biomarkers"), row) for row in rows)


def find_biomarkers(text: str) -> list[BiomarkerRow]:
    """Return the biomarkers that a text speaks of, by name."""
    return list(_found(text))


@lru_cache(maxsize=8_192)
def _found(text: str) -> tuple[BiomarkerRow, ...]:
    return tuple(row for pattern, row in _patterns() if pattern.search(text))


def find_spans(text: str) -> list[tuple[int, int, str]]:
    """Return begin, end and name of every place at which a text speaks of a biomarker."""
    spans = [
        (match.start(), match.end(), row.name)
        for pattern, row in _patterns()
        for match in pattern.finditer(text)
    ]
    return sorted(spans)


@cache
def excluded_by(name: str) -> frozenset[str]:
    """Return the biomarkers that no patient has beside one: HER2-low is not HER2-positive."""
    rows = (row for _, row in _patterns() if row.name == name)
    return frozenset(marker for row in rows for marker in row.excludes.split("|") if marker)


@cache
def adjectives() -> dict[str, str]:
    """Return how biomarkers stand before the name of a tumor: "EGFR-mutated"."""
    return {row.name: row.adjective for _, row in _patterns()}
