"""Which companies have a part in a drug, and what says so."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.evidence.assets.curators_drugs import CURATORS_TABLE, KnownDrug
from core.evidence.assets.shelf import Shelf
from core.evidence.assets.stages.truth import companies_with_role
from core.evidence.names.companies import company_group
from core.evidence.names.industry import is_company
from core.records.evidence_pack import StoredFact
from core.records.names import fold_name
from core.records.programs import Asset, CompanyRole, Statement
from core.vocabulary.predicates import Predicate

_ORIGINAL = frozenset({"NDA", "BLA", "351(a)", "N", "B"})
LEAST_OWN = 0.2
"""Share of the companies' trials of a drug without holder that makes a company one of its own."""
LEAST_OF_OTHERS = 0.5
"""The same share where another company is known to have made the drug."""
LEAST_SHARE = 0.5
"""Share of a drug's own trials in which a partner takes part."""
_OWNERS = ("holder", "sponsor", "originator")
"""Whose drug it is today; who made it first is told beside it."""


def find_roles(
    key: str, shelf: Shelf, trials: Iterable[str], known: Sequence[KnownDrug]
) -> list[CompanyRole]:
    """Return the companies of a drug: holders, else the company that tests it, and partners.

    Args:
        key: The drug.
        shelf: What the pack holds about it.
        trials: Records of trials in which it is tested.
        known: The curators' rows about it.
    """
    holders = _holders(key, shelf)
    industry = [one for one in trials if is_industry(one, shelf)]
    named = {role.company for role in holders}
    makers = _originators(known)
    roles = [*holders, *makers, *_told_by_curators(key, shelf)]
    started = [(sponsor_of(one, shelf), _start(one, shelf)) for one in industry]
    started = [one for one in started if one[0]]
    leading = set(companies_with_role(named, started))
    if not named:  # nobody tests a drug that has no holder without a license from its owner
        counts = Counter(company for company, _ in started)
        made_by = {role.company for role in makers}
        leading |= {
            one
            for one, count in counts.items()
            if count
            >= len(started) * (LEAST_OF_OTHERS if made_by and one not in made_by else LEAST_OWN)
        }
        combined = _in_combinations(key, shelf)  # who tests it beside these only tests it
        leading = {one for one in leading if not combined or fold_name(one) in combined}
    known_as = {fold_name(company) for company in named}
    for company in sorted(one for one in leading if fold_name(one) not in known_as):
        own = [one for one in industry if sponsor_of(one, shelf) == company]
        said = Statement(company, tuple(sorted(own)[:5]), (), "sponsor of its trials")
        roles.append(CompanyRole(company, "sponsor", "", said))
    return _distinct([*roles, *_partners({role.company for role in roles}, industry, shelf)])


def _holders(key: str, shelf: Shelf) -> list[CompanyRole]:
    """Return who holds an application or shows the drug in its pipeline."""
    roles: list[CompanyRole] = []
    for record_id in shelf.of(key, "pipeline"):
        said = shelf.said(record_id, Predicate.DEVELOPED_BY)
        if said and shelf.is_alone(record_id):
            roles.append(_role(said, "holder", ""))
    for record_id in _originals(key, shelf):
        territory = "Japan" if record_id.startswith("pmda:") else "United States"
        for said in shelf.all_said(record_id, Predicate.APPLICATION_HOLDER):
            if shelf.is_alone(record_id):
                roles.append(_role(said, "holder", territory))
    return roles


def _originals(key: str, shelf: Shelf) -> Iterator[str]:
    """Yield the applications that are no generic's and no biosimilar's."""
    for record_id in shelf.of(key, "drugsfda", "purplebook", "pmda"):
        kind = shelf.said(record_id, Predicate.APPLICATION_TYPE)
        if kind and kind.fact.object.split()[0] not in _ORIGINAL:
            continue
        number = record_id.partition(":")[2]
        if not _is_follow_on(record_id, shelf) and not is_biosimilar(
            f"purplebook:BLA{number}", shelf
        ):
            yield record_id


def _in_combinations(key: str, shelf: Shelf) -> set[str]:
    """Return who holds the products in which a drug is one of several, folded."""
    return {
        fold_name(company_group(said.fact.object))
        for record_id in _originals(key, shelf)
        for said in shelf.all_said(record_id, Predicate.APPLICATION_HOLDER)
    }


def _is_follow_on(record_id: str, shelf: Shelf) -> bool:
    """Return whether a Japanese approval is that of a biosimilar ("Infliximab BS")."""
    names = [one.name for one in shelf.mentions[record_id] if one.kind == "drug"]
    return any(re.search(r"\bBS\b|biosimilar", name) for name in names)


def is_biosimilar(record_id: str, shelf: Shelf) -> bool:
    """Return whether a license is that of a biosimilar."""
    kind = shelf.said(record_id, Predicate.APPLICATION_TYPE)
    return kind is not None and kind.fact.object.startswith("351(k)")


