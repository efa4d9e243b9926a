"""Raises, grants, filings and deals as typed entries: who got what, when, and what tells it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.evidence.entries.records import facts_of_records
from core.evidence.names.companies import company_group
from core.evidence.names.identity.vocabularies import strip_legal_form
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.names import fold_name
from core.vocabulary.event_types import DealType
from core.vocabulary.filing_items import items_of_deals
from core.vocabulary.predicates import Predicate

MoneyKind = Literal["raise", "grant", "filing"]
RAISES, GRANTS, FILINGS, DEALS = "sec-form-d", ("nih-reporter", "sbir"), "sec-filings", "deals"
TAKEOVERS = "sec-takeovers"
MOST_RAISES = 2_000
"""Raises of a window that are looked at."""
LEGAL_FORMS = (
    *("", "inc", "incorporated", "corp", "corporation", "co", "llc", "lp", "ltd", "limited"),
    *("coltd", "companylimited", "coinc", "pteltd", "ptyltd", "kk", "sro", "oy", "srl"),
    *("plc", "gmbh", "ag", "sa", "sas", "bv", "nv", "ab", "as", "spa", "holdingsinc", "usainc"),
)
"""Folded endings under which filings write the name of a company."""
_READ = (
    *(Predicate.RAISED, Predicate.GRANTED, Predicate.FILING_ITEM),
    *(Predicate.FILED_ON, Predicate.FIRST_SALE_ON),
)
_OF_DEALS = (
    *(Predicate.LICENSED_TO, Predicate.LICENSED_BY, Predicate.DEAL_ANNOUNCED_ON),
    *(Predicate.DEAL_UPFRONT, Predicate.DEAL_TOTAL, Predicate.DEAL_ROYALTY),
    *(Predicate.DEAL_TYPE, Predicate.DEAL_PARTNER, Predicate.ACQUIRED_BY),
)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount with the fact that states it.

    Attributes:
        value: In the unit of its entry.
        fact_id: The fact.
    """

    value: float
    fact_id: int


@dataclass(frozen=True, slots=True)
class MoneyEntry:
    """Money that a company got, or a filing that tells of a deal of it.

    Attributes:
        kind: Which of them.
        record_id: The record.
        company: As the record writes it.
        day: Of the filing or award; "" where not told.
        amount: In USD; None where the record states none.
        words: Number of the grant, or headings of the filing's items.
    """

    kind: MoneyKind
    record_id: str
    company: str
    day: str
    amount: Amount | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DealEntry:
    """A deal as its record reports it.

    Attributes:
        record_id: The record.
        type: Its type; "other" where the record reports none.
        asset: The drug as written; "" for a takeover.
        licensee: Who takes rights; "" where not reported.
        licensor: Who gives them; "" where not reported.
        acquirer: Who takes over a company; "" for other deals.
        partner: Other party where the type is not reported.
        territory: Where; "" where not reported.
        day: Day, month or year.
        royalty: As its source words it; "" where not reported.
        upfront: In millions of USD; None where no source states it.
        total: Likewise, with all milestones.
        is_sure: Whether a source that can be looked up tells it.
    """

    record_id: str
    type: DealType
    asset: str
    licensee: str
    licensor: str
    acquirer: str
    partner: str
    territory: str
    day: str
    royalty: str
    upfront: Amount | None
    total: Amount | None
    is_sure: bool


def read_money(
    companies: Iterable[str], evidence: EvidenceReader
) -> Mapping[str, tuple[MoneyEntry, ...]]:
    """Return what is on record of companies, by the name asked for, the newest first."""
    sources = {source.source for source in evidence.sources()}
    companies_by_name = {
        fold_name(company): company for company in companies if len(fold_name(company)) > 3
    }
    if not companies_by_name or not sources & {RAISES, *GRANTS, FILINGS}:
        return {}
    written = sorted({f"{name}{form}" for name in companies_by_name for form in LEGAL_FORMS})
    named = evidence.mentioning("company", written, ("financing", "grant", "filing"))
    facts = facts_of_records(sorted(named), _READ, evidence, "")
    entries: dict[str, list[MoneyEntry]] = defaultdict(list)
    for record_id, record_facts in facts.items():
        for entry in (_entry(record_id, record_facts),):
            group = fold_name(company_group(entry.company)) if entry else ""
            if entry and group in companies_by_name:
                entries[companies_by_name[group]].append(entry)
    return {
        name: tuple(sorted(many, key=lambda entry: (entry.day, entry.record_id), reverse=True))
        for name, many in entries.items()
    }


def money_of_records(
    record_ids: Sequence[str], evidence: EvidenceReader
) -> Mapping[str, MoneyEntry]:
    """Return what raises and grants among these records tell, by record.

    Args:
        record_ids: The records.
        evidence: The pack.
    """
    ids = [key for key in record_ids if key.partition(":")[0] in {RAISES, *GRANTS}]
    facts = facts_of_records(ids, _READ, evidence, "") if ids else {}
    entries = {key: _entry(key, record_facts) for key, record_facts in facts.items()}
    return {key: entry for key, entry in entries.items() if entry}


