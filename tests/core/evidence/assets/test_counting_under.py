"""A part that acts counts under its one ester, and substances of nobody make no row."""

from datetime import date
from pathlib import Path

import pytest

from core.evidence.assets.gather import gather_assets
from core.evidence.names.identity.resolver import Resolver
from core.evidence_ports import Evidence
from core.records.asset_queries import AssetQuery
from core.records.evidence import Fact, Mention, Parsed, Record
from core.records.identity import Entity, EntityName
from core.records.names import fold_name
from core.vocabulary.drugs import why_no_asset
from storage.identity import IdentityStore
from tests.core.evidence.assets.conftest import make_trial

TODAY = date(2026, 11, 21)
PARTS = ("adefovir", "adefovir dipivoxil", "tenofovir", "tenofovir disoproxil")
TWO = "tenofovir alafenamide"
PLANT = "achillea erba-rotta subsp. moschata flowering top"


@pytest.fixture
def resolver(tmp_path: Path) -> Resolver:
    names = (*PARTS, TWO)
    identity = IdentityStore(tmp_path / "parts.db")
    rows = [Entity("drug", f"UNII:{name}", name) for name in (*names, PLANT)]
    named = [EntityName("drug", fold_name(name), f"UNII:{name}", 1, name) for name in names]
    named.append(EntityName("drug", "iva", f"UNII:{PLANT}", 4, "IVA"))
    named.append(EntityName("drug", fold_name(PLANT), f"UNII:{PLANT}", 1, PLANT))
    identity.build([*rows, *named], [], "test")
    return Resolver(identity)


def product(number: str, ingredient: str) -> Parsed:
    """Return an application whose product has one ingredient."""
    mentions = (
        Mention("drug", ingredient, relation="ingredient"),
        Mention("company", "Acme Pharma", relation="applicant"),
    )
    title = f"NDA {number}: {ingredient}"
    record = Record("drugsfda", number, "", "approval_package", title, mentions=mentions)
    return Parsed(record, (Fact(record.id, number, "application_holder", "Acme Pharma"),))


def found(pack: Evidence, resolver: Resolver) -> list[str]:
    query = AssetQuery(companies=("Acme Pharma",), figures=False)
    return [one.name for one in gather_assets(query, pack, resolver, TODAY).assets]


def test_a_part_counts_under_its_only_ester(hold, pack, resolver) -> None:
    hold(
        make_trial(1, {"adefovir": "investigational"}),
        make_trial(2, {"adefovir dipivoxil": "investigational"}),
        make_trial(3, {"tenofovir": "investigational"}),
        make_trial(4, {"tenofovir disoproxil": "investigational"}),
        product("000001", "adefovir dipivoxil"),
    )
    assert found(pack, resolver) == ["adefovir dipivoxil", "tenofovir", "tenofovir disoproxil"]


def test_a_part_with_a_product_of_its_own_stays_apart(hold, pack, resolver) -> None:
    hold(
        make_trial(1, {"adefovir": "investigational"}),
        make_trial(2, {"adefovir dipivoxil": "investigational"}),
        product("000001", "adefovir"),
    )
    assert found(pack, resolver) == ["adefovir", "adefovir dipivoxil"]


def test_a_carrier_is_nobodys_drug() -> None:
    assert "carrier" in why_no_asset("Corynebacterium diphtheriae CRM197 protein")
    assert why_no_asset("adefovir") == ""


@pytest.mark.parametrize(("tested", "assets"), [("IVA", ["ivacaftor"]), (PLANT, [])])
def test_a_plant_is_nobodys_asset(hold, pack, resolver, tested, assets) -> None:
    hold(make_trial(1, {tested: "investigational", "tenofovir": "investigational"}))
    assert found(pack, resolver) == [*assets, "tenofovir"]
