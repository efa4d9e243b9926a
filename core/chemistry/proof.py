"""A picture's ink against a structure laid over it: what does not fit, in words.

Five things are looked at: the stroke of every bond, the letter at every labeled atom, letters
where none belong, lines that no bond explains, and dashes of a lost wedge.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from core.chemistry.glyphs import read_letter
from core.chemistry.ink import (
    Drawing,
    PlacedBond,
    Stroke,
    classify_stroke,
    has_gap,
    measure_stroke,
    read_ink,
    read_profile,
)
from core.chemistry.lettering import clean_drawing
from core.chemistry.segmentation import Image
from core.chemistry.strays import find_strays
from core.chemistry.written import (
    Piece,
    Written,
    find_carbons,
    find_lost,
    find_pieces,
    find_written,
    snap_labels,
)

_SHORT = 0.62
_STUNTED = 0.55
_NEAR_LABEL = 0.42
_TO_HYDROGEN = 0.75
_LETTER_REACH = 0.5
_STRAY_REACH = 0.24
_STRAY_INK = 0.35
_LETTER = 0.85
_SLACK = 0.2
_LINE = 0.55
_THIN = 2.2
_HIDDEN = frozenset({"none", "wedge", "hash"})
_UNBROKEN = frozenset({"single", "wedge"})
_CORRIDOR = {"double": 0.3, "triple": 0.32, "wedge": 0.24, "hash": 0.24}
_ALIKE: dict[Stroke, frozenset[Stroke]] = {
    "single": frozenset({"single"}),
    "double": frozenset({"double"}),
    "triple": frozenset({"triple"}),
    "wedge": frozenset({"wedge"}),
    "hash": frozenset({"hash", "none"}),
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing that does not fit.

    Attributes:
        text: What it is.
        x: Place in the picture, columns from the left.
        y: Rows from the top.
    """

    text: str
    x: float
    y: float


def check_drawing(picture: Image, drawing: Drawing) -> tuple[Doubt, ...]:
    """Return what in the picture speaks against the structure; nothing where all fits.

    Args:
        picture: Gray values.
        drawing: The structure with places in this picture.
    """
    ink = read_ink(picture)
    clean = np.asarray(255 - clean_drawing(picture), dtype=np.uint8)
    width = measure_stroke(ink)
    pieces = find_pieces(clean, drawing)
    drawing = snap_labels(drawing, pieces)
    left = _erase_bonds(ink, drawing, width)
    strokes = _classify_bonds(ink, drawing, width)
    missing = frozenset(index for index, stroke in enumerate(strokes) if stroke == "none")
    written = find_written(pieces, drawing, missing)
    carbons = find_carbons(pieces, drawing) | {
        number for number in written.atoms if drawing.atoms[number].letter
    }
    return (
        *_check_bonds(drawing, strokes, written),
        *_check_gaps(ink, drawing, strokes, written),
        *_check_lengths(drawing, written),
        *_check_letters(_keep_small(ink, drawing), left, drawing, width, carbons),
        *_find_lines(left, drawing, width, pieces),
        *(Doubt(*lost) for lost in find_lost(pieces, drawing)),
        *(Doubt(*stray) for stray in find_strays(clean, drawing)),
    )


def _classify_bonds(ink: Image, drawing: Drawing, width: float) -> list[Stroke]:
    """Return what is drawn along each bond."""
    strokes: list[Stroke] = []
    for bond in drawing.bonds:
        bare = _find_bare(drawing, bond)
        stroke = classify_stroke(read_profile(ink, drawing, bond), bare=bare, width=width)
        # a label beside the end of a bond widens it
        is_beside = stroke == "wedge" and bond.stroke == "single" and not all(bare)
        strokes.append("unclear" if is_beside else stroke)
    return strokes


def _find_bare(drawing: Drawing, bond: PlacedBond) -> tuple[bool, bool]:
    return not drawing.atoms[bond.begin].letter, not drawing.atoms[bond.end].letter


