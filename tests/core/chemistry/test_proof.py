"""Ink against structures: altered ones are told, right ones are left in peace."""

import random

import numpy as np
import pytest

from core.chemistry.ink import Drawing, PlacedAtom, PlacedBond
from core.chemistry.proof import check_drawing
from tests.core.chemistry.drawn import KINDS, alter, draw_scan

DRUGS = [
    "COc1cc2ncnc(Nc3ccc(F)c(Cl)c3)c2cc1OCCCN1CCOCC1",
    "CC(=O)Nc1ccc(O)cc1C",
    "CC(C)Cc1ccc(cc1)[C@H](C)C(=O)O",
    "Cc1sc2c(c1C)C(c1ccc(Cl)cc1)=N[C@@H](CC(=O)OC(C)(C)C)c1nnc(C)n1-2",
    "CN1CCC(c2c[nH]c3ccc(C#N)cc23)CC1",
    "C[C@@H](Oc1cc(cnc1N)-c1cnn(c1)C1CCNCC1)c1c(Cl)ccc(F)c1Cl",
    "O=C(NC1CC1)c1ccc(C)c(c1)-c1ccc(cn1)C(=O)NCC(C)(C)C",
    "C[C@H](N)C(=O)N1CCC[C@H]1C(=O)Nc1ccc2ccccc2c1",
]


def test_right_structures_raise_few_doubts():
    draw = random.Random(11)
    doubted = [
        smiles
        for smiles in DRUGS * 5
        if check_drawing((scan := draw_scan(smiles, draw)).picture, scan.drawing)
    ]
    assert len(doubted) <= 2


@pytest.mark.parametrize(("kind", "least"), list(zip(KINDS, (18, 18, 9, 18), strict=True)))
def test_altered_structures_are_doubted(kind, least):
    draw = random.Random(12)
    n_altered = n_caught = 0
    while n_altered < 20:
        scan = draw_scan(draw.choice(DRUGS), draw)
        altered = alter(scan.drawing, kind, draw)
        if altered is None:
            continue
        n_altered += 1
        n_caught += bool(check_drawing(scan.picture, altered))
    assert n_caught >= least


def test_structures_without_ink_are_doubted_and_without_bonds_borne():
    atoms = tuple(PlacedAtom(50 + 40 * n, 60 + 20 * (n % 2), "") for n in range(4))
    bonds = tuple(PlacedBond(n, n + 1, "single") for n in range(3))
    doubts = check_drawing(np.full((120, 250), 255, np.uint8), Drawing(atoms, bonds))
    assert [one.text for one in doubts] == ["single bond expected, none drawn"] * 3
    assert Drawing((PlacedAtom(1, 1, "O"),), ()).bond_length == 0
    check_drawing(np.full((50, 50), 255, np.uint8), Drawing((PlacedAtom(20, 20, "O"),), ()))
