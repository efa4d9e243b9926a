"""Drugs get the structure of their systematic name, in whatever form, or none."""

import shutil

import pytest

from core.chemistry.names import read_names
from core.chemistry.structures import read_structure
from core.evidence.names.identity import drug_structures
from core.evidence.names.identity.drug_structures import read_drug_structures
from core.evidence.names.identity.drugs import is_systematic
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.patents.systematic_names import (
    MOST_A_DOCUMENT,
    ReadName,
    clean_name,
    find_names,
    list_forms,
    settle,
)
from core.records.patents import PatentText
from tests.core.evidence.named_patents import draw_named, text_of
from tests.rows import over_rows

needs_java = pytest.mark.skipif(
    shutil.which("java") is None, reason="no Java (Debian: default-jre-headless)"
)
ONE, TWO, THREE = (one.name for one in draw_named(3, seed=20))


def read(*texts: PatentText, known: tuple[str, ...] = (ONE, TWO, THREE)) -> list[ReadName]:
    """Return what a reader that knows these names alone makes of texts."""
    return settle(find_names(texts), {clean_name(name): f"smiles of {name}" for name in known})


def told(*lines: str, known: tuple[str, ...] = (ONE, TWO, THREE)) -> list[tuple[str, str, str]]:
    """Return place, label and name of what a description says."""
    found = read(text_of("description", *lines), known=known)
    return [(one.location, one.label, one.name) for one in found]


@over_rows(
    ("lines", "label"),
    [
        ((f"Example 12: {ONE}",), "Example 12"),
        ((f"Example 12. {ONE}",), "Example 12"),
        ((f"EXAMPLE 12 \u2013 {ONE}",), "EXAMPLE 12"),
        (("Example 12", ONE), "Example 12"),
        (("Example 12:", f"Synthesis of {ONE} (Compound 7)"), "Example 12"),
        ((f"Compound I-3: {ONE} hydrochloride salt",), "Compound I-3"),
        ((f"Comparative Example 2 - {ONE}",), "Comparative Example 2"),
        ((f"Intermediate A-1. {ONE}. To a solution of water was added.",), "Intermediate A-1"),
    ],
)
def test_heading_gives_name_with_its_label(lines, label) -> None:
    known = (ONE, f"{ONE} hydrochloride")
    ((location, found, name),) = told(*lines, "To a solution of it was added.", known=known)
    assert (location, found) == (f"description, {label}", label)
    assert name.startswith(ONE)


@over_rows(
    "line",
    [
        "Examples 3 to 9 were made like it.",
        f"Compound 1 (2.6 g, 10 mmol), {ONE} (5.0 g, 20 mmol) and copper were loaded.",
        f"Example 4 was dissolved, and the mixture of {ONE} in ethanol was stirred for two hours.",
        f"In Example 4: {ONE}",
        f"The title product was {ONE}.",
    ],
)
def test_prose_is_no_heading(line) -> None:
    assert told(line) == []


def test_name_that_runs_over_lines_is_joined_longest_first() -> None:
    whole = "ethyl 4-(4-fluorophenyl)-1H-pyrazole-3-carboxylate"
    known = (whole, "ethyl 4-(4-fluorophenyl)")
    found = told("Example 1: ethyl 4-(4-fluoro-", "phenyl)-1H-pyra-", "zole-3-carboxylate", "A so-")
    assert found == []
    (row,) = told(
        "Example 1: ethyl 4-(4-fluoro-",
        "phenyl)-1H-pyra-",
        "zole-3-carboxylate",
        "A solution was stirred.",
        known=known,
    )
    assert row[2] == whole


def test_last_step_stands_for_an_example_without_a_name() -> None:
    found = told("Example 6", f"Step 1: {ONE}", "It was stirred.", f"Step 2: {TWO}", "It was too.")
    assert [one[:2] for one in found] == [
        ("description, Step 1 of Example 6", ""),
        ("description, Example 6, Step 2", "Example 6"),
    ]
    named = told(f"Example 6: {THREE}", f"Step 1: {ONE}", "It was stirred.", f"Step 2: {TWO}")
    assert [one[:2] for one in named] == [
        ("description, Example 6", "Example 6"),
        ("description, Step 1 of Example 6", ""),
        ("description, Step 2 of Example 6", ""),
    ]


def test_claims_are_taken_apart_by_claim_and_list() -> None:
    claims = text_of(
        "claims",
        "1. A compound of formula (I), wherein R1 is C1-6 alkyl or piperidin-1-yl.",
        f"2. The compound of claim 1, selected from the group consisting of: {ONE};",
        f"{TWO} (Compound 12); and",
        f"{THREE}, or a pharmaceutically acceptable salt thereof.",
        f"3. A method of use of {ONE}, {TWO}.",
    )
    assert [(one.location, one.label, one.name) for one in read(claims)] == [
        ("claims, claim 2", "", ONE),
        ("claims, claim 2", "Compound 12", TWO),
        ("claims, claim 2", "", THREE),
        ("claims, claim 3", "", ONE),
        ("claims, claim 3", "", TWO),
    ]


def test_locant_at_the_start_of_a_line_is_no_claim_number() -> None:
    claims = text_of("claims", "1. A compound which is", "4. not a claim", f"{ONE}.")
    assert [one.location for one in read(claims)] == ["claims, claim 4"]
    jump = text_of("claims", "1. A compound which is", "17. far off", f"{ONE}.")
    assert [one.location for one in read(jump)] == ["claims, claim 1"]


def test_index_name_counts_whole_and_not_in_pieces() -> None:
    inverted = "Benzamide, N-(4-chlorophenyl)-"
    claims = text_of("claims", f"1. The compound {inverted}.")
    (row,) = read(claims, known=(inverted, "N-(4-chlorophenyl)-"))
    assert row.name == inverted


def test_abstract_and_unknown_sections_are_not_read() -> None:
    assert read(text_of("abstract", f"Example 1: {ONE}"), text_of("", f"Example 1: {ONE}")) == []


def test_names_of_one_document_are_capped_claims_first() -> None:
    lines = [f"Example {number}: {ONE}" for number in range(1, MOST_A_DOCUMENT + 50)]
    found = find_names([text_of("description", *lines), text_of("claims", f"1. {TWO}.")])
    assert len(found) == MOST_A_DOCUMENT
    assert found[0].section == "claims"


@over_rows("text", ["(" * 5000, "1. " + "a-" * 9000, "Example 1: " + "[" * 3000, ";"])
def test_hostile_text_costs_little_and_gives_nothing(text) -> None:
    found = find_names([text_of("claims", text), text_of("description", text)])
    assert all(len(form) <= 600 for form in list_forms(found))


@needs_java
def test_every_name_of_a_drawn_document_becomes_its_structure() -> None:
    drawn = draw_named(12, seed=9)
    claims = "; ".join(one.name for one in drawn[:6])
    lines = [f"Example {place}: {one.name}" for place, one in enumerate(drawn[6:], start=1)]
    found = find_names(
        [
            text_of("claims", f"1. A compound selected from {claims}, or a salt thereof."),
            text_of("description", *lines),
        ]
    )
    read_ones = settle(found, read_names(list(list_forms(found))))
    keys = [read_structure(one.smiles).inchikey for one in read_ones]
    assert keys == [read_structure(one.smiles).inchikey for one in drawn]


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
