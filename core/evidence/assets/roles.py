"""Which companies have a part in a drug, and what says so."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from core.evidence.assets.curators_drugs import CURATORS_TABLE, KnownDrug
from core.evidence.assets.shelf import Shelf
from core.evidence.assets.stages.truth import companies_with_role
from core.evidence.entries import Stated
from core.evidence.names.companies import company_group, is_company, is_known, row_of
from core.evidence.sources.files.ema import ENDED
from core.records.names import fold_name
from core.records.programs import Asset, CompanyRole, Statement
from core.vocabulary.company_codes import is_code
from core.vocabulary.company_homes import home_of, is_in
from core.vocabulary.sources import ACCEPTED, confirmed_first

_ORIGINAL = frozenset({"NDA", "BLA", "351(a)", "N", "B"})
LEAST_OWN = 0.2
"""Share of the companies' trials of a drug without holder that makes a company one of its own."""
LEAST_OF_OTHERS = 0.5
"""The same share where another company is known to have made the drug."""
LEAST_SHARE = 0.5
"""Share of a drug's own trials in which a partner takes part."""
FURTHER = "further holder"
"""Who holds a later application in a territory where another company holds the first one."""
FORMER = "former"
"""First word of a role that a company no longer has."""
DISCONTINUED = frozenset({"discontinued", "Disc"})
"""Status in Drugs@FDA and the Purple Book of an application whose products are no longer sold."""
ORIGINATOR = "originator"
USERS_LIST = "a list of deals"
ACCEPTED_PAGE = "a page that a person accepted"
_UNITED_STATES, _EUROPE, _JAPAN = "United States", "European Union", "Japan"
_TERRITORIES = {"pmda": _JAPAN, "ema": _EUROPE}
_AGENCIES = {_UNITED_STATES: "FDA", _EUROPE: "EMA", _JAPAN: "PMDA"}
_WIDE = ("", "worldwide", "ex-")
"""How the territory of a license that makes an owner begins."""


def find_roles(
    key: str, shelf: Shelf, trials: Iterable[str], known_drugs: Sequence[KnownDrug]
) -> list[CompanyRole]:
    """Return the companies of a drug: holders, else the company that tests it, and partners."""
    holders = _holders(key, shelf)
    industry = [trial for trial in trials if is_industry(trial, shelf)]
    named = {role.company for role in holders}
    makers = [
        CompanyRole(
            company_group(drug.originator),
            "originator",
            "",
            drug.state(drug.originator),
            _bought_on(drug.originator),
        )
        for drug in known_drugs
        if drug.originator
    ]
    roles = [*holders, *makers, *_told_by_curators(key, shelf)]
    started = [
        (sponsor_of(trial, shelf), shelf.entries.trial(trial).start_on) for trial in industry
    ]
    started = [entry for entry in started if entry[0] and not _is_bare_code(entry[0])]
    leading = set(companies_with_role(named, started))
    if not named:  # nobody tests a drug that has no holder without a license from its owner
        counts = Counter(company for company, _ in started)
        made_by = {role.company for role in makers}
        leading |= {
            company
            for company, count in counts.items()
            if count
            >= len(started) * (LEAST_OF_OTHERS if made_by and company not in made_by else LEAST_OWN)
        }
        combined = {
            fold_name(company_group(holder.text))
            for record_id in _originals(key, shelf)
            for holder in shelf.entries.approval(record_id).holders
        }  # holders of combinations: who tests it beside these only tests it
        leading = {company for company in leading if not combined or fold_name(company) in combined}
    known_as = {fold_name(company) for company in named}
    for company in sorted(company for company in leading if fold_name(company) not in known_as):
        own_trials = [trial for trial in industry if sponsor_of(trial, shelf) == company]
        statement = Statement(company, tuple(sorted(own_trials)[:5]), (), "sponsor of its trials")
        roles.append(CompanyRole(company, "sponsor", "", statement))
    roles += _told_by_pages(key, shelf, roles)
    return _distinct([*roles, *_partners({role.company for role in roles}, industry, shelf)])


def _holders(key: str, shelf: Shelf) -> list[CompanyRole]:
    """Return who holds an application or shows the drug in its pipeline.

    Of several in one territory the one whose application came first holds the drug; later ones
    are of those who sell it, too.
    """
    roles: list[CompanyRole] = []
    approvals = []
    for record_id in _originals(key, shelf):
        entry = shelf.entries.approval(record_id)
        if entry.marketing is None or entry.marketing.text not in ENDED:
            approvals.append((entry.approved.text if entry.approved else "9", record_id))
    for _, record_id in sorted(approvals):
        ended = shelf.entries.approval(record_id).marketing
        is_former = ended is not None and ended.text in DISCONTINUED
        territory = _TERRITORIES.get(record_id.partition(":")[0], _UNITED_STATES)
        for holder in shelf.entries.approval(record_id).holders:
            if shelf.is_alone(record_id):
                first = next(
                    (
                        role
                        for role in roles
                        if role.role == "holder" and role.territory == territory
                    ),
                    None,
                )
                role = _role(holder, "holder", territory)
                is_further = first is not None and fold_name(first.company) != fold_name(
                    role.company
                )
                part = f"{FORMER} holder" if is_former else FURTHER if is_further else role.role
                roles.append(replace(role, role=part))
    for record_id in shelf.of(key, "pipeline"):
        shown = shelf.entries.pipeline(record_id).developer
        if shown and shelf.is_alone(record_id):
            roles.append(_role(shown, "holder", ""))
    return roles


