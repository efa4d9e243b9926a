"""Which trials take in patients, by the register's own word."""

from collections.abc import Sequence

from core.evidence.entries.facts import facts_of_records
from core.evidence_ports import EvidenceReader
from core.vocabulary.predicates import Predicate

TAKING_IN = frozenset({"RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"})


def taking_in(record_ids: Sequence[str], evidence: EvidenceReader) -> list[str]:
    """Return the trials that take in patients or are about to, in their order.

    Args:
        record_ids: Records of trials.
        evidence: The pack.
    """
    facts = facts_of_records(record_ids, (Predicate.TRIAL_STATUS,), evidence, "")
    return [
        record_id
        for record_id in record_ids
        if any(stored.fact.object.upper() in TAKING_IN for stored in facts.get(record_id, ()))
    ]
