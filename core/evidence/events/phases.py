"""What records say beside an event: phases of trials, medicines that are withdrawn."""

from collections.abc import Sequence

from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery
from core.vocabulary.predicates import Predicate


def phases_of(record_ids: Sequence[str], evidence: EvidenceReader) -> dict[str, str]:
    """Return the phases of trials by record."""
    query = FactQuery(record_ids=record_ids, predicates=(Predicate.TRIAL_PHASE,))
    return {fact.fact.record_id: fact.fact.object for fact in evidence.facts(query)}


def withdrawn_among(record_ids: Sequence[str], evidence: EvidenceReader) -> set[str]:
    """Return the registers' records whose medicine is withdrawn.

    A list has some of them with the day of the withdrawal in the place of that of the approval.
    """
    query = FactQuery(record_ids=record_ids, predicates=(Predicate.MARKETING_STATUS,))
    facts = evidence.facts(query) if record_ids else ()
    return {fact.fact.record_id for fact in facts if fact.fact.object.casefold() == "withdrawn"}
