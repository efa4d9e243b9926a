"""Structures drawn: as SVG for pages, as PNG for workbooks, as lines for charts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rdkit import Chem
from rdkit.Chem import rdDepictor
from rdkit.Chem.Draw import rdMolDraw2D

from core.chemistry.structures import parse_smiles

_OFFSET = 0.14
_SHORT = 0.78
_DOUBLE, _TRIPLE = 2.0, 3.0
_WIDE = 0.15
"""Half of the width of a wedge, in lengths of a bond."""
_STEPS = 6
_CARBON = 6


@dataclass(frozen=True, slots=True)
class Sketch:
    """A structure as lines and letters in a square from 0 to 1, rows upward.

    Attributes:
        lines: Strokes as x0, y0, x1, y1.
        letters: Labels as x, y, text.
    """

    lines: Sequence[tuple[float, float, float, float]]
    letters: Sequence[tuple[float, float, str]]


@lru_cache(maxsize=4_096)
def draw_svg(smiles: str, size: tuple[int, int] = (220, 150), pattern: str = "") -> str:
    """Return a drawing; an empty one where the text is no structure.

    Args:
        smiles: The structure.
        size: Width and height in pixels.
        pattern: SMARTS of the part that is shown in color; "" for none.
    """
    canvas = rdMolDraw2D.MolDraw2DSVG(*size)
    _draw(canvas, smiles, pattern)
    return str(canvas.GetDrawingText())


def draw_png(smiles: str, size: tuple[int, int] = (220, 150)) -> bytes:
    """Return a drawing as a picture; an empty one where the text is no structure."""
    canvas = rdMolDraw2D.MolDraw2DCairo(*size)
    _draw(canvas, smiles, "")
    return bytes(canvas.GetDrawingText())


def _draw(canvas: rdMolDraw2D.MolDraw2D, smiles: str, pattern: str) -> None:
    options = canvas.drawOptions()
    options.useBWAtomPalette()
    options.clearBackground = True
    options.bondLineWidth = 1
    options.padding = 0.06
    molecule = parse_smiles(smiles)
    if molecule is not None:
        query = Chem.MolFromSmarts(pattern) if pattern else None
        atoms = molecule.GetSubstructMatch(query) if query is not None else ()
        canvas.DrawMolecule(_place(molecule, kekulize=False), highlightAtoms=list(atoms))
    canvas.FinishDrawing()


def _place(molecule: Chem.Mol, *, kekulize: bool) -> Chem.Mol:
    """Return a copy with coordinates, wedges and the hydrogens that these need."""
    placed = Chem.Mol(molecule)
    rdDepictor.Compute2DCoords(placed, useRingTemplates=True)
    return rdMolDraw2D.PrepareMolForDrawing(placed, kekulize=kekulize)


def sketch(smiles: str) -> Sketch:
    """Return a structure as lines and letters; nothing where the text is no structure."""
    molecule = parse_smiles(smiles)
    if molecule is None:
        return Sketch((), ())
    molecule = _place(molecule, kekulize=True)
    points = [(float(x), float(y)) for x, y, _ in molecule.GetConformer().GetPositions()]
    low_x, low_y = min(x for x, _ in points), min(y for _, y in points)
    width, height = max(x for x, _ in points) - low_x, max(y for _, y in points) - low_y
    scale = max(width, height, 1.0)
    left, low = (1 - width / scale) / 2, (1 - height / scale) / 2
    placed = [((x - low_x) / scale + left, (y - low_y) / scale + low) for x, y in points]
    lines = [line for bond in molecule.GetBonds() for line in _strokes(bond, placed, 1 / scale)]
    letters = [
        (*placed[atom.GetIdx()], _label(atom))
        for atom in molecule.GetAtoms()
        if atom.GetAtomicNum() != _CARBON or atom.GetFormalCharge() or atom.GetIsotope()
    ]
    return Sketch(lines, letters)


def _strokes(
    bond: Chem.Bond, placed: Sequence[tuple[float, float]], unit: float
) -> list[tuple[float, float, float, float]]:
    """Return the strokes of a bond; the second of a double bond is shorter.

    A wedge is a fan of strokes, a hashed one strokes across; both begin at the stereocenter.
    """
    (x0, y0), (x1, y1) = placed[bond.GetBeginAtomIdx()], placed[bond.GetEndAtomIdx()]
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    if bond.GetBondDir() in {Chem.BondDir.BEGINWEDGE, Chem.BondDir.BEGINDASH}:
        wide_x, wide_y = -(y1 - y0) / length * _WIDE * unit, (x1 - x0) / length * _WIDE * unit
        steps = [step / _STEPS for step in range(_STEPS + 1)]
        if bond.GetBondDir() == Chem.BondDir.BEGINWEDGE:
            sides = [2 * step - 1 for step in steps]
            return [(x0, y0, x1 + side * wide_x, y1 + side * wide_y) for side in sides]
        return [
            (
                x0 + (x1 - x0) * step - wide_x * step,
                y0 + (y1 - y0) * step - wide_y * step,
                x0 + (x1 - x0) * step + wide_x * step,
                y0 + (y1 - y0) * step + wide_y * step,
            )
            for step in steps[1:]
        ]
    across = (-(y1 - y0) / length * _OFFSET * unit, (x1 - x0) / length * _OFFSET * unit)
    strokes = [(x0, y0, x1, y1)]
    order = bond.GetBondTypeAsDouble()
    for side in (1.0,) if order == _DOUBLE else (1.0, -1.0) if order == _TRIPLE else ():
        cut = (1 - _SHORT) / 2
        dx, dy = (x1 - x0) * cut, (y1 - y0) * cut
        ox, oy = across[0] * side, across[1] * side
        strokes.append((x0 + dx + ox, y0 + dy + oy, x1 - dx + ox, y1 - dy + oy))
    return strokes


def _label(atom: Chem.Atom) -> str:
    """Return the label of an atom: element, hydrogens, charge."""
    n_hydrogens = atom.GetTotalNumHs()
    hydrogens = "H" if n_hydrogens == 1 else f"H{n_hydrogens}" if n_hydrogens else ""
    charge = atom.GetFormalCharge()
    sign = "+" if charge > 0 else "\u2212" if charge < 0 else ""
    isotope = str(atom.GetIsotope() or "")
    return f"{isotope}{atom.GetSymbol()}{hydrogens}{sign}"
