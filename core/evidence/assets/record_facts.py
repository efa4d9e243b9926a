"""Reads the facts from which stages, roles and trials are told, and no more than is needed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.evidence.names.industry import is_company
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.names import fold_name
from core.vocabulary.predicates import Predicate, told

CLASS = Predicate.TRIAL_SPONSOR_CLASS
APPLICATIONS = "drugsfda"
GENERIC = "ANDA "
"""How the title of an abbreviated application begins: type and number, then the product."""


def read_told(
    record_ids: Sequence[str], evidence: EvidenceReader, *, figures: bool
) -> dict[str, list[StoredFact]]:
    """Return facts by record."""
    facts: dict[str, list[StoredFact]] = defaultdict(list)
    for fact in _facts(record_ids, told(measured=figures), evidence):
        facts[fact.fact.record_id].append(fact)
    return facts


def without_generics(record_ids: Iterable[str], evidence: EvidenceReader) -> list[str]:
    """Return records without the applications of generics, which make nobody an owner.

    Of a substance of which the register has no original, the earliest generic stays: it alone
    tells of the approval.
    """
    ids = list(dict.fromkeys(record_ids))
    registered = evidence.records(
        [record_id for record_id in ids if record_id.startswith(APPLICATIONS)]
    )
    generic = {key for key, record in registered.items() if record.title.startswith(GENERIC)}
    if not generic:
        return ids
    made_of = {
        key: frozenset(
            fold_name(mention.name) for mention in mentions if mention.relation == "ingredient"
        )
        for key, mentions in evidence.mentions(list(registered)).items()
    }
    original = {made_of.get(record_id) for record_id in registered if record_id not in generic}
    earliest: dict[frozenset[str] | None, str] = {}
    for record_id in sorted(
        generic, key=lambda record_id: (registered[record_id].published_on or "9", record_id)
    ):
        earliest.setdefault(made_of.get(record_id), record_id)
    stay = {record_id for made, record_id in earliest.items() if made not in original}
    return [record_id for record_id in ids if record_id not in generic or record_id in stay]


def of_companies(
    mentions: Mapping[str, Sequence[Mention]], evidence: EvidenceReader
) -> dict[str, Sequence[Mention]]:
    """Return the records without trials of which others than companies are the sponsors.

    Such a trial carries no stage and shows no company's role; one whose copy names nobody may.
    A company is known by its name or by the class that the register gives the sponsor.
    """
    far = [
        record_id
        for record_id, record_mentions in mentions.items()
        if not _names_company(record_id, record_mentions)
    ]
    classes = _facts(far, (CLASS,), evidence)
    left_out = set(far) - {
        stored.fact.record_id for stored in classes if stored.fact.object == "INDUSTRY"
    }
    return {
        record_id: record_mentions
        for record_id, record_mentions in mentions.items()
        if record_id not in left_out
    }


def _facts(
    record_ids: Sequence[str], predicates: Sequence[str], evidence: EvidenceReader
) -> Sequence[StoredFact]:
    if not record_ids:
        return ()
    return evidence.facts(FactQuery(record_ids=record_ids, predicates=predicates))


def _names_company(record_id: str, mentions: Sequence[Mention]) -> bool:
    """Return whether a record is no trial, or one of a company by name or of nobody named."""
    companies = [mention.name for mention in mentions if mention.kind == "company"]
    is_trial = record_id.startswith("ctgov")
    return not is_trial or not companies or any(is_company(company) for company in companies)
