"""What a type of event weighs in a feed, how fast it ages, and how far its source is trusted.

Values stand in design/knowledge_facts.md 7.1; rows that its table does not have say so in a note.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import Literal

from core.errors import KnowledgeError
from core.records.stages import Stage
from core.vocabulary.event_types import EventType
from core.vocabulary.tables import TableRow, load_rows

CatalystType = Literal[
    "trial_readout",
    "trial_start",
    "trial_status_change",
    "regulatory_decision",
    "regulatory_designation",
    "label_change",
    "safety_signal",
    "publication",
    "conference",
    "patent",
    "financing",
    "deal",
    "other",
]


class EventMaterialityRow(TableRow):
    """What a type of event weighs.

    Attributes:
        type: Of the event.
        rank: Place among the rows of one type; the first that holds counts.
        phase: Phases of the trial, divided by bars; "" for any.
        after: What is told after the event, with wildcards, divided by bars; "" for anything.
        catalyst_type: Word of the contract.
        materiality: 0 to 1.
        half_life_days: Days after which half of its recency is left.
        stage: Stage of which the event tells, where that is no trial's phase; "" for none.
    """

    type: EventType
    rank: int
    phase: str
    after: str
    catalyst_type: CatalystType
    materiality: float
    half_life_days: float
    stage: Stage | Literal[""]


class EventPublisherRow(TableRow):
    """Who speaks through a source, and how far that is trusted.

    Attributes:
        source: Short name of the source, or the beginning of its record ids up to a slash.
        publisher: Who speaks; several sources of one publisher are one.
        authority: 0 to 1.
        is_expert: "yes" where only curators' own knowledge speaks.
    """

    source: str
    publisher: str
    authority: float
    is_expert: Literal["", "yes"]


UNKNOWN_AUTHORITY = 0.4
"""Of a source that the table does not have: as news."""


@cache
def _rows() -> Mapping[str, Sequence[EventMaterialityRow]]:
    rows = sorted(load_rows("event_materiality", EventMaterialityRow), key=lambda row: row.rank)
    return {kind: [row for row in rows if row.type == kind] for kind in {row.type for row in rows}}


@lru_cache(maxsize=4_096)
def materiality_of(kind: str, phase: str = "", after: str = "") -> EventMaterialityRow:
    """Return the row that tells what an event weighs.

    Args:
        kind: Type of the event.
        phase: Phase of its trial.
        after: What is told after it.

    Raises:
        KnowledgeError: The table has no row for the type.
    """
    for row in _rows().get(kind, ()):
        is_phase = not row.phase or phase in row.phase.split("|")
        patterns = row.after.casefold().split("|") if row.after else ()
        if is_phase and (not patterns or any(fnmatchcase(after.casefold(), p) for p in patterns)):
            return row
    raise KnowledgeError(f"event_materiality.csv has no row for {kind!r}")


@cache
def publishers() -> Mapping[str, EventPublisherRow]:
    """Return who speaks through each source."""
    return {row.source: row for row in load_rows("event_publishers", EventPublisherRow)}


def publisher_of(record_id: str) -> str:
    """Return who speaks through a record; a source that the table does not have is its own."""
    row = _publisher_row(record_id)
    return row.publisher if row else record_id.partition(":")[0]


def authority_of(record_id: str) -> float:
    """Return how far the source of a record is trusted, 0 to 1."""
    row = _publisher_row(record_id)
    return row.authority if row else UNKNOWN_AUTHORITY


def is_expert(record_id: str) -> bool:
    """Return whether only curators' own knowledge speaks through a record."""
    row = _publisher_row(record_id)
    return bool(row and row.is_expert)


def _publisher_row(record_id: str) -> EventPublisherRow | None:
    """Return the row of the beginning of a record id, else that of its source."""
    rows = publishers()
    return rows.get(record_id.partition("/")[0]) or rows.get(record_id.partition(":")[0])
