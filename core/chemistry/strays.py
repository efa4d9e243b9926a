"""Dashes of a broken wedge that a structure has no bond for: the usual loss in a noisy scan."""

import math

import cv2
import numpy as np
import numpy.typing as npt

from core.chemistry.glyphs import LETTERS, score_letter
from core.chemistry.ink import Drawing
from core.chemistry.segmentation import Image

DASHES = "dashes that no bond explains"
_SURE = 0.7
_HEIGHTS = (0.2, 0.8)
_LEAST = 7.0
_ASPECTS = (0.4, 1.6)
_DASH = 0.4
_LEAST_DASHES = 3
_CLUSTER = 0.55
_NEAR_BOND, _NEAR_LABEL = 0.16, 0.6
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
    return _find_row(dashes, length)


def _is_letter(labels: Labels, stat: npt.NDArray[np.int32], number: int, length: float) -> bool:
    x, y, wide, tall, _area = stat.tolist()
    is_like = _ASPECTS[0] * tall <= wide <= _ASPECTS[1] * tall
    if not (is_like and max(_LEAST, _HEIGHTS[0] * length) <= tall <= _HEIGHTS[1] * length):
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
        atom.letter and math.dist((atom.x, atom.y), at) < _NEAR_LABEL * length
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


def _find_row(dashes: list[Point], length: float) -> list[tuple[str, float, float]]:
    """Return the first place around which several dashes lie."""
    for at in dashes:
        neighbors = [dash for dash in dashes if math.dist(dash, at) <= _CLUSTER * length]
        if len(neighbors) >= _LEAST_DASHES:
            return [(DASHES, *at)]
    return []
