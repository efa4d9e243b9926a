"""Series, matched pairs, matches, searches, generic drawings, lists and drawings of compounds."""

import pytest
from rdkit import Chem

from core.chemistry import libraries
from core.chemistry.drawing import draw_png, draw_svg, sketch
from core.chemistry.generic_cores import fits_generic
from core.chemistry.libraries import find_formula, match_key, read_library
from core.chemistry.series import find_changes, take_apart
from core.chemistry.similarity import read_query, search
from core.chemistry.structures import read_structure
from core.errors import InvalidInput, UnreadableTable
from tests.rows import over_rows

BIPHENYL = "c1ccc(-c2ccccc2)cc1"
MEMBERS = ("Fc1ccc(-c2ccccc2)cc1", "Clc1ccc(-c2ccccc2)cc1", "Cc1ccc(-c2ccc(O)cc2)cc1")


def test_a_series_is_taken_apart_and_single_changes_are_pairs() -> None:
    found = take_apart(BIPHENYL, MEMBERS)
    assert found.members == (0, 1, 2)
    assert Chem.MolFromSmiles(found.core) is not None
    groups = [{group.split("[*:")[0] for group in row.values()} - {"[H]"} for row in found.rows]
    assert groups[0] == {"F"}
    assert groups[2] == {"C", "O"}
    found = find_changes(MEMBERS)
    assert [(one.first, one.second) for one in found] == [(0, 1)]
    assert {found[0].first_group, found[0].second_group} == {"F[*:1]", "Cl[*:1]"}
    assert "[*:1]" in found[0].constant
    assert find_changes(["x", "Fc1ccc(-c2ccccc2)cc1"]) == []


@over_rows("scaffold", ["", "not a structure", "C1CCNCC1"])
def test_scaffold_that_does_not_fit_gives_no_groups(scaffold: str) -> None:
    assert take_apart(scaffold, MEMBERS).rows == ()


@over_rows(
    ("one", "other", "modes"),
    [
        ("C[C@H](N)c1ccccc1", "C[C@@H](N)c1ccccc1", {"stereo"}),
        ("O=C1CCCCC1c1ccccc1", "OC1=C(CCCC1)c1ccccc1", {"tautomer"}),
        ("CCO", "CCN", set()),
    ],
)
def test_modes_say_what_is_the_same(one: str, other: str, modes: set[str]) -> None:
    first, second = read_structure(one), read_structure(other)
    same = {
        mode
        for mode in ("exact", "stereo", "tautomer")
        if match_key(first, mode) == match_key(second, mode)
    }
    assert same == modes


def test_nothing_matches_what_is_no_structure() -> None:
    assert match_key(read_structure("x"), "tautomer") == ""
    assert find_formula("x") == ""


@over_rows(
    ("text", "is_like", "places"),
    [("c1ccccc1F", False, [0]), ("[OH]c", False, [2]), ("Fc1ccc(-c2ccccc2)cc1", True, [0, 1])],
)
def test_search_finds_parts_and_likeness(text: str, is_like: bool, places: list[int]) -> None:
    assert search(read_query(text, is_like=is_like), MEMBERS) == places


@over_rows("text", ["", "c1cc", "C" * 401, "((((", "C" * 200])
def test_question_that_is_no_structure_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_query(text, is_like=False)


@over_rows(
    ("generic", "fits"),
    [
        ("[*:1]c1ccc(-c2ccccc2)cc1", True),
        ("[*:1]c1ccc(-c2ccc*c2)cc1", True),
        ("[1CH3]c1ccc(-c2ccccc2)cc1", True),
        ("[*:1]c1ccc(-c2ccncc2)cc1", False),
        ("[*:1]c1ccccc1", False),
        ("CCCCCCCCCC[*:1]", False),
        ("*", False),
        ("x", False),
    ],
)
def test_molecule_fits_a_generic_drawing_by_its_fixed_part(generic: str, fits: bool) -> None:
    assert fits_generic(generic, MEMBERS[0]) == fits


def test_list_beyond_the_cap_is_cut(monkeypatch) -> None:
    monkeypatch.setattr(libraries, "MOST_COMPOUNDS", 2)
    found = read_library(b"CCO\nCCN\nCCC\n")
    assert (len(found.entries), found.is_cut) == (2, True)


def test_names_and_separators_of_tables_are_found() -> None:
    found = read_library("\ufeffID;SMILES;x\nA 1;CCO;2\n;CCN;3\n".encode())
    assert [(one.name, one.smiles) for one in found.entries] == [("A 1", "CCO"), ("row 2", "CCN")]


@over_rows("content", [b"PK\x03\x04\x00\x00", b"id,smiles_x\n1,CCO\n"])
def test_what_is_no_list_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableTable):
        read_library(content)


def test_too_large_a_list_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(libraries, "LARGEST_FILE", 3)
    with pytest.raises(UnreadableTable, match="larger"):
        read_library(b"CCO\n")


def test_too_large_a_record_of_an_sdf_is_unreadable() -> None:
    block = Chem.MolToMolBlock(Chem.MolFromSmiles("C" * 300))
    (one,) = read_library(f"big{block}$$$$\n".encode()).entries
    assert (one.name, one.smiles) == ("big", "")


def test_drawings_lie_in_their_square_and_exist_of_nothing() -> None:
    assert draw_png(MEMBERS[0]).startswith(b"\x89PNG")
    assert "<svg" in draw_svg("not a structure")
    assert sketch("x").lines == ()
    found = sketch("O=C([O-])c1ccc(C#N)cc1")
    values = [value for line in found.lines for value in line]
    assert min(values) > -0.1
    assert max(values) < 1.1
    assert {text for _, _, text in found.letters} == {"O", "O\u2212", "N"}


def test_stereo_is_drawn_as_wedges_that_tell_the_hands_apart() -> None:
    flat, right, left = (
        sketch(f"C{center}(c1ccccc1)C(=O)N") for center in ("C(N)", "[C@](N)", "[C@@](N)")
    )
    assert len(flat.lines) < len(right.lines)
    assert len(flat.lines) < len(left.lines)
    assert right.lines != left.lines
    assert all(-0.1 < value < 1.1 for line in (*right.lines, *left.lines) for value in line)
