"""ChemDraw and MOL files: what is a compound, and what is only drawn beside one."""

import os
from pathlib import Path

import pytest
from rdkit import Chem

from core.chemistry.chemdraw import read_block, read_drawing
from tests.rows import over_rows

FOLDER = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "patents" / "cdx"
needs_files = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference data at {FOLDER}")
BIPHENYL = "Cc1ccc(-c2ccccc2)cc1"


def read(name: str):
    return read_drawing((FOLDER / f"{name}.cdx").read_bytes())


@needs_files
@pytest.mark.reference
def test_every_file_is_read_without_a_crash():
    names = sorted(path.stem for path in FOLDER.glob("*.cdx"))
    assert len(names) == 58
    empty = [name for name in names if not read(name)]
    assert empty == ["ferrocene", "testcase-ringe-simple"]


@needs_files
@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("simple_reaction", "reaction"),
        ("diagonal_reactant_off", "reaction"),
        ("Sgroups_SRU 02", "bracketed"),
        ("multipleGroups", "bracketed"),
        ("nicknames", "molecule"),
    ],
)
def test_reactions_and_brackets_are_told_apart(name, part):
    assert {drawn.part for drawn in read(name)} == {part}


@needs_files
@pytest.mark.reference
def test_nothing_generic_is_a_molecule():
    drawn = [
        one for path in sorted(FOLDER.glob("*.cdx")) for one in read_drawing(path.read_bytes())
    ]
    molecules = [each for each in drawn if each.structure.verdict == "molecule"]
    assert molecules
    assert all("*" not in each.structure.smiles for each in molecules)


def test_mol_files_are_read():
    block = Chem.MolToMolBlock(Chem.MolFromSmiles(BIPHENYL))
    (drawn,) = read_drawing(block.encode())
    assert (drawn.part, drawn.structure.verdict) == ("molecule", "molecule")
    assert drawn.structure.smiles == BIPHENYL
    assert len(read_drawing((block + "$$$$\n" + block + "$$$$\n").encode())) == 2


@over_rows(
    "content",
    [
        b"",
        b"VjCD0100",
        b"VjCD0100" + bytes(range(256)) * 40,
        b"<?xml version='1.0'?><CDXML>",
        b"\xff\xfe",
    ],
)
def test_damaged_files_hold_nothing(content):
    assert read_drawing(content) == ()


def test_block_is_read_as_one_whatever_it_begins_with() -> None:
    block = Chem.MolToMolBlock(Chem.MolFromSmiles("CC(=O)Nc1ccc(C(=O)O)cc1"))
    assert [one.verdict for one in read_block(block)] == ["molecule"]
    assert len(read_block(block + "$$$$\n" + block)) == 2
    posing = '<?xml version="1.0"?><CDXML><page></page></CDXML>M  END'
    assert read_block(posing) == ()
    assert read_block("VjCD0100\x04\x03\x02\x01 M  END") == ()
