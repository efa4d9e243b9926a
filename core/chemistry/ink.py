"""Whether the ink of a picture is what a structure would be drawn with.

A structure with places for its atoms predicts strokes: how many lines run along a bond, whether
they widen (wedge) or break (hash), where a letter stands and which one. What is drawn but not
predicted, and what is predicted but not drawn, speaks against the structure.
"""

import math
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from core.chemistry.segmentation import Image, binarize

Stroke = Literal["none", "single", "double", "triple", "wedge", "hash", "unclear"]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_SIDE = 0.30
_MOVE = 0.14
_FIRST, _SECOND = (0.2, 0.5), (0.5, 0.8)
_STEP = 0.5
_BARE_END, _LABEL_END = 0.16, 0.40
_MIDDLE = (0.32, 0.68)
_DRAWN, _BROKEN, _WHOLE = 0.78, 0.28, 0.93
_WIDENING = (1.3, 1.6)
_LEAST_HASHES = 3
_GAP, _REACH_SHARE = 0.06, 0.15


@dataclass(frozen=True, slots=True)
class PlacedAtom:
    """An atom with its place in the picture.

    Attributes:
        x: Columns from the left.
        y: Rows from the top.
        letter: Element symbol where a label is to stand there; "" for a bare vertex.
    """

    x: float
    y: float
    letter: str


@dataclass(frozen=True, slots=True)
class PlacedBond:
    """A bond between two atoms by position; a wedge or hash is narrow at `begin`."""

    begin: int
    end: int
    stroke: Stroke


