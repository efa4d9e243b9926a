"""The agent on a small pack of labels in the form that the register gives, read once."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.agents.label_strategy.pipeline import run
from core.agents.label_strategy.schema import LabelStrategyData, LabelStrategyRequest
from core.evidence.sources.files.labels import read_labels
from core.records.evidence_pack import ImportedFile
from core.records.identity import Entity, EntityName, IdentityRow
from core.records.names import fold_name
from core.settings import Settings
from core.tables.rows import SourceFile
from core.vocabulary.targets import load_targets
from core.workbench import RunContext
from storage.stores import open_stores
from tests.contexts import make_context
from tests.core.evidence.assets.conftest import make_trial
from tests.instances import starter_home

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
DISEASES = ("atopic dermatitis", "non-small cell lung cancer", "melanoma", "asthma", "gout")
AD = (
    "is a Janus kinase (JAK) inhibitor indicated for the treatment of adults and pediatric "
    "patients 12 years of age and older with refractory, moderate to severe atopic dermatitis "
    "whose disease is not adequately controlled with other systemic drug products."
)
BOX = "WARNING: SERIOUS INFECTIONS, MORTALITY, MALIGNANCY and THROMBOSIS Patients had infections."
LUNG = (
    "is indicated for the treatment of adult patients with locally advanced or metastatic EGFR-"
    "mutated non-small cell lung cancer (NSCLC) who have received prior EGFR-directed therapy, as "
    "determined by an FDA-approved test. This indication is approved under accelerated approval "
    "based on objective response rate and duration of response."
)
LABELS: tuple[dict[str, Any], ...] = (
    {"drug": "abrocitinib", "brand": "CIBINQO", "uses": AD, "box": BOX, "day": "20240108"},
    {"drug": "upadacitinib", "brand": "RINVOQ", "uses": AD, "box": BOX, "day": "20231114"},
    {"drug": "ritlecitinib", "brand": "LITFULO", "uses": AD, "is_part": True},
    {"drug": "crisaborole", "brand": "EUCRISA", "uses": "is indicated for topical treatment of "
     "mild to moderate atopic dermatitis in adult and pediatric patients 3 months and older."},
    {"drug": "alfatamab deruxtecan", "brand": "ALFAHER", "uses": LUNG, "acts": "TROP2"},
    {"drug": "betatamab deruxtecan", "brand": "BETAHER", "uses": LUNG, "acts": "HER2",
     "box": "WARNING: INTERSTITIAL LUNG DISEASE and EMBRYO-FETAL TOXICITY Cases occurred."},
    {"drug": "gammatuximab vedotin", "brand": "GAMMAVE", "acts": "CD30",
     "uses": "is indicated for the treatment of adults with melanoma.",
     "box": "WARNING: PROGRESSIVE MULTIFOCAL LEUKOENCEPHALOPATHY JC virus infection occurred."},
    {"drug": "deltatamab vedotin", "brand": "DELTAVE", "acts": "MET", "uses": LUNG,
     "is_part": True},
    {"drug": "pembrolizumab", "brand": "KEYTRUDA", "acts": "PD-1", "day": "20260101",
     "uses": "is indicated for the adjuvant treatment of adult and pediatric patients 12 years "
     "and older with Stage IIB, IIC, or III melanoma following complete resection. Limitations of "
     "Use "
     "KEYTRUDA is not recommended for gout."},
    {"drug": "pembrolizumab", "second": "berahyaluronidase alfa", "brand": "KEYTRUDA QLEX",
     "acts": "PD-1", "day": "20260401",
     "uses": "is indicated for the adjuvant treatment of adults with melanoma."},
)  # fmt: skip


def _label(place: int, said: dict[str, Any]) -> dict[str, Any]:
    """Return a label as the register has it; a part has its indications alone."""
    drugs = [said["drug"], *([said["second"]] if "second" in said else [])]
    names = {"substance_name": drugs, "brand_name": [said["brand"]], "manufacturer_name": ["Acme"]}
    names |= {"application_number": [f"BLA76100{place}"]}
    made: dict[str, Any] = {
        "effective_time": said.get("day", "20250101"),
        "indications_and_usage": [f"1 INDICATIONS AND USAGE {said['brand']} {said['uses']}"],
        "openfda": names,
    }
    if said.get("is_part"):
        return made
    made |= {
        "set_id": f"set-{place}",
        "dosage_and_administration": ["2 DOSAGE Take one."],
        "adverse_reactions": ["6 ADVERSE REACTIONS None of note."],
        "contraindications": ["4 CONTRAINDICATIONS Known hypersensitivity to the product."],
        "warnings_and_cautions": [
            "5 WARNINGS AND PRECAUTIONS 5.1 Embryo-Fetal Toxicity It can cause harm. 5.2 Serious "
            "Infections It can cause infections."
        ],
        "recent_major_changes": ["Warnings and Precautions (5.1) 11/2023"],
    }
    return made | ({"boxed_warning": [said["box"]]} if "box" in said else {})


def _names() -> Iterator[IdentityRow]:
    for drug in dict.fromkeys(one["drug"] for one in LABELS):
        yield Entity("drug", f"UNII:{drug}", drug)
        yield EntityName("drug", fold_name(drug), f"UNII:{drug}", 1, drug)
    for place, disease in enumerate(DISEASES):
        yield Entity("disease", f"MONDO:{place}", disease)
        yield EntityName("disease", fold_name(disease), f"MONDO:{place}", 1, disease)
    for symbol in sorted({gene for row in load_targets() for gene in row.genes}):
        yield Entity("target", f"HGNC:{symbol}", symbol, note="gene with protein product")
        yield EntityName("target", fold_name(symbol), f"HGNC:{symbol}", 1, symbol)


def hold_labels(stores: Any, folder: Path) -> None:
    """Give stores the names, the labels and a trial."""
    path = folder / "labels.ndjson"
    path.write_text("\n".join(json.dumps(_label(*one)) for one in enumerate(LABELS)))
    stores.identity.build(_names(), (), "test names")
    with stores.evidence.next_generation() as writer:
        held = list(read_labels(SourceFile(path, "2026-06-01", "2026-06-01", print)))
        writer.add(_with_targets(one) for one in held)
        drugs = {"alfatamab deruxtecan": "investigational"}
        title = "EGFR-mutated NSCLC, previously treated"
        writer.add([make_trial(1, drugs, title=title, conditions=(DISEASES[1],), phase="PHASE3")])
        writer.finish_file(ImportedFile("made.json", "test", "0" * 64, NOW.isoformat(), 1, 0))


@pytest.fixture(scope="session")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunContext]:
    """Return a run on ten labels and a trial; tests only read."""
    home: Path = tmp_path_factory.mktemp("labels")
    stores = open_stores(Settings(home=home / "instance", database_url=None))
    hold_labels(stores, home)
    yield make_context(NOW, stores)
    stores.engine.close()


@pytest.fixture(scope="session")
def starter_draft() -> Iterator[Callable[..., LabelStrategyData]]:
    """Return a function that drafts a label on the starter pack; tests only read."""
    stores = open_stores(Settings(home=starter_home(), database_url=None))
    starter = make_context(NOW, stores)

    def draft(**fields: Any) -> LabelStrategyData:
        """Draft a label for a phase 3 program before the FDA, with the given fields."""
        given = {"development_stage": "phase 3", "geography": "FDA"} | fields
        return run(LabelStrategyRequest.model_validate(given), starter)

    yield draft
    stores.engine.close()


def _with_targets(parsed: Any) -> Any:
    """Return a label with what its drug acts on, as its pharmacologic class would tell it."""
    acts = next(
        (one["acts"] for one in LABELS if one["brand"] in parsed.record.title and "acts" in one), ""
    )
    if not acts:
        return parsed
    stem = parsed.facts[0]
    told = replace(stem, predicate="acts_on", object=f"{acts} targeted drug")
    kind = "antibody-drug conjugate" if acts != "PD-1" else "monoclonal antibody"
    is_of = replace(stem, predicate="has_modality", object=kind)
    return replace(parsed, facts=(*parsed.facts, told, is_of))


BASE: dict[str, Any] = {
    "asset_name": "XYZ-101",
    "indication": "EGFR-mutated non-small cell lung cancer",
    "modality": "antibody-drug conjugate",
    "mechanism_of_action": "TROP2-directed conjugate",
    "target": "TROP2",
    "development_stage": "phase 3",
    "geography": "FDA",
}
_ANSWERS: dict[str, LabelStrategyData] = {}
"""Answers of this process by request: tests only read them."""


@pytest.fixture
def ask(context: RunContext) -> Callable[..., LabelStrategyData]:
    """Return what runs the agent: a TROP2 conjugate in lung cancer unless fields say otherwise."""

    def call(**fields: Any) -> LabelStrategyData:
        fields = BASE | fields
        key = json.dumps(fields)
        if key not in _ANSWERS:
            _ANSWERS[key] = run(LabelStrategyRequest.model_validate(fields), context)
        return _ANSWERS[key]

    return call
