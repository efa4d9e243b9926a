"""Companies and targets of the other agents, written as people write them."""

import pytest

from core.agents.company_asset_searcher.pipeline import understand as find_company
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherRequest
from core.agents.compound_map.finding import understand as find_target
from core.agents.compound_map.schema import CompoundMapRequest

pytestmark = pytest.mark.xdist_group("starter")


@pytest.mark.parametrize(
    ("said", "meant", "code"),
    [
        ("恒瑞医药", "Jiangsu Hengrui", "translated"),
        ("江苏恒瑞医药股份有限公司", "Jiangsu Hengrui", "translated"),
        ("百济神州", "BeOne Medicines", "translated"),
        ("信达生物", "Innovent Biologics", "translated"),
        ("アステラス", "Astellas", "translated"),
        ("中外製薬", "Chugai", "translated"),
        ("Vertx Pharmaceuticals", "Vertex Pharmaceuticals", "mended"),
        ("astrazenca", "AstraZeneca", "mended"),
        ("Ascletis", "Ascletis Pharma", "completed"),
        ("Keytruda", "Merck & Co.", "drug_named"),
        ("MK-3475", "Merck & Co.", "drug_named"),
        ("Trikafta", "Vertex Pharmaceuticals", "drug_named"),
        ("Merck", "Merck & Co.", "ambiguous_company"),
    ],
)
def test_a_company_is_found_however_it_is_written_and_the_answer_says_so(
    context, said, meant, code
) -> None:
    found = find_company(CompanyAssetSearcherRequest(company=said), context)
    assert found.name == meant
    assert found.groups
    assert [one.partition(":")[0] for one in found.warnings] == [code]


def test_a_company_that_nobody_has_is_not_made_up(context) -> None:
    found = find_company(CompanyAssetSearcherRequest(company="Zorblax"), context)
    assert found.groups == ()
    assert found.warnings[0].startswith("no_match: ")


@pytest.mark.parametrize(
    ("said", "symbol"),
    [
        ("KRAS G12C inhibitors", "KRAS"),
        ("靶向CLDN18.2", "CLDN18"),
        ("表皮生长因子受体抑制剂", "EGFR"),
        ("menin inhibitors", "MEN1"),
        ("sotorasib", "KRAS"),
        ("Lumakras", "KRAS"),
        ("AMG-510", "KRAS"),
    ],
)
def test_a_target_is_found_by_words_and_by_a_drug_on_it(context, said, symbol) -> None:
    found = find_target(CompoundMapRequest(target=said), context)
    assert found.symbol == symbol
    assert found.read_as


def test_a_target_that_is_named_as_such_is_not_read_anew(context) -> None:
    assert find_target(CompoundMapRequest(target="KRAS"), context).read_as == ""
    unknown = find_target(CompoundMapRequest(target="Xyzzy17"), context)
    assert (unknown.names, unknown.read_as) == (None, "")
