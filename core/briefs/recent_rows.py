"""What happened lately to the drugs of an answer, as rows: wire, page, report, points in time."""

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import Field

from core.briefs.columns import Column, list_all, source_column
from core.briefs.records import SourceIds
from core.records.events import Precision
from core.records.wire import Answer
from core.reports.document import Block
from core.reports.evidence_parts import under
from core.vocabulary.event_types import EventType

RECENT = "In the last year"
MOST_PRINTED = 30


def show_day(day: str, precision: str) -> str:
    """Return a day as a reader is told, with how well it is known."""
    return f"by {day}" if precision in {"between", "by"} else day


class RecentRow(Answer):
    """What happened to a drug."""

    date: str = Field(description="Day or month of the event.")
    date_precision: Precision
    drug_name: str
    company: str = Field(description='Owner of the drug; "" if not reported.')
    event_type: EventType
    title: str = Field(description="What happened, in one line.")
    source_ids: SourceIds


RECENTS: tuple[Column[RecentRow], ...] = (
    Column("date", "Day", shown=lambda row: show_day(row.date, row.date_precision)),
    Column("drug_name", "Drug"),
    Column("company", "Company"),
    Column("title", "What happened"),
    source_column(),
)


def points_of(rows: Iterable[RecentRow]) -> list[dict[str, Any]]:
    """Return events as points of a timeline."""
    return [
        {"drug": row.drug_name, "day": row.date, "kind": "happened", "what": row.title}
        for row in rows
    ]


def list_happened(rows: Sequence[RecentRow]) -> list[Block]:
    """Return events as a section of a report; nothing without any."""
    return under(RECENT, list_all(RECENTS, rows, RECENT, most=MOST_PRINTED))
