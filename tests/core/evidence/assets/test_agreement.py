"""What one agent answers stands in the others: narrow diseases, agreement, names, theses.

The expected oncology uses are read from the reference folder by this module alone.
"""

import csv
import gzip
import random
import re
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from core.briefs.watching.asked import name_drug
from core.evidence.sources.pack.reading import load_rows
from core.vocabulary.stages import phase_of
from tests.rows import over_rows, size_of

NOW = datetime(2026, 11, 23, tzinfo=UTC)
SEED = 20_261_127
N_TYPES = size_of(20, 5)
N_ASSETS = size_of(24, 8)
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("starter")]
Ask = Callable[..., Any]


def test_approved_drugs_of_narrow_diseases_are_shown_approved(
    ask, starter, reference, names
) -> None:
    """Cancers in the words of US and European labels, drawn by seed; withdrawn drugs excepted."""
    path = reference.parent / "regulatory_facts" / "oncology_indications_by_agency.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["agency"] in {"fda", "ema"}]
    drugs: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        parts = (part.strip() for part in re.split(r" and |\+|/|, ", row["generic"]))
        drugs[row["cancer_type"]] |= {re.sub(r"-[a-z]{4}$", "", part) for part in parts if part}
    expected, shown = 0, 0
    for cancer in random.Random(SEED).sample(sorted(drugs), N_TYPES):
        data = ask("competitive-landscaping", query=cancer)
        approved = {
            key
            for drug in data.drugs
            if drug.stage in {"APPROVED", "DISCONTINUED"}
            for key in (drug.drug_name, *drug.aliases, drug.drug_key)
        }
        expected += len(drugs[cancer])
        shown += sum(
            bool({name, names.resolve_drug(name).key} & approved) for name in drugs[cancer]
        )
    assert shown / expected >= 0.98


def test_agents_agree_about_an_asset(ask) -> None:
    """Assets drawn by seed: phase, agencies, target and kind in landscape and company answers."""
    names = sorted({row["drug"] for row in load_rows("drugs")})
    compared = 0
    for name in random.Random(SEED).sample(names, N_ASSETS):
        found = ask("competitive-landscaping", query=name, query_type="clinical").drugs
        drug = next((one for one in found if one.drug_name == name), None)
        if drug is None or not drug.company:
            continue
        company = drug.company.split("; ")[0]
        held = ask(
            "company-asset-searcher", company=company, include_old=True, drugdb_limit=150
        ).drugs
        other = next((one for one in held if one.name == name), None)
        if other is None:  # beyond the limit of a large portfolio
            continue
        compared += 1
        agencies = {one.region for one in other.approvals if one.stage == "APPROVED"}
        over = {one.region for one in other.approvals if one.is_over}
        assert other.phase == phase_of(drug.stage), name
        assert {region for region, stage in drug.regions.items() if stage == "APPROVED"} == (
            agencies - over
        ), name
        assert (other.target or "") == drug.target, name
        assert (other.modality or "") == drug.modality, name
    assert compared > N_ASSETS // 3


@over_rows(
    ("thesis", "criteria", "notice"),
    [
        ("Chinese ADC companies with ex-China rights still available",
         {"geography is China", "partner is none"}, ""),
        ("PD-1 x VEGF bispecifics, rights outside China",
         {"geography is China", "partner is none"}, ""),
        ("Japanese antibodies, ex-Japan rights available",
         {"geography is Japan", "partner is none"}, ""),
        ("licensing-ready siRNA, cardiometabolic",
         {"partner is none", "disease is cardiometabolic disease"}, ""),
        ("immunology programs stopped for business reasons",
         {"disease is immune-mediated disease", "stop is business"}, ""),
        ("oral obesity drugs of private companies",
         {"route is oral", "owner is unlisted"}, ""),
        ("alpha emitters, private or small cap", {"modality is radioligand"},
         "market capitalization"),
        ("small cap biotechs with less than 12 months of cash", set(), "cash runway"),
    ],
)  # fmt: skip
def test_a_thesis_is_read_as_the_industry_writes_it(ask, thesis, criteria, notice) -> None:
    data = ask("deal-sourcing", thesis=thesis)
    hard = {f"{one.field} {one.op} {one.value}" for one in data.parsed_thesis.hard}
    assert criteria <= hard
    assert not {one for one in hard if "is not" in one or "pneumonia" in one}
    assert data.parsed_thesis.conflicts == []
    assert notice in " ".join(data.warnings)


