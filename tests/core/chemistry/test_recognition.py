"""Pictures to SMILES: the vote with a stand-in, and OSRA itself where it is installed."""

import os
import random
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from rdkit import Chem

from core.chemistry import recognition
from core.chemistry.evidenced import estimate
from core.chemistry.recognition import SETTINGS, is_believable, read_picture
from core.chemistry.structures import read_structure
from tests.core.chemistry.drawn import draw_scan
from tests.rows import over_rows

FOLDER = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "ocsr" / "images"
needs_osra = pytest.mark.skipif(shutil.which("osra") is None, reason="no OSRA (Debian: osra)")
BLANK = np.full((80, 120), 255, np.uint8)
ACETANILIDE = "CC(=O)Nc1ccccc1"


def sdf(*smiles: str) -> str:
    blocks = [Chem.MolToMolBlock(Chem.MolFromSmiles(text)) for text in smiles]
    return "".join(f"{block}$$$$\n" for block in blocks)


@pytest.fixture
def osra(monkeypatch):
    """Return what answers in OSRA's place, one answer a setting."""
    answers: list[str | None] = []

    def answer(_command, **_options):
        return answers.pop(0)

    monkeypatch.setattr(recognition, "has_osra", lambda: True)
    monkeypatch.setattr(recognition, "run_tool", answer)
    return answers


ANILIDE, ETHANOL, PIECE = sdf(ACETANILIDE), sdf("CCO"), sdf("*c1ccccc1")
IMINE, TURNED = sdf("[H]/N=C(/C)c1ccccc1"), sdf("[H]/N=C(\\C)c1ccccc1")


@over_rows(
    ("answers", "smiles", "agreement"),
    [
        ([ETHANOL, ANILIDE, sdf("c1ccccc1NC(C)=O"), ANILIDE], ACETANILIDE, 0.75),
        ([*[ANILIDE] * 3, ""], ACETANILIDE, 0.75),
        ([ETHANOL, sdf("CCN"), "", "", sdf("CCN"), ETHANOL, ""], "CCO", 2 / 7),
        ([ETHANOL, "", "", "", ANILIDE, ANILIDE, ""], ACETANILIDE, 2 / 7),
        ([*[sdf("C[AlH]C")] * 3, *[ANILIDE] * 2, "", ""], ACETANILIDE, 2 / 7),
        ([IMINE, TURNED, *[sdf("CC(=N)c1ccccc1")] * 2], "CC(=N)c1ccccc1", 1.0),
        ([ETHANOL, *[""] * 6], "", 0),
        (["junk", "M  END\n$$$$\n", None, "\x00", "", None, "junk"], "", 0),
        ([*[PIECE] * 3, *[ANILIDE] * 2, *[PIECE] * 2], "", 0),
    ],
)
def test_most_settings_win_and_others_are_asked_where_few_agree(osra, answers, smiles, agreement):
    osra[:] = answers
    found = read_picture(BLANK)
    assert osra == []
    assert read_structure(found.smiles).inchikey == read_structure(smiles).inchikey
    if smiles:
        assert found.agreement == pytest.approx(agreement)
        assert found.probability < 0.95
    assert (found.probability > 0) == bool(smiles)
    assert found.is_generic == (PIECE in answers)


def test_agreement_of_all_is_likely_but_sure_only_with_the_ink(osra):
    osra += [sdf(ACETANILIDE)] * 4
    found = read_picture(BLANK)
    assert 0.9 <= found.probability < 0.95 <= estimate(found.agreement, "clean")


@over_rows("smiles", ["CI(C)C", "C[AlH]C", "[CH2]CC", "C", "C[SH](O)C", "[CH-]=NC"])
def test_odd_atoms_are_not_believed(smiles):
    assert not is_believable(Chem.MolFromSmiles(smiles))


def test_without_osra_nothing_is_read(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert read_picture(BLANK).smiles == ""


@needs_osra
def test_a_clean_drawing_is_read():
    smiles = "COc1cc2ncnc(Nc3ccc(F)c(Cl)c3)c2cc1OCCCN1CCOCC1"
    found = read_picture(draw_scan(smiles, random.Random(0)).picture)
    assert read_structure(found.smiles).inchikey == read_structure(smiles).inchikey


@needs_osra
@pytest.mark.reference
@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference data at {FOLDER}")
def test_a_generic_drawing_of_the_reference_gives_no_compound():
    path = next(FOLDER.glob("CLEF_US20030130506A1_p0004*"))
    picture = np.asarray(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE), dtype=np.uint8)
    found = read_picture(picture)
    assert found.smiles == ""
    assert found.is_generic


def test_an_isocyanide_is_believed():
    assert is_believable(Chem.MolFromSmiles("[C-]#[N+]c1ccccc1"))


def test_every_setting_is_measured():
    assert recognition._estimate(1.0, len(SETTINGS)) > recognition._estimate(0.75, len(SETTINGS))
    assert recognition._estimate(1.0, 1) > 0
    assert recognition._estimate(2 / 7, 7) > 0
    assert recognition._estimate(1.0, 3) == 0
