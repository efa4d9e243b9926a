"""Drugs get the structure of their systematic name, or none."""

import pytest

from core.evidence.names.identity import drug_structures
from core.evidence.names.identity.drug_structures import read_drug_structures
from core.evidence.names.identity.drugs import is_systematic
from core.evidence.names.identity.resolver import Resolver
from tests.rows import over_rows

OSIMERTINIB = "C=CC(=O)Nc1cc(Nc2nccc(-c3cn(C)c4ccccc34)n2)c(OC)cc1N(C)CCN(C)C"


@over_rows(
    ("name", "expected"),
    [
        ("4-QUINAZOLINAMINE, N-(3-CHLORO-4-FLUOROPHENYL)-7-METHOXY-6-(PROPOXY)-", True),
        ("BENZAMIDE, 4-((4-METHYL-1-PIPERAZINYL)METHYL)-N-(4-METHYL-3-(PHENYL)-", False),
        ("GEFITINIB [EMA EPAR]", False),
        ("INSULIN HUMAN (RDNA ORIGIN)", False),
        ("POLYSORBATE 80", False),
    ],
)
def test_systematic_names_are_told_by_locants_and_brackets(name, expected):
    assert is_systematic(name) is expected


@pytest.mark.reference
@pytest.mark.xdist_group("reference")
def test_drugs_are_drawn_from_the_names_of_the_pack(held, monkeypatch):
    asked: list[str] = []

    def read(names):
        asked.extend(names)
        return dict.fromkeys(names, OSIMERTINIB)

    monkeypatch.setattr(drug_structures, "read_names", read)
    resolver = Resolver(held.identity, held.learned_names)
    osimertinib, humira, nothing = read_drug_structures(
        ["Tagrisso", "Humira", "no such drug"], resolver, held.identity
    )
    assert osimertinib.drug == "osimertinib"
    assert osimertinib.inchikey == "DUYJMQONPNNFPI-UHFFFAOYSA-N"
    assert osimertinib.systematic_name in asked
    assert (humira.drug, humira.smiles) == ("adalimumab", "")
    assert (nothing.drug, nothing.key, nothing.smiles) == ("", "", "")


WRONG, RIGHT, FLAT = "wrong name", "right name", "flat name"
DRAWN = {
    WRONG: "CC(C)CN1CCC(C(N)=O)CC1",
    RIGHT: "C[C@H](N)C(=O)Nc1ccccc1Cl",
    FLAT: "CC(N)C(=O)Nc1ccccc1Cl",
    "salt": "C[C@H](N)C(=O)Nc1ccccc1Cl.Cl",
}


@over_rows(
    ("names", "expected"),
    [
        ([WRONG, RIGHT, FLAT], RIGHT),
        ([WRONG, FLAT, RIGHT, "salt"], RIGHT),
        ([WRONG, RIGHT], WRONG),
        ([FLAT, RIGHT], FLAT),
        (["unread", RIGHT], RIGHT),
        (["unread"], ""),
        ([], ""),
    ],
)
def test_the_names_of_a_drug_vote_on_its_structure(names, expected):
    name, structure = drug_structures.choose_structure(names, DRAWN)
    assert name == expected
    assert bool(structure.smiles) is bool(expected)
    assert "Cl." not in structure.smiles


MISREAD = "5-((4-((2,3-DIMETHYL-2H-INDAZOL-6-YL)METHYLAMINO)-2-PYRIMIDINYL)AMINO)-2-METHYL-"
SOUND = "N-(2-((2-(DIMETHYLAMINO)ETHYL)METHYLAMINO)-4-METHOXYPHENYL)-2-PROPENAMIDE"


@over_rows(("name", "counts"), [(MISREAD, False), (SOUND, True)])
def test_a_name_that_is_drawn_wrongly_has_no_vote(name, counts):
    told, structure = drug_structures.choose_structure([name], {name: DRAWN[RIGHT]})
    assert bool(told) is bool(structure.smiles) is counts


class Registers:
    """The names of registers, as far as these tests ask for them."""

    def systematic_names(self, key: str) -> list[str]:
        return ["PROPANAMIDE, .ALPHA.-AMINO-N-(2-CHLOROPHENYL)-"] if key else []


def test_a_curators_name_decides_and_the_registers_tell_the_rest():
    own = drug_structures.read_systematic_names("UNII:1", Registers(), "Lovastatin")  # type: ignore[arg-type]
    assert len(own) == 1
    assert own[0].endswith("methylbutanoate")
    held = drug_structures.read_systematic_names("UNII:1", Registers(), "a drug")  # type: ignore[arg-type]
    assert held == ("PROPANAMIDE, alpha-AMINO-N-(2-CHLOROPHENYL)-",)
