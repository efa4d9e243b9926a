"""Which parts of a structure a drawing writes as text: CF3, OMe, COOH, CH3.

A reader of pictures unfolds such a label into atoms and bonds that nobody drew. Where letters of
the right kind stand at the place, missing strokes speak against nothing. The other way round, a
letter at the end of a bond that reads as plain carbon is a label that was lost.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from core.chemistry.glyphs import LETTERS, score_letter
from core.chemistry.ink import Drawing, PlacedAtom
from core.chemistry.segmentation import Image

LARGEST_GROUP = 8
"""Heavy atoms that one label stands for at most."""
LOST = "a letter where none is expected"
_HEIGHTS = (0.2, 0.8)
_LEAST = 7
_ASPECTS = (0.25, 1.7)
_REACH = 1.15
_LETTER = 0.35
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
    reach = _LETTER * drawing.bond_length
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