def _check_bonds(drawing: Drawing, strokes: Sequence[Stroke], written: Written) -> list[Doubt]:
    """Compare each bond with its stroke; very short, unclear, written ones are passed over."""
    doubts = []
    crowded = _find_crowded(drawing) | written.bonds
    for index, bond in enumerate(drawing.bonds):
        (x0, y0), (x1, y1) = drawing.ends(bond)
        if math.hypot(x1 - x0, y1 - y0) < _SHORT * drawing.bond_length or index in crowded:
            continue
        stroke = strokes[index]
        is_hidden = index in written.ends and bond.stroke == "single" and stroke in _HIDDEN
        if stroke != "unclear" and stroke not in _ALIKE[bond.stroke] and not is_hidden:
            text = f"{bond.stroke} bond expected, {stroke} drawn"
            doubts.append(Doubt(text, (x0 + x1) / 2, (y0 + y1) / 2))
    return doubts


def _check_gaps(
    ink: Image, drawing: Drawing, strokes: Sequence[Stroke], written: Written
) -> list[Doubt]:
    """Find bonds within the drawing whose line is broken."""
    doubts = []
    missing = {index for index, stroke in enumerate(strokes) if stroke == "none"}
    passed = _find_crowded(drawing) | written.bonds | written.ends | missing
    degrees = Counter(end for bond in drawing.bonds for end in (bond.begin, bond.end))
    for index, bond in enumerate(drawing.bonds):
        is_inner = min(degrees[bond.begin], degrees[bond.end]) > 1
        is_whole = is_inner and bond.stroke in _UNBROKEN and all(_find_bare(drawing, bond))
        if is_whole and index not in passed and has_gap(read_profile(ink, drawing, bond)):
            (x0, y0), (x1, y1) = drawing.ends(bond)
            doubts.append(Doubt("a bond with a gap", (x0 + x1) / 2, (y0 + y1) / 2))
    return doubts


def _check_lengths(drawing: Drawing, written: Written) -> list[Doubt]:
    """Find bonds between bare atoms that are far shorter than the others."""
    doubts = []
    for index, bond in enumerate(drawing.bonds):
        (x0, y0), (x1, y1) = drawing.ends(bond)
        is_bare = all(_find_bare(drawing, bond))
        is_short = math.hypot(x1 - x0, y1 - y0) < _STUNTED * drawing.bond_length
        if is_bare and is_short and index not in written.bonds:
            text = "a bond far shorter than the others"
            doubts.append(Doubt(text, (x0 + x1) / 2, (y0 + y1) / 2))
    return doubts


def _find_crowded(drawing: Drawing) -> frozenset[int]:
    """Return the bonds that another bond or a foreign atom comes near to."""
    reach = 0.34 * drawing.bond_length
    crowded = set()
    for index, bond in enumerate(drawing.bonds):
        own_atoms = {bond.begin, bond.end}
        for number, atom in enumerate(drawing.atoms):
            if number not in own_atoms and _distance(drawing, bond, atom.x, atom.y) < reach:
                crowded.add(index)
        for other in drawing.bonds[:index]:
            if not own_atoms & {other.begin, other.end} and _cross(drawing, bond, other):
                crowded |= {index, drawing.bonds.index(other)}
    return frozenset(crowded)


def _distance(drawing: Drawing, bond: PlacedBond, x: float, y: float) -> float:
    """Return how far a point lies from a bond."""
    (x0, y0), (x1, y1) = drawing.ends(bond)
    squared = max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1e-9)
    share = min(max(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / squared, 0.0), 1.0)
    return math.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0))


def _cross(drawing: Drawing, bond: PlacedBond, other: PlacedBond) -> bool:
    """Return whether two bonds cross."""
    first, second = (np.array(end) for end in drawing.ends(bond))
    third, fourth = (np.array(end) for end in drawing.ends(other))

    def side(point: np.ndarray, begin: np.ndarray, end: np.ndarray) -> float:
        return float(
            (end[0] - begin[0]) * (point[1] - begin[1])
            - (end[1] - begin[1]) * (point[0] - begin[0])
        )

    return (
        side(first, third, fourth) * side(second, third, fourth) < 0
        and side(third, first, second) * side(fourth, first, second) < 0
    )


