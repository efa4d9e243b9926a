"""How a company came by a drug, and who else has a part in it: rules with their reason.

In this order: roles that records and the curators' table state, names of bought companies, codes
of other originators among the drug's names, an own code. What none of them tells stays open.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.briefs.portfolio.companies import Company
from core.evidence.assets.roles import owners_of, partners_of
from core.evidence.names.companies import row_of
from core.records.catalysts import Origin
from core.records.names import fold_name
from core.records.programs import Asset, CompanyRole
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
    shared = _shares(own_roles, others)
    others_own = (
        [] if {*owners_of(asset)} & {role.company for role in own_roles} else owners_of(asset)
    )
    had = {role.role for role in own_roles} & {"originator", "sponsor"}
    rules: tuple[tuple[object, Origin, str], ...] = (
        (others_own and had, "licensed-out", f"{_first(others_own)} holds it today"),
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


def _shares(own_roles: Iterable[CompanyRole], others: Iterable[CompanyRole]) -> list[str]:
    """Return companies that take part in at least half of the own trials, or hold it as well."""
    return sorted({role.company for role in others if _owns(own_roles) and role.role == "partner"})


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