def _originals(key: str, shelf: Shelf) -> Iterator[str]:
    """Yield the applications that are no generic's and no biosimilar's."""
    for record_id in shelf.of(key, "drugsfda", "purplebook", "pmda", "ema"):
        kind = shelf.entries.approval(record_id).kind
        if kind and kind.text.split()[0] not in _ORIGINAL:
            continue
        number = record_id.partition(":")[2]
        names = [mention.name for mention in shelf.mentions[record_id] if mention.kind == "drug"]
        if not any(re.search(r"\bBS\b|biosimilar", name) for name in names) and not is_biosimilar(
            f"purplebook:BLA{number}", shelf
        ):
            yield record_id


def is_biosimilar(record_id: str, shelf: Shelf) -> bool:
    """Return whether a license is that of a biosimilar."""
    kind = shelf.entries.approval(record_id).kind
    return kind is not None and kind.text.startswith("351(k)")


def _role(statement: Stated, role: str, territory: str) -> CompanyRole:
    there = f"{statement.text} ({territory})"  # a bare name may be another one's elsewhere
    group = company_group(there if row_of(there) else statement.text)
    return CompanyRole(
        group,
        role,
        territory,
        Statement(statement.text, (statement.record_id,), (statement.fact_id,)),
        _bought_on(statement.text),
    )


def _bought_on(name: str) -> str:
    """Return since when a company belongs to the group under which it counts; "" elsewhere."""
    row = row_of(name)
    return row.from_on if row and row.relation == "acquired" else ""


def _told_by_curators(key: str, shelf: Shelf) -> Iterator[CompanyRole]:
    """Yield the parts of companies that the starter pack's own rows, or a user's deals, state."""
    for record_id in shelf.of(key, "pack", "deals"):
        rule = CURATORS_TABLE if record_id.startswith("pack:") else USERS_LIST
        for line in shelf.entries.pipeline(record_id).roles:
            statement, name = line.told, line.told.text
            from_on, _, to_on = statement.time_point.partition(" to")
            yield CompanyRole(
                company_group(name),
                f"{FORMER} {line.kind}" if to_on.strip() else line.kind,
                statement.region,
                Statement(name, (record_id,), (statement.fact_id,), rule, line.is_expert),
                from_on or _bought_on(name),
            )


def _told_by_pages(key: str, shelf: Shelf, roles: Sequence[CompanyRole]) -> Iterator[CompanyRole]:
    """Yield the developer that accepted pages state: a further source, or of a drug without any."""
    for record_id in shelf.of(key, ACCEPTED):
        told = shelf.entries.pipeline(record_id).developer
        if told is None:
            continue
        stated = replace(_role(told, "holder", ""), from_on="")
        statement = replace(stated.statement, rule=ACCEPTED_PAGE, is_expert=True)
        same = [role for role in roles if fold_name(role.company) == fold_name(stated.company)]
        if same:
            yield replace(same[0], statement=replace(statement, rule=same[0].statement.rule))
        elif not roles:
            yield replace(stated, statement=statement)


def _partners(owners: set[str], industry: Sequence[str], shelf: Shelf) -> list[CompanyRole]:
    """Return companies that take part in at least half of the owners' trials, two at least."""
    held_by = {fold_name(owner) for owner in owners}
    own_trials = [trial for trial in industry if fold_name(sponsor_of(trial, shelf)) in held_by]
    counts: Counter[str] = Counter()
    records: dict[str, list[str]] = defaultdict(list)
    for trial in own_trials:
        for name in shelf.companies(trial, "collaborator"):
            if is_company(name):
                counts[company_group(name)] += 1
                records[company_group(name)].append(trial)
    return [
        CompanyRole(
            company,
            "partner",
            "",
            Statement(company, tuple(sorted(records[company])[:5]), (), "collaborator of trials"),
        )
        for company, count in sorted(counts.items())
        if fold_name(company) not in held_by
        and count >= 2
        and count >= LEAST_SHARE * len(own_trials)
    ]


