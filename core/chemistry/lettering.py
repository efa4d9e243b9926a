"""A drawing's ink made easier to read: specks go, letters are parted from bonds that touch them.

In a scan a letter often runs into a stroke, and a reader that looks at connected pieces then takes
the atom for carbon. Letters are looked for as patterns instead: with the shapes of letters that
stand free in the same picture, else with printed ones, at the height of the free letters.

Text of a drawing that is no part of the molecule: captions, and numbers of ring positions. A
caption is a group of small pieces that no line art is near to. Numbers of positions are lone digits
beside the drawing; a digit that follows a letter counts atoms and stays.

Which capital letter stands at a place: by its shape, against a few printed fonts.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import cv2
import matplotlib
import numpy as np
import numpy.typing as npt
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from core.chemistry.segmentation import Image, binarize, measure_text

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


FEWEST_NUMBERS = 3
"""Lone digits from which on they number positions; fewer may be misread letters."""
_ART = 2.5
_REACH = 1.3
_LABEL_HEIGHTS = (7, 60)
_LABEL_ASPECTS = (0.25, 1.1)
_DIGITS, _LETTERS = "123456789", "NOSFCHBPI"
_LABEL_LIKENESS, _LEAST_LEAD = 0.55, 0.05
_FULL = 0.75
_THICK = 0.4
_UNCLEAR = -0.12
_USUAL_HEIGHT = 0.25
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
    clear = {number for number, piece in enumerate(pieces) if piece.lead >= _LEAST_LEAD}
    lone = {number for number in clear if not _follows_letter(stats, number, clear)}
    if len({pieces[number].sign for number in lone}) < FEWEST_NUMBERS:
        return ink
    # the drawing is numbered: unclear digits of the same height go as well
    heights = stats[:, cv2.CC_STAT_HEIGHT]
    usual = float(np.median(heights[sorted(lone)]))
    likely = {
        number
        for number, piece in enumerate(pieces)
        if piece.lead >= _UNCLEAR and abs(heights[number] - usual) <= _USUAL_HEIGHT * usual
    }
    lone |= {number for number in likely if not _follows_letter(stats, number, clear | likely)}
    lone |= {
        neighbor
        for number in lone
        for neighbor in _neighbors(stats, number)
        if stats[neighbor][cv2.CC_STAT_LEFT] > stats[number][cv2.CC_STAT_LEFT]
    }
    return np.where(np.isin(labels, sorted(lone)), 0, ink).astype(np.uint8)


class _Piece(NamedTuple):
    """The digit a piece of ink is most like, and by how much more than any letter."""

    sign: str = ""
    lead: float = -1.0


def _read_digit(labels: npt.NDArray[np.int32], stat: Stats, number: int) -> _Piece:
    x, y, wide, tall, _area = stat.tolist()
    is_like = _LABEL_ASPECTS[0] * tall <= wide <= _LABEL_ASPECTS[1] * tall
    if not (number and _LABEL_HEIGHTS[0] <= tall <= _LABEL_HEIGHTS[1] and is_like):
        return _Piece()
    box = labels[y : y + tall, x : x + wide] == number
    if wide < _NARROW * tall and box.mean() > _FULL:
        return _Piece()  # a bar is a stroke
    shape = np.where(box, 255, 0).astype(np.uint8)
    score, sign = max((score_letter(shape, sign), sign) for sign in _DIGITS)
    if score < _LABEL_LIKENESS:
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


LARGEST = 6_000_000
"""Pixels of a picture above which letters are not looked for."""
SPECK = 5
"""Pixels of ink, or of white within ink, that are noise when fewer."""
_HEIGHTS = (7, 60)
_ASPECTS = (0.4, 1.6)
_READ = "NOSFCHB"
_SOUGHT = {"N": 0.8, "O": 0.8, "S": 0.8, "F": 0.88, "H": 0.9}
"""Letters that are looked for, and how like one a place must be; bonds are like F and H."""
_SURE, _LIKE, _KNOWN = 0.75, 0.7, 0.6
_SAME_HEIGHT = 0.15
_MOST_SHAPES = 3
_WIDTHS = (0.9, 1.0, 1.1)
_INKED = 110
_SOFT_SHARE, _LEAST_SOFT = 0.05, 0.6
_APART = 0.7
_INSIDE = 2
_GAP = 2


@dataclass(frozen=True, slots=True)
class _Letter:
    """A piece of ink that may be a letter, or a place where one was found."""

    sign: str
    score: float
    x: int
    y: int
    shape: Image

    @property
    def center(self) -> tuple[float, float]:
        return self.x + self.shape.shape[1] / 2, self.y + self.shape.shape[0] / 2


def despeckle(picture: Image) -> Image:
    """Return a picture in black and white without specks of ink and holes of few pixels."""
    ink = drop_small(binarize(picture))
    return np.asarray(
        drop_small(np.asarray(255 - ink, dtype=np.uint8), connectivity=4), dtype=np.uint8
    )


def drop_small(ink: Image, least: int = SPECK, connectivity: int = 8) -> Image:
    """Return the ink without pieces of fewer pixels."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=connectivity)
    is_speck = stats[:, cv2.CC_STAT_AREA] < least
    is_speck[0] = False
    return np.where(is_speck[labels], 0, ink).astype(np.uint8)


