"""Pages to boxes of one structure each."""

import io
import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image as Picture
from rdkit import Chem
from rdkit.Chem import Draw

from core.chemistry.pages import read_pages
from core.chemistry.segmentation import find_structures
from core.errors import InvalidInput
from tests.rows import over_rows

FOLDER = Path(os.environ.get("BPW_REFERENCE", "../shared/reference")) / "patents"
needs_files = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference data at {FOLDER}")
HAND_COUNTS = (19, 22, 23, 18, 20)
DRUGS = ["CC(=O)Nc1ccc(O)cc1", "CN1C=NC2=C1C(=O)N(C)C(=O)N2C", "CC(C)Cc1ccc(cc1)C(C)C(=O)O"]


def draw(smiles: str) -> np.ndarray:
    picture = Draw.MolToImage(Chem.MolFromSmiles(smiles), size=(400, 300)).convert("L")
    return np.asarray(picture)


@pytest.fixture
def page() -> np.ndarray:
    sheet = np.full((1600, 1200), 255, np.uint8)
    for place, smiles in enumerate(DRUGS):
        sheet[100 + 500 * place : 400 + 500 * place, 150:550] = draw(smiles)
    for row in range(8):
        words = "the title compound was prepared"
        cv2.putText(sheet, words, (620, 120 + 40 * row), cv2.FONT_HERSHEY_SIMPLEX, 0.8, 0, 2)
    return sheet


def test_each_drawing_is_one_box_and_text_is_none(page):
    boxes = find_structures(page)
    assert len(boxes) == len(DRUGS)
    for place, box in enumerate(boxes):
        assert 100 + 500 * place <= box.y0 < box.y1 <= 400 + 500 * place
        assert 150 <= box.x0 < box.x1 <= 550


def test_cells_of_a_table_stay_apart(page):
    sheet = np.full((700, 900), 255, np.uint8)
    for place, smiles in enumerate(DRUGS[:2]):
        small = cv2.resize(draw(smiles), (360, 270))
        sheet[20 + 300 * place : 290 + 300 * place, 40:400] = np.minimum(
            sheet[20 + 300 * place : 290 + 300 * place, 40:400], small
        )
    sheet[305:308, 10:890] = 0
    sheet[10:640, 10:13] = 0
    assert len(find_structures(sheet)) == 2


def test_white_and_tiny_pages_hold_nothing():
    assert find_structures(np.full((500, 500), 255, np.uint8)) == []
    assert find_structures(np.zeros((3, 3), np.uint8)) == []
    with pytest.raises(ValueError, match="40 million"):
        find_structures(np.zeros((8000, 8000), np.uint8))


@needs_files
@pytest.mark.reference
def test_boxes_of_the_korean_pages_equal_the_hand_counts():
    content = (FOLDER / "KR102075885B1_pages_10-14.pdf").read_bytes()
    counts = [len(find_structures(page.image)) for page in read_pages(content)]
    assert sum(counts) >= 0.98 * sum(HAND_COUNTS)
    assert all(found <= wanted + 1 for found, wanted in zip(counts, HAND_COUNTS, strict=True))


@needs_files
@pytest.mark.reference
def test_a_page_with_text_and_drawings_is_rendered():
    (page,) = read_pages((FOLDER / "decimer_test_page.pdf").read_bytes())
    assert len(find_structures(page.image)) == 5


def test_a_scan_keeps_its_own_resolution(page):
    content = io.BytesIO()
    Picture.fromarray(page).save(content, "PDF", resolution=150)
    (read,) = read_pages(content.getvalue())
    assert read.number == 1
    assert read.image.shape == page.shape


@over_rows("content", [b"", b"%PDF-1.4 damaged", b"PK\x03\x04"])
def test_what_is_no_pdf_is_said(content):
    with pytest.raises(InvalidInput, match="PDF"):
        list(read_pages(content))
