"""A picture's ink against a structure laid over it: what does not fit, in words.

Five things are looked at: the stroke of every bond, the letter at every labeled atom, letters
where none belong, lines that no bond explains, and dashes of a lost wedge.

Which parts of a structure a drawing writes as text: CF3, OMe, COOH, CH3. A reader of pictures
unfolds such a label into atoms and bonds that nobody drew. Where letters of the right kind stand at
the place, missing strokes speak against nothing. The other way round, a letter at the end of a bond
that reads as plain carbon is a label that was lost.

Dashes of a broken wedge that a structure has no bond for: the usual loss in a noisy scan.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from core.chemistry.ink import (
    Drawing,
    PlacedAtom,
    PlacedBond,
    Stroke,
    classify_stroke,
    has_gap,
    measure_stroke,
    read_ink,
    read_profile,
)
from core.chemistry.lettering import LETTERS, clean_drawing, read_letter, score_letter
from core.chemistry.segmentation import Image

DASHES = "dashes that no bond explains"
_SURE = 0.7
_DASH_HEIGHTS = (0.2, 0.8)
_LEAST_DASH = 7.0
_DASH_ASPECTS = (0.4, 1.6)
_DASH = 0.4
_LEAST_DASHES = 3
_CLUSTER = 0.55
_NEAR_BOND, _NEAR_DASH_LABEL = 0.16, 0.6
Point = tuple[float, float]
Labels = npt.NDArray[np.int32]


def find_strays(ink: Image, drawing: Drawing) -> list[tuple[str, float, float]]:
    """Return where dashes lie that no bond explains, in words with the place; nothing where none.

    Args:
        ink: 255 on 0, without specks.
        drawing: The structure over it.
    """
    _, label_map, stats, centers = cv2.connectedComponentsWithStats(ink, connectivity=8)
    labels = np.asarray(label_map, dtype=np.int32)
    length = drawing.bond_length
    dashes = [
        (x, y)
        for number, (x, y) in enumerate(centers.tolist())
        if number
        and _is_dash(stats[number], length)
        and not _is_letter(labels, stats[number], number, length)
        and _is_apart(drawing, (x, y))
    ]
    for at in dashes:
        neighbors = [dash for dash in dashes if math.dist(dash, at) <= _CLUSTER * length]
        if len(neighbors) >= _LEAST_DASHES:
            return [(DASHES, *at)]
    return []


def _is_letter(labels: Labels, stat: npt.NDArray[np.int32], number: int, length: float) -> bool:
    x, y, wide, tall, _area = stat.tolist()
    low, high = _DASH_HEIGHTS
    is_like = _DASH_ASPECTS[0] * tall <= wide <= _DASH_ASPECTS[1] * tall
    if not (is_like and max(_LEAST_DASH, low * length) <= tall <= high * length):
        return False
    box = labels[y : y + tall, x : x + wide] == number
    shape = np.where(box, 255, 0).astype(np.uint8)
    return max(score_letter(shape, letter) for letter in LETTERS) >= _SURE


def _is_dash(stat: npt.NDArray[np.int32], length: float) -> bool:
    sides = stat[[cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
    return bool(sides.max() <= _DASH * length)


def _is_apart(drawing: Drawing, at: Point) -> bool:
    """Return whether a place is away from every bond and every label."""
    length = drawing.bond_length
    if any(
        atom.letter and math.dist((atom.x, atom.y), at) < _NEAR_DASH_LABEL * length
        for atom in drawing.atoms
    ):
        return False
    return all(_distance(drawing.ends(bond), at) > _NEAR_BOND * length for bond in drawing.bonds)


def _distance(ends: tuple[Point, Point], at: Point) -> float:
    """Return how far a point lies from a line between two points."""
    (x0, y0), (x1, y1) = ends
    squared = max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1e-9)
    share = ((at[0] - x0) * (x1 - x0) + (at[1] - y0) * (y1 - y0)) / squared
    share = min(max(share, 0.0), 1.0)
    return math.dist(at, (x0 + share * (x1 - x0), y0 + share * (y1 - y0)))


LARGEST_GROUP = 8
"""Heavy atoms that one label stands for at most."""
LOST = "a letter where none is expected"
_HEIGHTS = (0.2, 0.8)
_LEAST = 7
_ASPECTS = (0.25, 1.7)
_REACH = 1.15
_LETTER_SIZE = 0.35
_NEAR, _END, _SNAP = 0.7, 0.55, 0.45
_LIKE, _CLEAR = 0.4, 0.6
_FEWEST = 2
_HYDROGEN = "H"


class Piece(NamedTuple):
    """A free piece of ink of a letter's size, and how like each letter it is."""

    x: float
    y: float
    scores: dict[str, float]

    def is_like(self, letter: str, least: float = _LIKE) -> bool:
        """Return whether it may be a letter."""
        return self.scores.get(letter, 0.0) >= least

    def is_best(self, letter: str) -> bool:
        """Return whether it is clearly a letter, and like no other more."""
        return self.is_like(letter, max(_CLEAR, *self.scores.values()))


