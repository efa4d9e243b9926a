"""A structure read from a picture is laid back over its ink, or not at all."""

import random

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdDepictor

from core.chemistry import evidenced
from core.chemistry.evidenced import _describe, place_drawing, read_evidenced
from core.chemistry.proof import check_drawing
from core.chemistry.recognition import Recognized
from tests.core.chemistry.drawn import Scan, draw_scan

SMILES = "CC(=O)Nc1ccc(OCC2CCNCC2)cc1"


def block_of(scan: Scan, factor: float) -> str:
    """Return a MOL block with the places of a scan, scaled and rows upward."""
    molecule = Chem.MolFromSmiles(scan.smiles)
    Chem.Kekulize(molecule, clearAromaticFlags=True)
    rdDepictor.Compute2DCoords(molecule)
    conformer = molecule.GetConformer()
    for place, atom in enumerate(scan.drawing.atoms):
        conformer.SetAtomPosition(place, (atom.x * factor, -atom.y * factor, 0.0))
    return str(Chem.MolToMolBlock(molecule))


@pytest.fixture
def scan() -> Scan:
    return draw_scan(SMILES, random.Random(4), jitter=0.0)


@pytest.mark.parametrize("factor", [0.01, 0.05, 1.0])
def test_places_are_found_whatever_the_scale(scan: Scan, factor: float) -> None:
    placed = place_drawing(scan.picture, block_of(scan, factor))
    assert placed is not None
    far = max(
        np.hypot(one.x - other.x, one.y - other.y)
        for one, other in zip(placed.atoms, scan.drawing.atoms, strict=True)
    )
    assert far < 0.25 * scan.drawing.bond_length


def test_wedges_and_hashes_of_a_block_are_expected() -> None:
    scan = draw_scan("C[C@H](O)[C@@H](F)c1ccccc1", random.Random(2), jitter=0.0)
    molecule = Chem.MolFromSmiles(scan.smiles)
    rdDepictor.Compute2DCoords(molecule)
    placed = place_drawing(scan.picture, Chem.MolToMolBlock(molecule))
    assert placed is None or {"wedge", "hash"} & {bond.stroke for bond in placed.bonds}
    strokes = [bond.stroke for bond in _describe(molecule_of(molecule)).bonds]
    assert {"wedge", "hash"} & set(strokes)


def molecule_of(molecule: Chem.Mol) -> Chem.Mol:
    """Return a molecule as it is read back from its block."""
    return Chem.MolFromMolBlock(Chem.MolToMolBlock(molecule), sanitize=False, removeHs=False)


def test_what_the_ink_does_not_explain_is_not_placed(scan: Scan) -> None:
    other = Chem.MolFromSmiles("C1CCC2(CC1)CCC1(CCCC3(CCCCC3)C1)CC2")
    rdDepictor.Compute2DCoords(other)
    placed = place_drawing(scan.picture, Chem.MolToMolBlock(other))
    assert placed is None or check_drawing(scan.picture, placed)
    white = np.full_like(scan.picture, 255)
    assert place_drawing(white, block_of(scan, 0.05)) is None


@pytest.mark.parametrize("block", ["", "no block", Chem.MolToMolBlock(Chem.MolFromSmiles("C"))])
def test_what_has_no_bond_is_not_placed(scan: Scan, block: str) -> None:
    assert place_drawing(scan.picture, block) is None


def test_proof_shows_crop_redraw_and_overlay(scan: Scan, monkeypatch) -> None:
    answer = Recognized(scan.smiles, 0.95, 1.0, False, 0.1, block_of(scan, 0.05))
    monkeypatch.setattr(evidenced, "read_picture", lambda picture: answer)
    found = read_evidenced(scan.picture)
    assert (found.smiles, found.is_checked) == (scan.smiles, True)
    assert found.picture.startswith(b"\x89PNG")


def test_picture_without_an_answer_has_no_proof(scan: Scan, monkeypatch) -> None:
    nothing = Recognized("", 0.0, 0.0, False, 0.1)
    monkeypatch.setattr(evidenced, "read_picture", lambda picture: nothing)
    found = read_evidenced(scan.picture)
    assert (found.smiles, found.probability, found.picture) == ("", 0.0, b"")