def _role(said: StoredFact, role: str, territory: str) -> CompanyRole:
    group = company_group(said.fact.object)
    return CompanyRole(
        group, role, territory, Statement(said.fact.object, (said.fact.record_id,), (said.id,))
    )


def _originators(known: Sequence[KnownDrug]) -> list[CompanyRole]:
    return [
        CompanyRole(
            company_group(one.originator),
            "originator",
            "",
            one.state(one.originator),
        )
        for one in known
        if one.originator
    ]


def _told_by_curators(key: str, shelf: Shelf) -> Iterator[CompanyRole]:
    """Yield the parts of companies that the starter pack's own rows state."""
    for record_id in shelf.of(key, "pack"):
        for said in shelf.all_said(record_id, Predicate.HAS_ROLE):
            fact = said.fact
            yield CompanyRole(
                company_group(fact.object),
                fact.unit,
                fact.qualifiers.region,
                Statement(
                    fact.object, (record_id,), (said.id,), CURATORS_TABLE, fact.basis == "expert"
                ),
            )


def _partners(owners: set[str], industry: Sequence[str], shelf: Shelf) -> list[CompanyRole]:
    """Return companies that take part in at least half of the owners' trials, two at least."""
    held_by = {fold_name(owner) for owner in owners}
    own = [one for one in industry if fold_name(sponsor_of(one, shelf)) in held_by]
    counts: Counter[str] = Counter()
    records: dict[str, list[str]] = defaultdict(list)
    for one in own:
        for name in shelf.companies(one, "collaborator"):
            if is_company(name):
                counts[company_group(name)] += 1
                records[company_group(name)].append(one)
    return [
        CompanyRole(
            company,
            "partner",
            "",
            Statement(company, tuple(sorted(records[company])[:5]), (), "collaborator of trials"),
        )
        for company, count in sorted(counts.items())
        if fold_name(company) not in held_by and count >= 2 and count >= LEAST_SHARE * len(own)
    ]


def _distinct(roles: Sequence[CompanyRole]) -> list[CompanyRole]:
    """Return one role a company, part and territory, with all that says so.

    Registers write names in capitals that trials write otherwise: they are one company.
    """
    spelled: dict[str, str] = {}
    for name in sorted({role.company for role in roles}, key=lambda one: (one.isupper(), one)):
        spelled.setdefault(fold_name(name), name)
    kept: dict[tuple[str, str, str], CompanyRole] = {}
    for said_role in roles:
        role = replace(said_role, company=spelled[fold_name(said_role.company)])
        place = (role.company, role.role, role.territory)
        before = kept.get(place)
        if before is None:
            kept[place] = role
            continue
        said = before.statement
        ids = tuple(sorted({*said.record_ids, *role.statement.record_ids}))[:8]
        facts = tuple(sorted({*said.fact_ids, *role.statement.fact_ids}))[:8]
        expert = said.is_expert and role.statement.is_expert
        statement = Statement(said.text, ids, facts, said.rule, expert)
        kept[place] = CompanyRole(role.company, role.role, role.territory, statement)
    return list(kept.values())


def sponsor_of(record_id: str, shelf: Shelf) -> str:
    """Return the group of a trial's lead sponsor; "" where the register names none."""
    names = shelf.companies(record_id, "sponsor")
    return company_group(names[0]) if names else ""


def takes_part(record_id: str, shelf: Shelf) -> frozenset[str]:
    """Return the groups of a trial's sponsor and collaborators, folded."""
    names = [
        *shelf.companies(record_id, "sponsor"),
        *shelf.companies(record_id, "collaborator"),
    ]
    return frozenset(fold_name(company_group(name)) for name in names)


def is_industry(record_id: str, shelf: Shelf) -> bool:
    """Return whether a company leads a trial."""
    said = shelf.said(record_id, Predicate.TRIAL_SPONSOR_CLASS)
    if said:
        return said.fact.object == "INDUSTRY"
    names = shelf.companies(record_id, "sponsor")
    return bool(names) and is_company(names[0])


def _start(record_id: str, shelf: Shelf) -> str:
    said = shelf.said(record_id, Predicate.TRIAL_START)
    return said.fact.object if said else ""


def owners_of(asset: Asset) -> list[str]:
    """Return whose a drug is: of the first kind of role that somebody has, by name."""
    for role in _OWNERS:
        found = sorted({one.company for one in asset.companies if one.role == role})
        if found:
            return found
    return sorted({one.company for one in asset.companies})[:1]


def owner_role(asset: Asset) -> CompanyRole | None:
    """Return the role of the first owner."""
    names = owners_of(asset)
    return next((one for one in asset.companies if names and one.company == names[0]), None)