def test_an_acquired_company_shows_what_came_with_it(ask) -> None:
    data = ask("company-asset-searcher", company="Seagen")
    assert {"enfortumab vedotin", "tucatinib"} <= {drug.name for drug in data.drugs}
    assert len(data.drugs) < 15
    assert any(warning.startswith("acquired: Seagen") for warning in data.warnings)


def test_approvals_abroad_stay_in_a_portfolio(ask) -> None:
    names = {drug.name for drug in ask("company-asset-searcher", company="Hengrui").drugs}
    assert {"camrelizumab", "pyrotinib", "dalpiciclib"} <= names


def test_two_names_of_an_asset_are_one_alert(starter, names) -> None:
    first, second, unknown = (
        name_drug(name, starter.evidence, names) for name in ("SSGJ-707", "PF-08634404", "zzzxyqq")
    )
    assert first.key == second.key
    assert not first.warnings
    assert unknown.warnings


def test_a_figure_without_arms_is_not_that_of_every_drug_of_its_trial(ask) -> None:
    (tremelimumab,) = ask("competitive-landscaping", query="tremelimumab SCLC").drugs
    assert tremelimumab.efficacy == ""


@over_rows(
    ("agent", "request"),
    [
        ("competitive-landscaping", {"query": "menin inhibitors in AML"}),
        ("company-asset-searcher", {"company": "Akeso"}),
        ("deal-sourcing", {"thesis": "Chinese ADCs without a Western partner"}),
    ],
)
def test_every_source_has_an_address(ask, agent, request) -> None:
    data = ask(agent, **request)
    assert data.sources
    assert all(source.url for source in data.sources)


def test_patents_are_searched_when_asked(ask) -> None:
    data = ask("competitive-landscaping", query="CDK2 inhibitors", include_patents=True)
    (line,) = [line for line in data.source_report if line.flag == "include_patents"]
    assert line.status in {"answered", "empty", "not_configured"}
    assert any(warning.startswith("patents:") for warning in data.warnings)


@over_rows(
    ("query", "shown", "absent"),
    [
        ("antisense outside neurology", {"olezarsen", "donidalorsen"}, {"inotersen", "BIIB080"}),
        ("osteogenesis imperfecta", {"pamidronic acid"}, {"alendronic acid", "teriparatide"}),
        ("thrombotic microangiopathy", {"eculizumab"}, {"eltrombopag", "romiplostim"}),
        ("myelofibrosis", {"ruxolitinib"}, {"azacitidine"}),
        ("hypertension", {"aprocitentan"}, {"latanoprost", "macitentan"}),
        ("dry eye disease", {"perfluorohexyloctane", "varenicline"}, set()),
        ("schizophrenia", {"xanomeline"}, set()),
        ("epidermolysis bullosa", {"birch triterpenes"}, set()),
        ("peanut allergy", {"Palforzia"}, set()),
        ("herpes zoster", {"Shingrix"}, set()),
    ],
)
def test_a_disease_shows_its_own_drugs(ask, query, shown, absent) -> None:
    drugs = {drug.drug_name: drug for drug in ask("competitive-landscaping", query=query).drugs}
    assert {name for name in shown if drugs[name].stage == "APPROVED"} == shown
    assert not absent & drugs.keys()


@over_rows(
    ("drug", "owner"),
    [
        ("relmacabtagene autoleucel", "JW Therapeutics"),
        ("rucaparib", "pharma&"),
        ("taldefgrobep alfa", "Biohaven"),
        ("perfluorohexyloctane", "Bausch + Lomb"),
    ],
)
def test_owners_are_those_of_today(ask, drug, owner) -> None:
    drugs = ask("competitive-landscaping", query=drug, query_type="clinical").drugs
    assert next(row.company for row in drugs if row.drug_name == drug) == owner


def test_the_day_of_another_product_is_not_named(ask) -> None:
    memo = ask("competitive-landscaping", query="varenicline in dry eye disease").pipeline_summary
    assert "dry eye" in memo
    assert "2006" not in memo
