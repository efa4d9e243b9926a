"""Until when an approved product is protected, as the registers held tell.

Small molecules: the last patent and the last exclusivity that the Orange Book lists for its
applications. Biologics: twelve years from first licensure in the Purple Book. Beside them stands
what the law gives a new substance from its first approval in a region, by the table of terms.

References:
    42 U.S.C. 262(k)(7)(A): no approval of a biosimilar until twelve years after first licensure.
    terms.csv: the terms of Europe, Japan and the United States with their laws.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.evidence.entries import ApprovalEntry, Stated, read_terms
from core.evidence.names.identity.drug_names import split_combination
from core.evidence_ports import EvidenceReader
from core.records.programs import Asset, RegionStage
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
    told = read_terms(ids, evidence)
    terms = {
        key: _protect([told[one] for one in wanted if one in told])
        for key, wanted in listed.items()
    }
    return {key: _by_law(one, approved[key]) for key, one in terms.items()}


def _is_approved(asset: Asset) -> bool:
    return any(region.stage == "APPROVED" and not region.is_over for region in asset.regions)


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
        f"orangebook-{kind}:N{number}"
        for number in numbers
        for kind in ("patents", "exclusivities")
    ]


def _protect(entries: Sequence[ApprovalEntry]) -> Protection:
    """Return what the registers tell."""
    patents = _latest(patent for entry in entries for patent in entry.patents)
    exclusivities = _latest(exclusivity for entry in entries for exclusivity in entry.exclusivities)
    licensed = _first_license(entries)
    until = f"{int(licensed[:4]) + BIOLOGIC_YEARS}{licensed[4:]}" if licensed else ""
    days = sorted(
        (one.fact_id, one.record_id, day) for entry in entries for one, day in _days(entry)
    )
    note = (
        UNCHECKED
        if (patents or exclusivities or until)
        else "no register lists a term for a product of this drug alone"
    )
    held = tuple(dict.fromkeys(record_id for _, record_id, _ in days))
    last = {patents, exclusivities, licensed} - {""}
    telling = tuple(fact_id for fact_id, _, day in days if day in last)
    return Protection(patents, exclusivities, until, note, held, telling)


def _alone(record_ids: Sequence[str], evidence: EvidenceReader) -> set[str]:
    """Return applications of one ingredient: a combination's patents are not those of its parts."""
    found = set()
    for record_id, said in evidence.mentions(record_ids).items():
        names = [one.name for one in said if one.relation == "ingredient"]
        if len({part for name in names for part in split_combination(name)}) == 1:
            found.add(record_id)
    return found


def _days(entry: ApprovalEntry) -> Iterator[tuple[Stated, str]]:
    """Yield what a register tells with the day that it gives."""
    yield from ((one, one.time_point) for one in (*entry.patents, *entry.exclusivities))
    if entry.approved:
        yield entry.approved, entry.approved.text


def _latest(terms: Iterable[Stated]) -> str:
    return max((term.time_point for term in terms), default="")


def _first_license(entries: Sequence[ApprovalEntry]) -> str:
    """Return the first licensure of an original biologic (351(a)); "" where there is none."""
    original = [entry for entry in entries if entry.kind and entry.kind.text.startswith("351(a)")]
    return min((one.approved.text for one in original if one.approved), default="")
