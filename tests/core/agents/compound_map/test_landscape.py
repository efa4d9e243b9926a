"""The full clinical landscape: asked by name, merged with sources, missed without harm."""

import json
import shutil
from typing import Any

import pytest

from core.errors import OutOfMemory, RunCancelled, WorkbenchError
from core.registry import all_agents
from tests.contract.form import loose_citations, wrong_warnings
from tests.core.agents.compound_map.conftest import Bench, identity_rows

ASPIRIN = "UNII:R16CO5Y76E"


def drug(name: str, **said: Any) -> dict[str, Any]:
    return {
        "drug_name": name,
        "aliases": [f"{name}-1"],
        "modality": "small molecule",
        "highest_stage": "PHASE1",
        "drug_key": None,
        "as_of": "2026-05-01",
        "is_expert_only": False,
        "source_ids": ["2"],
        "company": "not read here",
    } | said


def source(number: str) -> dict[str, str]:
    return {
        "id": number,
        "title": f"Trial [{number}] of a drug",
        "url": f"https://example.org/{number}",
        "source_type": "trial_registration",
    }


def answer(*drugs: dict[str, Any]) -> dict[str, Any]:
    return {"drugs": list(drugs), "sources": [source("1"), source("2")], "query": "not read here"}


def test_landscaping_is_asked_for_the_symbol(two_documents: Bench) -> None:
    two_documents.run(include_full_clinical_landscape=True)
    ((name, request),) = two_documents.asked
    assert name == "competitive-landscaping"
    assert request == {"query": "drugs targeting KRAS", "query_type": "both"}
    all_agents()[name].request.model_validate(request)


def test_its_drugs_join_the_reference_with_their_sources(two_documents: Bench) -> None:
    two_documents.landscape = lambda: answer(drug("Newdrug"), drug("Other", source_ids=[]))
    data = two_documents.run()
    assert [(one.name, one.stage, one.as_of) for one in data.clinical_reference] == [
        ("Newdrug", "PHASE1", "2026-05-01"),
        ("Other", "PHASE1", "2026-05-01"),
    ]
    (cited,) = data.clinical_reference[0].source_ids
    assert data.sources[int(cited) - 1].url == "https://example.org/2"
    assert (data.clinical_basis.status, data.clinical_basis.n_landscape) == ("full", 2)
    plain = json.loads(data.model_dump_json())
    assert loose_citations(plain) == []
    assert not any(text.startswith("landscape_unavailable") for text in data.warnings)


@pytest.mark.parametrize(
    "said",
    [{"highest_stage": "PRECLINICAL"}, {"highest_stage": "UNKNOWN"}],
)
def test_what_is_not_clinical_is_left_out(two_documents: Bench, said: dict[str, Any]) -> None:
    two_documents.landscape = lambda: answer(drug("Newdrug", **said))
    assert two_documents.run().clinical_reference == []


def test_drug_of_two_names_is_listed_once(two_documents: Bench) -> None:
    two_documents.landscape = lambda: answer(drug("Newdrug"), drug("NEWDRUG-1", aliases=[]))
    assert [one.name for one in two_documents.run().clinical_reference] == ["Newdrug"]


def test_without_the_full_landscape_nobody_is_asked(two_documents: Bench) -> None:
    data = two_documents.run(include_full_clinical_landscape=False)
    assert two_documents.asked == []
    assert data.clinical_basis.status == "local"


def test_unknown_target_is_not_asked_for(bench: Bench) -> None:
    assert bench.run("KRASS").clinical_basis.status == "local"
    assert bench.asked == []


@pytest.mark.parametrize("kind", ["error", "nothing", "shape"])
def test_failing_landscaping_leaves_a_labelled_partial_answer(two_documents, kind: str) -> None:
    def fail() -> object:
        if kind == "error":
            raise WorkbenchError("the sources [1] are down")
        return None if kind == "nothing" else {"drugs": [{"drug_name": 1}]}

    two_documents.landscape = fail
    data = two_documents.run()
    assert data.clinical_basis.status == "partial"
    (warning,) = [text for text in data.warnings if text.startswith("landscape_unavailable")]
    assert "local evidence alone" in warning
    assert len(data.compounds) == 9
    plain = json.loads(data.model_dump_json())
    assert loose_citations(plain) == []
    assert wrong_warnings(plain) == []


@pytest.mark.parametrize("failure", [RunCancelled("ended"), OutOfMemory("too much")])
def test_what_ends_a_run_ends_this_one_too(two_documents: Bench, failure: WorkbenchError) -> None:
    def fail() -> object:
        raise failure

    two_documents.landscape = fail
    with pytest.raises(type(failure)):
        two_documents.run()


def test_real_landscaping_answers_in_the_shape_that_is_read(two_documents: Bench) -> None:
    agent = all_agents()["competitive-landscaping"]

    def run_real() -> object:
        request = agent.request.model_validate(two_documents.asked[-1][1])
        return agent.load()(request, two_documents.context())

    two_documents.landscape = run_real
    data = two_documents.run()
    assert data.clinical_basis.status == "full"
    assert "adds no clinical compounds" in data.clinical_basis.message


@pytest.mark.skipif(shutil.which("java") is None, reason="no Java (Debian: default-jre-headless)")
def test_structure_comes_from_the_name_that_identity_holds(two_documents: Bench) -> None:
    name = [(ASPIRIN, "2-acetoxybenzoic acid")]
    two_documents.stores.identity.build(identity_rows(), name, "names with a structure")
    two_documents.landscape = lambda: answer(drug("Aspirin", drug_key=ASPIRIN))
    (row,) = two_documents.run().clinical_reference
    assert (row.smiles, row.inchikey) == ("CC(=O)Oc1ccccc1C(=O)O", "BSYNRYMUTXBXSQ-UHFFFAOYSA-N")
    assert row.nearest is not None
