"""Drawn structures of a page: found as groups of line art, without a trained model.

Rules of tables are taken out and kept as walls. What is left falls into connected components;
large, sparse ones with oblique strokes are seeds, and whatever stands near a seed on the same side
of every wall (labels, dots of hashed bonds) joins it.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
"""Gray values, rows x columns; 0 is ink."""
Labels = npt.NDArray[np.int32]
LARGEST_PAGE = 40_000_000
"""Pixels."""
_SPECKLE = 3
_TEXT_HEIGHTS = (6, 80)
_USUAL_TEXT = 24.0
_RULE_SHARE = 0.06
_RULE_TEXTS = 9.0
_SEED_TEXTS = 1.7
_SEED_FILL = 0.45
_ART_TEXTS = (2.5, 1.5)
_REACH_TEXTS = 0.95
_LEAST_TEXTS = (2.0, 1.2)
_OBLIQUE = 0.18
_MARGIN = 10


@dataclass(frozen=True, slots=True, order=True)
class Box:
    """Part of a page in pixels; the far edges are outside."""

    y0: int
    x0: int
    y1: int
    x1: int

    def cut(self, page: Image) -> Image:
        """Return this part of a page with a white margin."""
        crop = page[self.y0 : self.y1, self.x0 : self.x1]
        padded = cv2.copyMakeBorder(
            crop, _MARGIN, _MARGIN, _MARGIN, _MARGIN, cv2.BORDER_CONSTANT, value=(255,)
        )
        return np.asarray(padded, dtype=np.uint8)


@dataclass(frozen=True)
class _Parts:
    """Connected components of the ink: boxes as x, y, width, height, area; one a row."""

    labels: Labels
    stats: npt.NDArray[np.int32]


def find_structures(page: Image, *, has_rules: bool = True) -> list[Box]:
    """Return the boxes of drawn structures, row by row.

    `has_rules`: whether long straight lines part it; in a crop they are bonds.

    Raises:
        ValueError: The page is larger than 40 million pixels.
    """
    if page.size > LARGEST_PAGE:
        raise ValueError("the page is larger than 40 million pixels")
    if min(page.shape) < 8:
        return []
    ink = binarize(page)
    text = measure_text(ink)
    rules = _find_rules(ink, text) if has_rules else np.zeros_like(ink)
    parts = _split(np.where(rules > 0, 0, ink).astype(np.uint8))
    seeds = _find_seeds(parts, text)
    if not seeds.any():
        return []
    is_speck = parts.stats[:, cv2.CC_STAT_AREA] < _SPECKLE
    is_speck[0] = True
    shown = np.where(is_speck[parts.labels], 0, 255).astype(np.uint8)
    # Components belong together if they touch when thickened; rules are walls between them.
    reach = max(3, int(_REACH_TEXTS * text)) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    wide = cv2.dilate(shown, kernel)
    wide[rules > 0] = 0
    _, areas = cv2.connectedComponents(wide, connectivity=4)
    first = np.zeros(len(parts.stats), dtype=np.int64)
    flat = parts.labels.ravel()
    first[flat] = areas.ravel()  # any pixel of a component tells its area
    first[is_speck] = 0
    wanted_labels = np.unique(first[seeds])
    groups = [np.flatnonzero(first == area) for area in wanted_labels if area]
    boxes = [_box_of(parts.stats[members]) for members in groups if _has_art(parts, members, text)]
    large = [box for box in boxes if _is_large(box, text)]
    kept_boxes = [box for box in large if measure_obliqueness(ink[_span(box)]) >= _OBLIQUE]
    return sorted(
        [
            box
            for box in kept_boxes
            if not any(
                other != box
                and other.x0 <= box.x0
                and other.y0 <= box.y0
                and other.x1 >= box.x1
                and other.y1 >= box.y1
                for other in kept_boxes
            )
        ]
    )


def binarize(page: Image) -> Image:
    """Return ink as 255 on 0, by Otsu's threshold.

    References:
        Otsu 1979, doi 10.1109/TSMC.1979.4310076.
    """
    _, ink = cv2.threshold(page, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    return np.asarray(ink, dtype=np.uint8)


def _split(ink: Image) -> _Parts:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    return _Parts(np.asarray(labels, dtype=np.int32), np.asarray(stats, dtype=np.int32))


def measure_text(ink: Image) -> float:
    """Return the usual height of a letter in pixels."""
    heights = _split(ink).stats[1:, cv2.CC_STAT_HEIGHT]
    letters = heights[(heights >= _TEXT_HEIGHTS[0]) & (heights <= _TEXT_HEIGHTS[1])]
    if len(letters) < 5:
        return _USUAL_TEXT
    return float(np.clip(np.percentile(letters, 60), 10, 60))


def _find_rules(ink: Image, text: float) -> Image:
    """Return the long straight lines of tables, a little widened so that gaps of a scan close."""
    rules = np.zeros_like(ink)
    for along, size in ((0, ink.shape[1]), (1, ink.shape[0])):
        length = int(max(size * _RULE_SHARE, _RULE_TEXTS * text))
        # a warped rule leaves its row: ink is thickened across before it is opened along
        thick = cv2.dilate(ink, np.ones((1, 3) if along else (3, 1), np.uint8))
        kernel = np.ones((length, 1) if along else (1, length), np.uint8)
        long = np.asarray(cv2.morphologyEx(thick, cv2.MORPH_OPEN, kernel), dtype=np.uint8)
        rules = np.maximum(rules, long)
    return np.asarray(cv2.dilate(rules, np.ones((3, 3), np.uint8)), dtype=np.uint8)


def _find_seeds(parts: _Parts, text: float) -> npt.NDArray[np.bool_]:
    """Return which components are line art: large, sparse."""
    stats = parts.stats
    width, height = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    fill = stats[:, cv2.CC_STAT_AREA] / np.maximum(width * height, 1)
    seeds = (np.maximum(width, height) >= _SEED_TEXTS * text) & (fill < _SEED_FILL)
    seeds &= np.minimum(width, height) >= 0.5 * text
    seeds[0] = False
    return np.asarray(seeds, dtype=np.bool_)


def _box_of(stats: npt.NDArray[np.int32]) -> Box:
    x, y = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_TOP]
    right, low = x + stats[:, cv2.CC_STAT_WIDTH], y + stats[:, cv2.CC_STAT_HEIGHT]
    return Box(int(y.min()), int(x.min()), int(low.max()), int(right.max()))


def _has_art(parts: _Parts, members: npt.NDArray[np.int64], text: float) -> bool:
    """Return whether one component is larger than a heading's letters and no piece of a rule."""
    sides = parts.stats[members][:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
    is_art = (sides.max(axis=1) >= _ART_TEXTS[0] * text) & (
        sides.min(axis=1) >= _ART_TEXTS[1] * text
    )
    return bool(is_art.any())


def _is_large(box: Box, text: float) -> bool:
    sides = sorted((box.x1 - box.x0, box.y1 - box.y0), reverse=True)
    return sides[0] >= _LEAST_TEXTS[0] * text and sides[1] >= _LEAST_TEXTS[1] * text


def _span(box: Box) -> tuple[slice, slice]:
    return slice(box.y0, box.y1), slice(box.x0, box.x1)


def measure_obliqueness(ink: Image) -> float:
    """Return the share of strokes that run neither along rows nor along columns."""
    soft = cv2.GaussianBlur(ink, (0, 0), 1.2).astype(np.float32)
    dx, dy = cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)
    strength = np.hypot(dx, dy)
    strong = strength > 60
    if not strong.any():
        return 0.0
    angle = np.degrees(np.arctan2(np.abs(dy[strong]), np.abs(dx[strong])))
    oblique = (angle > 15) & (angle < 75)
    return float(strength[strong][oblique].sum() / strength[strong].sum())
