"""Endpoints by class: only figures of one class may stand beside each other."""

import re
from functools import cache, lru_cache
from typing import Literal

from core.knowledge.load import KnowledgeRow, compile_pattern, load_rows


class EndpointClassRow(KnowledgeRow):
    """A class of endpoints.

    Attributes:
        name: Its name.
        pattern: How measures of the class are written.
        better: Which direction is good; "none" where neither is.
        area: Field of medicine.
    """

    name: str
    pattern: str
    better: Literal["higher", "lower", "none"]
    area: str


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], EndpointClassRow], ...]:
    rows = load_rows("endpoint_classes", EndpointClassRow)
    return tuple((compile_pattern(row.pattern, "endpoint_classes"), row) for row in rows)


@lru_cache(maxsize=20_000)
def classify_endpoint(measure: str) -> EndpointClassRow | None:
    """Return the class of a measure; of several the one named first in it."""
    found = [
        (match.start(), row.name, row)
        for pattern, row in _patterns()
        if (match := pattern.search(measure))
    ]
    return min(found, key=lambda one: one[:2])[2] if found else None
