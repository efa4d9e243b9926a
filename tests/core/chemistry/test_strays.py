"""Dashes of a broken wedge that a structure has no bond for."""

import random

import cv2
import numpy as np
from rdkit import Chem

from core.chemistry.ink import Drawing, PlacedAtom, PlacedBond
from core.chemistry.proof import check_drawing, find_strays
from tests.core.chemistry.drawn import draw_scan

PROPANE = Drawing(
    (PlacedAtom(40, 120, ""), PlacedAtom(100, 80, ""), PlacedAtom(160, 120, "")),
    (PlacedBond(0, 1, "single"), PlacedBond(1, 2, "single")),
)
TEXT = "dashes that no bond explains"


def draw(n_dashes):
    """Return the ink of two bonds with dashes upward from the middle atom."""
    ink = np.zeros((200, 220), np.uint8)
    for bond in PROPANE.bonds:
        begin, end = (tuple(map(int, place)) for place in PROPANE.ends(bond))
        cv2.line(ink, begin, end, (255,), 3)
    for place in range(n_dashes):
        cv2.line(ink, (96 - place, 60 - 8 * place), (104 + place, 60 - 8 * place), (255,), 2)
    return ink


def test_only_a_row_of_dashes_without_a_bond_is_told():
    ((text, x, y),) = find_strays(draw(5), PROPANE)
    assert text == TEXT
    assert abs(x - 100) < 3
    assert y < 65
    atoms = (*PROPANE.atoms, PlacedAtom(100, 10, ""))
    bonds = (*PROPANE.bonds, PlacedBond(1, 3, "hash"))
    assert find_strays(draw(5), Drawing(atoms, bonds)) == []
    assert find_strays(draw(2), PROPANE) == []
    atoms = (*PROPANE.atoms[:1], PlacedAtom(100, 50, "N"), *PROPANE.atoms[2:])
    assert find_strays(draw(5), Drawing(atoms, PROPANE.bonds)) == []


def test_a_lost_methyl_on_a_broken_wedge_is_doubted():
    scan = draw_scan("C[C@H]1CN(C(=O)c2ccccc2)CCN1c1ccncc1", random.Random(4), jitter=0.0)
    broken = next(bond for bond in scan.drawing.bonds if bond.stroke == "hash")
    methyl = broken.end
    assert Chem.MolFromSmiles(scan.smiles).GetAtomWithIdx(methyl).GetDegree() == 1
    kept = [place for place in range(len(scan.drawing.atoms)) if place != methyl]
    moved = {old: new for new, old in enumerate(kept)}
    without = Drawing(
        tuple(scan.drawing.atoms[place] for place in kept),
        tuple(
            PlacedBond(moved[bond.begin], moved[bond.end], bond.stroke)
            for bond in scan.drawing.bonds
            if methyl not in (bond.begin, bond.end)
        ),
    )
    assert TEXT not in {one.text for one in check_drawing(scan.picture, scan.drawing)}
    assert TEXT in {one.text for one in check_drawing(scan.picture, without)}
