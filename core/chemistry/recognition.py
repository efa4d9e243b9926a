"""Pictures of one structure to SMILES: OSRA under several settings, which vote.

OSRA's own number does not rank right from wrong, so what counts is how many settings agree, and
whether a chemist would believe the answer: a reading with bivalent chlorine or a stray metal has
misread a label. How often such agreement is right was measured (`recognition.csv`).

References:
    Filippov, Nicklaus 2009, doi 10.1021/ci800067r (OSRA); Rajan et al. 2020,
    doi 10.1186/s13321-020-00465-0 (the images of the measurement).
"""

import csv
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from rdkit import Chem

from core.chemistry.lettering import clean_drawing
from core.chemistry.processes import run_tool
from core.chemistry.segmentation import Box, Image, find_structures
from core.chemistry.structures import find_parent, is_generic

MISSING = "OSRA is not installed, so pictures are not read; Debian: apt-get install osra"
TABLE = Path(__file__).with_name("recognition.csv")
LARGEST_SIDE = 6_000
_TIMEOUT_S = 20.0
_PAD = 20
_LEAST_HEAVY = 2
_ELEMENTS = frozenset({1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 34, 35, 53})
_HALOGENS = frozenset({9, 17, 35, 53})
_CARBON, _SULFUR = 6, 16
_THIOL = 2
_ROUNDING = 1e-6
_ENOUGH = 0.5 + _ROUNDING


@dataclass(frozen=True, slots=True)
class Setting:
    """How a picture is prepared and read.

    Attributes:
        scale: Factor of its size.
        blur: Standard deviation of the smoothing, in pixels of the scaled picture.
        is_cut: Whether text beside the drawing is cut away first.
        is_cleaned: Whether specks and captions go and letters are parted from bonds first.
        options: Of OSRA.
    """

    scale: float = 1.0
    blur: float = 0.0
    is_cut: bool = False
    is_cleaned: bool = False
    options: tuple[str, ...] = ()


SETTINGS = (
    Setting(is_cleaned=True),
    Setting(is_cleaned=True, blur=0.6),
    Setting(is_cleaned=True, options=("-r", "300")),
    Setting(is_cleaned=True, scale=1.3, options=("-r", "300")),
)
"""The first reads best alone; together they read most."""
SECOND = (
    Setting(is_cleaned=True, scale=0.7),
    Setting(is_cleaned=True, scale=0.5),
    Setting(is_cleaned=True, scale=1.5, blur=0.8),
)
"""Asked as well where at most half of the first agree: other sizes read other labels."""
FEWEST_VOTES = 2
"""Settings that must agree where the second round was asked: one alone is seldom right."""


