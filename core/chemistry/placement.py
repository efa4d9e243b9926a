"""A structure read from a picture, laid back over it: scale and place are fitted to the ink."""

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
from rdkit import Chem

from core.chemistry.ink import Drawing, PlacedAtom, PlacedBond, Stroke, read_ink
from core.chemistry.labels import drop_captions
from core.chemistry.lettering import drop_small
from core.chemistry.segmentation import Image, measure_text

FloatArray = npt.NDArray[np.float64]
_CARBON = 6
_ALONG = np.linspace(0.15, 0.85, 9)
_FAR = 0.35
"""Distance to ink that counts as a miss, in bond lengths."""
_ROUNDS = ((0.24, 9, 0.30, 9), (0.06, 7, 0.09, 7), (0.015, 5, 0.025, 5))
"""Reach of scale (share), its steps, reach of the move (bond lengths), its steps."""
WORST_FIT = 0.45
"""Mean miss above which a structure is not laid over its picture."""
_LINES = 0.3
"""Side of a piece of ink, as a share of the largest one's, from which on it is line art."""
_APART = 2.0
"""Heights of a letter that part two groups."""
_STEREO = "_MolFileBondStereo"
_STROKES: dict[str, Stroke] = {"1": "wedge", "6": "hash"}
"""Marks of a MOL block; a molecule that is not sanitized has no directions of bonds yet."""
_ORDERS: dict[float, Stroke] = {2.0: "double", 3.0: "triple"}


def place_drawing(picture: Image, block: str) -> Drawing | None:
    """Return a structure with places in its picture; None where it does not lie over the ink.

    Args:
        picture: Gray values.
        block: MOL block whose coordinates are a scaled copy of the picture's, rows upward.
    """
    molecule = Chem.MolFromMolBlock(block, sanitize=False, removeHs=False)
    if molecule is None or molecule.GetNumBonds() == 0:
        return None
    bare = _describe(molecule)
    points = np.array([(atom.x, atom.y) for atom in bare.atoms])
    span = points.max(axis=0) - points.min(axis=0)
    ink = _drop_text(read_ink(picture))
    if not ink.any() or span.max() <= 0:
        return None
    axis = int(span.argmax())
    fits = []
    for image in (ink, _keep_lines(ink), _keep_largest(ink)):
        rows, columns = np.nonzero(image)
        box = np.array([columns.min(), rows.min(), columns.max(), rows.max()], dtype=np.float64)
        scale = float((box[2 + axis] - box[axis]) / span[axis])
        fits.append(_fit(ink, bare, points, scale, (box[:2] + box[2:]) / 2))
    miss, fitted = min(fits, key=lambda fit: fit[0])
    return None if miss > WORST_FIT else _move(bare, fitted)


def _drop_text(ink: Image) -> Image:
    """Return the ink without specks and captions, which would set a wrong scale."""
    clean = drop_small(ink)
    return drop_captions(clean, measure_text(clean))


def _keep_lines(ink: Image) -> Image:
    """Return the ink that is neither letter nor sign: what is large beside the rest."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    sides = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    sides[0] = 0
    return np.where((sides >= _LINES * sides.max())[labels], ink, 0).astype(np.uint8)


def _describe(molecule: Chem.Mol) -> Drawing:
    """Return atoms and bonds as drawn, rows downward; explicit hydrogens are left out."""
    places = molecule.GetConformer().GetPositions()
    heavy_atoms = [atom for atom in molecule.GetAtoms() if atom.GetAtomicNum() != 1]
    number = {atom.GetIdx(): index for index, atom in enumerate(heavy_atoms)}
    atoms = tuple(
        PlacedAtom(
            float(places[atom.GetIdx()][0]),
            -float(places[atom.GetIdx()][1]),
            "" if atom.GetAtomicNum() == _CARBON else atom.GetSymbol(),
        )
        for atom in heavy_atoms
    )
    bonds = tuple(
        PlacedBond(number[bond.GetBeginAtomIdx()], number[bond.GetEndAtomIdx()], _stroke(bond))
        for bond in molecule.GetBonds()
        if bond.GetBeginAtomIdx() in number and bond.GetEndAtomIdx() in number
    )
    return Drawing(atoms, bonds)


def _stroke(bond: Chem.Bond) -> Stroke:
    order = _ORDERS.get(bond.GetBondTypeAsDouble(), "single")
    mark = bond.GetProp(_STEREO) if bond.HasProp(_STEREO) else ""
    return _STROKES.get(mark, order)


def _keep_largest(ink: Image) -> Image:
    """Return the group of pieces that holds the most ink: a number far beside it is left out."""
    reach = max(3, int(_APART * measure_text(ink))) | 1
    wide = cv2.dilate(ink, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
    _, groups = cv2.connectedComponents(wide)
    most = int(np.bincount(groups[ink > 0]).argmax())
    return np.where(groups == most, ink, 0).astype(np.uint8)


def _fit(
    ink: Image, bare: Drawing, points: FloatArray, scale: float, middle: FloatArray
) -> tuple[float, FloatArray]:
    """Return the miss and the points in the picture, by a search that narrows in three rounds."""
    if not bare.bonds:
        return 1.0, points
    center = (points.max(axis=0) + points.min(axis=0)) / 2
    begins = points[[bond.begin for bond in bare.bonds]] - center
    ends = points[[bond.end for bond in bare.bonds]] - center
    along = begins[:, None] + _ALONG[None, :, None] * (ends - begins)[:, None]
    samples = along.reshape(-1, 2)
    far = _FAR * bare.bond_length * scale
    away = cv2.distanceTransform(cv2.bitwise_not(ink), cv2.DIST_L2, 3)
    misses = np.minimum(np.asarray(away, dtype=np.float64) / max(far, 1.0), 1.0)
    best = (_miss(misses, samples * scale + middle), scale, middle)
    for reach, steps, shift, moves in _ROUNDS:
        length = bare.bond_length * scale
        _, first_scale, first_middle = best
        for factor in np.linspace(1 - reach, 1 + reach, steps):
            sized = samples * (first_scale * factor)
            for dx in np.linspace(-shift, shift, moves) * length:
                for dy in np.linspace(-shift, shift, moves) * length:
                    moved = first_middle + np.array([dx, dy])
                    miss = _miss(misses, sized + moved)
                    if miss < best[0]:
                        best = (miss, first_scale * float(factor), moved)
    return best[0], np.asarray((points - center) * best[1] + best[2], dtype=np.float64)


def _miss(misses: FloatArray, samples: FloatArray) -> float:
    """Return the mean miss of points; one outside the picture misses wholly."""
    columns, rows = np.round(samples[:, 0]).astype(int), np.round(samples[:, 1]).astype(int)
    height, width = misses.shape
    inside = (columns >= 0) & (rows >= 0) & (columns < width) & (rows < height)
    values = np.ones(len(samples))
    values[inside] = misses[rows[inside], columns[inside]]
    return float(values.mean())


def _move(bare: Drawing, points: FloatArray) -> Drawing:
    atoms = tuple(
        replace(atom, x=float(x), y=float(y))
        for atom, (x, y) in zip(bare.atoms, points, strict=True)
    )
    return Drawing(atoms, bare.bonds)
