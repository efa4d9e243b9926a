"""Roles: headings, claims, pieces, groups that never stay, size."""

from core.agents.compound_map.ranking import find_roles, read_heading
from core.agents.compound_map.reading import Delivered, Reader
from core.agents.compound_map.trust import read_marks
from core.chemistry.keeping import Notebook
from core.records.patents import RawStructure
from tests.rows import over_rows

WHOLE = tuple(f"O=C(Nc1ccc(CN2CCN({'C' * n})CC2)cc1)c1ccc2[nH]ncc2c1" for n in range(1, 6))
BOC = "CC(C)(C)OC(=O)N1CCN(Cc2ccc(NC(=O)c3ccc4[nH]ncc4c3)cc2)CC1"


def roles_of(
    *rows: tuple[str, str, str], processes: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return roles by text of (text, section, location)."""
    reader = Reader({})
    delivered = [
        Delivered(RawStructure("US1B2", text, section, location, "", "cdx"))
        for text, section, location in rows
    ]
    reader.read(delivered)
    molecules = reader.finish().molecules
    played = find_roles(molecules, read_marks(molecules, Notebook()), processes)
    return {one.places[0].raw.text: role.role for one, role in zip(molecules, played, strict=True)}


CLAIMED = tuple((text, "claims", "claims") for text in WHOLE[:4])


@over_rows(
    ("said", "role"),
    [
        ("description, Example 12", "example"),
        ("description, Compound No. 7", "example"),
        ("description, Intermediate 3 of Example 12", "intermediate"),
        ("description, Preparation 4", "intermediate"),
        ("description, Comparative Example 2", "comparator"),
        ("description, Reference Compound A", "comparator"),
    ],
)
def test_heading_tells_the_role(said: str, role: str) -> None:
    found = read_heading(said)
    assert found is not None
    assert found.role == role


@over_rows("said", ["description", "claims", "page 13", "without an exam"])
def test_other_places_tell_no_role(said: str) -> None:
    assert read_heading(said) is None


def test_heading_then_size_and_likeness_to_the_claims_give_the_role() -> None:
    found = roles_of(*CLAIMED, (WHOLE[4], "description", "description, Intermediate 5"))
    assert found[WHOLE[4]] == "intermediate"
    found = roles_of(*CLAIMED, (WHOLE[4], "description", "description"))
    assert (found[WHOLE[4]], found[WHOLE[0]]) == ("example", "claimed_example")
    small = "Nc1ccc(CN2CCNCC2)cc1"
    found = roles_of(*CLAIMED, (small, "description", "description"))
    assert found[small] == "intermediate"
    assert roles_of(*CLAIMED, (small, "claims", "claims"))[small] == "intermediate"
    other = "CC(C)CC1OC(=O)C(C(C)CC)OC(=O)C(CC(C)C)OC(=O)C(C)OC1=O"
    found = roles_of(*CLAIMED, (other, "description", "description"))
    assert found[other] == "comparator"
    assert roles_of(*CLAIMED[:2], (other, "description", "description"))[other] == "example"


def test_protecting_groups_make_an_intermediate() -> None:
    assert roles_of(*CLAIMED, (BOC, "description", "description"))[BOC] == "intermediate"
    other = BOC.replace("Cc2ccc(N", "Cc2cc(F)c(N")
    kept = roles_of(*CLAIMED, (BOC, "claims", "claims"), (other, "description", "description"))
    assert (kept[BOC], kept[other]) == ("claimed_example", "example")
    found = roles_of((ACETONIDE, "description", ""), (DIOL, "description", ""))
    assert (found[ACETONIDE], found[DIOL]) == ("intermediate", "example")


@over_rows(
    "text",
    [
        "CC(C)(C)c1c(O)cccc1F |w:1.0,1.1|",
        "C=CC(=O)N1CCN(C(C)C)CC1 |w:9.8,8.9|",
        "Cc1ccc(CCN([2CH3])C=O)cc1F",
    ],
)
def test_open_end_makes_a_piece(text: str) -> None:
    assert roles_of(*CLAIMED, (text, "claims", "claims"))[text] == "piece"


@over_rows(
    "text",
    [
        "CC(O)c1ccc(CN2CCNCC2)cc1 |w:1.0|",
        "[13CH3]c1ccc(CN2CCNCC2)cc1",
        "CC(O)C(C)c1ccc(CN2CCNCC2)cc1 |w:1.0,3.2|",
    ],
)
def test_stereo_left_open_and_real_isotopes_make_no_piece(text: str) -> None:
    assert roles_of(*CLAIMED, (text, "claims", "claims"))[text] != "piece"


ACETONIDE = "CC1(C)O[C@@H]2[C@@H](CCc3ccn4ccnc4c3)C[C@@H](n3ccc4c(N)ncnc43)[C@@H]2O1"
DIOL = "Nc1ncnc2c1ccn2[C@@H]1C[C@H](CCc2ccn3ccnc3c2)[C@@H](O)[C@H]1O"


def test_steps_in_the_claims_of_a_process_do_not_lead() -> None:
    small, step = "Nc1ccc(CN2CCNCC2)cc1", BOC
    found = roles_of(
        *CLAIMED[:2],
        (small, "claims", "claims"),
        (step, "claims", "claims"),
        processes=frozenset({"US1B2"}),
    )
    assert (found[small], found[step]) == ("intermediate", "intermediate")
    assert found[WHOLE[0]] == "claimed_example"


@over_rows(
    "text",
    [
        "O=C(Nc1ccc(CN2CCN(CCOS(C)(=O)=O)CC2)cc1)c1ccc2[nH]ncc2c1",
        "O=C(Nc1ccc(CN2CCN(CC3CCC(OC(=O)Oc4ccccc4)C3)CC2)cc1)c1ccc2[nH]ncc2c1",
    ],
)
def test_a_claimed_compound_with_a_leaving_group_is_no_end_product(text: str) -> None:
    assert roles_of(*CLAIMED, (text, "claims", "claims"))[text] == "intermediate"
    mostly = [(text, "claims", "claims"), (text.replace("Nc1", "N(C)c1"), "claims", "claims")]
    assert roles_of(*mostly)[text] == "claimed_example"
