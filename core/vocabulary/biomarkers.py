"""Biomarkers by which trials choose patients, as titles and conditions write them."""

import re
from functools import cache
from typing import Literal

from core.vocabulary.tables import TableRow, compile_pattern, load_rows

BiomarkerRole = Literal["selection", "stratification", "pharmacodynamic", "resistance"]


class BiomarkerRow(TableRow):
    """A biomarker and how texts write it."""

    name: str
    pattern: str
    role: BiomarkerRole


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], BiomarkerRow], ...]:
    rows = load_rows("biomarkers", BiomarkerRow)
    return tuple((compile_pattern(row.pattern, "biomarkers"), row) for row in rows)


def find_biomarkers(text: str) -> list[BiomarkerRow]:
    """Return the biomarkers that a text speaks of, by name."""
    return [row for pattern, row in _patterns() if pattern.search(text)]


def find_spans(text: str) -> list[tuple[int, int, str]]:
    """Return begin, end and name of every place at which a text speaks of a biomarker."""
    found = [
        (one.start(), one.end(), row.name)
        for pattern, row in _patterns()
        for one in pattern.finditer(text)
    ]
    return sorted(found)
