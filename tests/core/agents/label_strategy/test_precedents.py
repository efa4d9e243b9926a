"""Precedents beyond the labels at hand: curated uses, the own label, EU uses, ended approvals."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from core.agents.label_strategy.curated_labels import CuratedLabelRow
from core.agents.label_strategy.pipeline import run
from core.agents.label_strategy.schema import LabelStrategyData, LabelStrategyRequest
from core.evidence.sources.files.ema import read_ema
from core.knowledge.withdrawn_drugs import WithdrawnDrugRow
from core.records.evidence_pack import ImportedFile
from core.settings import Settings
from core.tables.rows import SourceFile
from core.vocabulary.hazards import HazardRow
from core.vocabulary.tables import load_rows
from storage.stores import open_stores
from tests.contexts import make_context
from tests.core.agents.label_strategy.conftest import BASE, hold_labels
from tests.rows import over_rows

Draft = Callable[..., LabelStrategyData]
NOW = datetime(2026, 11, 27, tzinfo=UTC)
SICKLE = {
    "asset_name": "XYZ-101",
    "target": "Hemoglobin S",
    "modality": "small molecule",
    "mechanism_of_action": "polymerization inhibitor",
    "indication": "sickle cell disease",
}
LUNG = {
    "target": "EGFR",
    "modality": "small molecule",
    "mechanism_of_action": "EGFR kinase inhibitor",
}


def test_every_curated_license_is_on_record(starter_draft: Draft) -> None:
    """A row whose license the starter pack lacks would never be shown."""
    from tests.instances import starter_home

    stores = open_stores(Settings(home=starter_home(), database_url=None))
    rows = load_rows("curated_labels", CuratedLabelRow)
    ids = {row.record_id for row in rows}
    assert ids == set(stores.evidence.records(sorted(ids)))
    assert len({row.brand for row in rows}) >= 40
    known = {row.hazard for row in load_rows("hazards", HazardRow)}
    assert {term for row in rows for term in row.boxed.split("|") if term} <= known


def test_a_withdrawn_drug_is_no_precedent_and_is_reported(starter_draft: Draft) -> None:
    data = starter_draft(**SICKLE)
    assert "Oxbryta" not in {one.asset for one in data.precedents}
    assert any(one.startswith("withdrawn: Oxbryta ") for one in data.warnings)
    assert "polymerization" not in data.proposed_indication_language.language


def test_a_use_that_ended_leaves_the_other_uses() -> None:
    rows = load_rows("withdrawn_drugs", WithdrawnDrugRow)
    assert {row.disease for row in rows if row.drug == "ibrutinib"} == {
        "mantle cell lymphoma",
        "marginal zone lymphoma",
    }


@over_rows("asset", ["Tagrisso", "osimertinib"])
def test_the_own_label_leads(starter_draft: Draft, asset: str) -> None:
    data = starter_draft(asset_name=asset, indication="non-small cell lung cancer", **LUNG)
    assert data.precedents[0].asset == "Tagrisso"
    assert any(one.startswith("own_label: Tagrisso ") for one in data.warnings)
    other = starter_draft(asset_name="XYZ-101", indication="non-small cell lung cancer", **LUNG)
    assert not any(one.startswith("own_label: ") for one in other.warnings)


def test_an_endpoint_of_an_own_trial_counts(starter_draft: Draft) -> None:
    trial = {"id": "T1", "endpoint": "progression-free survival", "randomized": True, "n": 300}
    data = starter_draft(
        asset_name="XYZ-101",
        indication="non-small cell lung cancer",
        clinical_trial_data={"trials": [trial]},
        **LUNG,
    )
    row = next(one for one in data.evidence_to_claim_mapping if one.claim_element == "endpoint")
    assert row.proposed == "progression-free survival"
    assert "No endpoint is given" not in row.gap


@over_rows(
    "indication",
    [
        "rheumatoid arthritis",
        "non-small cell lung cancer",
        "sickle cell disease",
        "early Alzheimer disease with amyloid pathology",
        "migraine",
        "zzyzx syndrome",
    ],
)
def test_a_broad_claim_differs_or_says_why_and_none_is_wider_than_labels(
    starter_draft: Draft, indication: str
) -> None:
    data = starter_draft(**SICKLE | {"indication": indication})
    drafts = {one.name: one for one in data.label_scenarios}
    for name in ("narrow", "broad"):
        is_same = drafts[name].language == drafts["base"].language
        assert bool(drafts[name].note) == is_same
        assert drafts[name].label_breadth_score < 100
    assert data.risk_scores.label_breadth_score < 100


@pytest.fixture(scope="module")
def eu_draft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Draft]:
    """Return a function that drafts an EMA label where the EMA's list is at hand."""
    home = tmp_path_factory.mktemp("eu")
    stores = open_stores(Settings(home=home / "instance", database_url=None))
    hold_labels(stores, home)
    columns = (
        "Category,Name of medicine,EMA product number,Medicine status,International "
        "non-proprietary name (INN) / common name,Therapeutic indication,Marketing authorisation "
        "date,Last updated date"
    )
    uses = (
        "Cibinqo is indicated for the treatment of moderate-to-severe atopic dermatitis in adults "
        "and adolescents 12 years and older who are candidates for systemic therapy."
    )
    path = home / "ema_medicines_2026-06-01.csv"
    path.write_text(
        f"{columns}\nHuman,Cibinqo,EMEA/H/C/005452,Authorised,abrocitinib,{uses},2021-12-09,"
        "2026-05-01\n"
    )
    with stores.evidence.next_generation() as writer:
        writer.add(read_ema(SourceFile(path, "2026-06-01", "2026-06-01", print)))
        writer.finish_file(ImportedFile("ema.csv", "test", "1" * 64, NOW.isoformat(), 1, 0))
    context = make_context(NOW, stores)

    def draft(**fields: Any) -> LabelStrategyData:
        return run(LabelStrategyRequest.model_validate(BASE | fields), context)

    yield draft
    stores.engine.close()


def test_an_ema_draft_has_eu_precedents(eu_draft: Draft) -> None:
    jak = {
        "indication": "atopic dermatitis",
        "modality": "small molecule",
        "mechanism_of_action": "oral JAK1 inhibitor",
        "target": "JAK1",
        "geography": "EMA",
    }
    data = eu_draft(**jak)
    eu = [one for one in data.competitor_label_comparison if one.geography == "EMA"]
    assert [one.asset for one in eu] == ["Cibinqo"]
    assert "candidates for systemic therapy" in eu[0].indication_summary
    assert not any("no EU precedent" in (one.wording.EMA or "") for one in data.label_scenarios)
    american = eu_draft(**jak | {"geography": "FDA"})
    assert {one.geography for one in american.competitor_label_comparison} == {"FDA"}
