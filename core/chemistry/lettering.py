"""A drawing's ink made easier to read: specks go, letters are parted from bonds that touch them.

In a scan a letter often runs into a stroke, and a reader that looks at connected pieces then takes
the atom for carbon. Letters are looked for as patterns instead: with the shapes of letters that
stand free in the same picture, else with printed ones, at the height of the free letters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from core.chemistry.glyphs import FONTS, print_letter, score_letter
from core.chemistry.labels import drop_captions, drop_numbers
from core.chemistry.segmentation import Image, binarize, measure_text

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
    free = _read_free(ink)
    heights = [letter.shape.shape[0] for letter in free if letter.score > _LIKE]
    if not heights:
        return clean
    for letter in _find_touching(ink, free, float(np.median(heights))):
        rows, columns = letter.shape.shape
        window = slice(letter.y, letter.y + rows), slice(letter.x, letter.x + columns)
        patch = clean[window].copy()
        top, left = max(letter.y - _GAP, 0), max(letter.x - _GAP, 0)
        clean[top : letter.y + rows + _GAP, left : letter.x + columns + _GAP] = 255
        clean[window] = patch
    return clean


def _read_free(ink: Image) -> list[_Letter]:
    """Return the pieces of ink with the size of a letter, each with the letter it is most like."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    letters = []
    for number, (x, y, wide, tall, _area) in enumerate(stats[1:].tolist(), start=1):
        is_like = _ASPECTS[0] * tall <= wide <= _ASPECTS[1] * tall
        if not (_HEIGHTS[0] <= tall <= _HEIGHTS[1] and is_like):
            continue
        box = labels[y : y + tall, x : x + wide] == number
        shape = np.where(box, 255, 0).astype(np.uint8)
        score, sign = max((score_letter(shape, sign), sign) for sign in _READ)
        letters.append(_Letter(sign, score, x, y, shape))
    return letters


def _find_touching(ink: Image, free: Sequence[_Letter], height: float) -> list[_Letter]:
    """Return the letters that are no piece of their own, the clearest first."""
    soft_by = max(_LEAST_SOFT, height * _SOFT_SHARE)
    soft = cv2.GaussianBlur(ink, (0, 0), soft_by).astype(np.float32)
    hits = [
        hit
        for sign in _SOUGHT
        for shape in _shapes_of(sign, free, height)
        for hit in _match(soft, sign, shape, soft_by)
    ]
    known_letters = [letter for letter in free if letter.score > _KNOWN]
    letters: list[_Letter] = []
    for hit in sorted(hits, key=lambda letter: -letter.score):
        if not any(_is_within(hit, letter) for letter in known_letters) and not any(
            _is_near(hit, letter, _APART * height) for letter in letters
        ):
            letters.append(hit)
    return letters


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
