"""Whose a drug is today: the curators' table, then registers; who made it stands beside."""

from collections.abc import Callable

import pytest

from core.evidence.assets.gather import gather_assets
from core.evidence.assets.roles import originators_of, owners_of, partners_of
from core.evidence.names.companies import company_group
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.pack.source_records import describe_approval
from core.evidence_ports import Evidence
from core.records.asset_queries import AssetQuery
from core.records.evidence import Parsed
from core.records.programs import Asset
from tests.core.evidence.assets.conftest import make_trial
from tests.core.evidence.assets.test_ends import DRUG, TESTED, Row, curated, row
from tests.core.evidence.assets.test_gather import TODAY
from tests.rows import over_rows

Read = Callable[..., Asset]


@pytest.fixture
def read(hold: Callable[..., None], pack: Evidence, resolver: Resolver) -> Read:
    """Return what holds records and gives the drug."""

    def run(*parsed: Parsed) -> Asset:
        hold(*parsed)
        query = AssetQuery(drug_keys=("UNII:CARBO",))
        (asset,) = gather_assets(query, pack, resolver, TODAY).assets
        return asset

    return run


def approval(register: str, number: str, company: str, day: str, **cells: str) -> Parsed:
    """Return the record of an application of the drug."""
    kind = "NDA" if register == "drugsfda" else ""
    told: Row = row("stages") | {
        **dict.fromkeys(("brands", "indications", "marketing"), ""),
        **{"register": register, "number": number, "ingredients": DRUG, "company": company},
        **{"approved_on": day, "kind": kind, "as_of": "2026-03-14", "verified_on": "2026-11-23"},
        **{"source_id": f"{register}:{number}", "source_url": "", "source_locator": "list"},
        **cells,
    }
    return describe_approval(told)


def test_the_holder_of_today_stands_before_the_originator(read) -> None:
    made = row("company_roles", company="Firstco", role="originator", from_on="1999")
    held = row("company_roles", company="Secondco", role="holder", territory="worldwide")
    sold = row("company_roles", company="Thirdco", role="licensee", territory="Greater China")
    trial = make_trial(1, TESTED, sponsor="Firstco, Inc.")
    roles = [("company_roles", one) for one in (made, held, sold)]
    asset = read(trial, *curated(*roles))
    assert owners_of(asset) == ["Secondco"]
    assert originators_of(asset) == ["Firstco"]
    assert partners_of(asset) == ["Firstco", "Thirdco"]
    assert {one.company: one.from_on for one in asset.companies if one.role == "originator"} == {
        "Firstco": "1999"
    }


def test_a_part_that_ended_makes_no_owner(read) -> None:
    gone = row("company_roles", company="Oldco", role="holder", from_on="2011", to_on="2019")
    asset = read(make_trial(1, TESTED, sponsor="Newco, Inc."), *curated(("company_roles", gone)))
    assert owners_of(asset) == ["Newco"]
    assert ("Oldco", "former holder") in {(one.company, one.role) for one in asset.companies}


def test_the_first_application_tells_the_holder_and_houses_are_no_partners(read) -> None:
    asset = read(
        approval("drugsfda", "020002", "COPYCO", "2010-01-01"),
        approval("drugsfda", "020001", "FIRSTCO", "1999-01-01"),
        approval("ema", "EMEA/H/C/1", "Euroco", "2001-01-01", marketing="authorised"),
    )
    assert owners_of(asset) == ["Firstco"]
    assert partners_of(asset) == []
    assert ("Copyco", "further holder") in {(one.company, one.role) for one in asset.companies}
    assert [(one.region, one.first_on) for one in asset.regions] == [
        ("FDA", "1999-01-01"),
        ("EMA", "2001-01-01"),
    ]


def test_an_authorization_that_ended_makes_nobody_a_holder(read) -> None:
    asset = read(approval("ema", "EMEA/H/C/1", "Euroco", "2001-01-01", marketing="withdrawn"))
    assert owners_of(asset) == []
    assert [(one.stage, one.is_over) for one in asset.regions] == [("APPROVED", True)]
    assert asset.highest_stage == "DISCONTINUED"


def test_a_code_is_no_company(read) -> None:
    asset = read(make_trial(1, TESTED, sponsor="QX123, Inc."), make_trial(2, TESTED))
    assert "QX123" not in {one.company for one in asset.companies}


@over_rows(
    ("name", "group"),
    [
        ("PF PRISM CV", "Pfizer"),
        ("CPPI CV", "Pfizer"),
        ("GB002, Inc.", "Gossamer Bio"),
        ("89bio, Inc.", "Roche"),
        ("Apellis Pharmaceuticals, Inc.", "Biogen"),
        ("Roche Registration GmbH", "Roche"),
        ("MERCK (United States)", "Merck & Co."),
    ],
)
def test_shells_and_bought_companies_count_under_their_group(name, group) -> None:
    assert company_group(name) == group
