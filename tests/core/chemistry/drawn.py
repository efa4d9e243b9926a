"""Molecules drawn with noise of a scan and known places, and ways to alter them."""

import random
from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np
from rdkit import Chem
from rdkit.Chem import rdDepictor
from rdkit.Chem.Draw import rdMolDraw2D

from core.chemistry.ink import Drawing, PlacedAtom, PlacedBond

STROKES = {
    Chem.BondType.SINGLE: "single",
    Chem.BondType.DOUBLE: "double",
    Chem.BondType.TRIPLE: "triple",
}
WEDGES = {Chem.BondDir.BEGINWEDGE: "wedge", Chem.BondDir.BEGINDASH: "hash"}
SWAPS = {"N": "OC", "O": "NS", "S": "ON", "F": ("Cl", "O"), "Cl": ("F", "Br")}
KINDS = ("order", "methyl", "hetero", "stereo")


@dataclass(frozen=True)
class Scan:
    """A picture and the structure laid over it."""

    smiles: str
    picture: np.ndarray
    drawing: Drawing


def draw_scan(smiles: str, draw: random.Random, jitter: float = 0.04) -> Scan:
    """Draw a molecule, add a scan's noise, and place its atoms a little off.

    Args:
        smiles: Of the molecule.
        draw: Source of chance.
        jitter: Standard deviation of each coordinate, in bond lengths.
    """
    molecule = Chem.MolFromSmiles(smiles)
    rdDepictor.Compute2DCoords(molecule)
    Chem.Kekulize(molecule)
    Chem.WedgeMolBonds(molecule, molecule.GetConformer())
    scale = draw.choice([26, 32, 38, 46])
    canvas = rdMolDraw2D.MolDraw2DCairo(-1, -1)
    options = canvas.drawOptions()
    options.useBWAtomPalette()
    options.scalingFactor = scale
    options.bondLineWidth = draw.choice([2.5, 3, 4]) if scale > 30 else draw.choice([2, 2.5, 3])
    options.prepareMolsBeforeDrawing = False
    options.scaleBondWidth = False
    options.fixedFontSize = int(1.5 * scale * draw.choice([0.42, 0.48, 0.54]))
    options.multipleBondOffset = draw.choice([0.13, 0.16, 0.18])
    canvas.DrawMolecule(molecule)
    canvas.FinishDrawing()
    clean = cv2.imdecode(np.frombuffer(canvas.GetDrawingText(), np.uint8), cv2.IMREAD_GRAYSCALE)
    points = [canvas.GetDrawCoords(one) for one in range(molecule.GetNumAtoms())]
    off = jitter * 1.5 * scale
    places = [(point.x + draw.gauss(0, off), point.y + draw.gauss(0, off)) for point in points]
    return Scan(smiles, _scan(clean, draw), lay_over(molecule, places))


def _scan(clean: np.ndarray, draw: random.Random) -> np.ndarray:
    chance = np.random.default_rng(draw.randrange(10**9))
    soft = cv2.GaussianBlur(clean, (0, 0), draw.uniform(0.3, 0.8)).astype(float)
    soft += chance.normal(0, 12, clean.shape)
    scan = np.where(soft > draw.uniform(120, 165), 255, 0).astype(np.uint8)
    specks = chance.random(scan.shape)
    scan[specks < 0.0006] = 0
    scan[specks > 0.9994] = 255
    return scan


def lay_over(molecule: Chem.Mol, places: list[tuple[float, float]]) -> Drawing:
    """Return a kekulized, wedged molecule with the places of its atoms."""
    atoms = []
    for atom, (x, y) in zip(molecule.GetAtoms(), places, strict=True):
        is_bare = atom.GetAtomicNum() == 6 and not atom.GetFormalCharge() and atom.GetDegree()
        atoms.append(PlacedAtom(x, y, "" if is_bare else atom.GetSymbol()))
    bonds = [
        PlacedBond(
            bond.GetBeginAtomIdx(),
            bond.GetEndAtomIdx(),
            WEDGES.get(bond.GetBondDir()) or STROKES[bond.GetBondType()],
        )
        for bond in molecule.GetBonds()
    ]
    return Drawing(tuple(atoms), tuple(bonds))


def alter(drawing: Drawing, kind: str, draw: random.Random) -> Drawing | None:
    """Return a drawing with one thing changed; None where nothing of the kind is there."""
    atoms, bonds = list(drawing.atoms), list(drawing.bonds)
    degree = Counter(end for bond in bonds for end in (bond.begin, bond.end))
    choices = {
        "order": [place for place, bond in enumerate(bonds) if bond.stroke in {"single", "double"}],
        "methyl": [
            place for place, atom in enumerate(atoms) if degree[place] == 1 and not atom.letter
        ],
        "hetero": [place for place, atom in enumerate(atoms) if atom.letter in SWAPS],
        "stereo": [place for place, bond in enumerate(bonds) if bond.stroke in {"wedge", "hash"}],
    }[kind]
    if not choices:
        return None
    place = draw.choice(choices)
    if kind == "hetero":
        atom = atoms[place]
        other = draw.choice(SWAPS[atom.letter])
        atoms[place] = PlacedAtom(atom.x, atom.y, "" if other == "C" else other)
    elif kind == "methyl":
        kept = [one for one in range(len(atoms)) if one != place]
        moved = {old: new for new, old in enumerate(kept)}
        atoms = [atoms[one] for one in kept]
        bonds = [
            PlacedBond(moved[bond.begin], moved[bond.end], bond.stroke)
            for bond in bonds
            if place not in (bond.begin, bond.end)
        ]
    else:
        bond = bonds[place]
        other = {"single": "double", "double": "single", "wedge": "hash", "hash": "wedge"}
        stroke = (
            other[bond.stroke] if kind == "order" else draw.choice([other[bond.stroke], "single"])
        )
        bonds[place] = PlacedBond(bond.begin, bond.end, stroke)
    return Drawing(tuple(atoms), tuple(bonds))