@dataclass(frozen=True)
class Drawing:
    """A structure laid over a picture."""

    atoms: tuple[PlacedAtom, ...]
    bonds: tuple[PlacedBond, ...]

    @property
    def bond_length(self) -> float:
        """Return the median length of a bond in pixels."""
        if not self.bonds:
            return 0.0
        return float(np.median([math.dist(*self.ends(bond)) for bond in self.bonds]))

    def ends(self, bond: PlacedBond) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the two places of a bond."""
        first, second = self.atoms[bond.begin], self.atoms[bond.end]
        return (first.x, first.y), (second.x, second.y)


@dataclass(frozen=True, slots=True)
class Profile:
    """Ink across a bond: rows run along it, columns from left to right of it."""

    ink: BoolArray
    offsets: FloatArray
    along: FloatArray

    def part(self, low: float, high: float) -> BoolArray:
        """Return the rows between two shares of the length."""
        return self.ink[(self.along >= low) & (self.along <= high)]


def read_profile(ink: Image, drawing: Drawing, bond: PlacedBond) -> Profile:
    """Sample the ink around a bond, moved onto the nearest stroke where places are a little off."""
    ends = drawing.ends(bond)
    rough = _sample(ink, ends, drawing.bond_length, (0.0, 0.0))
    shifts = (_find_shift(rough, _FIRST), _find_shift(rough, _SECOND))
    # the halves are centered at a quarter and three quarters: extend their line to the ends
    slope = shifts[1] - shifts[0]
    moved = (shifts[0] - slope / 2, shifts[1] + slope / 2)
    return _sample(ink, ends, drawing.bond_length, moved)


def _sample(
    ink: Image,
    ends: tuple[tuple[float, float], tuple[float, float]],
    bond_length: float,
    moved: tuple[float, float],
) -> Profile:
    """Sample along a line whose ends are moved sideways, in pixels."""
    (x0, y0), (x1, y1) = ends
    length = max(math.hypot(x1 - x0, y1 - y0), 1e-6)
    reach = _SIDE * bond_length
    offsets = np.arange(-reach, reach + _STEP / 2, _STEP)
    along = np.linspace(0.0, 1.0, max(int(length / _STEP), 8))
    normal = (-(y1 - y0) / length, (x1 - x0) / length)
    across = offsets[None, :] + (moved[0] + along * (moved[1] - moved[0]))[:, None]
    columns = x0 + along[:, None] * (x1 - x0) + across * normal[0]
    rows = y0 + along[:, None] * (y1 - y0) + across * normal[1]
    sampled = cv2.remap(
        ink, columns.astype(np.float32), rows.astype(np.float32), cv2.INTER_LINEAR, borderValue=0
    )
    return Profile(np.asarray(sampled) > 127, offsets, along)


def _find_shift(profile: Profile, window: tuple[float, float]) -> float:
    """Return the smallest sideways move that brings the line onto most ink."""
    density = profile.part(*window).mean(axis=0)
    soft = np.convolve(density, np.ones(3) / 3, mode="same")
    limit = _MOVE * float(profile.offsets[-1]) / _SIDE
    is_near = np.abs(profile.offsets) <= limit
    if not is_near.any() or soft[is_near].max() < _BROKEN:
        return 0.0
    good = is_near & (soft >= 0.92 * soft[is_near].max())
    runs = profile.offsets[good]
    nearest = float(runs[np.abs(runs).argmin()])
    # the middle of the run that holds the nearest place
    same = runs[np.abs(runs - nearest) <= 0.5 * limit]
    return float(same.mean())


def classify_stroke(profile: Profile, *, bare: tuple[bool, bool], width: float) -> Stroke:
    """Return what is drawn along a bond.

    Args:
        profile: Ink around it.
        bare: Whether begin and end carry no label.
        width: Usual width of a stroke in pixels.
    """
    low = _BARE_END if bare[0] else _LABEL_END
    high = 1 - (_BARE_END if bare[1] else _LABEL_END)
    if high - low < 0.1:
        low, high = _MIDDLE
    rows = profile.part(low, high)
    if len(rows) < 4:
        return "unclear"
    if rows.any(axis=1).mean() < _BROKEN:
        return "none"
    center = np.abs(profile.offsets) <= max(1.5, 0.9 * width)
    on_center = np.asarray(rows[:, center].any(axis=1), dtype=np.bool_)
    third = len(rows) // 4
    middle = rows[third : len(rows) - third] if third else rows
    counts = [_count_runs(row) for row in middle if row.any()]
    n_lines, n_dashes = (int(np.median(counts)) if counts else 0), _count_runs(on_center)
    if on_center.mean() < _DRAWN:
        broken: Stroke = "hash" if n_dashes >= _LEAST_HASHES else "none"
        return "double" if n_lines == 2 else broken
    if n_lines >= 2:
        return "triple" if n_lines >= 3 else "double"
    is_hash = n_dashes >= _LEAST_HASHES and on_center.mean() < _WHOLE
    return "hash" if is_hash else _classify_line(rows)


def has_gap(profile: Profile) -> bool:
    """Return whether the ink along a bond without labels is broken anywhere."""
    is_near = np.abs(profile.offsets) <= _REACH_SHARE * float(profile.offsets[-1]) / _SIDE
    blank = np.asarray(~profile.ink[:, is_near].any(axis=1), dtype=np.bool_)
    edges = np.diff(np.concatenate([[False], blank, [False]]).astype(np.int8))
    lengths = np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1)
    return bool(len(lengths) and lengths.max() >= _GAP * len(blank))


def _classify_line(rows: BoolArray) -> Stroke:
    """Return what one unbroken line is."""
    widths = np.array([_middle_run(row) for row in rows], dtype=np.float64) * _STEP
    quarter = max(len(widths) // 4, 1)
    first, last = np.median(widths[:quarter]), np.median(widths[-quarter:])
    widening = float(max(first, last) / max(min(first, last), 1.0))
    if widening >= _WIDENING[1]:
        return "wedge"
    return "single" if widening <= _WIDENING[0] else "unclear"


def _count_runs(line: BoolArray) -> int:
    """Return the number of unbroken runs."""
    return int(np.count_nonzero(np.diff(np.concatenate([[False], line]).astype(np.int8)) == 1))


def _middle_run(row: BoolArray) -> int:
    """Return the length of the run nearest to the middle."""
    places = np.flatnonzero(row)
    if len(places) == 0:
        return 0
    middle = (len(row) - 1) / 2
    start = end = int(places[np.abs(places - middle).argmin()])
    while start > 0 and row[start - 1]:
        start -= 1
    while end < len(row) - 1 and row[end + 1]:
        end += 1
    return end - start + 1


def measure_stroke(ink: Image) -> float:
    """Return the usual width of a stroke in pixels."""
    depth = cv2.distanceTransform(ink, cv2.DIST_L2, 3)
    ridge = (depth == cv2.dilate(depth, np.ones((3, 3), np.uint8))) & (depth > 0)
    values = np.asarray(depth)[np.asarray(ridge)]
    return float(2 * np.median(values)) if len(values) else 1.0


def read_ink(picture: Image) -> Image:
    """Return the ink of a picture as 255 on 0."""
    return binarize(picture)
