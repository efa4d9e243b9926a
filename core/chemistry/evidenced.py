"""A picture read together with its proof: crop, redraw and overlay side by side, and doubts.

The answer is laid over the picture and held against its ink. What does not fit is told in words,
and moves the probability as far as was measured (`recognition_proof.csv`): only a clean overlay
where all settings agree makes an answer sure, and dashes of a wedge without a bond make it unlikely
however many agree.

A structure read from a picture, laid back over it: scale and place are fitted to the ink.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt
from rdkit import Chem

from core.chemistry.drawing import draw_png
from core.chemistry.ink import Drawing, PlacedAtom, PlacedBond, Stroke, read_ink
from core.chemistry.lettering import drop_captions, drop_small
from core.chemistry.proof import DASHES, check_drawing
from core.chemistry.recognition import read_picture
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


def place_drawing(picture: Image, block: str) -> Drawing | None:
    """Return a structure with places in its picture; None where it does not lie over the ink.

    `block`: MOL block whose coordinates are a scaled copy of the picture's, rows upward.
    """
    molecule = Chem.MolFromMolBlock(block, sanitize=False, removeHs=False)
    if molecule is None or molecule.GetNumBonds() == 0:
        return None
    bare = _describe(molecule)
    points = np.array([(atom.x, atom.y) for atom in bare.atoms])
    span = points.max(axis=0) - points.min(axis=0)
    # Specks and captions would set a wrong scale.
    clean = drop_small(read_ink(picture))
    ink = drop_captions(clean, measure_text(clean))
    if not ink.any() or span.max() <= 0:
        return None
    axis = int(span.argmax())
    fits = []
    # A number far from the group of pieces with the most ink is left out.
    reach = max(3, int(_APART * measure_text(ink))) | 1
    wide = cv2.dilate(ink, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
    _, groups = cv2.connectedComponents(wide)
    most = int(np.bincount(groups[ink > 0]).argmax())
    for image in (ink, _keep_lines(ink), np.where(groups == most, ink, 0).astype(np.uint8)):
        rows, columns = np.nonzero(image)
        box = np.array([columns.min(), rows.min(), columns.max(), rows.max()], dtype=np.float64)
        scale = float((box[2 + axis] - box[axis]) / span[axis])
        fits.append(_fit(ink, bare, points, scale, (box[:2] + box[2:]) / 2))
    miss, fitted = min(fits, key=lambda fit: fit[0])
    return None if miss > WORST_FIT else _move(bare, fitted)


def _keep_lines(ink: Image) -> Image:
    """Return the ink that is neither letter nor sign: what is large beside the rest."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    sides = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    sides[0] = 0
    return np.where((sides >= _LINES * sides.max())[labels], ink, 0).astype(np.uint8)


def _stroke(bond: Chem.Bond) -> Stroke:
    order = _ORDERS.get(bond.GetBondTypeAsDouble(), "single")
    mark = bond.GetProp(_STEREO) if bond.HasProp(_STEREO) else ""
    return _STROKES.get(mark, order)


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


TABLE = Path(__file__).with_name("recognition_proof.csv")
MOST_DOUBTS = 8
_ROUNDING = 1e-6
Fit = Literal["clean", "doubtful", "unplaced", "lost"]
_HEIGHT = 260
_WIDEST = 520
_GAP = 12
_INK = (140, 140, 140)
_OVERLAY = (30, 60, 200)
_MARK = (0, 120, 230)


@dataclass(frozen=True, slots=True)
class Cell:
    """How often answers of one kind were right.

    Attributes:
        agreement_from: Least share of the settings.
        fit: How the answer lies over the ink; "any" where it tells nothing more.
        probability: Share right, drawn a little toward one half where few were measured.
        n_answers: Measured.
        n_right: Of them.
    """

    agreement_from: float
    fit: str
    probability: float
    n_answers: int
    n_right: int


@dataclass(frozen=True, slots=True)
class Evidenced:
    """An answer with what speaks for and against it.

    Attributes:
        smiles: "" where there is no answer.
        probability: That it is right, from measurements.
        agreement: Share of the settings that gave it.
        doubts: What in the picture does not fit.
        is_checked: Whether the answer could be laid over the picture.
        picture: PNG of crop, redraw and overlay; empty without an answer.
        fit: How the answer lies over the ink.
    """

    smiles: str
    probability: float
    agreement: float
    doubts: tuple[str, ...]
    is_checked: bool
    picture: bytes
    fit: Fit = "unplaced"


