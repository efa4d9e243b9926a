"""Until when an approved product is protected, as the registers held tell.

Small molecules: the last patent and the last exclusivity that the Orange Book lists for its
applications. Biologics: twelve years from first licensure in the Purple Book. Beside them stands
what the law gives a new substance from its first approval in a region, by the table of terms.

References:
    42 U.S.C. 262(k)(7)(A): no approval of a biosimilar until twelve years after first licensure.
    terms.csv: the terms of Europe, Japan and the United States with their laws.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.evidence.names.identity.drug_names import split_combination
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery, StoredFact
from core.records.programs import Asset, RegionStage
from core.vocabulary.predicates import Predicate
from core.vocabulary.tables import TableRow, load_rows

BIOLOGIC_YEARS = 12
NEW_YEARS = 8
"""A first approval so much later than the first one anywhere is none of a new substance."""
_CHEMICAL = frozenset(
    {"small molecule", "degrader", "peptide", "siRNA", "antisense oligonucleotide"}
    | {"oligonucleotide", "radioligand", "diagnostic agent"}
)
"""Kinds that are approved as drugs in the United States; the others are licensed as biologics."""
UNCHECKED = "term adjustment, extension, challenge not checked"
_PREDICATES = (
    Predicate.PATENT_LISTED,
    Predicate.EXCLUSIVITY_UNTIL,
    Predicate.APPROVED_ON,
    Predicate.APPLICATION_TYPE,
)


class TermRow(TableRow):
    """A term that the law gives from the first approval of a new substance.

    Attributes:
        region: Whose approval.
        kind: "chemical", "biologic" or "any".
        years: How long.
        words: What it is called.
    """

    region: str
    kind: Literal["chemical", "biologic", "any"]
    years: int
    words: str


def load_terms() -> tuple[TermRow, ...]:
    """Return the rows of the table."""
    return load_rows("terms", TermRow)


@dataclass(frozen=True)
class Protection:
    """What the registers tell; "" where they do not.

    Attributes:
        last_patent_on: Last expiry of a patent listed.
        last_exclusivity_on: Last day of an exclusivity listed.
        biologic_until: First licensure plus twelve years.
        note: What was not checked, or what is missing.
        record_ids: Records that say so.
        fact_ids: Facts that give the days.
        law_until: Last day of a term that the law gives from a first approval.
        law_term: Which term, and from what day.
    """

    last_patent_on: str
    last_exclusivity_on: str
    biologic_until: str
    note: str
    record_ids: tuple[str, ...]
    fact_ids: tuple[int, ...] = ()
    law_until: str = ""
    law_term: str = ""

    @property
    def last_on(self) -> str:
        """Return the last day of any term; "" where none is on record."""
        days = (self.last_patent_on, self.last_exclusivity_on, self.biologic_until)
        return max(*days, self.law_until)


def find_protections(
    assets: Iterable[Asset], evidence: EvidenceReader
) -> dict[str, Protection | None]:
    """Return what protects approved products, by key; None for a drug that is none.

    Args:
        assets: The drugs.
        evidence: The pack.
    """
    approved = {one.key: one for one in assets if _is_approved(one)}
    alone = _alone(
        sorted({one for each in approved.values() for one in _applications(each)}), evidence
    )
    listed = {key: _registers(asset, alone) for key, asset in approved.items()}
    ids = sorted({one for found in listed.values() for one in found})
    told: dict[str, list[StoredFact]] = {}
    for one in evidence.facts(FactQuery(record_ids=ids, predicates=_PREDICATES)) if ids else ():
        told.setdefault(one.fact.record_id, []).append(one)
    found = {
        key: [fact for one in wanted for fact in told.get(one, ())]
        for key, wanted in listed.items()
    }
    terms = {key: _protect(sorted(facts, key=lambda one: one.id)) for key, facts in found.items()}
    return {key: _by_law(one, approved[key]) for key, one in terms.items()}


def _is_approved(asset: Asset) -> bool:
    return any(one.stage == "APPROVED" and not one.is_over for one in asset.regions)


def _by_law(found: Protection, asset: Asset) -> Protection:
    """Return protections with the last term that the law gives from a first approval.

    A year counts from its first day. A substance that was approved elsewhere long before was no new
    one; whether it was one otherwise is not checked.
    """
    kind = "chemical" if asset.modality and asset.modality.text in _CHEMICAL else "biologic"
    given: list[tuple[str, str, RegionStage]] = []
    first = min((one.first_on[:4] for one in asset.regions if one.first_on), default="")
    for one in asset.regions:
        for row in load_terms():
            if one.stage != "APPROVED" or one.is_over or not one.first_on:
                continue
            if int(one.first_on[:4]) - int(first) > NEW_YEARS:
                continue
            if row.region == one.region and row.kind in {"any", kind} and asset.modality:
                day = f"{one.first_on}-01-01"[:10]
                until = f"{int(day[:4]) + row.years}{day[4:]}"
                given.append((until, f"{row.words}, from {one.first_on}", one))
    if not given:
        return found
    until, term, region = max(given, key=lambda one: (one[0], one[1]))
    ids = tuple(dict.fromkeys((*found.record_ids, *region.statement.record_ids[:2])))
    return replace(found, law_until=until, law_term=term, note=UNCHECKED, record_ids=ids)


def _applications(asset: Asset) -> list[str]:
    return [one for one in asset.record_ids if one.startswith("drugsfda:")]


def _registers(asset: Asset, alone: Collection[str]) -> list[str]:
    """Return the records that list the terms of an asset's own products."""
    numbers = sorted(one.partition(":")[2] for one in _applications(asset) if one in alone)
    ids = [one for one in asset.record_ids if one.startswith("purplebook:")]
    return ids + [
        f"orangebook-{kind}:N{one}" for one in numbers for kind in ("patents", "exclusivities")
    ]


