"""What a board deck has beside a drug's stage: brand, line, trial, days, rights and terms.

Only what records state is told; where they are silent a cell is empty. No source held tells by
which route a drug is given, so that there is no such column.

Small molecules: the last patent and the last exclusivity that the Orange Book lists for its
applications. Biologics: twelve years from first licensure in the Purple Book. Beside them stands
what the law gives a new substance from its first approval in a region, by the table of terms.

References:
    42 U.S.C. 262(k)(7)(A): no approval of a biosimilar until twelve years after first licensure.
    terms.csv: the terms of Europe, Japan and the United States with their laws.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from core.briefs.subjects import Drug
from core.evidence.assets.roles import originators_of
from core.evidence.entries import ApprovalEntry, Stated, read_terms
from core.evidence.names.identity.drug_names import split_combination
from core.evidence.proof.claims import shorten, unmark
from core.evidence.readers.trial_settings import read_biomarker, read_line
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention
from core.records.names import fold_name
from core.records.programs import Asset, Program, ProgramTrial, RegionStage
from core.records.stages import STAGES, region_words
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


MOST_BRANDS = 2
MOST_TERMS = 4
LONGEST_REASON = 160
MANY_TARGETS = 3
PATENT_YEARS = 20
_REGISTERS = ("drugsfda:", "purplebook:", "ema:", "label:")
LICENSEE = "licensee"


@dataclass(frozen=True)
class Board:
    """What a board deck has of a drug; "" where no record tells.

    Attributes:
        brand: Names under which its own products are sold.
        line: Line of treatment that its furthest trial or its first figure names.
        biomarker: Biomarker of the patients, from the same.
        trial: Number of its furthest own trial, the largest of equal ones.
        enrolled: Participants of that trial.
        approved_in: Regions in which it is approved, with the first days.
        next_readout: Next primary completion of an own trial under way, with its number.
        ended: What ended it, when and why.
        licensor: Who gave the license, where another company has one.
        licensee: Who has one, where and since when.
        protected_until: Last day of any term on record.
        is_off_patent: Whether it is approved and every term on record has ended.
        is_long_approved: Whether its first approval is older than a patent lasts.
        is_new_use: Whether what is asked of it was approved within a patent's life.
        has_many_targets: Whether it acts on three targets or more.
        record_ids: Records of brand and terms.
    """

    brand: str = ""
    line: str = ""
    biomarker: str = ""
    trial: str = ""
    enrolled: int | None = None
    approved_in: str = ""
    next_readout: str = ""
    ended: str = ""
    licensor: str = ""
    licensee: str = ""
    protected_until: str = ""
    is_off_patent: bool = False
    is_long_approved: bool = False
    is_new_use: bool = False
    has_many_targets: bool = False
    record_ids: tuple[str, ...] = field(default=())


NOTHING = Board()


def find_boards(drugs: Iterable[Drug], evidence: EvidenceReader, as_of: date) -> dict[str, Board]:
    """Return what a board deck has of each drug, by key."""
    known_drugs = list(drugs)
    terms = find_protections([drug.asset for drug in known_drugs], evidence)
    ids = {
        drug.asset.key: [
            record_id for record_id in drug.asset.record_ids if record_id.startswith(_REGISTERS)
        ]
        for drug in known_drugs
    }
    mentions = evidence.mentions(
        sorted({each for record_ids in ids.values() for each in record_ids})
    )
    return {
        drug.asset.key: _board(drug, _brands(drug, ids[drug.asset.key], mentions), terms, as_of)
        for drug in known_drugs
    }


def approved_in(regions: Iterable[RegionStage]) -> str:
    """Return where a drug is approved, with the first days: "FDA 2019-05-02; EMA"."""
    return "; ".join(
        f"{region_words(region.region)} {region.first_on}".strip() + _again(region)
        for region in regions
        if region.stage == "APPROVED" and not region.is_over
    )


def approved_for(programs: Sequence[Program], asset: Asset) -> str:
    """Return where a drug is approved for some of its uses, with the first days.

    The day of an agency's register is that of the drug's first use: where it has several and no
    source tells the day of these, it is marked so.
    """
    cells = []
    for region in asset.regions:
        asked = [
            {stage.first_on for stage in program.approvals if stage.region == region.region}
            for program in programs
        ]
        days = [*filter(None, set().union(*asked))]
        if region.n_uses <= sum(bool(program.approvals) for program in programs):
            days += filter(None, [region.first_on])
        if any(asked) and region.stage == "APPROVED" and not region.is_over:
            first = f"(any use: {region.first_on})" if region.first_on else ""
            name = region_words(region.region)
            cells.append(f"{name} {min(days, default=first)}".strip() + _again(region))
    return "; ".join(cells)


def _again(region: RegionStage) -> str:
    return f" (withdrawn {region.withdrawn_on}, approved again)" if region.withdrawn_on else ""


def _board(
    drug: Drug,
    brands: Sequence[tuple[str, str]],
    terms: Mapping[str, Protection | None],
    as_of: date,
) -> Board:
    trial, term = _furthest(drug.trials), terms.get(drug.asset.key)
    last_on = _last_term(term, as_of)
    titles = [trial.title] if trial else []
    figure = next((outcome for outcome in drug.asset.outcomes if outcome.kind == "efficacy"), None)
    record_ids = term.record_ids[:MOST_TERMS] if term and last_on else ()
    ahead = [
        (trial.primary_completion_on, trial.number)
        for trial in drug.active_trials
        if trial.primary_completion_on >= as_of.isoformat()[:7]
    ]
    roles = [company for company in drug.asset.companies if company.role == LICENSEE]
    companies = {role.company for role in roles}
    licensees = []
    for role in roles:
        beside = ", ".join(filter(None, (role.territory, role.from_on and f"since {role.from_on}")))
        licensees.append(f"{role.company} ({beside})" if beside else role.company)
    givers = (
        [originator for originator in originators_of(drug.asset) if originator not in companies]
        if roles
        else []
    )
    return Board(
        brand="; ".join(dict.fromkeys(name for name, _ in brands)),
        line=read_line(*titles) or (figure.line if figure else ""),
        biomarker=read_biomarker(*titles) or (unmark(figure.biomarker) if figure else ""),
        trial=trial.number if trial else "",
        enrolled=trial.n if trial else None,
        approved_in=approved_in(drug.asset.regions),
        next_readout=" ".join(min(ahead)) if ahead else "",
        ended=_ended(drug),
        **{"licensor": "; ".join(givers), LICENSEE: "; ".join(dict.fromkeys(licensees))},
        protected_until=last_on,
        is_off_patent=_is_off_patent(drug, term, as_of),
        is_long_approved=is_long_approved(drug.asset, as_of),
        is_new_use=_is_new_use(drug, as_of),
        has_many_targets=len({target.target.text for target in drug.asset.targets}) >= MANY_TARGETS,
        record_ids=tuple(dict.fromkeys((*(record_id for _, record_id in brands), *record_ids))),
    )


def _last_term(term: Protection | None, as_of: date) -> str:
    """Return the last day of the terms listed; "" where only an exclusivity is, and is past.

    A term that the law gives from an approval says nothing of patents, so that its end is no end of
    protection.
    """
    if term is None:
        return ""
    if term.last_patent_on or term.biologic_until:
        return term.last_on
    return term.last_exclusivity_on if term.last_exclusivity_on >= as_of.isoformat() else ""


def _is_off_patent(drug: Drug, term: Protection | None, as_of: date) -> bool:
    """Return whether a drug is approved and no patent protects it any more.

    Patents of biologics stand on no list: the end of their exclusivity says nothing of patents.
    Where no list has its patents, a drug counts as unprotected where a register holds a copy of it,
    and when it was approved longer ago than a patent lasts.
    """
    if term is not None and term.last_patent_on:
        return term.last_on < as_of.isoformat()
    return drug.asset.has_generics or is_long_approved(drug.asset, as_of)


def _is_new_use(drug: Drug, as_of: date) -> bool:
    """Return whether the FDA or the EMA approved what is asked for within a patent's life."""
    stages = (stage for program in drug.programs for stage in program.stages)
    stages = (x for x in stages if x.stage == "APPROVED" and x.region in {"FDA", "EMA"})
    days = [stage.first_on for stage in stages if not stage.is_over]
    return bool(days) and all(days) and int(min(days)[:4]) + PATENT_YEARS >= as_of.year


