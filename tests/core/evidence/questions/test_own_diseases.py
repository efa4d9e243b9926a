"""Diseases of our own lie before the identity pack: names, kinds, readings of names."""

from pathlib import Path

import pytest

from core.evidence.names.identity.own_diseases import OwnDiseases, disease_readings, own_key
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.diseases import Diseases
from core.records.identity import Entity, EntityName, IdentityRow, IsA
from core.records.names import fold_name
from storage.identity import IdentityStore
from tests.rows import over_rows

MONDO = {
    "MONDO:1": "cancer",
    "MONDO:2": "lung cancer",
    "MONDO:3": "heart failure",
    "MONDO:4": "urinary bladder cancer",
    "MONDO:5": "plasma cell myeloma",
}


@pytest.fixture
def pack(tmp_path: Path) -> IdentityStore:
    """Return a small pack in which lung and bladder cancer are cancers."""
    rows: list[IdentityRow] = []
    for key, label in MONDO.items():
        name = EntityName("disease", fold_name(label), key, 1, label)
        rows += [Entity("disease", key, label), name]
    rows += [IsA("disease", key, "MONDO:1") for key in ("MONDO:2", "MONDO:4", "MONDO:5")]
    store = IdentityStore(tmp_path / "identity.db")
    store.build(rows, (), "1")
    return store


def test_a_disease_that_the_pack_lacks_has_a_key_and_its_parent(pack) -> None:
    key = own_key("heart failure with preserved ejection fraction")
    assert Resolver(pack).resolve("disease", "HFpEF").key == key
    own = OwnDiseases(pack)
    assert own.ancestors("disease", key) == {"MONDO:3"}
    assert key in own.descendants("disease", "MONDO:3")
    assert own.entities("disease", [key])[key].label.endswith("ejection fraction")


def test_kinds_of_solid_tumors_are_cancers_of_organs_only(pack) -> None:
    own, solid = OwnDiseases(pack), own_key("solid tumor")
    assert {"MONDO:2", "MONDO:4"} <= own.descendants("disease", solid)
    assert "MONDO:5" not in own.descendants("disease", solid)
    assert {solid, "MONDO:1"} <= own.ancestors("disease", "MONDO:2")


def test_a_word_whose_meaning_the_pack_lacks_is_left_out(pack) -> None:
    assert Resolver(pack).resolve("disease", "Duchenne").status == "unresolved"


def test_other_kinds_of_names_pass_through(pack) -> None:
    own = OwnDiseases(pack)
    assert own.lookup("drug", ["hfpef"]) == {}
    assert own.descendants("drug", "UNII:1") == frozenset()
    assert own.version() == "1"


@over_rows(
    ("name", "reading"),
    [
        ("bladder cancers", "bladder carcinoma"),
        ("leukaemia", "leukemi"),
        ("diabetes type II", "type 2 diabetes"),
        ("Lymphoma Diffuse Large B-Cell", "Diffuse Large B-Cell Lymphoma"),
        ("Leukemia, Myeloid, Acute", "Acute Myeloid Leukemia"),
        ("cancer of the lung", "lung cancer"),
        ("Huntington's", "Huntington disease"),
    ],
)
def test_a_name_is_read_in_other_spellings(name, reading) -> None:
    assert any(one.casefold().startswith(reading.casefold()) for one in disease_readings(name))


@over_rows("name", ["bladder cancer", "Renal", "asthma", "solid"])
def test_no_reading_is_wider_than_the_name(name) -> None:
    words = {one.casefold() for one in name.split()} - {"cancer"}
    assert all(words <= set(one.casefold().split()) for one in disease_readings(name))


@pytest.mark.parametrize(
    ("conditions", "named"),
    [
        (["Metastatic Lung Cancer (MLC)"], ["lung cancer"]),
        (["Lung Cancer", "Pain"], ["lung cancer"]),
        (["Advanced Solid Tumor", "Lung Cancer"], ["lung cancer"]),
        (["11q-deleted Wumpus Cancer"], ["11q-deleted Wumpus Cancer"]),
        (["HFpEF NYHA II"], ["heart failure with preserved ejection fraction"]),
    ],
)
def test_conditions_of_a_trial_are_read_as_questions_are(pack, conditions, named) -> None:
    found = Diseases(Resolver(pack)).of_conditions(conditions)
    assert [one.name for one in found] == named
