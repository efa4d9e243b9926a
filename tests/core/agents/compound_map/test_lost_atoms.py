"""Heteroatoms lost to carbon: no such structure is sure, and none makes another compound new."""

import pytest

from core.chemistry.lost_labels import blind_key
from core.chemistry.structures import read_structure
from core.knowledge.drug_structures import DrugStructureRow, drugs_by_skeleton
from core.vocabulary.tables import load_rows
from tests.core.agents.compound_map.conftest import KINASE_LIKE, Bench, document, drawn
from tests.core.agents.compound_map.test_own import send

NUMBER = "US1000001B2"
TOFACITINIB = "C[C@@H]1CCN(C(=O)CC#N)C[C@@H]1N(C)c1ncnc2[nH]ccc12"
LOST = {
    "tofacitinib": "C#CCC(=O)N1CC[C@@H](C)[C@@H](N(C)c2ncnc3[nH]ccc23)C1",
    "ruxolitinib": "C#CC[C@H](C1CCCC1)n1cc(-c2ncnc3[nH]ccc23)cn1",
    "fedratinib": "Cc1ccc(Nc2ccc(OCCN3CCCC3)cc2)nc1Nc1cccc(S(=O)(=O)NC(C)(C)C)c1",
    "filgotinib": "O=C(Cc1nc2cccc(-c3ccc(CN4CCS(=O)(=O)CC4)cc3)n2n1)C1CC1",
    "berzosertib": "CCCc1ccc(-c2cc(-c3nc(-c4ccc(S(=O)(=O)C(C)C)cc4)cnc3N)on2)cc1",
    "ceralasertib": "CC1COCCN1c1cc(C2(S(C)(=N)=O)CC2)nc(-c2ccnc3c2C=CC3)n1",
    "elimusertib": "C[C@@H]1COCCN1c1cc(-c2ccnn2C)c2ccnc(C3=CC=NC3)c2n1",
}
"""Drugs as the weekly files of 2024 deliver them (US11931412B2, US12042498B2, US11976334B2)."""
AMIDE, KETONE = KINASE_LIKE[0], "Cc1ccc(CC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1"


def hold(bench: Bench, *texts: str) -> None:
    bench.pool.add(document(NUMBER), drawn(NUMBER, "description", *texts))


@pytest.mark.parametrize("drug", LOST)
def test_a_drug_whose_heteroatoms_are_lost_is_not_sure(bench: Bench, drug: str) -> None:
    hold(bench, LOST[drug])
    data = bench.run()
    (one,) = data.compounds
    assert (data.n_sure, one.confidence) == (0, "low")
    assert f"has carbons where {drug} has heteroatoms" in one.doubts
    assert one.repair is not None
    assert (one.repair.name, one.smiles) == (drug, read_structure(LOST[drug]).smiles)
    assert "in place of" in one.repair.reason


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        (KETONE, 2),
        ("CC(F)(F)c1ccc(-c2ccc(C(=O)NC3CC3)cc2)cc1", 1),
        ("C=S(C)(=O)c1ccc(-c2ccc(C(=O)NC3CC3)cc2)cc1", 1),
        ("C#CCC(=O)N1CCC(c2ccc(F)cc2)CC1", 1),
        ("C1=NCC(c2ccc(-c3ccc(F)cc3)cc2)=C1", 1),
        ("C1=CC(c2ccc(-c3ccc(F)cc3)cc2)=NC1", 1),
        ("C1=Cc2ccc(C(=O)Nc3ccc(F)cc3)cc2C1", 1),
        (AMIDE, 0),
    ],
)
def test_signs_and_siblings_speak_against_a_structure(bench: Bench, text: str, doubts: int) -> None:
    hold(bench, text, *{AMIDE, text} - {text})
    one = next(one for one in bench.run().compounds if one.smiles == read_structure(text).smiles)
    assert (len(one.doubts), one.confidence) == (doubts, "low" if doubts else "medium")


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        (TOFACITINIB, "tofacitinib"),
        (TOFACITINIB.replace("@", ""), "tofacitinib, but for stereo or isotopes"),
    ],
)
def test_a_known_drug_confirms_its_own_drawing(bench: Bench, text: str, drug: str) -> None:
    hold(bench, text, AMIDE)
    data = bench.run()
    sure = {one.smiles: one.witnesses for one in data.compounds if one.confidence_score >= 95}
    assert sure == {read_structure(text).smiles: ["drawing", f"known drug: {drug}"]}
    assert "confirms 1 structure; 1 is a single reading" in " ".join(data.summary)


@pytest.mark.parametrize(
    ("own", "is_new", "finding"),
    [
        (TOFACITINIB, False, "drawn with carbons in place of its heteroatoms"),
        (AMIDE, True, "no match in 1 document published 2024-05-07 to 2024-05-07"),
    ],
)
def test_an_own_compound_is_not_called_new_where_its_skeleton_is_drawn(
    bench: Bench, own: str, is_new: bool, finding: str
) -> None:
    hold(bench, LOST["tofacitinib"])
    (one,) = bench.run(compounds_file_id=send(bench, f"name,smiles\nmine,{own}\n")).own_compounds
    assert (one.is_new, one.match) == (is_new, "")
    assert finding in one.finding


def test_the_table_of_drugs_fits_the_reader() -> None:
    rows = load_rows("drug_structures", DrugStructureRow)[::97]
    for row in rows:
        structure = read_structure(row.smiles)
        assert (structure.smiles, structure.inchikey) == (row.smiles, row.inchikey)
        assert row.graph in {"", blind_key(row.smiles)}
    assert len(drugs_by_skeleton()) > 4_000