def is_long_approved(asset: Asset, as_of: date) -> bool:
    """Return whether a drug was first approved longer ago than a patent lasts.

    TRIPS, article 33: 20 years from a filing, which comes before any approval. Listed patents of a
    new form or use may run on.
    """
    day = asset.first_approved_on
    return bool(day) and int(day[:4]) + PATENT_YEARS < as_of.year


def _brands(
    drug: Drug, record_ids: Sequence[str], mentions_by_record: Mapping[str, Sequence[Mention]]
) -> list[tuple[str, str]]:
    """Return the commonest brands of products of this drug alone, each with a record."""
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, str]] = {}
    own_names = {fold_name(name) for name in (drug.asset.name, *drug.asset.aliases)}
    for record_id in record_ids:
        mentions = mentions_by_record.get(record_id, ())
        parts = {
            component
            for mention in mentions
            if mention.relation == "ingredient"
            for component in split_combination(mention.name)
        }
        for mention in mentions:
            folded = fold_name(mention.name)
            is_generic = any(folded.startswith(fold_name(component)) for component in parts)
            if mention.relation != "brand" or len(parts) != 1 or is_generic:
                continue
            if folded != fold_name(drug.asset.name):
                counts[folded] += 1 + (folded in own_names)
                first.setdefault(folded, (unmark(mention.name.title()), record_id))
    ordered = sorted(counts, key=lambda count: (-counts[count], count))
    return [first[name] for name in ordered[:MOST_BRANDS]]


def _furthest(trials: Iterable[ProgramTrial]) -> ProgramTrial | None:
    """Return the furthest own trial, the largest of those."""
    own_trials = [trial for trial in trials if trial.is_own and trial.phase]
    return min(
        own_trials,
        key=lambda trial: (STAGES.index(trial.phase), -(trial.n or 0), trial.number),
        default=None,
    )


def _ended(drug: Drug) -> str:
    """Return what ended a drug of which nothing within the question is under way."""
    if any(program.state == "live" for program in drug.programs):
        withdrawn = sorted(
            {
                stage.region
                for program in drug.programs
                for stage in program.stages
                if stage.stage == "APPROVED" and stage.is_over and stage.region
            }
        )
        return f"approval withdrawn: {', '.join(withdrawn)}" if withdrawn else ""
    over = next((program for program in drug.programs if program.state_words), None)
    if over is None:
        return ""
    reason = unmark(over.reason or (over.end.reason if over.end else ""))
    return ": ".join(filter(None, (over.state_words, shorten(reason, LONGEST_REASON))))