def read_evidenced(picture: Image) -> Evidenced:
    """Read a picture of one structure and hold the answer against it."""
    recognition = read_picture(picture)
    if not recognition.smiles:
        return Evidenced("", 0.0, 0.0, (), is_checked=False, picture=b"")
    drawing = place_drawing(picture, recognition.block) if recognition.block else None
    doubts = check_drawing(picture, drawing) if drawing is not None else ()
    texts = tuple(dict.fromkeys(doubt.text for doubt in doubts))[:MOST_DOUBTS]
    fit: Fit = "unplaced" if drawing is None else "doubtful" if doubts else "clean"
    if any(doubt.text == DASHES for doubt in doubts):
        fit = "lost"
    marks = [(doubt.x, doubt.y) for doubt in doubts]
    crop = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    encoded = np.frombuffer(draw_png(recognition.smiles, (_HEIGHT * 4 // 3, _HEIGHT)), np.uint8)
    redraw = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR))
    panels = [_fit_panel(np.asarray(crop)), redraw]
    if drawing is not None:
        shown = np.full((*picture.shape, 3), 255, np.uint8)
        shown[picture < 128] = _INK
        for bond in drawing.bonds:
            first, second = drawing.ends(bond)
            ends = [(round(x), round(y)) for x, y in (first, second)]
            cv2.line(shown, ends[0], ends[1], _OVERLAY, 2, cv2.LINE_AA)
        for atom in drawing.atoms:
            if atom.letter:
                at = (round(atom.x) - 6, round(atom.y) + 6)
                cv2.putText(shown, atom.letter, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, _OVERLAY, 2)
        for x, y in marks:
            cv2.circle(shown, (round(x), round(y)), 16, _MARK, 2, cv2.LINE_AA)
        panels.append(_fit_panel(shown))
    gap = np.full((_HEIGHT, _GAP, 3), 255, np.uint8)
    joined = [panel_or_gap for panel in panels for panel_or_gap in (panel, gap)][:-1]
    _, png = cv2.imencode(".png", np.concatenate(joined, axis=1))
    return Evidenced(
        recognition.smiles,
        estimate(recognition.agreement, fit),
        recognition.agreement,
        texts,
        is_checked=drawing is not None,
        picture=png.tobytes(),
        fit=fit,
    )


def estimate(agreement: float, fit: Fit) -> float:
    """Return how often an answer of this agreement and fit was right.

    Args:
        agreement: Share of the settings that gave the answer.
        fit: How it lies over the ink.
    """
    cell = find_cell(agreement, fit)
    return 0.0 if cell is None else cell.probability


def find_cell(agreement: float, fit: Fit) -> Cell | None:
    """Return the row of the table to which an answer belongs."""
    accepted = {fit} if fit == "lost" else {fit, "any"}
    return next(
        (
            cell
            for cell in load_table()
            if agreement >= cell.agreement_from - _ROUNDING and cell.fit in accepted
        ),
        None,
    )


@cache
def load_table() -> Sequence[Cell]:
    """Return the rows of the table, in falling order of agreement."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        rows = [
            Cell(
                float(row["agreement_from"]),
                row["fit"],
                float(row["probability"]),
                int(row["n_answers"]),
                int(row["n_right"]),
            )
            for row in csv.DictReader(text)
        ]
    return sorted(rows, key=lambda row: -row.agreement_from)


def _fit_panel(panel: np.ndarray) -> np.ndarray:
    """Return a panel at the common height, or lower where it would be too wide."""
    rows, columns = panel.shape[:2]
    scale = min(_HEIGHT / rows, _WIDEST / columns)
    size = (max(1, round(columns * scale)), max(1, round(rows * scale)))
    small = cv2.resize(panel, size, interpolation=cv2.INTER_AREA)
    padded = np.full((_HEIGHT, size[0], 3), 255, np.uint8)
    top = (_HEIGHT - size[1]) // 2
    padded[top : top + size[1]] = small
    return padded