def _protect(facts: Sequence[StoredFact]) -> Protection:
    """Return what the facts of the registers tell."""
    patents = _latest(facts, Predicate.PATENT_LISTED)
    exclusivities = _latest(facts, Predicate.EXCLUSIVITY_UNTIL)
    licensed = _first_license(facts)
    until = f"{int(licensed[:4]) + BIOLOGIC_YEARS}{licensed[4:]}" if licensed else ""
    held = [one.fact.record_id for one in facts if one.fact.predicate != Predicate.APPLICATION_TYPE]
    note = (
        UNCHECKED
        if (patents or exclusivities or until)
        else "no register held lists a term for a product of this drug alone"
    )
    telling = tuple(one.id for one in facts if _day(one) in {patents, exclusivities, licensed})
    return Protection(patents, exclusivities, until, note, tuple(dict.fromkeys(held)), telling)


def _alone(record_ids: Sequence[str], evidence: EvidenceReader) -> set[str]:
    """Return applications of one ingredient: a combination's patents are not those of its parts."""
    found = set()
    for record_id, said in evidence.mentions(record_ids).items():
        names = [one.name for one in said if one.relation == "ingredient"]
        if len({part for name in names for part in split_combination(name)}) == 1:
            found.add(record_id)
    return found


def _day(one: StoredFact) -> str:
    """Return the day that a fact of a register gives; none for other facts."""
    if one.fact.predicate == Predicate.APPROVED_ON:
        return one.fact.object
    return one.fact.qualifiers.time_point or "none"


def _latest(facts: Sequence[StoredFact], predicate: str) -> str:
    days = [one.fact.qualifiers.time_point for one in facts if one.fact.predicate == predicate]
    return max(days, default="")


def _first_license(facts: Sequence[StoredFact]) -> str:
    """Return the first licensure of an original biologic (351(a)); "" where there is none."""
    original = {
        one.fact.record_id
        for one in facts
        if one.fact.predicate == Predicate.APPLICATION_TYPE and one.fact.object.startswith("351(a)")
    }
    days = [
        one.fact.object
        for one in facts
        if one.fact.predicate == Predicate.APPROVED_ON and one.fact.record_id in original
    ]
    return min(days, default="")
