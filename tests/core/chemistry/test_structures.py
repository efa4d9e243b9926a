"""Strings of sources become molecules, or a reason why they do not count."""

import pytest

from core.chemistry.structures import describe_properties, find_scaffold, read_structure
from tests.rows import over_rows

GEFITINIB = "COc1cc2ncnc(Nc3ccc(F)c(Cl)c3)c2cc1OCCCN1CCOCC1"


def test_salts_stereo_and_labels_come_to_one_parent():
    base = read_structure(GEFITINIB)
    for salt in (f"Cl.{GEFITINIB}", "COc1cc2ncnc(Nc3ccc(F)c(Cl)c3)c2cc1OCCC[NH+]1CCOCC1.[Cl-]"):
        assert read_structure(salt).inchikey == base.inchikey
    left, right = (read_structure(f"C[{sign}H](N)c1ccc2ccccc2c1") for sign in ("C@", "C@@"))
    assert left.verdict == right.verdict == "molecule"
    assert left.inchikey != right.inchikey
    assert left.skeleton == right.skeleton
    assert read_structure(f"{GEFITINIB} |$;;R$|") == read_structure(GEFITINIB)


@over_rows(
    ("text", "verdict"),
    [
        ("", "unreadable"),
        ("no structure", "unreadable"),
        ("C" * 5000, "unreadable"),
        ("C" * 300, "unreadable"),
        ("c1ccccc1[*:1] |$;;;;;;R1$|", "generic"),
        ("*c1ccc(-c2ccccc2)cc1", "generic"),
        ("CCO", "small"),
        ("[Pd]", "small"),
        (GEFITINIB, "molecule"),
    ],
)
def test_each_string_is_judged(text, verdict):
    assert read_structure(text).verdict == verdict


def test_reagents_scaffold_and_properties():
    ligand = "CC1(C)c2cccc(P(c3ccccc3)c3ccccc3)c2Oc2c(P(c3ccccc3)c3ccccc3)cccc21"
    key = read_structure(ligand).inchikey
    assert read_structure(ligand, frozenset({key})).verdict == "reagent"
    assert find_scaffold(GEFITINIB) == "c1ccc(Nc2ncnc3ccc(OCCCN4CCOCC4)cc23)cc1"
    assert find_scaffold("CCCCO") == ""
    found = describe_properties(GEFITINIB)
    assert found is not None
    assert found.molecular_weight == pytest.approx(446.91)
    assert (found.hbd, found.hba, found.rotors) == (1, 7, 8)
    assert describe_properties("nothing") is None