class Written(NamedTuple):
    """What a drawing writes instead of drawing it.

    Attributes:
        bonds: Within labels, by place: nothing drawn speaks against them.
        ends: Bonds that lead to a label: its letters may hide or widen the stroke.
        atoms: That no letter of their own needs to show.
    """

    bonds: frozenset[int]
    ends: frozenset[int]
    atoms: frozenset[int]


def find_pieces(ink: Image, drawing: Drawing) -> tuple[Piece, ...]:
    """Return the pieces of ink that have the size of a letter.

    Args:
        ink: 255 on 0, without specks, letters parted from bonds.
        drawing: The structure over it.
    """
    _, labels, stats, centers = cv2.connectedComponentsWithStats(ink, connectivity=8)
    length = drawing.bond_length
    pieces = []
    for number, (x, y, wide, tall, _area) in enumerate(stats.tolist()):
        is_like = _ASPECTS[0] * tall <= wide <= _ASPECTS[1] * tall
        is_tall = max(_LEAST, _HEIGHTS[0] * length) <= tall <= _HEIGHTS[1] * length
        if not (number and is_like and is_tall):
            continue
        box = labels[y : y + tall, x : x + wide] == number
        shape = np.where(box, 255, 0).astype(np.uint8)
        scores = {letter: score_letter(shape, letter) for letter in LETTERS}
        pieces.append(Piece(float(centers[number][0]), float(centers[number][1]), scores))
    return tuple(pieces)


def snap_labels(drawing: Drawing, pieces: Sequence[Piece]) -> Drawing:
    """Return a drawing whose labeled atoms lie on their letter: HN is read at its middle.

    Args:
        drawing: The structure over its picture.
        pieces: Of the ink.
    """
    reach = _SNAP * drawing.bond_length
    atoms = []
    for atom in drawing.atoms:
        nearby_pieces = _find_near(pieces, (atom.x, atom.y), reach) if atom.letter else []
        own_pieces = [piece for piece in nearby_pieces if piece.is_best(atom.letter[0])]
        if own_pieces:
            nearest = min(
                own_pieces, key=lambda piece: math.dist((piece.x, piece.y), (atom.x, atom.y))
            )
            atoms.append(PlacedAtom(nearest.x, nearest.y, atom.letter))
        else:
            atoms.append(atom)
    return Drawing(tuple(atoms), drawing.bonds)


def find_written(pieces: Sequence[Piece], drawing: Drawing, missing: frozenset[int]) -> Written:
    """Return the ends of a structure that labels stand for.

    Args:
        pieces: Of the ink.
        drawing: The structure over it.
        missing: Bonds without any stroke, by place; a group of atoms has one, or it was drawn.
    """
    bonds: set[int] = set()
    ends: set[int] = set()
    atoms: set[int] = set()
    neighbors = _find_neighbors(drawing)
    for index, bond in enumerate(drawing.bonds):
        for inner, outer in ((bond.begin, bond.end), (bond.end, bond.begin)):
            branch = _find_branch(neighbors, inner, outer)
            within = {
                number
                for number, bond in enumerate(drawing.bonds)
                if {bond.begin, bond.end} <= branch
            }
            is_whole = bool(within & missing) or not within
            if branch and is_whole and _is_written(pieces, drawing, branch, outer):
                atoms |= branch - {outer}
                bonds |= within
                ends.add(index)
    return Written(frozenset(bonds), frozenset(ends), frozenset(atoms))


def find_carbons(pieces: Sequence[Piece], drawing: Drawing) -> frozenset[int]:
    """Return the carbons within a chain or ring that a drawing writes as C, CH or CH2."""
    neighbors = _find_neighbors(drawing)
    reach = _LETTER_SIZE * drawing.bond_length
    return frozenset(
        number
        for number, atom in enumerate(drawing.atoms)
        if not atom.letter
        and len(neighbors[number]) > 1
        and any(piece.is_best("C") for piece in _find_near(pieces, (atom.x, atom.y), reach))
    )