def clean_drawing(picture: Image) -> Image:
    """Return a picture without specks and captions, letters parted from strokes they touch."""
    clean = despeckle(picture)
    if clean.size > LARGEST:
        return clean
    bare = np.asarray(255 - clean, dtype=np.uint8)
    return _part_letters(drop_numbers(drop_captions(bare, measure_text(bare))))


def _part_letters(ink: Image) -> Image:
    """Return a picture of ink with a white rim around letters that touch a stroke."""
    clean = np.asarray(255 - ink, dtype=np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    # Pieces of ink with the size of a letter, each with the letter it is most like.
    free = []
    for number, (x, y, wide, tall, _area) in enumerate(stats[1:].tolist(), start=1):
        is_like = _ASPECTS[0] * tall <= wide <= _ASPECTS[1] * tall
        if not (_HEIGHTS[0] <= tall <= _HEIGHTS[1] and is_like):
            continue
        box = labels[y : y + tall, x : x + wide] == number
        shape = np.where(box, 255, 0).astype(np.uint8)
        score, sign = max((score_letter(shape, sign), sign) for sign in _READ)
        free.append(_Letter(sign, score, x, y, shape))
    heights = [letter.shape.shape[0] for letter in free if letter.score > _LIKE]
    if not heights:
        return clean
    height = float(np.median(heights))
    soft_by = max(_LEAST_SOFT, height * _SOFT_SHARE)
    soft = cv2.GaussianBlur(ink, (0, 0), soft_by).astype(np.float32)
    hits = [
        hit
        for sign in _SOUGHT
        for shape in _shapes_of(sign, free, height)
        for hit in _match(soft, sign, shape, soft_by)
    ]
    # Of letters found within or near another, the clearest stays.
    known_letters = [letter for letter in free if letter.score > _KNOWN]
    letters: list[_Letter] = []
    for hit in sorted(hits, key=lambda letter: -letter.score):
        if not any(_is_within(hit, letter) for letter in known_letters) and not any(
            _is_near(hit, letter, _APART * height) for letter in letters
        ):
            letters.append(hit)
    for letter in letters:
        rows, columns = letter.shape.shape
        window = slice(letter.y, letter.y + rows), slice(letter.x, letter.x + columns)
        patch = clean[window].copy()
        top, left = max(letter.y - _GAP, 0), max(letter.x - _GAP, 0)
        clean[top : letter.y + rows + _GAP, left : letter.x + columns + _GAP] = 255
        clean[window] = patch
    return clean


def _shapes_of(sign: str, free: Sequence[_Letter], height: float) -> list[Image]:
    """Return what a letter looks like here: as it stands free in the picture, else as printed."""
    seen = [
        letter.shape
        for letter in free
        if letter.sign == sign
        and letter.score > _SURE
        and abs(letter.shape.shape[0] - height) <= _SAME_HEIGHT * height
    ]
    if seen:
        return seen[:_MOST_SHAPES]
    printed = print_letter(sign, FONTS[0])
    tall = max(round(height), _HEIGHTS[0] - 1)
    shapes = []
    for share in _WIDTHS:
        wide = max(round(share * tall * printed.shape[1] / printed.shape[0]), 4)
        sized = cv2.resize(printed, (wide, tall), interpolation=cv2.INTER_AREA)
        shapes.append(np.where(sized > _INKED, 255, 0).astype(np.uint8))
    return shapes


def _match(soft: np.ndarray, sign: str, shape: Image, soft_by: float) -> Iterator[_Letter]:
    """Yield the places where the ink looks like a shape."""
    edged = cv2.copyMakeBorder(shape, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(0,))
    pattern = cv2.GaussianBlur(edged, (0, 0), soft_by).astype(np.float32)
    if pattern.shape[0] >= soft.shape[0] or pattern.shape[1] >= soft.shape[1]:
        return
    scores = np.asarray(cv2.matchTemplate(soft, pattern, cv2.TM_CCOEFF_NORMED))
    for y, x in np.argwhere(scores >= _SOUGHT[sign]).tolist():
        yield _Letter(sign, float(scores[y, x]), x + 1, y + 1, shape)


def _is_within(letter: _Letter, other: _Letter) -> bool:
    """Return whether the middle of one lies in the box of the other."""
    (x, y), (rows, columns) = letter.center, other.shape.shape
    in_x = other.x - _INSIDE <= x <= other.x + columns + _INSIDE
    return bool(in_x and other.y - _INSIDE <= y <= other.y + rows + _INSIDE)


def _is_near(letter: _Letter, other: _Letter, reach: float) -> bool:
    (x, y), (other_x, other_y) = letter.center, other.center
    return abs(x - other_x) < reach and abs(y - other_y) < reach
