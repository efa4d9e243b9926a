"""Text of a drawing that is no part of the molecule: captions, and numbers of ring positions.

A caption is a group of small pieces that no line art is near to. Numbers of positions are lone
digits beside the drawing; a digit that follows a letter counts atoms and stays.
"""

from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from core.chemistry.glyphs import score_letter
from core.chemistry.segmentation import Image

FEWEST_NUMBERS = 3
"""Lone digits from which on they number positions; fewer may be misread letters."""
_ART = 2.5
_REACH = 1.3
_HEIGHTS = (7, 60)
_ASPECTS = (0.25, 1.1)
_DIGITS, _LETTERS = "123456789", "NOSFCHBPI"
_LIKE, _MARGIN = 0.55, 0.05
_FULL = 0.75
_THICK = 0.4
_UNCLEAR = -0.12
_SAME_HEIGHT = 0.25
_NARROW = 0.55
Stats = npt.NDArray[np.int32]


def drop_captions(ink: Image, height: float) -> Image:
    """Return the ink without groups of letters far from all line art.

    Args:
        ink: 255 on 0.
        height: Usual height of a letter in pixels.
    """
    reach = max(3, int(_REACH * height)) | 1
    wide = cv2.dilate(ink, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
    _, areas = cv2.connectedComponents(wide)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    sides = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    is_art = sides >= _ART * height
    is_art[0] = False
    with_art = set(np.unique(areas[is_art[labels]]).tolist())
    if not with_art:
        return ink
    others = set(np.unique(areas[ink > 0]).tolist()) - with_art
    dropped = [area for area in others if _is_text(_cut(ink, areas == area), height)]
    return np.where(np.isin(areas, dropped), 0, ink).astype(np.uint8)


def _cut(ink: npt.NDArray[np.uint8], mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    return np.where(mask, ink, 0).astype(np.uint8)


def _is_text(ink: npt.NDArray[np.uint8], height: float) -> bool:
    """Return whether a piece is as thick as a letter: dashes of a broken wedge are not."""
    outlines, _ = cv2.findContours(ink, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return any(min(cv2.minAreaRect(outline)[1]) >= _THICK * height for outline in outlines)


def drop_numbers(ink: Image) -> Image:
    """Return the ink without the numbers of ring positions."""
    _, label_map, sizes, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    labels, stats = np.asarray(label_map, dtype=np.int32), np.asarray(sizes, dtype=np.int32)
    pieces = [_read_digit(labels, stat, number) for number, stat in enumerate(stats)]
    clear = {number for number, piece in enumerate(pieces) if piece.lead >= _MARGIN}
    lone = {number for number in clear if not _follows_letter(stats, number, clear)}
    if len({pieces[number].sign for number in lone}) < FEWEST_NUMBERS:
        return ink
    # the drawing is numbered: unclear digits of the same height go as well
    heights = stats[:, cv2.CC_STAT_HEIGHT]
    usual = float(np.median(heights[sorted(lone)]))
    likely = {
        number
        for number, piece in enumerate(pieces)
        if piece.lead >= _UNCLEAR and abs(heights[number] - usual) <= _SAME_HEIGHT * usual
    }
    lone |= {number for number in likely if not _follows_letter(stats, number, clear | likely)}
    lone |= _zeros_after(stats, lone)
    return np.where(np.isin(labels, sorted(lone)), 0, ink).astype(np.uint8)


class _Piece(NamedTuple):
    """The digit a piece of ink is most like, and by how much more than any letter."""

    sign: str = ""
    lead: float = -1.0


def _read_digit(labels: npt.NDArray[np.int32], stat: Stats, number: int) -> _Piece:
    x, y, wide, tall, _area = stat.tolist()
    is_like = _ASPECTS[0] * tall <= wide <= _ASPECTS[1] * tall
    if not (number and _HEIGHTS[0] <= tall <= _HEIGHTS[1] and is_like):
        return _Piece()
    box = labels[y : y + tall, x : x + wide] == number
    if wide < _NARROW * tall and box.mean() > _FULL:
        return _Piece()  # a bar is a stroke
    shape = np.where(box, 255, 0).astype(np.uint8)
    score, sign = max((score_letter(shape, sign), sign) for sign in _DIGITS)
    if score < _LIKE:
        return _Piece()
    return _Piece(sign, score - max(score_letter(shape, letter) for letter in _LETTERS))


def _neighbors(stats: Stats, number: int) -> list[int]:
    """Return the pieces of a letter's size beside one, on its line or a little above or below."""
    x, y, wide, tall, _area = stats[number].tolist()
    left, top = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_TOP]
    width, height = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    gap = np.maximum(left - (x + wide), x - (left + width))
    overlap = np.minimum(top + height, y + tall) - np.maximum(top, y)
    is_near = (gap < 0.4 * tall) & (gap > -0.3 * tall) & (overlap > 0.25 * tall)
    is_near &= (height > 0.6 * tall) & (height < 2.2 * tall) & (width < 2.2 * tall)
    is_near[[0, number]] = False
    return [int(neighbor) for neighbor in np.flatnonzero(is_near)]


def _follows_letter(stats: Stats, number: int, digits: set[int]) -> bool:
    """Return whether something of a letter's size that is no digit stands before a piece."""
    x = stats[number][cv2.CC_STAT_LEFT]
    return any(
        neighbor not in digits and stats[neighbor][cv2.CC_STAT_LEFT] < x
        for neighbor in _neighbors(stats, number)
    )


def _zeros_after(stats: Stats, lone: set[int]) -> set[int]:
    """Return the noughts that stand right behind lone digits."""
    return {
        neighbor
        for number in lone
        for neighbor in _neighbors(stats, number)
        if stats[neighbor][cv2.CC_STAT_LEFT] > stats[number][cv2.CC_STAT_LEFT]
    }
