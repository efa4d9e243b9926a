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
    """Return what protects approved products, by key; None for a drug that is none."""
    approved = {
        asset.key: asset
        for asset in assets
        if any(region.stage == "APPROVED" and not region.is_over for region in asset.regions)
    }
    alone = _alone(
        sorted({application for each in approved.values() for application in _applications(each)}),
        evidence,
    )
    listed = {key: _registers(asset, alone) for key, asset in approved.items()}
    ids = sorted({record_id for record_ids in listed.values() for record_id in record_ids})
    approvals = read_terms(ids, evidence)
    terms = {
        key: _protect([approvals[record_id] for record_id in record_ids if record_id in approvals])
        for key, record_ids in listed.items()
    }
    return {key: _by_law(term, approved[key]) for key, term in terms.items()}


def _by_law(protection: Protection, asset: Asset) -> Protection:
    """Return protections with the last term that the law gives from a first approval.

    A year counts from its first day. A substance that was approved elsewhere long before was no new
    one; whether it was one otherwise is not checked.
    """
    kind = "chemical" if asset.modality and asset.modality.text in _CHEMICAL else "biologic"
    given: list[tuple[str, str, RegionStage]] = []
    first = min((region.first_on[:4] for region in asset.regions if region.first_on), default="")
    for stage in asset.regions:
        for row in load_terms():
            if stage.stage != "APPROVED" or stage.is_over or not stage.first_on:
                continue
            if int(stage.first_on[:4]) - int(first) > NEW_YEARS:
                continue
            if row.region == stage.region and row.kind in {"any", kind} and asset.modality:
                day = f"{stage.first_on}-01-01"[:10]
                until = f"{int(day[:4]) + row.years}{day[4:]}"
                given.append((until, f"{row.words}, from {stage.first_on}", stage))
    if not given:
        return protection
    until, term, region = max(given, key=lambda entry: (entry[0], entry[1]))
    ids = tuple(dict.fromkeys((*protection.record_ids, *region.statement.record_ids[:2])))
    return replace(protection, law_until=until, law_term=term, note=UNCHECKED, record_ids=ids)


def _applications(asset: Asset) -> list[str]:
    return [record_id for record_id in asset.record_ids if record_id.startswith("drugsfda:")]


def _registers(asset: Asset, alone: Collection[str]) -> list[str]:
    """Return the records that list the terms of an asset's own products."""
    numbers = sorted(
        application.partition(":")[2]
        for application in _applications(asset)
        if application in alone
    )
    ids = [record_id for record_id in asset.record_ids if record_id.startswith("purplebook:")]
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
        (statement.fact_id, statement.record_id, day)
        for entry in entries
        for statement, day in _days(entry)
    )
    note = (
        UNCHECKED
        if (patents or exclusivities or until)
        else "no register lists a term for a product of this drug alone"
    )
    ids = tuple(dict.fromkeys(record_id for _, record_id, _ in days))
    last = {patents, exclusivities, licensed} - {""}
    telling = tuple(fact_id for fact_id, _, day in days if day in last)
    return Protection(patents, exclusivities, until, note, ids, telling)


def _alone(record_ids: Sequence[str], evidence: EvidenceReader) -> set[str]:
    """Return applications of one ingredient: a combination's patents are not those of its parts."""
    single = set()
    for record_id, mentions in evidence.mentions(record_ids).items():
        names = [mention.name for mention in mentions if mention.relation == "ingredient"]
        if len({component for name in names for component in split_combination(name)}) == 1:
            single.add(record_id)
    return single


def _days(entry: ApprovalEntry) -> Iterator[tuple[Stated, str]]:
    """Yield what a register tells with the day that it gives."""
    yield from ((term, term.time_point) for term in (*entry.patents, *entry.exclusivities))
    if entry.approved:
        yield entry.approved, entry.approved.text


def _latest(terms: Iterable[Stated]) -> str:
    return max((term.time_point for term in terms), default="")


def _first_license(entries: Sequence[ApprovalEntry]) -> str:
    """Return the first licensure of an original biologic (351(a)); "" where there is none."""
    original = [entry for entry in entries if entry.kind and entry.kind.text.startswith("351(a)")]
    return min((approval.approved.text for approval in original if approval.approved), default="")