def _erase_bonds(ink: Image, drawing: Drawing, width: float) -> Image:
    """Return the ink without the strokes of bonds; letters stay."""
    left = ink.copy()
    length = drawing.bond_length
    for bond in drawing.bonds:
        (x0, y0), (x1, y1) = drawing.ends(bond)
        start = 0.0 if not drawing.atoms[bond.begin].letter else 0.30
        stop = 1.0 if not drawing.atoms[bond.end].letter else 0.70
        ends = [
            (round(x0 + share * (x1 - x0)), round(y0 + share * (y1 - y0)))
            for share in (start, stop)
        ]
        corridor = _CORRIDOR.get(bond.stroke, 0.0) * length
        thickness = max(round(2 * corridor), round(width + _SLACK * length))
        cv2.line(left, ends[0], ends[1], (0,), thickness)
    return left


def _keep_small(ink: Image, drawing: Drawing) -> Image:
    """Return the pieces of ink that are small enough to be letters."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    sides = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    is_small = sides <= _LETTER * drawing.bond_length
    is_small[0] = False
    return np.where(is_small[labels], 255, 0).astype(np.uint8)


def _check_letters(
    letters: Image, left: Image, drawing: Drawing, width: float, carbons: frozenset[int]
) -> list[Doubt]:
    """Compare the letter at each labeled atom, and look for letters at bare ones."""
    doubts = []
    length = drawing.bond_length
    for number, atom in enumerate(drawing.atoms):
        if number in carbons:
            continue
        if atom.letter:
            letter = read_letter(letters, (atom.x, atom.y), _LETTER_REACH * length, atom.letter)
            if letter == "" and _ink_near(left, atom.x, atom.y, _STRAY_REACH * length):
                continue  # a letter that touches a bond cannot be told
            if letter is not None and letter != atom.letter[0]:
                text = f"{atom.letter} expected, {letter or 'no letter'} drawn"
                doubts.append(Doubt(text, atom.x, atom.y))
        elif _ink_near(left, atom.x, atom.y, _STRAY_REACH * length) > _STRAY_INK * width * length:
            doubts.append(Doubt("a letter where none is expected", atom.x, atom.y))
    return doubts


def _ink_near(left: Image, x: float, y: float, reach: float) -> float:
    """Return the pixels of ink in a disc."""
    disc = np.zeros_like(left)
    cv2.circle(disc, (round(x), round(y)), max(round(reach), 1), (255,), -1)
    return float(np.count_nonzero((left > 0) & (disc > 0)))


def _find_lines(
    left: Image, drawing: Drawing, width: float, pieces: Sequence[Piece]
) -> list[Doubt]:
    """Return thin, long pieces of ink near the structure that no bond explains."""
    length = drawing.bond_length
    _, _, stats, centers = cv2.connectedComponentsWithStats(left, connectivity=8)
    doubts = []
    for stat, center in zip(stats[1:], centers[1:], strict=True):
        diagonal = math.hypot(stat[cv2.CC_STAT_WIDTH], stat[cv2.CC_STAT_HEIGHT])
        is_thin = stat[cv2.CC_STAT_AREA] <= _THIN * width * diagonal
        if diagonal >= _LINE * length and is_thin and not _is_text(drawing, center, pieces):
            doubts.append(Doubt("a line that no bond explains", float(center[0]), float(center[1])))
    return doubts


def _is_text(drawing: Drawing, center: np.ndarray, pieces: Sequence[Piece]) -> bool:
    """Return whether a piece of ink is part of a label, a bond to a drawn H, or far from all."""
    length = drawing.bond_length
    away = [math.hypot(atom.x - center[0], atom.y - center[1]) for atom in drawing.atoms]
    if min(away) > length:
        return True
    labels = [far for far, atom in zip(away, drawing.atoms, strict=True) if atom.letter]
    nearest = min(labels, default=math.inf)
    is_to_hydrogen = nearest < _TO_HYDROGEN * length and any(
        piece.is_best("H") and math.dist((piece.x, piece.y), center) < _TO_HYDROGEN * length
        for piece in pieces
    )
    return nearest < _NEAR_LABEL * length or is_to_hydrogen
