"""What happened lately to the drugs of an answer: decisions, label changes, trials, pipelines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from pydantic import Field

from core.briefs.citing import Cite
from core.briefs.columns import Column, list_all, source_column
from core.briefs.developments.records import Development
from core.briefs.developments.scanning import find_developments
from core.briefs.developments.wording import show_day, title_of
from core.briefs.records import SourceIds
from core.briefs.subjects import Drug
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import EvidenceReader
from core.records.events import EventQuery, Precision
from core.records.wire import Answer
from core.reports.document import Block
from core.reports.evidence_parts import under
from core.vocabulary.event_types import EventType

DAYS = 365
MOST_ROWS = 60
MOST_CITED = 3
MOST_PRINTED = 30
RECENT = "In the last year"
_MINOR = (EventType.SUPPLEMENT_LABELING, EventType.SUPPLEMENT_MANUFACTURING)


class RecentRow(Answer):
    """What happened to a drug."""

    date: str = Field(description="Day or month of the event.")
    date_precision: Precision
    drug_name: str
    company: str = Field(description='Whose the drug is; "" where no record says so.')
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


@dataclass(frozen=True)
class Recent:
    """An event of a drug of the answer."""

    drug: Drug
    what: Development
    record_ids: tuple[str, ...]


def find_recent(
    drugs: Iterable[Drug], evidence: EvidenceReader, resolver: Resolver, as_of: date
) -> list[Recent]:
    """Return what happened to drugs within a year, the newest first; of trials only their own.

    Args:
        drugs: The drugs.
        evidence: The pack.
        resolver: Knows names.
        as_of: The day asked about.
    """
    owners = _owners(drugs)
    since = (as_of - timedelta(days=DAYS)).isoformat()
    query = EventQuery(since=since, until=as_of.isoformat(), record_ids=tuple(sorted(owners)))
    told = find_developments(query, evidence, resolver) if owners else []
    found = [one for each in told if (one := _recent(each, owners)) and _is_within(each, as_of)]
    return sorted(found, key=lambda one: (one.what.day, one.drug.name), reverse=True)[:MOST_ROWS]


def _owners(drugs: Iterable[Drug]) -> dict[str, Drug]:
    """Return the drug of each record that tells of it alone: no trial of somebody else."""
    owners: dict[str, Drug] = {}
    for drug in drugs:
        others = {one.record_id for one in drug.trials if not one.is_own}
        for record_id in drug.record_ids():
            if record_id not in others:
                owners.setdefault(record_id, drug)
    return owners


def _recent(what: Development, owners: dict[str, Drug]) -> Recent | None:
    known = tuple(one for one in what.record_ids if one in owners)
    if not known or what.type in _MINOR:
        return None
    return Recent(owners[known[0]], what, known)


def _is_within(what: Development, as_of: date) -> bool:
    return what.first_on <= as_of


def list_recent(found: Sequence[Recent], cite: Cite) -> list[RecentRow]:
    """Return events as rows with their sources.

    Args:
        found: The events.
        cite: Gives records their numbers.
    """
    return [
        RecentRow(
            date=one.what.day,
            date_precision=one.what.precision,
            drug_name=one.drug.name,
            company=next(iter(one.drug.owners), ""),
            event_type=one.what.type,
            title=title_of(one.what),
            source_ids=cite.numbers(one.record_ids[:MOST_CITED]),
        )
        for one in found
    ]


def points_of(rows: Iterable[RecentRow]) -> list[dict[str, Any]]:
    """Return events as points of a timeline."""
    return [
        {"drug": one.drug_name, "day": one.date, "kind": "happened", "what": one.title}
        for one in rows
    ]


def list_happened(rows: Sequence[RecentRow]) -> list[Block]:
    """Return events as a section of a report; nothing without any."""
    return under(RECENT, list_all(RECENTS, rows, RECENT, most=MOST_PRINTED))
