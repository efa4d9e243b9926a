"""What happened lately to the drugs of an answer: decisions, label changes, trials, pipelines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from core.briefs.developments.records import Development
from core.briefs.developments.scanning import find_developments
from core.briefs.developments.wording import title_of
from core.briefs.records import RecentRow
from core.briefs.subjects import Drug
from core.evidence.names.identity.resolver import Resolver
from core.evidence.proof.citations import Cite
from core.evidence_ports import EvidenceReader
from core.records.events import EventQuery
from core.vocabulary.event_types import EventType

DAYS = 365
MOST_ROWS = 60
MOST_CITED = 3
_LEFT = (
    *(EventType.SUPPLEMENT_LABELING, EventType.SUPPLEMENT_MANUFACTURING),
    EventType.DECISION_EXPECTED,
)
"""Minor events, and what was only expected to happen."""


@dataclass(frozen=True)
class Recent:
    """An event of a drug of the answer."""

    drug: Drug
    what: Development
    record_ids: tuple[str, ...]


def find_recent(
    drugs: Iterable[Drug], evidence: EvidenceReader, resolver: Resolver, as_of: date
) -> list[Recent]:
    """Return what happened to drugs within a year, the newest first; of trials only their own."""
    owners = _owners(drugs)
    since = (as_of - timedelta(days=DAYS)).isoformat()
    query = EventQuery(since=since, until=as_of.isoformat(), record_ids=tuple(sorted(owners)))
    developments = find_developments(query, evidence, resolver) if owners else []
    recent_events = [
        recent
        for each in developments
        if (recent := _recent(each, owners)) and (each.first_on <= as_of)
    ]
    return sorted(recent_events, key=lambda event: (event.what.day, event.drug.name), reverse=True)[
        :MOST_ROWS
    ]


def _owners(drugs: Iterable[Drug]) -> dict[str, Drug]:
    """Return the drug of each record that tells of it alone: no trial of somebody else."""
    owners: dict[str, Drug] = {}
    for drug in drugs:
        others = {trial.record_id for trial in drug.trials if not trial.is_own}
        for record_id in drug.record_ids():
            if record_id not in others:
                owners.setdefault(record_id, drug)
    return owners


def _recent(what: Development, owners: dict[str, Drug]) -> Recent | None:
    record_ids = tuple(record_id for record_id in what.record_ids if record_id in owners)
    if not record_ids or what.type in _LEFT:
        return None
    return Recent(owners[record_ids[0]], what, record_ids)


def list_recent(recent_events: Sequence[Recent], cite: Cite) -> list[RecentRow]:
    """Return events as rows with their sources."""
    return [
        RecentRow(
            date=recent.what.day,
            date_precision=recent.what.precision,
            drug_name=recent.drug.name,
            company=next(iter(recent.drug.owners), ""),
            event_type=recent.what.type,
            title=title_of(recent.what),
            source_ids=cite.numbers(recent.record_ids[:MOST_CITED]),
        )
        for recent in recent_events
    ]