def _distinct(roles: Sequence[CompanyRole]) -> list[CompanyRole]:
    """Return one role a company, part and territory, with all that says so.

    Registers write names in capitals that trials write otherwise: they are one company.
    """
    spelled: dict[str, str] = {}
    for name in sorted(
        {role.company for role in roles}, key=lambda company: (company.isupper(), company)
    ):
        spelled.setdefault(fold_name(name), name)
    kept_roles: dict[tuple[str, str, str], CompanyRole] = {}
    for said_role in roles:
        role = replace(said_role, company=spelled[fold_name(said_role.company)])
        role_key = (role.company, role.role, role.territory)
        before = kept_roles.get(role_key)
        if before is None:
            kept_roles[role_key] = role
            continue
        earlier_statement = before.statement
        ids = tuple(confirmed_first({*earlier_statement.record_ids, *role.statement.record_ids}))[
            :8
        ]
        facts = tuple(sorted({*earlier_statement.fact_ids, *role.statement.fact_ids}))[:8]
        expert = earlier_statement.is_expert and role.statement.is_expert
        rule = earlier_statement.rule or role.statement.rule
        statement = Statement(earlier_statement.text, ids, facts, rule, expert)
        kept_roles[role_key] = replace(before, company=role.company, statement=statement)
    return list(kept_roles.values())


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
    sponsor_class = shelf.entries.trial(record_id).sponsor_class
    if sponsor_class:
        return sponsor_class == "INDUSTRY"
    names = shelf.companies(record_id, "sponsor")
    return bool(names) and is_company(names[0])


def _is_bare_code(company: str) -> bool:
    """Return whether what a register has as a company is the code of a drug: "GB002, Inc."."""
    return is_code(company) and not is_known(company)


def owners_of(asset: Asset) -> list[str]:
    """Return whose a drug is today, by name: its holder or who has the license for most of it.

    In this order: who holds it or licensed it in by the curators' table, the first holder of an
    application in the United States, whose pipeline shows it, who holds it in Europe, who runs its
    trials, the originator. A holder in Japan alone, or a licensee of the world outside the United
    States, owns a territory only; the holder of a discontinued application does not own a drug that
    is approved. A Chinese originator that licensed a drug out keeps it at home and comes first
    where it is approved there alone.
    """
    roles = asset.companies
    table = [
        role
        for role in roles
        if (role.statement.rule in {CURATORS_TABLE, USERS_LIST})
        and role.role in {"holder", "licensee"}
    ]
    ranks: tuple[list[CompanyRole], ...] = (
        [role for role in table if role.role == "holder" and role.territory in {"", "worldwide"}],
        [
            role
            for role in table
            if role.role == "licensee"
            and role.territory.startswith(_WIDE[1:])
            and not role.territory.startswith(f"ex-{_UNITED_STATES}")
        ],
        [
            role
            for role in table
            if role.role == "holder" and role.territory.startswith(_UNITED_STATES)
        ],
        [role for role in roles if role.role == "holder" and role.territory == _UNITED_STATES],
        [role for role in roles if role.role == "holder" and not role.territory],
        [role for role in table if not role.territory],
        [role for role in roles if role.role == "holder" and role.territory == _EUROPE],
        [role for role in roles if role.role == "sponsor"],
        [role for role in roles if role.role == ORIGINATOR],
    )
    approved = {region.region for region in asset.regions if region.stage == "APPROVED"}
    others = [role for role in roles if not (approved and role.role.startswith(FORMER))]
    found = next((rank for rank in ranks if rank), others[:1])
    owners = sorted({role.company for role in found})
    if any(role.territory in {"", "worldwide"} for role in found):
        return owners
    at_home = [
        role.company
        for role in roles
        if role.role == ORIGINATOR
        and role.company not in owners
        and is_in(home_of(role.company), "China")
    ]
    both = [*at_home, *owners] if approved <= {"NMPA"} else [*owners, *at_home]
    return list(dict.fromkeys(both))


def owners_where(asset: Asset, regions: Collection[str]) -> list[str]:
    """Return the owners that a sentence about approvals may name.

    A company that holds an application in another region alone is left out.

    Args:
        asset: The drug.
        regions: Regions of the approvals.
    """
    agencies = {
        name: {
            _AGENCIES.get(role.territory, "") for role in asset.companies if role.company == name
        }
        for name in owners_of(asset)
    }
    return [name for name, there in agencies.items() if "" in there or there & {*regions}]


def originators_of(asset: Asset) -> list[str]:
    """Return who made a drug first, as it was called then; empty where no source tells."""
    return sorted(
        {company.statement.text for company in asset.companies if company.role == ORIGINATOR}
    )


def partners_of(asset: Asset) -> list[str]:
    """Return who else has a part by origin, license or joint development, by name.

    Holders of a territory or of later applications are none: houses that sell the same substance.
    """
    owners = set(owners_of(asset))
    parts = {ORIGINATOR, "licensee", "partner"}
    return sorted(
        {company.company for company in asset.companies if company.role in parts} - owners
    )


def owner_role(asset: Asset) -> CompanyRole | None:
    """Return the role of the first owner, the part that makes it one first."""
    names = owners_of(asset)
    roles = [company for company in asset.companies if names and company.company == names[0]]
    return min(roles, key=lambda role: role.role in {ORIGINATOR, FURTHER}, default=None)
