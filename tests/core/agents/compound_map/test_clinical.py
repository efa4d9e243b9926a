"""Clinical compounds of the target: from the evidence held, with their sources, early ones too."""

import json
import shutil

import pytest

from core.records.evidence_pack import ImportedFile
from core.records.identity import Entity, EntityName
from tests.contract.form import loose_citations, wrong_warnings
from tests.core.agents.compound_map.conftest import NOW, Bench, identity_rows
from tests.core.evidence.assets.conftest import make_trial

ASPIRIN = "UNII:R16CO5Y76E"


def trial(number: int, drug: str, **said: str):
    title = f"{drug}, a KRAS inhibitor, [12] in NSCLC"
    return make_trial(number, {drug: "investigational"}, title=title, **said)


@pytest.fixture
def held(two_documents: Bench) -> Bench:
    """Two documents, and evidence on drugs of the target at three stages."""
    with two_documents.stores.evidence.next_generation() as writer:
        writer.add(
            [
                trial(1, "latamab", phase="PHASE3"),
                trial(2, "earlinib", phase="PHASE1"),
                trial(3, "halteramab", phase="PHASE2", status="TERMINATED", stopped="Futility"),
            ]
        )
        writer.finish_file(ImportedFile("made.json", "test", "0" * 64, NOW.isoformat(), 3, 0))
    return two_documents


def stages(data) -> dict[str, str]:
    return {one.name: one.stage for one in data.clinical_reference}


def test_compounds_of_the_evidence_are_compared_by_stage(held: Bench) -> None:
    data = held.run(include_full_clinical_landscape=True)
    wanted = {"latamab": "PHASE3", "earlinib": "PHASE1", "halteramab": "DISCONTINUED"}
    assert stages(data) == wanted
    assert (data.clinical_basis.status, data.clinical_basis.n_local) == ("full", 3)
    assert "early and stopped ones too" in data.clinical_basis.message
    data = held.run(include_full_clinical_landscape=False)
    assert stages(data) == {"latamab": "PHASE3"}
    assert (data.clinical_basis.status, data.clinical_basis.n_local) == ("local", 1)
    data = held.run()
    row = next(one for one in data.clinical_reference if one.name == "earlinib")
    (cited,) = row.source_ids
    assert data.sources[int(cited) - 1].url == "https://clinicaltrials.gov/study/NCT00000002"
    plain = json.loads(data.model_dump_json())
    assert loose_citations(plain) == []
    assert wrong_warnings(plain) == []


def test_target_without_evidence_has_none(two_documents: Bench) -> None:
    data = two_documents.run()
    assert data.clinical_reference == []
    assert data.clinical_basis.n_local == 0


@pytest.mark.skipif(shutil.which("java") is None, reason="no Java (Debian: default-jre-headless)")
def test_structure_comes_from_the_name_that_identity_holds(held: Bench) -> None:
    rows = [
        *identity_rows(),
        Entity("drug", ASPIRIN, "earlinib"),
        EntityName("drug", "earlinib", ASPIRIN, 1, "earlinib"),
    ]
    name = [(ASPIRIN, "2-acetoxybenzoic acid")]
    held.stores.identity.build(rows, name, "names with a structure")
    row = next(one for one in held.run().clinical_reference if one.name == "earlinib")
    assert (row.smiles, row.inchikey) == ("CC(=O)Oc1ccccc1C(=O)O", "BSYNRYMUTXBXSQ-UHFFFAOYSA-N")
    assert row.nearest is not None
