"""Which capital letter stands at a place: by its shape, against a few printed fonts."""

import math
from functools import cache
from pathlib import Path

import cv2
import matplotlib
import numpy as np
import numpy.typing as npt
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from core.chemistry.segmentation import Image

LETTERS = "NOSFPBCIH"
FONTS = ("DejaVuSans", "DejaVuSans-Bold", "STIXGeneral")
_SIZE = 24
_DRAWN = 64
_MARGIN = 0.10
_LEAST = 0.45
_ASPECT_WEIGHT = 0.35
FloatArray = npt.NDArray[np.float32]


def read_letter(left: Image, at: tuple[float, float], reach: float, expected: str) -> str | None:
    """Return the letter at a place.

    Args:
        left: Ink as 255 on 0, without bonds.
        at: Columns from the left, rows from the top.
        reach: How far from there a letter may lie, in pixels.
        expected: The symbol expected; it wins unless another letter fits clearly better.

    Returns:
        The letter; "" where there is none; None where the shape cannot be told.
    """
    shape = _find_shape(left, at, reach)
    if shape is None:
        return ""
    scores = {letter: score_letter(shape, letter) for letter in LETTERS}
    best = max(scores, key=lambda letter: scores[letter])
    letter = expected[0]
    if letter not in scores:
        return None
    if scores[best] < _LEAST or best == "H":
        return None  # hydrogen stands beside the letter of a label
    return letter if scores[best] - scores[letter] < _MARGIN else best


def _find_shape(left: Image, at: tuple[float, float], reach: float) -> Image | None:
    """Return the bitmap of the component nearest to a place."""
    x, y = at
    rows = slice(max(0, int(y - 2 * reach)), int(y + 2 * reach) + 1)
    columns = slice(max(0, int(x - 2 * reach)), int(x + 2 * reach) + 1)
    window = left[rows, columns]
    if window.size == 0:
        return None
    _, labels, stats, centers = cv2.connectedComponentsWithStats(window, connectivity=8)
    best, nearest = 0, reach * 0.6
    for number in range(1, len(stats)):
        tall = stats[number][cv2.CC_STAT_HEIGHT]
        if tall < 0.35 * reach or tall > 2.4 * reach:
            continue
        off = math.dist(centers[number], (x - columns.start, y - rows.start))
        if off < nearest:
            best, nearest = number, off
    if best == 0:
        return None
    stat = stats[best]
    top, start = stat[cv2.CC_STAT_TOP], stat[cv2.CC_STAT_LEFT]
    box = labels[top : top + stat[cv2.CC_STAT_HEIGHT], start : start + stat[cv2.CC_STAT_WIDTH]]
    return np.where(box == best, 255, 0).astype(np.uint8)


def score_letter(shape: Image, letter: str) -> float:
    """Return how well a shape fits a letter in any font: 1 is perfect."""
    seen, aspect = _normalize(shape)
    return max(
        float((seen * template).sum()) - _ASPECT_WEIGHT * abs(math.log(aspect / own_score))
        for template, own_score in _templates(letter)
    )


def _normalize(shape: Image) -> tuple[FloatArray, float]:
    """Return a square picture of zero mean and unit norm, and width over height."""
    square = cv2.resize(shape, (_SIZE, _SIZE), interpolation=cv2.INTER_AREA).astype(np.float32)
    soft = np.asarray(cv2.GaussianBlur(square, (0, 0), 0.8), dtype=np.float32)
    centered = soft - soft.mean()
    norm = float(np.linalg.norm(centered)) or 1.0
    return np.asarray(centered / norm, dtype=np.float32), shape.shape[1] / shape.shape[0]


@cache
def _templates(letter: str) -> tuple[tuple[FloatArray, float], ...]:
    """Return a letter in each font."""
    return tuple(_normalize(print_letter(letter, font)) for font in FONTS)


def print_letter(letter: str, font: str) -> Image:
    """Return the bitmap of a letter."""
    path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{font}.ttf"
    sheet = Picture.new("L", (2 * _DRAWN, 2 * _DRAWN), 0)
    face = ImageFont.truetype(str(path), _DRAWN)
    ImageDraw.Draw(sheet).text((_DRAWN // 2, _DRAWN // 4), letter, fill=255, font=face)
    drawn = np.asarray(sheet)
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    return np.ascontiguousarray(drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
