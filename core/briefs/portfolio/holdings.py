"""A company's drugs in the order of their importance, each with its origin and next event.

In this order: roles that records and the curators' table state, names of bought companies, codes
of other originators among the drug's names, an own code. What none of them tells stays open.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, get_args

from core.briefs.board import Protection, find_protections, is_long_approved
from core.briefs.crowding import PIPELINE, years_from
from core.briefs.portfolio.catalysts import Catalyst, next_catalyst
from core.briefs.portfolio.companies import Company
from core.briefs.subjects import Drug
from core.evidence.assets.roles import FORMER, owners_of, partners_of
from core.evidence.entries import DATING
from core.evidence.names.companies import company_group, row_of
from core.evidence.proof.cells import Cell
from core.evidence.proof.claims import unmark
from core.evidence_ports import EvidenceReader
from core.records.catalysts import Origin
from core.records.names import fold_name
from core.records.programs import Asset, CompanyRole
from core.records.stages import STAGES
from core.vocabulary.companies import load_companies
from core.vocabulary.company_codes import is_code, owner_of_code

OWNING = ("originator", "holder", "further holder", "sponsor")


@dataclass(frozen=True)
class Provenance:
    """How a company came by a drug.

    Attributes:
        origin: Word of the wire; None where nothing tells it.
        rule: Why.
        partners: Other companies with a part, by name.
    """

    origin: Origin | None
    rule: str
    partners: tuple[str, ...]


def of_company(asset: Asset, company: Company, as_of: date) -> Asset:
    """Return a drug without the decisions that strangers to it wait for.

    Anyone may apply with an old substance: a new form, dose or combination of it. Of a new one,
    those of its partners are the company's, too.
    """
    groups = {fold_name(group) for group in company.groups}
    if not (asset.has_generics or is_long_approved(asset, as_of)):
        groups |= {fold_name(role.company) for role in asset.companies if role.role != "sponsor"}
    target_dates = tuple(
        target_date
        for target_date in asset.target_dates
        if not target_date.companies
        or groups & {fold_name(company_group(name)) for name in target_date.companies}
    )
    return replace(asset, target_dates=target_dates)


def trace_origin(asset: Asset, company: Company) -> Provenance:
    """Return how a company came by a drug."""
    groups = {fold_name(group) for group in company.groups}
    own_roles = [role for role in asset.companies if fold_name(role.company) in groups]
    others = [role for role in asset.companies if fold_name(role.company) not in groups]
    origin, rule = _decide(asset, company, own_roles, others)
    partners = {*partners_of(asset), *owners_of(asset)}
    companies = {role.company for role in others}
    return Provenance(origin, rule, tuple(sorted(partners & companies)))


def _decide(
    asset: Asset, company: Company, own_roles: list[CompanyRole], others: list[CompanyRole]
) -> tuple[Origin | None, str]:
    made_here = any(role.role == "originator" for role in own_roles)
    makers = [role.company for role in others if role.role == "originator"]
    bought = _bought_from(asset, company, own_roles)
    holders = [role.company for role in others if role.role in {"holder", "sponsor"}]
    is_held = any(role.role == "holder" for role in own_roles)
    # partners take part in at least half of the own trials, or hold it as well
    partners = {role.company for role in others if role.role == "partner"}
    shared = sorted(partners) if _owns(own_roles) else []
    others_own = (
        [] if {*owners_of(asset)} & {role.company for role in own_roles} else owners_of(asset)
    )
    had = {role.role for role in own_roles} & {"originator", "sponsor"}
    is_gone = all(role.role.startswith(FORMER) for role in own_roles) and bool(own_roles)
    rules: tuple[tuple[object, Origin, str], ...] = (
        (others_own and (had or is_gone), "licensed-out", f"{_first(others_own)} holds it today"),
        (
            makers and not made_here and _owns(own_roles),
            "licensed-in",
            f"originator: {_first(makers)}",
        ),
        (makers and not made_here, "partnered", f"originator: {_first(makers)}"),
        (bought, "acquired", f"first the drug of {bought}, which the company bought"),
        (
            made_here and holders and not is_held,
            "licensed-out",
            f"originator is the company, {_first(holders)} holds it",
        ),
        (shared, "partnered", f"developed together with {_first(shared)}"),
        (made_here, "in-house", "originator is the company"),
    )
    for holds, origin, rule in rules:
        if holds:
            return origin, rule
    rivals = [role.company for role in others if is_held and role.role == "holder"]
    return _by_codes(asset, company, rivals)


def _first(names: list[str]) -> str:
    return names[0] if names else ""


def _owns(roles: Iterable[CompanyRole]) -> bool:
    return any(role.role in OWNING for role in roles)


def _bought_from(asset: Asset, company: Company, own_roles: Iterable[CompanyRole]) -> str:
    """Return the bought company under whose name or code a drug stands; "" if none."""
    bought = {fold_name(row.name): row.name for row in company.trail if row.relation == "acquired"}
    for role in own_roles:
        row = row_of(role.statement.text)
        if row and fold_name(row.name) in bought:
            return row.name
    for name in (asset.name, *asset.aliases):
        owner = owner_of_code(name)
        if owner and fold_name(owner) in bought:
            return bought[fold_name(owner)]
    return ""


def _by_codes(asset: Asset, company: Company, rivals: Collection[str]) -> tuple[Origin | None, str]:
    """Return what the codes among a drug's names tell.

    A substance that several make has the codes of all of them: where another one holds
    applications beside the company's own, its code is no license.

    Args:
        asset: The drug.
        company: The company asked about.
        rivals: Others who hold applications, where the company holds some, too.
    """
    owners = {name: owner_of_code(name) for name in (asset.name, *asset.aliases)}
    owned = {name: owner for name, owner in owners.items() if owner}
    names = [name for name, owner in owned.items() if _counts(owner, company.groups)]
    other = [name for name, owner in owned.items() if not _counts(owner, company.groups)]
    unknown = [name for name in owners if is_code(name) and name not in owned]
    if names and not other and unknown:
        return None, f"own code {names[0]}, but the owner of code {unknown[0]} is unknown"
    if names and not other:
        return "in-house", f"own code {names[0]}"
    if other and fold_name(owned[other[0]]) in {fold_name(rival) for rival in rivals}:
        return None, f"{owned[other[0]]}, whose code is {other[0]}, holds applications of its own"
    if other:
        return "licensed-in", f"{other[0]} is a code of {owned[other[0]]}"
    return None, "originator unknown"


def _counts(owner: str, groups: Collection[str]) -> bool:
    """Return whether a company counts under one of the groups."""
    folded = {fold_name(group) for group in groups}
    return fold_name(owner) in folded or any(
        fold_name(row.name) == fold_name(owner) and fold_name(row.group) in folded
        for row in load_companies()
    )


EVENT = "next event"
Group = Literal[
    "in development",
    "approved with a term or a trial ahead",
    "licensed out",
    "approved, no listed term",
    "of no activity",
    "given up",
]
GROUPS: tuple[Group, ...] = get_args(Group)
"""Parts of a portfolio, in the order in which an answer lists them."""
OLD: frozenset[Group] = frozenset(GROUPS[GROUPS.index("approved, no listed term") :])
"""Parts that an answer lists only where they are asked for, or nothing else is known."""


@dataclass(frozen=True)
class OwnDrug(Drug):
    """A drug of the company with what was found out about it."""

    provenance: Provenance
    catalyst: Catalyst
    protection: Protection | None

    def cells(self) -> list[Cell]:
        """Return its cells, with those of its next event and its exclusivity."""
        event, until, cells = self.catalyst, self.protection, super().cells()
        if event.record_ids:
            event_text = f"{unmark(event.event)}, {event.date}"
            rule = "date and weight by rule"
            cells.append(Cell(EVENT, event_text, event.record_ids, rule=rule, predicates=DATING))
        if until and until.record_ids:
            event_text = f"protected until {until.last_on}"
            cells.append(Cell("exclusivity", event_text, until.record_ids, until.fact_ids))
        return cells

    def record_ids(self) -> set[str]:
        """Return its records, with those of its next event and its exclusivity."""
        until = self.protection.record_ids if self.protection else ()
        return super().record_ids() | {*self.catalyst.record_ids, *until}

    def words(self) -> Iterator[str]:
        """Yield its indications and the day that a rule reckoned."""
        yield from super().words()
        yield self.catalyst.date


def is_live(drug: OwnDrug, as_of: date) -> bool:
    """Return whether something is still to come of a drug, or still protects it.

    Its company's pipeline of the last twelve months shows it, an own trial or a further use is
    under way, or a term of protection has not ended.
    """
    since = years_from(as_of, -1)
    running = [program for program in drug.asset.programs if program.state == "live"]
    shown = any(
        stage.as_of >= since
        and any(record_id.startswith(PIPELINE) for record_id in stage.statement.record_ids)
        for program in running
        for stage in program.stages
    )
    tested = any(
        trial.is_active and trial.is_own for program in running for trial in program.trials
    )
    is_further = any(
        program.stage != "APPROVED" for program in running
    )  # a use that is still to come
    return (
        shown
        or tested
        or is_further
        or bool(drug.protection and drug.protection.last_on >= as_of.isoformat())
    )


def group_of(drug: OwnDrug, as_of: date) -> Group:
    """Return the part of the portfolio to which a drug belongs."""
    if drug.stage in {"DISCONTINUED", "UNKNOWN"}:
        return "given up"
    if not drug.asset.is_live:
        return "of no activity"
    if drug.provenance.origin == "licensed-out":
        return "licensed out"
    if drug.stage != "APPROVED":
        return "in development"
    # only the United States publish lists of terms: silence of them says nothing of other drugs
    approved = [
        region for region in drug.asset.regions if region.stage == "APPROVED" and not region.is_over
    ]
    is_abroad = bool(approved) and all(region.region != "FDA" for region in approved)
    is_old = is_long_approved(drug.asset, as_of)
    return (
        "approved with a term or a trial ahead"
        if is_live(drug, as_of) or (is_abroad and not is_old and not drug.asset.has_generics)
        else "approved, no listed term"
    )


def study_drugs(
    assets: Iterable[Asset], company: Company, evidence: EvidenceReader, as_of: date
) -> list[OwnDrug]:
    """Return the drugs by part of the portfolio, stage, weight of the next event, and name.

    First what is in development, then what is approved and protected, then what others hold now,
    then old products; what shows no activity and what was given up come last. A limit then leaves
    off what matters least.
    """
    drugs, known_assets = [], list(assets)
    protections = find_protections(known_assets, evidence)
    for asset in known_assets:
        provenance, until = trace_origin(asset, company), protections.get(asset.key)
        last_on = until.last_on if until else ""
        catalyst = next_catalyst(
            of_company(asset, company, as_of), provenance.origin, as_of, last_on
        )
        drugs.append(OwnDrug(asset, asset.programs, provenance, catalyst, until))
    return sorted(
        drugs,
        key=lambda drug: (
            GROUPS.index(group_of(drug, as_of)),
            STAGES.index(drug.stage),
            -drug.catalyst.score,
            -int(drug.asset.first_approved_on[:4] or 0),
            drug.asset.name.casefold(),
            drug.asset.key,
        ),
    )


def that_came_with(drugs: Sequence[OwnDrug], acquired: str) -> list[OwnDrug]:
    """Return the drugs that a record or the curators' table gives to an acquired company."""
    return [
        drug
        for drug in drugs
        if any(
            (row := row_of(company.statement.text)) is not None and row.name == acquired
            for company in drug.asset.companies
        )
    ]


def count_listed(drugs: Sequence[OwnDrug], as_of: date, *, with_old: bool) -> int:
    """Return how many of the drugs, in their order, an answer lists before any limit.

    Args:
        drugs: The portfolio in its order.
        as_of: The day asked about.
        with_old: Whether old products and what is over are asked for, too.
    """
    current = sum(group_of(drug, as_of) not in OLD for drug in drugs)
    return len(drugs) if with_old or not current else current
