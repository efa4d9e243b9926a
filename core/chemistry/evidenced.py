"""A picture read together with its proof: crop, redraw and overlay side by side, and doubts.

The answer is laid over the picture and held against its ink. What does not fit is told in words,
and moves the probability as far as was measured (`recognition_proof.csv`): only a clean overlay
where all settings agree makes an answer sure, and dashes of a wedge without a bond make it unlikely
however many agree.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from core.chemistry.drawing import draw_png
from core.chemistry.ink import Drawing
from core.chemistry.placement import place_drawing
from core.chemistry.proof import check_drawing
from core.chemistry.recognition import Recognized, read_picture
from core.chemistry.segmentation import Image
from core.chemistry.strays import DASHES

TABLE = Path(__file__).with_name("recognition_proof.csv")
MOST_DOUBTS = 8
_ROUNDING = 1e-6
Fit = Literal["clean", "doubtful", "unplaced", "lost"]
_HEIGHT = 260
_WIDEST = 520
_GAP = 12
_INK = (140, 140, 140)
_OVERLAY = (30, 60, 200)
_MARK = (0, 120, 230)


@dataclass(frozen=True, slots=True)
class Cell:
    """How often answers of one kind were right.

    Attributes:
        agreement_from: Least share of the settings.
        fit: How the answer lies over the ink; "any" where it tells nothing more.
        probability: Share right, drawn a little toward one half where few were measured.
        n_answers: Measured.
        n_right: Of them.
    """

    agreement_from: float
    fit: str
    probability: float
    n_answers: int
    n_right: int


@dataclass(frozen=True, slots=True)
class Evidenced:
    """An answer with what speaks for and against it.

    Attributes:
        smiles: "" where there is no answer.
        probability: That it is right, from measurements.
        agreement: Share of the settings that gave it.
        doubts: What in the picture does not fit.
        is_checked: Whether the answer could be laid over the picture.
        picture: PNG of crop, redraw and overlay; empty without an answer.
        fit: How the answer lies over the ink.
    """

    smiles: str
    probability: float
    agreement: float
    doubts: tuple[str, ...]
    is_checked: bool
    picture: bytes
    fit: Fit = "unplaced"


def read_evidenced(picture: Image) -> Evidenced:
    """Read a picture of one structure and hold the answer against it."""
    recognition = read_picture(picture)
    if not recognition.smiles:
        return Evidenced("", 0.0, 0.0, (), is_checked=False, picture=b"")
    drawing = place_drawing(picture, recognition.block) if recognition.block else None
    doubts = check_drawing(picture, drawing) if drawing is not None else ()
    texts = tuple(dict.fromkeys(doubt.text for doubt in doubts))[:MOST_DOUBTS]
    fit: Fit = "unplaced" if drawing is None else "doubtful" if doubts else "clean"
    if any(doubt.text == DASHES for doubt in doubts):
        fit = "lost"
    marks = [(doubt.x, doubt.y) for doubt in doubts]
    return Evidenced(
        recognition.smiles,
        estimate(recognition.agreement, fit),
        recognition.agreement,
        texts,
        is_checked=drawing is not None,
        picture=show_proof(picture, recognition, drawing, marks),
        fit=fit,
    )


def estimate(agreement: float, fit: Fit) -> float:
    """Return how often an answer of this agreement and fit was right.

    Args:
        agreement: Share of the settings that gave the answer.
        fit: How it lies over the ink.
    """
    cell = find_cell(agreement, fit)
    return 0.0 if cell is None else cell.probability


def find_cell(agreement: float, fit: Fit) -> Cell | None:
    """Return the row of the table to which an answer belongs."""
    accepted = {fit} if fit == "lost" else {fit, "any"}
    return next(
        (
            cell
            for cell in load_table()
            if agreement >= cell.agreement_from - _ROUNDING and cell.fit in accepted
        ),
        None,
    )


@cache
def load_table() -> Sequence[Cell]:
    """Return the rows of the table, in falling order of agreement."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        rows = [
            Cell(
                float(row["agreement_from"]),
                row["fit"],
                float(row["probability"]),
                int(row["n_answers"]),
                int(row["n_right"]),
            )
            for row in csv.DictReader(text)
        ]
    return sorted(rows, key=lambda row: -row.agreement_from)


def show_proof(
    picture: Image,
    recognition: Recognized,
    drawing: Drawing | None,
    marks: list[tuple[float, float]],
) -> bytes:
    """Return the PNG of crop, redraw and overlay side by side."""
    crop = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    encoded = np.frombuffer(draw_png(recognition.smiles, (_HEIGHT * 4 // 3, _HEIGHT)), np.uint8)
    redraw = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR))
    panels = [_fit(np.asarray(crop)), redraw]
    if drawing is not None:
        panels.append(_fit(_lay_over(picture, drawing, marks)))
    gap = np.full((_HEIGHT, _GAP, 3), 255, np.uint8)
    joined = [panel_or_gap for panel in panels for panel_or_gap in (panel, gap)][:-1]
    _, png = cv2.imencode(".png", np.concatenate(joined, axis=1))
    return png.tobytes()


def _lay_over(picture: Image, drawing: Drawing, marks: list[tuple[float, float]]) -> np.ndarray:
    """Return the picture in gray with the structure over it and circles where it does not fit."""
    shown = np.full((*picture.shape, 3), 255, np.uint8)
    shown[picture < 128] = _INK
    for bond in drawing.bonds:
        first, second = drawing.ends(bond)
        ends = [(round(x), round(y)) for x, y in (first, second)]
        cv2.line(shown, ends[0], ends[1], _OVERLAY, 2, cv2.LINE_AA)
    for atom in drawing.atoms:
        if atom.letter:
            at = (round(atom.x) - 6, round(atom.y) + 6)
            cv2.putText(shown, atom.letter, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, _OVERLAY, 2)
    for x, y in marks:
        cv2.circle(shown, (round(x), round(y)), 16, _MARK, 2, cv2.LINE_AA)
    return shown


def _fit(panel: np.ndarray) -> np.ndarray:
    """Return a panel at the common height, or lower where it would be too wide."""
    rows, columns = panel.shape[:2]
    scale = min(_HEIGHT / rows, _WIDEST / columns)
    size = (max(1, round(columns * scale)), max(1, round(rows * scale)))
    small = cv2.resize(panel, size, interpolation=cv2.INTER_AREA)
    padded = np.full((_HEIGHT, size[0], 3), 255, np.uint8)
    top = (_HEIGHT - size[1]) // 2
    padded[top : top + size[1]] = small
    return padded
