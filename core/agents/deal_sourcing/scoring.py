"""The score of a deal: six parts, of which one that is not known counts nothing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from core.agents.deal_sourcing.lead import Lead
from core.agents.deal_sourcing.thesis import Thesis
from core.knowledge.event_materiality import authority_of
from core.records.evidence import Record

HALF_LIFE_DAYS = 30
FULL_SOURCES = 3
"""Independent sources that make the science part whole."""
AVAILABILITY = {
    "shelved asset": 1.0,
    "licence": 1.0,
    "academic spin-out": 0.8,
    "company": 0.6,
}
WEIGHTS = {
    "thesis_fit": 30,
    "science": 20,
    "stage_fit": 15,
    "availability": 15,
    "recency": 10,
    "room": 10,
}


@dataclass(frozen=True)
class Score:
    """The parts of a score in points, and those that are not known.

    Attributes:
        parts: Points by part; they sum to the score.
        unknown: Parts that nothing on record tells: 0, never an average.
    """

    parts: Mapping[str, float]
    unknown: tuple[str, ...]

    @property
    def total(self) -> int:
        """Return the sum, rounded half up."""
        return min(100, math.floor(math.fsum(self.parts.values()) + 0.5))


def score(
    lead: Lead,
    thesis: Thesis,
    records: Mapping[str, Record],
    density: Mapping[str, int],
    window: tuple[date, date],
) -> Score:
    """Return the score of a deal."""
    values: dict[str, float | None] = {
        "thesis_fit": fit(lead, thesis, records),
        "science": _science(lead, records),
        "stage_fit": 1.0 if thesis.stages else None,
        "availability": AVAILABILITY[lead.kind],
        "recency": _recency(lead, window),
        "room": room(lead, density),
    }
    parts = {name: round(WEIGHTS[name] * (value or 0.0), 2) for name, value in values.items()}
    return Score(parts, tuple(name for name, value in values.items() if value is None))


def fit(lead: Lead, thesis: Thesis, records: Mapping[str, Record]) -> float | None:
    """Return the share of criteria and preferred words that are met; None where none is told."""
    words = [*thesis.soft, *thesis.parsed.words]
    if not thesis.hard and not words:
        return None
    text = " ".join(
        records[record_id].title.casefold()
        for record_id in lead.record_ids()
        if record_id in records
    )
    hit = sum(word.casefold() in text for word in words)
    return (len(thesis.hard) + hit) / (len(thesis.hard) + len(words))


def _science(lead: Lead, records: Mapping[str, Record]) -> float | None:
    record_ids = [record_id for record_id in lead.asset.record_ids if record_id in records] or list(
        lead.record_ids()
    )
    if not record_ids:
        return None
    best = max(map(authority_of, record_ids))
    return best * min(1.0, len(record_ids) / FULL_SOURCES)


def _recency(lead: Lead, window: tuple[date, date]) -> float | None:
    if not lead.newest:
        return None
    if not in_window(lead, window):
        return 0.0
    age = (window[1] - date.fromisoformat(lead.newest)).days
    return math.exp(-math.log(2) * max(0, age) / HALF_LIFE_DAYS)


def in_window(lead: Lead, window: tuple[date, date]) -> bool:
    """Return whether the newest signal fell into the window for certain, by its day."""
    day = lead.newest
    is_day = len(day) == len("2026-11-23")
    return is_day and window[0].isoformat() <= day <= window[1].isoformat()


def room(lead: Lead, density: Mapping[str, int]) -> float | None:
    """Return how open the field of its target is: 1 less the share of targets as full or less."""
    counts = [
        density[link.target.text] for link in lead.asset.targets if link.target.text in density
    ]
    if not counts:
        return None
    fuller = sum(count <= max(counts) for count in density.values())
    return 1 - fuller / len(density)
