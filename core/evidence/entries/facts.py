"""The facts of the records of a question, as typed entries are made from them."""

from collections import defaultdict
from collections.abc import Sequence

from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery, StoredFact
from core.vocabulary.predicates import Predicate

TAKING_IN = frozenset({"RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"})


def facts_of_records(
    record_ids: Sequence[str],
    predicates: Sequence[Predicate],
    evidence: EvidenceReader,
    known_by: str = "",
) -> dict[str, list[StoredFact]]:
    """Return the facts of records, by record.

    Args:
        record_ids: The records; without one nothing is read.
        predicates: What is asked of them.
        evidence: The pack.
        known_by: Day by which a fact was known, YYYY-MM-DD; "" for all.
    """
    facts: dict[str, list[StoredFact]] = defaultdict(list)
    query = FactQuery(record_ids=record_ids, predicates=predicates, known_by=known_by)
    for fact in evidence.facts(query) if record_ids else ():
        facts[fact.fact.record_id].append(fact)
    return facts


def taking_in(record_ids: Sequence[str], evidence: EvidenceReader) -> list[str]:
    """Return the trials that take in patients or are about to, in their order."""
    facts = facts_of_records(record_ids, (Predicate.TRIAL_STATUS,), evidence)
    return [
        record_id
        for record_id in record_ids
        if any(stored.fact.object.upper() in TAKING_IN for stored in facts.get(record_id, ()))
    ]
