"""How the participants of a trial went through it, as posted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.evidence.entries.records import facts_of_records
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import StoredFact
from core.vocabulary.predicates import Predicate

FLOW = (Predicate.TRIAL_FLOW, Predicate.TRIAL_LEFT)


@dataclass(frozen=True, slots=True)
class FlowEntry:
    """How the participants of an arm went through a period.

    Attributes:
        period: Its title.
        arm: The arm's title.
        milestones: Participants by milestone, "started" and "completed" among them.
        reasons: Participants who left by reason.
    """

    period: str
    arm: str
    milestones: Mapping[str, int]
    reasons: Mapping[str, int]


def read_flows(
    record_ids: Sequence[str], evidence: EvidenceReader, known_by: str = ""
) -> dict[str, tuple[FlowEntry, ...]]:
    """Return how the participants of trials went through them, by record."""
    facts_by_record = facts_of_records(record_ids, FLOW, evidence, known_by)
    return {key: tuple(_flows(facts)) for key, facts in facts_by_record.items()}


def _flows(facts: Iterable[StoredFact]) -> Iterable[FlowEntry]:
    counted: dict[tuple[str, str], tuple[dict[str, int], dict[str, int]]] = {}
    for fact in facts:
        qualifiers = fact.fact.qualifiers
        counts = counted.setdefault((qualifiers.time_point, qualifiers.arm), ({}, {}))
        into = counts[0] if fact.fact.predicate == Predicate.TRIAL_FLOW else counts[1]
        if fact.fact.value is not None:
            into.setdefault(fact.fact.object, int(fact.fact.value))
    for (period, arm), (milestones, reasons) in counted.items():
        yield FlowEntry(period, arm, milestones, reasons)