def read_raises(since: str, evidence: EvidenceReader) -> Sequence[MoneyEntry]:
    """Return raises filed on a day or later, the newest first."""
    ids = evidence.changed(RAISES, since, limit=MOST_RAISES)
    facts = facts_of_records(ids, _READ, evidence, "")
    entries = [entry for key, record_facts in facts.items() if (entry := _entry(key, record_facts))]
    return sorted(entries, key=lambda entry: (entry.day, entry.record_id), reverse=True)


def _entry(record_id: str, facts: Sequence[StoredFact]) -> MoneyEntry | None:
    """Return what a record tells; None for a filing without an item that tells of a deal."""
    source, company = record_id.partition(":")[0], facts[0].fact.subject
    day = max((fact.fact.as_of for fact in facts), default="")
    if source == RAISES:
        return MoneyEntry("raise", record_id, company, day, _amount(facts, Predicate.RAISED))
    if source in GRANTS:
        numbers = tuple(
            fact.fact.object for fact in facts if fact.fact.predicate == Predicate.GRANTED
        )
        amount = _amount(facts, Predicate.GRANTED)
        return MoneyEntry("grant", record_id, company, day, amount, numbers)
    items = tuple(
        f"{fact.fact.object} ({items_of_deals()[fact.fact.object].casefold()})"
        for fact in facts
        if fact.fact.predicate == Predicate.FILING_ITEM and fact.fact.object in items_of_deals()
    )
    return MoneyEntry("filing", record_id, company, day, None, items) if items else None


def _amount(facts: Sequence[StoredFact], predicate: Predicate) -> Amount | None:
    for fact in facts:
        if fact.fact.predicate == predicate and fact.fact.value:
            return Amount(fact.fact.value, fact.id)
    return None


@dataclass(frozen=True, slots=True)
class TakeoverEntry:
    """A takeover that was closed.

    Attributes:
        record_id: The record.
        buyer: Who bought, as the record writes it.
        day: On which it was closed.
    """

    record_id: str
    buyer: str
    day: str


def read_takeovers(evidence: EvidenceReader) -> Mapping[str, TakeoverEntry]:
    """Return closed takeovers by the folded name of who was bought; of several the last."""
    predicates = (Predicate.ACQUIRED_BY, Predicate.DEAL_CLOSED_ON)
    values_by_record: dict[str, dict[str, str]] = defaultdict(dict)
    for fact in evidence.facts(FactQuery(sources=(TAKEOVERS,), predicates=predicates)):
        values_by_record[fact.fact.record_id] |= {
            "": fact.fact.subject,
            fact.fact.predicate: fact.fact.object,
        }
    takeovers: dict[str, TakeoverEntry] = {}
    for record_id, values in sorted(values_by_record.items()):
        buyer, day = (values.get(predicate, "") for predicate in predicates)
        bought = fold_name(strip_legal_form(values[""]))
        if bought != fold_name(company_group(values[""])):
            continue  # the table of companies has it under its group of today
        takeover = takeovers.get(bought)
        is_other = buyer and fold_name(company_group(buyer)) != bought
        if is_other and day and (takeover is None or takeover.day < day):
            takeovers[bought] = TakeoverEntry(record_id, buyer, day)
    return takeovers


def read_deals(evidence: EvidenceReader) -> Sequence[DealEntry]:
    """Return every deal with a licensee, the newest first."""
    deals = deals_of(evidence.changed(DEALS, "", limit=100_000), evidence)
    licensed = [deal for deal in deals.values() if deal.licensee]
    return sorted(licensed, key=lambda deal: (deal.day, deal.record_id), reverse=True)


def deals_of(record_ids: Sequence[str], evidence: EvidenceReader) -> Mapping[str, DealEntry]:
    """Return the deals of records, by record."""
    facts = facts_of_records(record_ids, _OF_DEALS, evidence, "")
    return {key: _deal(key, record_facts) for key, record_facts in facts.items()}


def _deal(record_id: str, facts: Sequence[StoredFact]) -> DealEntry:
    words = {fact.fact.predicate: fact.fact.object for fact in facts}
    first, acquirer = facts[0].fact, words.get(Predicate.ACQUIRED_BY, "")
    word = "acquisition" if acquirer else words.get(Predicate.DEAL_TYPE, "")
    return DealEntry(
        record_id=record_id,
        type=next((kind for kind in get_args(DealType) if kind == word), "other"),
        asset="" if acquirer else first.subject,
        licensee=words.get(Predicate.LICENSED_TO, ""),
        licensor=words.get(Predicate.LICENSED_BY, ""),
        acquirer=acquirer,
        partner=words.get(Predicate.DEAL_PARTNER, ""),
        territory=first.qualifiers.region,
        day=words.get(Predicate.DEAL_ANNOUNCED_ON, ""),
        royalty=words.get(Predicate.DEAL_ROYALTY, ""),
        upfront=_amount(facts, Predicate.DEAL_UPFRONT),
        total=_amount(facts, Predicate.DEAL_TOTAL),
        is_sure=first.status == "verified",
    )
