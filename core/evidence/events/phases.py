"""Phases of trials, for records that tell an event of a trial and nothing else of it."""

from collections.abc import Sequence

from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery
from core.vocabulary.predicates import Predicate


def phases_of(record_ids: Sequence[str], evidence: EvidenceReader) -> dict[str, str]:
    """Return the phases of trials by record.

    Args:
        record_ids: Their records.
        evidence: The pack.
    """
    query = FactQuery(record_ids=record_ids, predicates=(Predicate.TRIAL_PHASE,))
    return {one.fact.record_id: one.fact.object for one in evidence.facts(query)}
