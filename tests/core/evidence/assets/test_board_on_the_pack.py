"""What a board deck needs, on the starter pack: stages by region, owners of today, what is over."""

from collections.abc import Mapping
from datetime import date

import pytest

from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.gather import gather_assets
from core.evidence.assets.roles import originators_of, owners_of
from core.evidence.assets.stages.approvals import BY_CURATORS, UNTOLD
from core.evidence.assets.stages.programs import NAMED_IN_TITLE
from core.evidence.sources.pack.reading import load_rows
from core.ports import Stores
from core.records.asset_queries import AssetQuery
from core.records.programs import Asset
from tests.rows import over_rows

TODAY = date(2026, 11, 23)
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("starter")]
Assets = Mapping[str, Asset]


@pytest.fixture(scope="module")
def assets(starter: Stores, names) -> Assets:
    """Return every drug of the pack's table by the name of its row."""
    known = known_by_key(names)
    query = AssetQuery(drug_keys=tuple(sorted(known)), figures=False)
    found = gather_assets(query, starter.evidence, names, TODAY).assets
    return {row.drug: asset for asset in found for row in known.get(asset.key, ())}


@pytest.mark.parametrize(
    ("drug", "owner", "originator"),
    [
        ("resmetirom", "Madrigal Pharmaceuticals", "Roche"),
        ("sparsentan", "Travere Therapeutics", "Bristol-Myers Squibb"),
        ("atrasentan", "Novartis", "AbbVie"),
        ("pegozafermin", "Roche", "Teva"),
        ("VK2809", "Viking Therapeutics", "Ligand Pharmaceuticals"),
        ("briquilimab", "Jasper Therapeutics", "Amgen"),
        ("bezuclastinib", "Cogent Biosciences", "Plexxikon"),
        ("seralutinib", "Gossamer Bio", "Pulmokine"),
        ("pegcetacoplan", "Biogen", "Apellis Pharmaceuticals"),
        ("avexitide", "Amylyx Pharmaceuticals", "Eiger BioPharmaceuticals"),
        ("rimegepant", "Pfizer", "Bristol-Myers Squibb"),
        ("brensocatib", "Insmed", "AstraZeneca"),
        ("sunitinib", "Pfizer", "Sugen"),
        ("ruxolitinib", "Incyte", "Incyte"),
        ("aflibercept", "Regeneron", "Regeneron"),
    ],
)
def test_the_owner_of_today_stands_before_who_made_it(drug, owner, originator, assets) -> None:
    assert owners_of(assets[drug]) == [owner]
    assert originators_of(assets[drug]) == [originator]


def test_an_agency_has_approved_no_use_that_another_one_states(assets) -> None:
    (compulsive,) = [
        program
        for program in assets["clomipramine"].programs
        if program.indication == "obsessive-compulsive disorder"
    ]
    assert {approval.region for approval in compulsive.approvals} == {"FDA"}


def test_no_owner_is_a_code_or_a_shell(assets) -> None:
    owners = {one for asset in assets.values() for one in owners_of(asset)}
    assert not owners & {"GB002", "PF PRISM CV", "CPPI CV", "Novartis Europharm"}


@over_rows(
    ("drug", "region", "first_on", "is_expert"),
    [
        ("cadonilimab", "NMPA", "2022", True),
        ("ripretinib", "FDA", "2020-05-15", False),
        ("ripretinib", "EMA", "2021-11-18", False),
        ("pembrolizumab", "FDA", "2014-09-04", False),
    ],
)
def test_an_approval_is_shown_in_its_region_with_its_first_day(
    drug, region, first_on, is_expert, assets
) -> None:
    (found,) = (one for one in assets[drug].regions if one.region == region)
    assert (found.stage, found.first_on, found.is_over) == ("APPROVED", first_on, False)
    assert found.statement.is_expert == is_expert


def test_what_curators_state_as_approved_is_nowhere_lower(assets) -> None:
    ended = {row["drug"] for row in load_rows("ends")}
    stated = [
        row
        for row in load_rows("stages")
        if row["stage"] == "APPROVED" and row["state"] == "active" and row["drug"] not in ended
    ]
    shown = {row["drug"]: assets[row["drug"]] for row in stated if row["drug"] in assets}
    assert len(shown) > 500
    assert [drug for drug, one in shown.items() if one.highest_stage != "APPROVED"] == []


@over_rows(
    ("drug", "words"),
    [
        ("tiragolumab", "discontinued 2025"),
        ("danuglipron", "discontinued 2025-04"),
        ("mobocertinib", "withdrawn from market 2023"),
        ("albiglutide", "withdrawn from market 2018"),
        ("ociperlimab", "discontinued 2025"),
    ],
)
def test_what_the_table_ends_is_shown_live_nowhere(drug, words, assets) -> None:
    asset = assets[drug]
    assert (asset.highest_stage, asset.is_live) == ("DISCONTINUED", False)
    assert {one.state_words for one in asset.programs} == {words}


def test_a_use_that_was_withdrawn_is_lost_and_the_others_stay(assets) -> None:
    regions = {
        program.indication: one.is_over
        for program in assets["bevacizumab"].programs
        for one in program.stages
        if (one.stage, one.region) == ("APPROVED", "FDA")
    }
    assert not all(regions.values())
    assert not any("breast" in name.casefold() and not gone for name, gone in regions.items())


def test_a_register_without_a_use_takes_it_from_the_curators_and_says_so(assets) -> None:
    joined = [
        one.statement
        for asset in assets.values()
        for program in asset.programs
        for one in program.stages
        if one.statement.rule == BY_CURATORS
    ]
    assert len(joined) > 200
    assert all(len(one.record_ids) >= 2 and not one.is_expert for one in joined)
    untold = [
        asset
        for asset in assets.values()
        if {one.indication for one in asset.programs} & UNTOLD and asset.highest_stage == "APPROVED"
    ]
    assert len(untold) < 1_300  # as many approved drugs had no use at all before


def test_a_trial_that_only_its_title_ties_to_a_drug_says_so(assets) -> None:
    told = [
        (asset.name, one.statement)
        for asset in assets.values()
        for program in asset.programs
        for one in program.stages
        if one.statement.rule == NAMED_IN_TITLE
    ]
    assert told
    titled = {row["source_id"] for row in load_rows("trials") if row["note"]}
    assert all(set(one.record_ids) <= titled for _, one in told)


def test_nothing_new_for_three_years_is_no_activity(assets) -> None:
    quiet = [p for asset in assets.values() for p in asset.programs if p.state == "no activity"]
    assert len(quiet) > 1_000
    assert all(p.quiet_since < "2023-11-23" for p in quiet)
    assert not any(trial.is_active and trial.is_own for p in quiet for trial in p.trials)