def find_lost(pieces: Sequence[Piece], drawing: Drawing) -> list[tuple[str, float, float]]:
    """Return letters at the end of a bond to plain carbon, unless they write CH3.

    Args:
        pieces: Of the ink.
        drawing: The structure over it.
    """
    neighbors = _find_neighbors(drawing)
    lost = []
    for number, atom in enumerate(drawing.atoms):
        if atom.letter or len(neighbors[number]) != 1:
            continue
        nearby_pieces = _find_near(pieces, (atom.x, atom.y), _END * drawing.bond_length)
        nearby_pieces = [
            piece for piece in nearby_pieces if not _belongs_elsewhere(drawing, piece, number)
        ]
        around = _find_near(pieces, (atom.x, atom.y), _REACH * drawing.bond_length)
        if any(piece.is_like(_HYDROGEN) for piece in around):
            continue
        if any(max(piece.scores.values()) >= _CLEAR for piece in nearby_pieces):
            lost.append((LOST, atom.x, atom.y))
    return lost


def _find_neighbors(drawing: Drawing) -> list[set[int]]:
    neighbors: list[set[int]] = [set() for _ in drawing.atoms]
    for bond in drawing.bonds:
        neighbors[bond.begin].add(bond.end)
        neighbors[bond.end].add(bond.begin)
    return neighbors


def _find_branch(neighbors: Sequence[set[int]], inner: int, outer: int) -> set[int]:
    """Return the few atoms beyond a bond; none where it is part of a ring or much hangs on it."""
    branch, waiting = {outer}, [outer]
    while waiting:
        atom = waiting.pop()
        for other in neighbors[atom] - branch:
            if atom == outer and other == inner:
                continue
            if other == inner or len(branch) >= LARGEST_GROUP:
                return set()
            branch.add(other)
            waiting.append(other)
    return branch


def _is_written(pieces: Sequence[Piece], drawing: Drawing, branch: set[int], outer: int) -> bool:
    """Return whether a label with the letters of a branch stands at its first atom."""
    anchor = drawing.atoms[outer]
    reach = (_REACH if len(branch) > 1 else _NEAR) * drawing.bond_length
    nearby_pieces = _find_near(pieces, (anchor.x, anchor.y), reach)
    if len(nearby_pieces) < _FEWEST:
        return False
    letters = {drawing.atoms[number].letter[:1] for number in branch} - {""}
    if len(branch) == 1 and letters:
        return False  # a single labeled atom is drawn
    if not letters:
        letters = {_HYDROGEN}
    return all(any(piece.is_like(letter) for piece in nearby_pieces) for letter in letters)


def _find_near(pieces: Sequence[Piece], at: tuple[float, float], reach: float) -> list[Piece]:
    return [piece for piece in pieces if math.dist((piece.x, piece.y), at) <= reach]


def _belongs_elsewhere(drawing: Drawing, piece: Piece, number: int) -> bool:
    """Return whether a labeled atom lies nearer to a piece than a bare one does."""
    atom = drawing.atoms[number]
    own_distance = math.dist((piece.x, piece.y), (atom.x, atom.y))
    return any(
        other.letter and math.dist((piece.x, piece.y), (other.x, other.y)) < own_distance
        for other in drawing.atoms
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
        x: Place in the picture, columns from the left.
        y: Rows from the top.
    """

    text: str
    x: float
    y: float


def check_drawing(picture: Image, drawing: Drawing) -> tuple[Doubt, ...]:
    """Return what in the picture speaks against the structure; nothing where all fits."""
    ink = read_ink(picture)
    clean = np.asarray(255 - clean_drawing(picture), dtype=np.uint8)
    width = measure_stroke(ink)
    pieces = find_pieces(clean, drawing)
    drawing = snap_labels(drawing, pieces)
    # The ink without the strokes of bonds; letters stay.
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
    strokes = _classify_bonds(ink, drawing, width)
    missing = frozenset(index for index, stroke in enumerate(strokes) if stroke == "none")
    written = find_written(pieces, drawing, missing)
    carbons = find_carbons(pieces, drawing) | {
        number for number in written.atoms if drawing.atoms[number].letter
    }
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    sides = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    is_small = sides <= _LETTER * drawing.bond_length
    is_small[0] = False
    return (
        *_check_bonds(drawing, strokes, written),
        *_check_gaps(ink, drawing, strokes, written),
        *_check_lengths(drawing, written),
        *_check_letters(
            np.where(is_small[labels], 255, 0).astype(np.uint8), left, drawing, width, carbons
        ),
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
            if number not in own_atoms and _distance(drawing.ends(bond), (atom.x, atom.y)) < reach:
                crowded.add(index)
        for other in drawing.bonds[:index]:
            if not own_atoms & {other.begin, other.end} and _cross(drawing, bond, other):
                crowded |= {index, drawing.bonds.index(other)}
    return frozenset(crowded)


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