@dataclass(frozen=True, slots=True)
class Recognized:
    """What a picture came to.

    Attributes:
        smiles: "" where there is no answer, or none that may stand for a compound.
        probability: That it is right, from measurements; 0 without an answer.
        agreement: Share of the settings that gave it.
        is_generic: Whether settings saw R-groups or attachment points.
        elapsed_s: Seconds.
        block: MOL block of the answer with places as read; "" without an answer, or where the
            answer is several molecules.
    """

    smiles: str
    probability: float
    agreement: float
    is_generic: bool
    elapsed_s: float
    block: str = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one setting gave: SMILES, "*" for a generic drawing, "" for nothing believable."""

    smiles: str
    block: str = ""


def has_osra() -> bool:
    """Return whether pictures can be read."""
    return shutil.which("osra") is not None


def read_picture(picture: Image, settings: Sequence[Setting] = SETTINGS) -> Recognized:
    """Read a picture of one structure.

    Args:
        picture: Gray values; larger ones than 6,000 pixels a side are not read.
        settings: The first wins ties. Where the usual ones agree little, others are asked too.
    """
    began = time.monotonic()
    if not has_osra() or max(picture.shape) > LARGEST_SIDE:
        return Recognized("", 0.0, 0.0, is_generic=False, elapsed_s=time.monotonic() - began)
    cleaned = clean_drawing(picture) if any(setting.is_cleaned for setting in settings) else picture
    answers = [
        _read_once(cleaned if setting.is_cleaned else picture, setting) for setting in settings
    ]
    smiles, agreement, is_open = _vote([answer.smiles for answer in answers])
    if len(settings) == len(SETTINGS) and agreement <= _ENOUGH:
        answers += [_read_once(cleaned, setting) for setting in SECOND]
        smiles, agreement, is_open = _vote([answer.smiles for answer in answers])
        if agreement * len(answers) < FEWEST_VOTES - _ROUNDING:
            smiles, agreement = "", 0.0
    probability = _estimate(agreement, len(answers)) if smiles else 0.0
    block = next((answer.block for answer in answers if answer.smiles == smiles and smiles), "")
    return Recognized(smiles, probability, agreement, is_open, time.monotonic() - began, block)


def _read_once(picture: Image, setting: Setting) -> _Answer:
    """Return what one setting gave."""
    with tempfile.TemporaryDirectory(prefix="bpw-osra-") as name:
        path = Path(name) / "picture.png"
        prepared = _cut_text(picture) if setting.is_cut else picture
        edges = (_PAD, _PAD, _PAD, _PAD)
        prepared = np.asarray(
            cv2.copyMakeBorder(prepared, *edges, cv2.BORDER_CONSTANT, value=(255,)), dtype=np.uint8
        )
        if setting.scale != 1.0:
            way = cv2.INTER_AREA if setting.scale < 1 else cv2.INTER_CUBIC
            scaled = cv2.resize(
                prepared, None, fx=setting.scale, fy=setting.scale, interpolation=way
            )
            prepared = np.asarray(scaled, dtype=np.uint8)
        if setting.blur:
            prepared = np.asarray(cv2.GaussianBlur(prepared, (0, 0), setting.blur), dtype=np.uint8)
        cv2.imwrite(str(path), prepared)
        command = ["osra", "-f", "sdf", *setting.options, str(path)]
        answer = run_tool(command, timeout_s=_TIMEOUT_S, folder=Path(name))
    return _judge(answer or "")


def _cut_text(picture: Image) -> Image:
    """Return what surrounds the drawings; the picture itself where none is found."""
    boxes = find_structures(picture, has_rules=False)
    if not boxes:
        return picture
    around = Box(
        min(box.y0 for box in boxes),
        min(box.x0 for box in boxes),
        max(box.y1 for box in boxes),
        max(box.x1 for box in boxes),
    )
    return around.cut(picture)


def _judge(answer: str) -> _Answer:
    """Return what an SDF says: several molecules are one answer, joined by dots."""
    parts: list[str] = []
    blocks: list[str] = []
    for block in answer.split("$$$$\n"):
        if "M  END" not in block:
            continue
        molecule = Chem.MolFromMolBlock(block)
        if molecule is None or not is_believable(molecule):
            return _Answer("")
        molecule = _drop_imine_geometry(molecule)
        if is_generic(molecule):
            return _Answer("*")
        parts.append(Chem.MolToSmiles(molecule))
        blocks.append(block)
    return _Answer(".".join(sorted(parts)), blocks[0] if len(blocks) == 1 else "")


def _drop_imine_geometry(molecule: Chem.Mol) -> Chem.Mol:
    """Return a molecule without geometry that only the place of an unfolded NH gives."""
    matches = molecule.GetSubstructMatches(_imine())
    if not matches:
        return molecule
    plain = Chem.RWMol(molecule)
    for _hydrogen, nitrogen, other in matches:
        bond = plain.GetBondBetweenAtoms(nitrogen, other)
        bond.SetStereo(Chem.BondStereo.STEREONONE)
        for get_bond in plain.GetAtomWithIdx(nitrogen).GetBonds():
            get_bond.SetBondDir(Chem.BondDir.NONE)
    return Chem.RemoveHs(plain.GetMol())


@cache
def _imine() -> Chem.Mol:
    return Chem.MolFromSmarts("[#1]-[#7]=[*]")


def is_believable(molecule: Chem.Mol) -> bool:
    """Return whether no atom looks like a misread label."""
    if molecule.GetNumHeavyAtoms() < _LEAST_HEAVY:
        return False
    return not any(_is_odd(atom) for atom in molecule.GetAtoms())


def _is_odd(atom: Chem.Atom) -> bool:
    number = atom.GetAtomicNum()
    if number == 0:
        return False
    if number not in _ELEMENTS or atom.GetNumRadicalElectrons():
        return True
    if number == _SULFUR and atom.GetFormalCharge() == 0:
        # a sulfoxide whose charges were lost comes with a hydrogen on four-valent sulfur
        valence = atom.GetTotalValence()
        return bool(valence % 2 == 1 or (valence > _THIOL and atom.GetTotalNumHs()))
    if number == _CARBON and atom.GetFormalCharge():
        return not any(
            neighbor.GetFormalCharge() * atom.GetFormalCharge() < 0
            for neighbor in atom.GetNeighbors()
        )
    return bool(number in _HALOGENS and atom.GetTotalDegree() > 1)


def _vote(answers: Sequence[str]) -> tuple[str, float, bool]:
    """Return the SMILES that most settings give, their share, and whether any saw R-groups.

    Where more than half saw R-groups or attachment points the drawing is generic: no answer.
    """
    keys = [_key_of(answer) for answer in answers]
    votes = Counter(key for key in keys if key)
    n_open = sum(answer == "*" for answer in answers)
    if not votes or n_open > len(answers) / 2:
        return "", 0.0, n_open > 0
    most = max(votes.values())
    first = next(index for index, key in enumerate(keys) if votes.get(key) == most)
    return answers[first], most / len(answers), n_open > 0


def _key_of(answer: str) -> str:
    """Return what makes two answers equal; "" for none and for generic ones."""
    if answer in {"", "*"}:
        return ""
    molecule = Chem.MolFromSmiles(answer)
    parent = None if molecule is None else find_parent(molecule)
    return "" if parent is None else str(Chem.MolToInchiKey(parent))


@cache
def _load_table() -> Mapping[int, tuple[tuple[float, float], ...]]:
    """Return by number of settings: (agreement from, probability), in falling order."""
    table: dict[int, list[tuple[float, float]]] = {}
    with TABLE.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            pair = float(row["agreement_from"]), float(row["probability"])
            table.setdefault(int(row["n_settings"]), []).append(pair)
    return {number: tuple(sorted(pairs, reverse=True)) for number, pairs in table.items()}


def _estimate(agreement: float, n_settings: int) -> float:
    """Return how often an answer of this agreement was right; 0 for unmeasured numbers."""
    steps = _load_table().get(n_settings, ())
    return next((chance for least, chance in steps if agreement >= least - _ROUNDING), 0.0)
