"""Compares rows of the starter pack with what their sources say now; nothing is overwritten."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.evidence.sources.pack.source_records import source_records
from core.evidence.sources.sync.sources import ORIGINS
from core.evidence_ports import EvidenceReader
from core.records.evidence import Fact
from core.records.evidence_pack import FactQuery
from core.vocabulary.predicates import Predicate

TABLES = {
    "ctgov": "trials.csv",
    "label": "labels.csv",
    **dict.fromkeys(("drugsfda", "purplebook", "ema"), "approvals.csv"),
}
"""Table of the rows that name a record of a source."""
COMPARED = (
    *(Predicate.TRIAL_PHASE, Predicate.TRIAL_STATUS, Predicate.TRIAL_SPONSOR),
    *(Predicate.TRIAL_ENROLLMENT, Predicate.TRIAL_START, Predicate.TRIAL_PRIMARY_COMPLETION),
    *(Predicate.TRIAL_COMPLETION, Predicate.APPROVED_ON, Predicate.APPLICATION_HOLDER),
    *(Predicate.APPLICATION_TYPE, Predicate.MARKETING_STATUS, Predicate.HAS_BOXED_WARNING),
)
CONFIRMED, CONFLICT, NOT_COMPARED = OUTCOMES = ("confirmed", "in conflict", "not compared")


class Conflict(NamedTuple):
    """What a row says otherwise than its source, each with its day."""

    table: str
    record_id: str
    predicate: str
    row: str
    source: str


def compare_rows(evidence: EvidenceReader) -> tuple[Mapping[str, Counter[str]], list[Conflict]]:
    """Compare rows with the newest states that syncs brought; count by table and outcome."""
    rows = {
        parsed.record.id: parsed.facts
        for parsed in source_records()
        if parsed.record.source in TABLES
    }
    held = evidence.records(list(rows))
    mirrored = [record_id for record_id, record in held.items() if record.origin in ORIGINS]
    told: dict[str, list[Fact]] = {}
    query = FactQuery(record_ids=mirrored, predicates=COMPARED)
    for stored in evidence.facts(query) if mirrored else ():
        told.setdefault(stored.fact.record_id, []).append(stored.fact)
    counts: dict[str, Counter[str]] = {}
    conflicts: list[Conflict] = []
    for record_id, facts in sorted(rows.items()):
        table = TABLES[record_id.partition(":")[0]]
        agreed, before = 0, len(conflicts)
        for predicate in COMPARED:
            row = _values(facts, predicate)
            source = _values(told.get(record_id, ()), predicate)
            if any(_agree(one, two) for one in row for two in source):
                agreed += 1
            elif row and source:
                words = (_write(row), _write(source))
                conflicts.append(Conflict(table, record_id, predicate, *words))
        is_conflict = len(conflicts) > before
        outcome = CONFLICT if is_conflict else CONFIRMED if agreed else NOT_COMPARED
        counts.setdefault(table, Counter())[outcome] += 1
    return counts, conflicts


def _values(facts: Sequence[Fact], predicate: str) -> Mapping[str, str]:
    """Return the values of a predicate, each with the day for which it is told."""
    return {
        fact.object if fact.value is None else f"{fact.value:g}": fact.as_of
        for fact in facts
        if fact.predicate == predicate and (fact.object or fact.value is not None)
    }


def _agree(one: str, two: str) -> bool:
    """Return whether two values are the same, or one is the day of a month that the other names."""
    shorter, longer = sorted((one.casefold(), two.casefold()), key=len)
    is_day = shorter[:4].isdecimal() and longer.startswith(f"{shorter}-")
    return shorter == longer or is_day


def _write(values: Mapping[str, str]) -> str:
    return "; ".join(f"{value} ({day})" if day else value for value, day in values.items())
